//! Edits of a text: spans and what stands in their place. Spans are those of the text before any edit.

use crate::ir::Span;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    pub span: Span,
    pub text: String,
}

impl Edit {
    pub fn new(span: Span, text: impl Into<String>) -> Self {
        Self { span, text: text.into() }
    }

    /// Text that goes in between two characters.
    pub fn insert(at: u32, text: impl Into<String>) -> Self {
        Self::new(Span { lo: at, hi: at }, text)
    }
}

/// The text with all edits; none if two of them overlap or one is outside of the text.
pub fn apply(text: &str, edits: &[Edit]) -> Option<String> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.span);
    let (mut out, mut at) = (String::with_capacity(text.len() + 64), 0);
    for edit in edits {
        out += text.get(at..edit.span.lo as usize)?;
        out += &edit.text;
        at = edit.span.hi as usize;
    }
    out += text.get(at..)?;
    Some(out)
}

/// The lines in which two texts differ, from the first to the last.
pub fn difference<'t>(before: &'t str, after: &'t str) -> (&'t str, &'t str) {
    let lines = |text: &'t str| text.split_inclusive('\n');
    let same = |(a, b): &(&str, &str)| a == b;
    let head: usize = lines(before).zip(lines(after)).take_while(same).map(|(line, _)| line.len()).sum();
    let (before, after) = (&before[head..], &after[head..]);
    let ends = lines(before).rev().zip(lines(after).rev());
    let tail: usize = ends.take_while(same).map(|(line, _)| line.len()).sum();
    (&before[..before.len() - tail], &after[..after.len() - tail])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_speak_of_the_text_before() {
        let edit = |lo, hi, text: &str| Edit::new(Span { lo, hi }, text);
        let done = |edits: &[Edit]| apply("abcdef", edits);
        assert_eq!(done(&[edit(4, 5, "X"), edit(0, 2, ""), Edit::insert(6, "!")]).as_deref(), Some("cdXf!"));
        assert_eq!(done(&[edit(0, 3, ""), edit(2, 4, "")]), None);
        assert_eq!(done(&[edit(5, 9, "")]), None);
    }

    #[test]
    fn a_difference_is_whole_lines() {
        assert_eq!(difference("a\nb\nc\n", "a\nx\ny\nc\n"), ("b\n", "x\ny\n"));
        assert_eq!(difference("a\nb\nb\n", "a\nb\n"), ("b\n", ""));
        assert_eq!(difference("a", "a"), ("", ""));
    }
}
