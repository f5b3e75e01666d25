//! The lines around places, made safe for a terminal and short enough for it, with the place's columns moved along.

use std::ops::{Range, RangeInclusive};

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::report::escape;
use crate::source::{LineCol, LineIndex};

/// What is kept of a line at least.
const MIN_CHARS: usize = 40;
/// What a label below the place takes.
const LABEL: usize = 20;

/// Excerpts of several files as one source, since miette draws one source per diagnostic.
#[derive(Debug)]
pub struct Excerpts {
    /// Where code is cut, so that it fits the screen; generated files have lines of a megabyte.
    max_chars: usize,
    text: String,
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    name: String,
    /// In `text`.
    range: Range<usize>,
    /// The number of its first line, from 0.
    first: usize,
    /// The place's column as every other report counts it, from 0.
    column: usize,
}

impl Excerpts {
    pub fn new(max_chars: usize) -> Self {
        Self { max_chars: max_chars.max(MIN_CHARS), text: String::new(), pieces: Vec::new() }
    }

    /// Adds the lines around a place and says where the place is in the source. `columns` are bytes of the line on
    /// which the place starts.
    pub fn add(
        &mut self,
        name: &str,
        index: &LineIndex,
        start: LineCol,
        columns: Range<usize>,
    ) -> SourceSpan {
        let from = self.text.len();
        let lines = around(index, start.line);
        let mut span = from..from;
        for line in lines.clone() {
            let (shown, marked) = if line == start.line {
                cut_around(index.line_text(line), columns.clone(), self.max_chars)
            } else {
                cut_around(index.line_text(line), 0..0, self.max_chars)
            };
            if line == start.line {
                span = self.text.len() + marked.start..self.text.len() + marked.end;
            }
            self.text += &shown;
            self.text.push('\n');
        }
        self.pieces.push(Piece {
            name: name.to_owned(),
            range: from..self.text.len(),
            first: *lines.start() as usize - 1,
            column: start.column as usize - 1,
        });
        (span.start, span.end - span.start).into()
    }
}

/// The line and its neighbours, unless they are blank.
fn around(index: &LineIndex, line: u32) -> RangeInclusive<u32> {
    let wanted = |line: &u32| !index.line_text(*line).trim().is_empty();
    let before = line.checked_sub(1).filter(wanted).unwrap_or(line);
    let after = Some(line + 1).filter(wanted).unwrap_or(line);
    before..=after
}

/// The line escaped and cut, and where the marked bytes are in it.
fn cut_around(code: &str, marked: Range<usize>, max_chars: usize) -> (String, Range<usize>) {
    let column = code[..marked.start].chars().count();
    let fits = code.chars().count() <= max_chars && (column == 0 || column + LABEL <= max_chars);
    // The ends are for what stands in place of what is cut.
    let (from, room) =
        if fits { (0, max_chars) } else { (back(code, marked.start, max_chars / 3), max_chars - 2) };
    let to = code[from..].char_indices().nth(room).map_or(code.len(), |(at, _)| from + at);
    let mut shown = String::new();
    if from > 0 {
        shown.push('…');
    }
    shown += &escape::source(&code[from..marked.start]);
    let start = shown.len();
    shown += &escape::source(&code[marked.start..marked.end.clamp(marked.start, to)]);
    let end = shown.len();
    shown += &escape::source(&code[marked.end.clamp(marked.start, to)..to]);
    if to < code.len() {
        shown.push('…');
    }
    (shown, start..end)
}

/// The byte `chars` characters before `at`.
fn back(code: &str, at: usize, chars: usize) -> usize {
    code[..at].char_indices().rev().nth(chars).map_or(0, |(at, _)| at)
}

impl SourceCode for Excerpts {
    /// Spans that cross pieces are refused; miette then draws the pieces apart.
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let end = span.offset() + span.len();
        let holds = |piece: &&Piece| piece.range.start <= span.offset() && end <= piece.range.end;
        let piece = self.pieces.iter().find(holds).ok_or(MietteError::OutOfBounds)?;
        let start = piece.range.start;
        let local = SourceSpan::from((span.offset() - start, span.len()));
        let inner = self.text[piece.range.clone()].read_span(&local, before, after)?;
        // Without context it asks for the header, where the column of the file is wanted, not that of the excerpt.
        let column = if before == 0 && after == 0 { piece.column } else { inner.column() };
        Ok(Box::new(MietteSpanContents::new_named(
            piece.name.clone(),
            inner.data(),
            (inner.span().offset() + start, inner.span().len()).into(),
            inner.line() + piece.first,
            column,
            inner.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(code: &str, marked: Range<usize>) -> (String, String) {
        let (shown, span) = cut_around(code, marked, 120);
        let marked = shown[span].to_owned();
        (shown, marked)
    }

    #[test]
    fn the_place_moves_with_what_is_escaped_before_it() {
        assert_eq!(cut("\u{1b}x = f()", 5..8), ("\\u{1b}x = f()".into(), "f()".into()));
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let code = format!("{}f(){}", "ä".repeat(1000), "b".repeat(1000));
        let (shown, marked) = cut(&code, 2000..2003);
        assert_eq!(marked, "f()");
        assert!(shown.chars().count() < 130 && shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        let (shown, _) = cut_around(&format!("{}f()", " ".repeat(60)), 60..63, 71);
        assert!(shown.starts_with('…') && shown.ends_with("f()"), "a label has room below: {shown}");
        let (_, marked) = cut(&code, 0..code.len());
        assert_eq!(marked.chars().count(), 118);
    }
}
