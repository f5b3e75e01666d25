//! What nests too deep to be lowered as it is: only its calls are kept, side by side.

use proc_macro2::TokenStream;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr as SynExpr, ExprCall, ExprMethodCall, Item, Macro};

use super::Lowerer;
use super::classes::Member;
use super::expressions::end;
use super::scope::Wanted;
use crate::ir::{Expr, ExprId, ProblemKind, Span, Sym};

impl Lowerer<'_> {
    pub(super) fn too_deep(&mut self, expr: &SynExpr) -> ExprId {
        let last = self.span(end(expr));
        self.flat(last, |calls| calls.visit_expr(expr))
    }

    pub(super) fn too_deep_block(&mut self, block: &Block, span: Span) -> ExprId {
        self.flat(span, |calls| calls.visit_block(block))
    }

    pub(super) fn too_deep_items(&mut self, items: &[Item], span: Span) -> ExprId {
        self.flat(span, |calls| items.iter().for_each(|item| calls.visit_item(item)))
    }

    pub(super) fn too_deep_members(&mut self, members: &[Member], span: Span) -> ExprId {
        self.flat(span, |calls| {
            for member in members {
                match member {
                    Member::Function(_, _, Some(block)) => calls.visit_block(block),
                    Member::Constant(_, _, Some(value)) => calls.visit_expr(value),
                    Member::Macro(mac) => calls.visit_macro(mac),
                    _ => {}
                }
            }
        })
    }

    pub(super) fn too_deep_tokens(&mut self, tokens: TokenStream, span: Span) -> ExprId {
        self.problem(span, ProblemKind::TooDeep);
        self.scanned(tokens)
    }

    fn flat(&mut self, span: Span, walk: impl FnOnce(&mut Calls<'_, '_>)) -> ExprId {
        self.problem(span, ProblemKind::TooDeep);
        let base = self.exprs.len();
        walk(&mut Calls { lowerer: self });
        let calls = self.take_exprs(base);
        self.add(Expr::Opaque(calls), span)
    }

    fn flat_call(&mut self, callee: ExprId, last: proc_macro2::Span) {
        let span = super::hull(self.span_of(callee), self.span(last));
        let base = self.args.len();
        let made = self.call_with(callee, base, span);
        self.exprs.push(made);
    }
}

/// Lowers each call by the name of its callee. The prescan bounds how deep this recurses.
struct Calls<'l, 's> {
    lowerer: &'l mut Lowerer<'s>,
}

impl<'ast> Visit<'ast> for Calls<'_, '_> {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        visit::visit_expr_call(self, call);
        let callee = match &*call.func {
            SynExpr::Path(found) => self.lowerer.path(found.qself.clone(), found.path.clone(), Wanted::Any),
            other => {
                let span = self.lowerer.span(end(other));
                self.lowerer.opaque(span)
            }
        };
        self.lowerer.flat_call(callee, call.paren_token.span.close());
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        visit::visit_expr_method_call(self, call);
        let span = self.lowerer.span(call.method.span());
        let name: Sym = self.lowerer.name(&call.method);
        let base = self.lowerer.opaque(span);
        let callee = self.lowerer.add(Expr::Field { base, name }, span);
        self.lowerer.flat_call(callee, call.paren_token.span.close());
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        let made = self.lowerer.scanned(mac.tokens.clone());
        let callee = self.lowerer.path(None, mac.path.clone(), Wanted::Items);
        self.lowerer.exprs.push(made);
        self.lowerer.flat_call(callee, mac.path.span());
    }
}
