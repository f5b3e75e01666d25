//! What stands left of `=`, behind `for`, `as` and `:=`: targets as patterns.

use super::expressions::bare;
use super::kind::Kind;
use super::{DEEPEST, Lowerer, Node};
use crate::ir::{Expr, Pat, PatId, RestAt, Span};

impl Lowerer<'_> {
    /// A target, one level below what binds it.
    pub(super) fn pattern(&mut self, node: Node<'_>) -> PatId {
        let pat = self.target(node);
        self.arenas.add_pat(pat)
    }

    pub(super) fn target(&mut self, node: Node<'_>) -> Pat {
        let node = bare_target(node);
        match node.kind() {
            Kind::Identifier => self.name_pattern(node.text(), self.span(node)),
            _ if is_sequence(node) => self.sequence_target(node),
            Kind::ListSplat | Kind::ListSplatPattern => {
                match node.children().find(|n| !n.kind().is_token()) {
                    Some(inner) => self.target(inner),
                    None => Pat::Wild,
                }
            }
            _ => Pat::Place(self.nested(node)),
        }
    }

    /// A name is a variable of this function, or a place if it is declared `global`.
    pub(super) fn name_pattern(&mut self, text: &str, span: Span) -> Pat {
        let name = self.ident(text);
        match self.scopes.bind(name) {
            Some(var) => Pat::Var(var),
            None => Pat::Place(self.add(Expr::Free(name), span)),
        }
    }

    fn sequence_target(&mut self, node: Node<'_>) -> Pat {
        if self.depth >= DEEPEST {
            return Pat::Place(self.too_deep(node));
        }
        self.depth += 1;
        let mut items = Vec::new();
        let mut rest = None;
        for item in node.children().filter(|n| n.kind() != Kind::Comma) {
            if matches!(item.kind(), Kind::ListSplat | Kind::ListSplatPattern) && rest.is_none() {
                rest = Some(RestAt(items.len() as u32));
            }
            items.push(self.pattern(item));
        }
        self.depth -= 1;
        Pat::Seq { items: self.list(&items), rest }
    }
}

/// Without parentheses; `(x) = 1` binds `x`, `(x,) = 1` takes apart.
pub(super) fn bare_target(mut node: Node<'_>) -> Node<'_> {
    loop {
        node = bare(node);
        if node.kind() != Kind::TuplePattern {
            return node;
        }
        let mut children = node.children();
        match (children.next(), children.next()) {
            (Some(only), None) if only.kind() != Kind::ListSplatPattern => node = only,
            _ => return node,
        }
    }
}

pub(super) fn is_sequence(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        Kind::TuplePattern
            | Kind::ListPattern
            | Kind::PatternList
            | Kind::Tuple
            | Kind::List
            | Kind::ExpressionList
    )
}
