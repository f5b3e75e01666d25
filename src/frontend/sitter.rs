//! The one file that names tree-sitter: parses a text and flattens the result into a `tree::Tree` with one cursor pass.
//! It knows node names only through `tree::Kind::role`.

use std::cell::RefCell;
use std::ops::ControlFlow;

use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, TreeCursor};

use super::tree::{Fault, Kind, Role, Tree};
use crate::ir::{Lang, Span};

/// The parser calls back every hundred operations. Good code needs a call per 175 bytes, garbage one per ten.
const STEPS_PER_BYTE: usize = 2;
const STEPS_AT_LEAST: usize = 10_000;

/// Parses `text`; `None` if the budget of steps ran out.
pub fn parse<K: Kind>(text: &str, lang: Lang) -> Option<Tree<'_, K>> {
    match lang {
        Lang::Python => {
            thread_local! {
                static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
            }
            PARSER.with_borrow_mut(|parser| parse_with(parser, text, &tree_sitter_python::LANGUAGE.into()))
        }
    }
}

fn parse_with<'s, K: Kind>(
    slot: &mut Option<Parser>,
    text: &'s str,
    language: &Language,
) -> Option<Tree<'s, K>> {
    let parser = slot.get_or_insert_with(|| {
        let mut parser = Parser::new();
        // A grammar that this core cannot read leaves the parser without a language; it then parses nothing, which is reported.
        let _ = parser.set_language(language);
        parser
    });
    let bytes = text.as_bytes();
    let mut left = STEPS_AT_LEAST + bytes.len() / STEPS_PER_BYTE;
    let mut progress = |_: &ParseState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree =
        parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
    let Some(tree) = tree else {
        parser.reset();
        return None;
    };
    let mut flat = Tree::new(text);
    flat.has_error = tree.root_node().has_error();
    Flattener {
        flat: &mut flat,
        roles: K::roles().get_or_init(|| roles(language)),
        open: Vec::new(),
        left: Vec::new(),
        last_end: 0,
    }
    .run(tree.walk());
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
    /// The statement that this node is or stands in.
    statement: u32,
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
                self.end_at(node, None);
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
            self.end_at(node, Some(kind));
            self.flat.close(index, node.end_byte() as u32);
        }
        descend
    }

    fn descend(&mut self, node: &Node<'_>, kind: K, index: u32) {
        let statement = match self.open.last() {
            Some(parent) if !parent.kind.holds_statements() => parent.statement,
            _ => index,
        };
        let is_error = kind == K::ERROR;
        if is_error {
            self.flat.errors.push(Fault { node: index, statement });
        }
        let end = if is_error { node.end_byte() as u32 } else { 0 };
        self.open.push(Open { index, kind, statement, end });
    }

    /// Notes the end of a token; only one that is missing has no width.
    fn end_at(&mut self, node: &Node<'_>, kind: Option<K>) {
        let end = node.end_byte() as u32;
        if end as usize == node.start_byte() {
            self.flat.missing.push((end, kind));
        } else {
            self.last_end = self.last_end.max(end);
        }
    }

    fn leave_childless(&mut self, node: &Node<'_>) {
        // An empty block may stand far behind the last token.
        if let Some(kind) = self.open.last().map(|open| open.kind)
            && !kind.holds_statements()
        {
            self.end_at(node, Some(kind));
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
