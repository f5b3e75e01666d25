//! What stands left of `=`, behind `for`, `as` and `:=`: targets as patterns.

use ruff_python_ast::{self as ast, AnyNodeRef};

use super::{DEEPEST, Lowerer};
use crate::ir::{Expr, Pat, PatId, RestAt, Span};

impl<'t> Lowerer<'t> {
    /// A target, one level below what binds it.
    pub(super) fn pattern(&mut self, node: &'t ast::Expr) -> PatId {
        let pat = self.target(node);
        self.arenas.add_pat(pat)
    }

    pub(super) fn target(&mut self, node: &'t ast::Expr) -> Pat {
        match node {
            ast::Expr::Name(name) => self.name_pattern(&name.id, self.span(node)),
            ast::Expr::Starred(inner) => self.target(&inner.value),
            _ => match parts_of(node) {
                Some(parts) => self.sequence_target(node, parts),
                None => Pat::Place(self.nested(node)),
            },
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

    fn sequence_target(&mut self, node: &'t ast::Expr, parts: &'t [ast::Expr]) -> Pat {
        if self.depth >= DEEPEST {
            return Pat::Place(self.too_deep(AnyNodeRef::from(node)));
        }
        self.depth += 1;
        let rest = parts.iter().position(ast::Expr::is_starred_expr).map(|at| RestAt(at as u32));
        let items: Vec<_> = parts.iter().map(|part| self.pattern(part)).collect();
        self.depth -= 1;
        Pat::Seq { items: self.list(&items), rest }
    }
}

/// What a list or a tuple takes apart.
pub(super) fn parts_of(node: &ast::Expr) -> Option<&[ast::Expr]> {
    match node {
        ast::Expr::Tuple(tuple) => Some(&tuple.elts),
        ast::Expr::List(list) => Some(&list.elts),
        _ => None,
    }
}
