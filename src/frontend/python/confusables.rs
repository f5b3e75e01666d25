//! Which parts of a file are names, and which are texts and comments, for what a reader may take for another name.

use ruff_python_ast::token::{TokenKind, Tokens};
use ruff_text_size::Ranged;

use super::kind::{Kind, Node, Tree};
use super::places::span_of;
use crate::frontend::names;
use crate::ir::{Confusable, Facts, Span};

pub(super) fn of_tokens(text: &str, tokens: &Tokens, facts: &Facts) -> Vec<Confusable> {
    if !names::may_confuse(text) {
        return Vec::new();
    }
    let quoted = quoted(tokens);
    let names = tokens.iter().filter(|token| token.kind() == TokenKind::Name);
    let words = names.flat_map(|token| names::words_in(text, span_of(token)));
    names::confusables(text, facts, words, &quoted, names::nfkc)
}

pub(super) fn of_tree(tree: &Tree<'_>, facts: &Facts) -> Vec<Confusable> {
    let text = tree.text();
    if !names::may_confuse(text) {
        return Vec::new();
    }
    let nodes = || tree.root().into_iter().flat_map(|root| root.descendants());
    let texts = nodes().filter(|node| node.kind() == Kind::Text).map(|node| node.span());
    let mut quoted: Vec<Span> = texts.chain(tree.comments.iter().copied()).collect();
    quoted.sort_unstable();
    // Inside a text only what it interpolates has names.
    let is_code = |node: &Node<'_>| {
        node.kind() == Kind::Identifier || node.is_leaf() && !names::within(&quoted, node.lo())
    };
    let names = nodes().filter(is_code).flat_map(|node| names::words_in(text, node.span()));
    names::confusables(text, facts, names, &quoted, names::nfkc)
}

/// Texts and comments, in order. A text with parts that are code is one of them, from its first quote to its last.
fn quoted(tokens: &Tokens) -> Vec<Span> {
    let mut quoted = Vec::new();
    let mut open = Vec::new();
    for token in tokens {
        match token.kind() {
            TokenKind::String | TokenKind::Comment => quoted.push(span_of(token)),
            TokenKind::FStringStart | TokenKind::TStringStart => open.push(token.start().to_u32()),
            TokenKind::FStringEnd | TokenKind::TStringEnd => {
                if let Some(lo) = open.pop() {
                    quoted.push(Span { lo, hi: token.end().to_u32() });
                }
            }
            _ => {}
        }
    }
    quoted.sort_unstable();
    quoted
}
