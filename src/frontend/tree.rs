//! The tree view that front ends read: one file's syntax tree, flattened in preorder, so that children are found by index
//! and the parser's own tree can be dropped at once. It knows no language and no parser; `sitter` fills it.

use crate::ir::Span;
use crate::parallel::Lazy;
use std::fmt::Debug;
use std::ops::Range;

/// The node kinds of one language.
pub trait Kind: Copy + PartialEq + Debug + 'static {
    /// What the parser could not fit into the grammar.
    const ERROR: Self;

    /// What becomes of the grammar's nodes of this name; asked once per name, not per node.
    fn role(name: &str, is_named: bool) -> Role<Self>;

    /// Where the answers of `role` are kept, by the parser's kind id.
    fn roles() -> &'static Lazy<Vec<Role<Self>>>;

    /// True if the children of such a node are statements.
    fn holds_statements(self) -> bool;
}

/// What becomes of a node of the grammar.
#[derive(Clone, Copy, Debug)]
pub enum Role<K> {
    /// Kept with its children.
    Node(K),
    /// Kept without its children, unless there is an error among them.
    Leaf(K),
    /// Kept; its children only if this says so of its text.
    Maybe(K, fn(&[u8]) -> bool),
    /// Punctuation: not kept, but a parent ends at it.
    Token,
    /// Neither kept nor part of its parent's span.
    Trivia,
    /// As `Trivia`, but its span is listed.
    Comment,
}

/// A file's tree. Comments and punctuation that carries no meaning are no nodes of it. What a child is to its parent follows
/// from its kind and its place: to ask the parser for field names would cost a look-up per node.
#[derive(Debug)]
pub struct Tree<'s, K> {
    text: &'s str,
    nodes: Vec<Raw<K>>,
    pub comments: Vec<Span>,
}

#[derive(Clone, Copy, Debug)]
struct Raw<K> {
    kind: K,
    lo: u32,
    hi: u32,
    /// The index behind the last descendant.
    next: u32,
}

/// One node of a tree.
#[derive(Clone, Copy)]
pub struct Node<'t, K> {
    tree: &'t Tree<'t, K>,
    index: u32,
}

impl<'s, K: Kind> Tree<'s, K> {
    pub fn new(text: &'s str) -> Self {
        let nodes = Vec::with_capacity(text.len() / 6 + 16);
        Self { text, nodes, comments: Vec::new() }
    }

    pub fn root(&self) -> Option<Node<'_, K>> {
        self.node(0)
    }

    pub fn node(&self, index: u32) -> Option<Node<'_, K>> {
        ((index as usize) < self.nodes.len()).then_some(Node { tree: self, index })
    }

    pub fn text(&self) -> &'s str {
        self.text
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds a node behind all others and returns its index; `close` ends it.
    pub fn open(&mut self, kind: K, lo: u32) -> u32 {
        let index = self.nodes.len() as u32;
        self.nodes.push(Raw { kind, lo, hi: lo, next: index + 1 });
        index
    }

    pub fn close(&mut self, index: u32, hi: u32) {
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[index as usize];
        node.hi = hi.max(node.lo);
        node.next = next;
    }
}

impl<'t, K: Kind> Node<'t, K> {
    pub fn kind(self) -> K {
        self.raw().kind
    }

    pub fn index(self) -> u32 {
        self.index
    }

    pub fn span(self) -> Span {
        let raw = self.raw();
        Span { lo: raw.lo, hi: raw.hi }
    }

    pub fn lo(self) -> u32 {
        self.raw().lo
    }

    pub fn hi(self) -> u32 {
        self.raw().hi
    }

    pub fn text(self) -> &'t str {
        let raw = self.raw();
        self.tree.text.get(raw.lo as usize..raw.hi as usize).unwrap_or_default()
    }

    /// Children in order; errors are not among them.
    pub fn children(self) -> impl Iterator<Item = Self> + Clone {
        self.all_children().filter(|n| n.kind() != K::ERROR)
    }

    pub fn all_children(self) -> Children<'t, K> {
        Children { tree: self.tree, range: self.index + 1..self.next() }
    }

    pub fn child_of(self, kind: K) -> Option<Self> {
        self.children().find(|n| n.kind() == kind)
    }

    pub fn is_leaf(self) -> bool {
        self.next() == self.index + 1
    }

    /// Itself and all below it, in order.
    pub fn descendants(self) -> impl Iterator<Item = Self> {
        (self.index..self.next()).map(move |index| Node { tree: self.tree, index })
    }

    fn next(self) -> u32 {
        self.raw().next
    }

    fn raw(self) -> &'t Raw<K> {
        &self.tree.nodes[self.index as usize]
    }
}

/// The children of a node.
#[derive(Clone)]
pub struct Children<'t, K> {
    tree: &'t Tree<'t, K>,
    range: Range<u32>,
}

impl<'t, K: Kind> Iterator for Children<'t, K> {
    type Item = Node<'t, K>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.range.is_empty() {
            return None;
        }
        let node = Node { tree: self.tree, index: self.range.start };
        self.range.start = node.next();
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Toy {
        Error,
        Block,
        Leaf,
    }

    impl Kind for Toy {
        const ERROR: Self = Toy::Error;

        fn role(_: &str, _: bool) -> Role<Self> {
            Role::Token
        }

        fn roles() -> &'static Lazy<Vec<Role<Self>>> {
            static ROLES: Lazy<Vec<Role<Toy>>> = Lazy::new();
            &ROLES
        }

        fn holds_statements(self) -> bool {
            self == Toy::Block
        }
    }

    #[test]
    fn children_are_found_by_index() {
        let mut tree = Tree::new("a(b)c");
        let block = tree.open(Toy::Block, 0);
        for (kind, lo) in [(Toy::Leaf, 0), (Toy::Error, 1), (Toy::Leaf, 4)] {
            let outer = tree.open(kind, lo);
            let inner = tree.open(Toy::Leaf, lo);
            tree.close(inner, lo + 1);
            tree.close(outer, lo + 1);
        }
        tree.close(block, 5);
        let root = tree.root().expect("a root");
        assert_eq!(root.children().map(|n| n.text()).collect::<Vec<_>>(), ["a", "c"]);
        assert_eq!(root.all_children().map(|n| n.index()).collect::<Vec<_>>(), [1, 3, 5]);
        assert_eq!(root.descendants().count(), tree.len());
        assert_eq!(root.child_of(Toy::Leaf).map(|n| n.is_leaf()), Some(false));
    }
}
