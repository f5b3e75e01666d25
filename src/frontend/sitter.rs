//! The one file that names tree-sitter: parses a text and flattens the result into a `tree::Tree` with one cursor pass.
//! It knows node names only through `tree::Kind::role`.

use std::cell::RefCell;
use std::ops::ControlFlow;

use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, TreeCursor};

use super::tree::{Kind, Role, Tree};
use crate::ir::{Lang, Span};

/// The parser counts a step every hundred operations. Real code takes one per 150 bytes, the worst text found one per twenty.
const BYTES_PER_STEP: usize = 8;
const STEPS_AT_LEAST: usize = 10_000;

/// Parses `text`; `None` if the budget of steps ran out.
pub fn parse<K: Kind>(text: &str, lang: Lang) -> Option<Tree<'_, K>> {
    let budget = STEPS_AT_LEAST + text.len() / BYTES_PER_STEP;
    match lang {
        Lang::Python => {
            thread_local! {
                static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
            }
            let language = tree_sitter_python::LANGUAGE.into();
            PARSER.with_borrow_mut(|slot| parse_with(parser_in(slot, &language), text, &language, budget))
        }
        // Only broken files come here: a parser for each is cheaper than one that is kept.
        Lang::Rust => {
            let language = tree_sitter_rust::LANGUAGE.into();
            parse_with(parser_in(&mut None, &language), text, &language, budget)
        }
    }
}

/// A parser is worth keeping: a new one for each file costs a twentieth more.
fn parser_in<'p>(slot: &'p mut Option<Parser>, language: &Language) -> &'p mut Parser {
    slot.get_or_insert_with(|| {
        let mut parser = Parser::new();
        // A grammar that this core cannot read leaves the parser without one; it then parses nothing, which is reported.
        let _ = parser.set_language(language);
        parser
    })
}

fn parse_with<'s, K: Kind>(
    parser: &mut Parser,
    text: &'s str,
    language: &Language,
    budget: usize,
) -> Option<Tree<'s, K>> {
    let bytes = text.as_bytes();
    let mut left = budget;
    let mut progress = |_: &ParseState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let Some(tree) = parser.parse_with_options(&mut read, None, Some(options)) else {
        // What was begun must not be continued with another text.
        parser.reset();
        return None;
    };
    let mut flat = Tree::new(text);
    let roles = K::roles().of(|| roles(language));
    Flattener { flat: &mut flat, roles, open: Vec::new(), left: Vec::new(), last_end: 0 }.run(tree.walk());
    Some(flat)
}

fn roles<K: Kind>(language: &Language) -> Vec<Role<K>> {
    let role =
        |id: u16| K::role(language.node_kind_for_id(id).unwrap_or_default(), language.node_kind_is_named(id));
    (0..language.node_kind_count() as u16).map(role).collect()
}

struct Flattener<'a, 's, K> {
    flat: &'a mut Tree<'s, K>,
    roles: &'a [Role<K>],
    open: Vec<Open<K>>,
    /// By open node, how many children are still to come.
    left: Vec<u32>,
    /// Where the last token that is no comment ends: a node's span must end at a token, the parser's may not.
    last_end: u32,
}

struct Open<K> {
    index: u32,
    kind: K,
    /// Errors may end with text that has no node.
    end: u32,
}

impl<K: Kind> Flattener<'_, '_, K> {
    fn run(mut self, mut cursor: TreeCursor<'_>) {
        loop {
            let node = cursor.node();
            if self.enter(&node) {
                let children = node.child_count();
                if children > 0 && cursor.goto_first_child() {
                    self.left.push(children);
                    continue;
                }
                self.leave_childless(&node);
            }
            while !self.has_sibling() || !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.left.pop();
                self.leave();
            }
        }
    }

    /// Counting is cheaper than asking the cursor for a sibling in vain.
    fn has_sibling(&mut self) -> bool {
        let Some(left) = self.left.last_mut() else { return false };
        *left = left.saturating_sub(1);
        *left > 0
    }

    /// True if the children are wanted; the node must be left when they are done.
    fn enter(&mut self, node: &Node<'_>) -> bool {
        let (kind, descend) = match self.roles.get(node.kind_id() as usize) {
            None => (K::ERROR, true),
            Some(&Role::Node(kind)) => (kind, true),
            Some(&Role::Leaf(kind)) => (kind, node.has_error()),
            Some(&Role::Maybe(kind, wants)) => {
                let bytes = self.flat.text().as_bytes();
                (kind, wants(bytes.get(node.byte_range()).unwrap_or_default()) || node.has_error())
            }
            Some(Role::Token) => {
                self.end_at(node);
                return false;
            }
            Some(Role::Trivia) => return false,
            Some(Role::Comment) => {
                let span = Span { lo: node.start_byte() as u32, hi: node.end_byte() as u32 };
                self.flat.comments.push(span);
                return false;
            }
        };
        let index = self.flat.open(kind, node.start_byte() as u32);
        if descend {
            self.descend(node, kind, index);
        } else {
            self.end_at(node);
            self.flat.close(index, node.end_byte() as u32);
        }
        descend
    }

    fn descend(&mut self, node: &Node<'_>, kind: K, index: u32) {
        let end = if kind == K::ERROR { node.end_byte() as u32 } else { 0 };
        self.open.push(Open { index, kind, end });
    }

    /// Notes the end of a token; only one that is missing has no width.
    fn end_at(&mut self, node: &Node<'_>) {
        if node.end_byte() > node.start_byte() {
            self.last_end = self.last_end.max(node.end_byte() as u32);
        }
    }

    fn leave_childless(&mut self, node: &Node<'_>) {
        // An empty block may stand far behind the last token.
        if let Some(kind) = self.open.last().map(|open| open.kind)
            && !kind.holds_statements()
        {
            self.end_at(node);
        }
        self.leave();
    }

    fn leave(&mut self) {
        if let Some(open) = self.open.pop() {
            self.last_end = self.last_end.max(open.end);
            self.flat.close(open.index, self.last_end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::python::kind::Kind as Python;

    fn within(parser: &mut Parser, text: &str, budget: usize) -> Option<usize> {
        let language = tree_sitter_python::LANGUAGE.into();
        parse_with::<Python>(parser, text, &language, budget).map(|tree| tree.len())
    }

    #[test]
    fn a_budget_ends_the_parser_and_leaves_it_usable() {
        let mut slot = None;
        let parser = parser_in(&mut slot, &tree_sitter_python::LANGUAGE.into());
        let text = "f(a)\n".repeat(1_000);
        assert_eq!(within(parser, &text, 2), None);
        assert_eq!(within(parser, "f(a)\n", 1_000), Some(6));
        assert!(within(parser, &text, 100_000).is_some());
    }

    #[test]
    fn the_flat_tree_has_all_that_the_cursor_sees() {
        let text = "x = [a.b(c)[1:2], *d, f'{e!r:>{g}}']  # h\nif x: pass\n";
        let tree = parse::<Python>(text, Lang::Python).expect("within the budget");
        let kinds: Vec<_> =
            tree.root().into_iter().flat_map(|root| root.descendants()).map(|n| n.kind()).collect();
        assert_eq!(kinds.len(), tree.len());
        let count = |kind| kinds.iter().filter(|&&k| k == kind).count();
        assert_eq!([count(Python::Call), count(Python::Subscript), count(Python::Wrapped)], [1, 1, 3]);
        assert_eq!([count(Python::Spread), count(Python::If), count(Python::Text)], [1, 1, 1]);
        assert_eq!(tree.comments.len(), 1);
    }
}
