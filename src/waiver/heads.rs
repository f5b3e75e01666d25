//! Functions of one file, as a comment finds them: by the lines of their heads, by where their bodies begin, by what they
//! hold. Lambdas are parts of an expression and none of these.

use std::collections::BTreeMap;

use super::spans::Spans;
use crate::ir::{Facts, FnKind, Function, Span};
use crate::source::LineIndex;

pub struct Heads<'a> {
    text: &'a str,
    all: Vec<Head>,
    /// Numbers of `all` by the lines on which they or their decorators begin.
    by_line: BTreeMap<u32, Vec<usize>>,
    /// The same by where the body begins.
    by_body: Vec<usize>,
    /// With the spans of their names.
    spans: Spans<Span>,
}

struct Head {
    /// With the decorators.
    whole: Span,
    lo: u32,
    body: u32,
}

impl<'a> Heads<'a> {
    pub fn new(text: &'a str, facts: &Facts, lines: &LineIndex) -> Self {
        let plain = || facts.functions().iter().filter(|function| function.kind == FnKind::Plain);
        let mut by_line: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let mut all = Vec::new();
        for (nth, function) in plain().enumerate() {
            let starts = starts(facts, function);
            let lo = starts.iter().copied().min().unwrap_or(function.span.lo);
            starts.iter().for_each(|&at| by_line.entry(lines.line_col(at).line).or_default().push(nth));
            let whole = Span { lo, hi: function.span.hi };
            all.push(Head { whole, lo: function.span.lo, body: facts.span(function.body).lo });
        }
        let mut by_body: Vec<usize> = (0..all.len()).collect();
        by_body.sort_by_key(|&nth| all[nth].body);
        let spans = Spans::new(plain().map(|function| (function.span, function.name_span)).collect());
        Self { text, all, by_line, by_body, spans }
    }

    /// The function whose head is on the line. `behind` is the comment at the end of it, if it stands there.
    pub fn on_line(&self, line: u32, behind: Option<Span>) -> Option<Span> {
        let on_line = self.by_line.get(&line).into_iter().flatten();
        // On one line with its body, the comment speaks of that line.
        let is_head = |head: &&Head| behind.is_none_or(|comment| comment.hi <= head.body);
        let on_line = on_line.map(|&nth| &self.all[nth]).filter(is_head);
        let ended = behind.into_iter().flat_map(|comment| self.that_end_at(comment));
        on_line.chain(ended).map(|head| head.whole).min_by_key(width)
    }

    /// Those of which nothing but the body comes behind a comment.
    fn that_end_at(&self, comment: Span) -> impl Iterator<Item = &Head> {
        let behind = self.text.get(comment.hi as usize..).unwrap_or_default();
        let code = comment.hi + (behind.len() - behind.trim_start().len()) as u32;
        let first = self.by_body.partition_point(|&nth| self.all[nth].body < comment.hi);
        let heads = self.by_body[first..].iter().map(|&nth| &self.all[nth]);
        heads.take_while(move |head| head.body <= code).filter(move |head| head.lo < comment.lo)
    }

    /// The name of the widest function that ends with one of these spans and lies in it.
    pub fn filling(&self, spans: &[Span]) -> Option<Span> {
        let ends = |span: &Span| self.spans.ending_at(span.hi).find(|(function, _)| span.lo <= function.lo);
        spans.iter().filter_map(ends).max_by_key(|(function, _)| width(function)).map(|(_, name)| *name)
    }

    /// The name of the innermost function around a place.
    pub fn around(&self, place: Span) -> Option<Span> {
        self.spans.holding(place).min_by_key(|(function, _)| width(function)).map(|(_, name)| *name)
    }
}

/// Where the function and its decorators begin.
fn starts(facts: &Facts, function: &Function) -> Vec<u32> {
    let decorators = facts.list(function.decorators);
    decorators.iter().map(|&id| facts.span(id).lo).chain([function.span.lo]).collect()
}

fn width(span: &Span) -> u32 {
    span.hi - span.lo
}
