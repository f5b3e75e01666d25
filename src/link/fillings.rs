//! What the bodies of classes give to libraries: fields with factories, converters and validators, annotations.

use super::containers::Holding;
use super::program::{Cls, Func};
use super::react::{Held, Taker};
use super::solve::Solver;
use crate::ir::{Expr, ExprId};

impl Solver<'_, '_> {
    /// What the body of a class with a base in a library, or of a class of data, makes is held by its objects.
    pub(super) fn hold_class(&mut self, class: Cls) {
        if !self.has_library_base(class) && !self.is_model(class) {
            return;
        }
        let body = self.index.class_body(class);
        let facts = self.index.units[self.index.file_of(body)].facts;
        let objects = Taker::Holder(self.holder(Holding::Objects(class)));
        let is_model = self.is_model(class);
        for expr in self.index.ir(body).exprs.iter() {
            match *facts.expr(expr) {
                Expr::Call { args, .. } => {
                    self.give_one(body, expr, objects, Held::Overrides);
                    // What makes a field: `field(converter=clean)`.
                    for arg in facts.list(args).iter().filter(|_| is_model) {
                        self.give_one(body, arg.value, objects, Held::Overrides);
                    }
                }
                Expr::Ascribe { ty, .. } if is_model => self.hold_annotation(body, ty, objects),
                Expr::Closure(method) if is_model && self.is_of_field(body, method) => {
                    self.give_one(body, expr, objects, Held::Overrides);
                }
                Expr::Bind { value, .. }
                    if !matches!(facts.expr(value), Expr::Closure(_) | Expr::Class(_)) =>
                {
                    self.give_one(body, value, objects, Held::Overrides);
                }
                _ => {}
            }
        }
    }

    /// `Annotated[str, AfterValidator(check)]`, perhaps by a name of its own.
    fn hold_annotation(&mut self, body: Func, ty: ExprId, objects: Taker) {
        let (scope, ty) = self.index.named_once(body, ty);
        let facts = self.index.units[self.index.file_of(scope)].facts;
        let Expr::Index { key, .. } = *facts.expr(ty) else { return };
        let parts = match *facts.expr(key) {
            Expr::Seq(items) => facts.list(items),
            _ => return,
        };
        for &part in parts {
            let Expr::Call { args, .. } = *facts.expr(part) else { continue };
            for arg in facts.list(args) {
                self.give_one(scope, arg.value, objects, Held::Overrides);
            }
        }
    }

    /// True below a decorator that a field has: `@page.validator`.
    fn is_of_field(&self, body: Func, method: Func) -> bool {
        let facts = self.index.units[self.index.file_of(body)].facts;
        let is_field = |&decorator: &ExprId| {
            let Expr::Field { base, .. } = *facts.expr(facts.decorator(decorator)) else { return false };
            let (scope, field) = self.index.named_once(body, base);
            scope == body && matches!(facts.expr(field), Expr::Call { .. })
        };
        facts.list(self.index.ir(method).decorators).iter().any(is_field)
    }
}
