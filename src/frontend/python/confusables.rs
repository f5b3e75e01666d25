//! Which parts of a file are names, and which are texts and comments, for what a reader may take for another name.

use super::kind::Kind;
use super::{Node, Tree};
use crate::frontend::names;
use crate::ir::{Confusable, Facts, Span};

pub(super) fn of_tree(tree: &Tree<'_>, facts: &Facts) -> Vec<Confusable> {
    let text = tree.text();
    if !names::may_confuse(text) {
        return Vec::new();
    }
    let nodes = || tree.root().into_iter().flat_map(|root| root.descendants());
    let texts = nodes().filter(|node| node.kind() == Kind::String).map(|node| node.span());
    let mut quoted: Vec<Span> = texts.chain(tree.comments.iter().copied()).collect();
    quoted.sort_unstable();
    // Inside a text only what it interpolates has names.
    let is_code = |node: &Node<'_>| {
        node.kind() == Kind::Identifier || node.is_leaf() && !names::within(&quoted, node.lo())
    };
    let names = nodes().filter(is_code).flat_map(|node| names::words_in(text, node.span()));
    names::confusables(text, facts, names, &quoted, names::nfkc)
}
