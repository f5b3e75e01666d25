//! A file of an example as rewrites see it: its text with its facts, and edits by span. It knows where code stands, and
//! nothing of what a rewrite wants.

use std::collections::{BTreeMap, BTreeSet};

use gatelint::frontend;
use gatelint::ir::walk::Child;
use gatelint::ir::{Expr, ExprId, Facts, FnKind, Func, Function, Lang, Lit, Pat, Span, Sym};

/// What may look at names by way of text.
const DYNAMIC: [&str; 5] = ["eval", "exec", "globals", "locals", "vars"];

pub struct Code {
    pub text: String,
    pub facts: Facts,
    /// The node around a node; heads of functions and classes have none.
    pub parents: BTreeMap<ExprId, ExprId>,
    /// What is assigned to or deleted.
    pub places: BTreeSet<ExprId>,
}

impl Code {
    /// None if the file was not fully understood: what cannot be read cannot be rewritten with certainty.
    pub fn read(text: &str) -> Option<Self> {
        let facts = frontend::lower(text, Lang::Python);
        if !facts.problems.is_empty() {
            return None;
        }
        let (mut parents, mut places) = (BTreeMap::new(), BTreeSet::new());
        for (id, expr) in facts.exprs().map(|id| (id, facts.expr(id))) {
            if let Expr::Store { place, .. } = expr {
                places.insert(*place);
            }
            let mut pats = Vec::new();
            let mut below = |child, pats: &mut Vec<_>| match child {
                Child::Expr(child) => drop(parents.insert(child, id)),
                Child::Pat(pat) => pats.push(pat),
            };
            facts.arenas.each_child(id, |child| below(child, &mut pats));
            while let Some(pat) = pats.pop() {
                if let Pat::Place(place) = facts.pat(pat) {
                    places.insert(*place);
                }
                facts.arenas.each_child_of_pat(pat, |child| below(child, &mut pats));
            }
        }
        Some(Self { text: text.to_owned(), facts, parents, places })
    }

    pub fn at(&self, span: Span) -> &str {
        &self.text[span.lo as usize..span.hi as usize]
    }

    pub fn name(&self, sym: Sym) -> &str {
        self.facts.str(sym)
    }

    /// True if no name, string or attribute of the file is called so.
    pub fn is_fresh(&self, name: &str) -> bool {
        self.facts.strings.iter().all(|string| string != name)
    }

    pub fn functions(&self) -> impl Iterator<Item = (Func, &Function)> {
        self.facts.function_ids().zip(self.facts.functions())
    }

    pub fn defs(&self) -> impl Iterator<Item = (Func, &Function)> {
        self.functions().filter(|(_, function)| function.kind == FnKind::Plain)
    }

    pub fn vars(&self, function: &Function) -> impl Iterator<Item = &str> {
        self.facts.list(function.vars).iter().map(|&sym| self.name(sym))
    }

    /// The statements of a function.
    pub fn statements(&self, function: &Function) -> &[ExprId] {
        match *self.facts.expr(function.body) {
            Expr::Block(list) => self.facts.list(list),
            _ => &[],
        }
    }

    /// True if the file may look at its names by way of text, or says which it offers.
    pub fn is_dynamic(&self) -> bool {
        let dynamic = |expr: &Expr| matches!(expr, Expr::Free(sym) if DYNAMIC.contains(&self.name(*sym)));
        self.facts.exprs().map(|id| (id, self.facts.expr(id))).any(|(_, expr)| dynamic(expr))
            || self.vars(&self.facts.functions()[0]).any(|name| name == "__all__")
    }

    pub fn line_start(&self, at: u32) -> u32 {
        self.text[..at as usize].rfind('\n').map_or(0, |found| found as u32 + 1)
    }

    /// The end of the line, without its line break.
    pub fn line_end(&self, at: u32) -> u32 {
        self.text[at as usize..].find('\n').map_or(self.text.len() as u32, |found| at + found as u32)
    }

    /// Where the next line begins.
    pub fn next_line(&self, at: u32) -> u32 {
        (self.line_end(at) + 1).min(self.text.len() as u32)
    }

    /// What stands before `at` in its line if that is layout only.
    pub fn indent(&self, at: u32) -> Option<&str> {
        let before = &self.text[self.line_start(at) as usize..at as usize];
        before.trim().is_empty().then_some(before)
    }

    /// True if nothing but a comment follows in the line.
    pub fn ends_line(&self, at: u32) -> bool {
        let rest = self.text[at as usize..self.line_end(at) as usize].trim();
        rest.is_empty() || rest.starts_with('#')
    }

    /// True if the line before that of `at` is a comment. Lines are only looked at between statements.
    pub fn is_below_comment(&self, at: u32) -> bool {
        let start = self.line_start(at);
        start > 0 && self.text[self.line_start(start - 1) as usize..].trim_start().starts_with('#')
    }

    /// Where the text of a definition begins: at its first decorator.
    pub fn head_start(&self, function: &Function) -> u32 {
        let decorators = self.facts.list(function.decorators).iter().map(|&id| self.facts.span(id).lo);
        decorators.min().map_or(self.line_start(function.span.lo), |lo| self.line_start(lo))
    }

    /// Where the body begins after its docstring, comments above included, and its indentation; None if it begins beside
    /// the head.
    pub fn body_start(&self, function: &Function) -> Option<(u32, &str)> {
        let body = self.facts.span(function.body);
        let indent = self.indent(body.lo)?;
        let first = self.statements(function).first();
        let at = match first.map(|&id| (self.facts.expr(id), self.facts.span(id))) {
            Some((Expr::Lit(Lit::Str(_)), span)) if span.lo == body.lo => {
                return self.ends_line(span.hi).then(|| (self.next_line(span.hi), indent));
            }
            _ => self.line_start(body.lo),
        };
        Some((self.above_comments(at), indent))
    }

    /// Where the comments right above a line begin.
    pub fn above_comments(&self, mut line: u32) -> u32 {
        while self.is_below_comment(line) {
            line = self.line_start(line - 1);
        }
        line
    }

    /// True if a comment speaks to gatelint in the lines `lo..hi`, or on the line above: it would speak of other code.
    pub fn is_noted(&self, lo: u32, hi: u32) -> bool {
        let above = self.line_start(lo).saturating_sub(1);
        let from = self.line_start(above);
        self.facts.notes.iter().any(|note| note.lo >= from && note.lo < hi)
    }
}

/// Replacements of spans; an empty span inserts.
#[derive(Default)]
pub struct Edits(Vec<(Span, String)>);

impl Edits {
    pub fn replace(&mut self, span: Span, text: impl Into<String>) {
        self.0.push((span, text.into()));
    }

    pub fn insert(&mut self, at: u32, text: impl Into<String>) {
        self.replace(Span { lo: at, hi: at }, text);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What stands first in the file comes first; insertions at one place keep their order.
    pub fn apply(mut self, text: &str) -> String {
        self.0.sort_by_key(|(span, _)| (span.lo, span.hi));
        let mut done = String::new();
        let mut at = 0;
        for (span, new) in self.0 {
            assert!(span.lo as usize >= at, "edits overlap at {span:?}");
            done += &text[at..span.lo as usize];
            done += &new;
            at = span.hi as usize;
        }
        done + &text[at..]
    }
}
