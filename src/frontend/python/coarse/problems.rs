//! What tree-sitter could not read: which errors are local, and which may hide a call. It also takes away what would needlessly
//! confuse it.

use std::borrow::Cow;

use crate::frontend::python::kind::{Kind, Node, Tree};
use crate::ir::{Problem, ProblemKind, Span};

/// The text as the parser should see it: as long as the original, so that spans hold. A lone CR ends a line, as it does in
/// Python; a NUL would make the parser lose what follows.
pub(in super::super) fn clean(text: &str) -> Cow<'_, str> {
    match joined(text) {
        Some(joined) => Cow::Owned(without_odd(&joined).into_owned()),
        None => without_odd(text),
    }
}

/// So many lines that hold nothing but a backslash may follow each other.
const MAX_BARE: usize = 32;

/// The parser goes through a run of lines with nothing but a backslash again for each of them. All but the first and the last
/// become blanks, which join what is around them just as well. `None` if no run is long.
fn joined(text: &str) -> Option<String> {
    let ends_line = |at: usize| matches!(text.as_bytes().get(at + 1), None | Some(b'\n' | b'\r'));
    let mut joins = text.match_indices('\\').filter(|&(at, _)| ends_line(at));
    // Few files have so many.
    joins.nth(MAX_BARE)?;
    let is_bare = |line: &&str| {
        let line = line.trim_end_matches(['\n', '\r']);
        line.ends_with('\\') && line.trim_start_matches([' ', '\t', '\x0C']).len() == 1
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let runs = || lines.chunk_by(|a, b| is_bare(a) && is_bare(b));
    runs().any(|run| run.len() > MAX_BARE).then(|| {
        let mut out = String::with_capacity(text.len());
        for run in runs() {
            let inner = if run.len() > MAX_BARE { 1..run.len() - 1 } else { 0..0 };
            for (at, line) in run.iter().enumerate() {
                match inner.contains(&at) {
                    true => out.extend(std::iter::repeat_n(' ', line.len())),
                    false => out.push_str(line),
                }
            }
        }
        out
    })
}

fn without_odd(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_lone = |i: usize| bytes[i] == b'\r' && bytes.get(i + 1) != Some(&b'\n');
    let is_odd = |i: &usize| bytes[*i] == 0 || is_lone(*i);
    if !bytes.contains(&0) && !bytes.contains(&b'\r') || !(0..bytes.len()).any(|i| is_odd(&i)) {
        return Cow::Borrowed(text);
    }
    let mut at = 0;
    let replaced = text.chars().map(|c| {
        let here = at;
        at += c.len_utf8();
        match c {
            '\0' => ' ',
            '\r' if is_lone(here) => '\n',
            _ => c,
        }
    });
    Cow::Owned(replaced.collect())
}

/// What is to be reported of a file besides why it was rejected.
pub(super) fn of(tree: &Tree<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for fault in &tree.errors {
        if let Some(node) = tree.node(fault.node) {
            problems.push(Problem { span: node.span(), kind: kind_of_error(tree, node) });
        }
    }
    for &(at, kind) in &tree.missing {
        let kind =
            if kind == Some(Kind::TextEnd) { ProblemKind::HidesCode } else { ProblemKind::LocalSyntax };
        problems.push(Problem { span: Span { lo: at, hi: at }, kind });
    }
    if tree.has_error && problems.is_empty() {
        let span = Span { lo: 0, hi: tree.text().len() as u32 };
        problems.push(Problem { span, kind: ProblemKind::HidesCode });
    }
    problems
}

/// An error is local if it stays on its line, and each word of it is a node or a keyword that opens no scope.
fn kind_of_error(tree: &Tree<'_>, error: Node<'_>) -> ProblemKind {
    let text = tree.text();
    let mut from = error.lo();
    for child in error.all_children() {
        let hides = match child.kind() {
            Kind::TextStart | Kind::TextEnd => true,
            Kind::Identifier => opens_scope(child.text()),
            _ => false,
        };
        if hides || gap_hides(text, from, child.lo()) {
            return ProblemKind::HidesCode;
        }
        from = child.hi();
    }
    if gap_hides(text, from, error.hi()) { ProblemKind::HidesCode } else { ProblemKind::LocalSyntax }
}

fn gap_hides(text: &str, lo: u32, hi: u32) -> bool {
    let gap = text.get(lo as usize..hi as usize).unwrap_or_default();
    gap.contains(['\n', '"', '\'', '`']) || words(gap).any(|word| opens_scope(word) || !is_keyword(word))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    text.split(move |c| !is_word(c)).filter(|word| word.starts_with(|c: char| !c.is_ascii_digit()))
}

fn opens_scope(word: &str) -> bool {
    matches!(word, "def" | "class" | "lambda")
}

pub(super) fn is_keyword(word: &str) -> bool {
    const KEYWORDS: &str = "False None True and as assert async await break case class continue def del elif else \
        except exec finally for from global if import in is lambda match nonlocal not or pass print raise return try type \
        while with yield __future__ _";
    KEYWORDS.split(' ').any(|keyword| keyword == word)
}
