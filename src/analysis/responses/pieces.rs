//! Texts that are taken apart and put together again: `"\n".join(line for line in response.splitlines() if …)`.

use super::Changes;
use super::alias::Roots;
use crate::ir::{Expr, ExprId, Op};
use crate::link::Func;

impl Changes<'_, '_, '_> {
    /// True for a list of pieces of the response: split, filtered, gathered again.
    pub(super) fn is_pieces(&self, func: Func, expr: ExprId, roots: &Roots) -> bool {
        self.once(&self.pieces, roots.key(func, expr), false, || self.are_pieces(func, expr, roots))
    }

    fn are_pieces(&self, func: Func, expr: ExprId, roots: &Roots) -> bool {
        let facts = self.values.facts(func);
        let again = |expr| self.is_pieces(func, expr, roots);
        match *facts.expr(expr) {
            Expr::Call { args, .. } => {
                let handed_on = &self.values.catalog.handed_on;
                let method = self.values.method(func, expr);
                if let Some(method) = method.filter(|method| handed_on.splits(method.name)) {
                    return self.is_response(func, method.receiver, roots);
                }
                let copies = self.values.path(func, expr).is_some_and(|path| handed_on.by_call(&path));
                copies && facts.list(args).iter().any(|arg| again(arg.value))
            }
            Expr::Var(_) => {
                let Some(bound) = self.values.bound(func, expr) else { return false };
                bound.definitions().iter().any(|definition| match definition.is_element {
                    true => self.is_piece(bound.func, definition.value, roots),
                    false => {
                        definition.reads.is_empty()
                            && definition.of_loop.is_none()
                            && self.is_pieces(bound.func, definition.value, roots)
                    }
                })
            }
            Expr::Collect { item, .. } => self.is_piece(func, item, roots),
            Expr::Index { base, key } => {
                matches!(facts.expr(key), Expr::Op { op: Op::Slice, .. }) && again(base)
            }
            _ => false,
        }
    }

    /// True for one of them, as it is or with something changed.
    fn is_piece(&self, func: Func, expr: ExprId, roots: &Roots) -> bool {
        self.once(&self.piece, roots.key(func, expr), false, || self.comes_of_pieces(func, expr, roots))
    }

    fn comes_of_pieces(&self, func: Func, expr: ExprId, roots: &Roots) -> bool {
        match *self.values.facts(func).expr(expr) {
            Expr::Var(_) => {
                let Some(bound) = self.values.bound(func, expr) else { return false };
                bound.definitions().iter().filter(|definition| !definition.is_element).any(|definition| {
                    match definition.of_loop {
                        Some(_) => self.is_pieces(bound.func, definition.value, roots),
                        None => {
                            definition.reads.is_empty() && self.is_piece(bound.func, definition.value, roots)
                        }
                    }
                })
            }
            Expr::Call { .. } => self
                .values
                .method(func, expr)
                .is_some_and(|method| self.is_piece(func, method.receiver, roots)),
            _ => false,
        }
    }
}
