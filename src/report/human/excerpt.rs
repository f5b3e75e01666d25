//! The lines around places, made safe for a terminal and short enough for it, with the place's columns moved along.

use std::ops::{Range, RangeInclusive};

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::report::escape;
use crate::source::{LineCol, LineIndex};

/// Where code is cut; generated files have lines of a megabyte.
const MAX_CHARS: usize = 120;
/// What is kept before the place in a line that is cut.
const BEFORE: usize = 40;

/// Excerpts of several files as one source, since miette draws one source per diagnostic.
#[derive(Debug, Default)]
pub struct Excerpts {
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
                cut_around(index.line_text(line), columns.clone())
            } else {
                cut_around(index.line_text(line), 0..0)
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
fn cut_around(code: &str, marked: Range<usize>) -> (String, Range<usize>) {
    let from = if code.chars().count() <= MAX_CHARS { 0 } else { back(code, marked.start, BEFORE) };
    let to = code[from..].char_indices().nth(MAX_CHARS).map_or(code.len(), |(at, _)| from + at);
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
        let (shown, span) = cut_around(code, marked);
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
        let (_, marked) = cut(&code, 0..code.len());
        assert_eq!(marked.chars().count(), MAX_CHARS);
    }
}
