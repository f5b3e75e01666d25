//! From byte offsets to lines and columns. Lines end as the languages see it: `\n`, `\r\n` or a lone `\r`.
//! Columns count Unicode scalar values (SARIF: `unicodeCodePoints`), so they are the same in every report.

use std::ops::Range;

/// Both count from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LineCol {
    pub line: u32,
    pub column: u32,
}

/// Where the lines of one text start. Built only for files of which something is printed.
#[derive(Debug)]
pub struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    pub fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            let ends = *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            if ends {
                starts.push(at + 1);
            }
        }
        Self { text, starts }
    }

    /// An offset past the end, or inside a character, counts as the nearest place before it.
    pub fn line_col(&self, offset: u32) -> LineCol {
        let offset = self.text.floor_char_boundary(offset as usize);
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let column = self.text[start..offset].chars().count();
        LineCol { line: line as u32, column: column as u32 + 1 }
    }

    /// The line without its end; empty for a line that does not exist.
    pub fn line_text(&self, line: u32) -> &'a str {
        &self.text[self.line_range(line)]
    }

    /// The bytes of a line without its end.
    pub fn line_range(&self, line: u32) -> Range<usize> {
        let Some(index) = (line as usize).checked_sub(1).filter(|index| *index < self.starts.len()) else {
            return self.text.len()..self.text.len();
        };
        let start = self.starts[index];
        let end = self.starts.get(index + 1).copied().unwrap_or(self.text.len());
        let line = self.text[start..end].trim_end_matches(['\r', '\n']);
        start..start + line.len()
    }

    /// A text that ends in a newline has an empty last line.
    pub fn lines(&self) -> u32 {
        self.starts.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, offset: u32) -> (u32, u32) {
        let place = LineIndex::new(text).line_col(offset);
        (place.line, place.column)
    }

    #[test]
    fn every_kind_of_line_end_counts_once() {
        let text = "a\nb\r\nc\rd";
        assert_eq!([at(text, 0), at(text, 2), at(text, 5), at(text, 7)], [(1, 1), (2, 1), (3, 1), (4, 1)]);
        let index = LineIndex::new(text);
        let lines: Vec<_> = (1..=index.lines()).map(|line| index.line_text(line)).collect();
        assert_eq!(lines, ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_line_break_belongs_to_its_line() {
        assert_eq!([at("ab\r\ncd", 2), at("ab\r\ncd", 3), at("ab\r\ncd", 4)], [(1, 3), (1, 4), (2, 1)]);
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(at("äöü = 😀x", 11 + 2), (1, 8));
        assert_eq!(at("ä", 1), (1, 1), "inside a character");
    }

    #[test]
    fn past_the_end_is_the_end() {
        assert_eq!(at("ab", 99), (1, 3));
        assert_eq!(at("", 0), (1, 1));
        assert_eq!(LineIndex::new("ab").line_text(7), "");
        assert_eq!(LineIndex::new("a\n").lines(), 2);
    }
}
