//! What the bodies of classes give to libraries: fields with factories, converters and validators, annotations.

use super::containers::Holding;
use super::ids::{Cls, Func};
use super::react::{Held, Taker};
use super::solve::Solver;
use crate::catalog::ModelOp;
use crate::ir::{Expr, ExprId};

impl Solver<'_, '_> {
    /// What the body of a class with a base in a library, or of a class of data, makes is held by its objects or their fields.
    pub(super) fn hold_class(&mut self, class: Cls) {
        if self.has_fields(class) {
            self.hold_fields(class);
        } else if self.has_library_base(class) {
            let objects = Taker::Holder(self.holder(Holding::Objects(class)));
            for value in self.values_in_body(class) {
                self.give_one(self.index.class_body(class), value, objects, Held::Overrides);
            }
        }
    }

    /// What stands in the body of a class under a name, and what calls there make.
    fn values_in_body(&self, class: Cls) -> Vec<ExprId> {
        let body = self.index.class_body(class);
        let facts = self.index.units[self.index.file_of(body)].facts;
        let value = |expr| match *facts.expr(expr) {
            Expr::Call { .. } => Some(expr),
            Expr::Bind { value, .. } => {
                (!matches!(facts.expr(value), Expr::Closure(_) | Expr::Class(_))).then_some(value)
            }
            _ => None,
        };
        self.index.ir(body).exprs.iter().filter_map(value).collect()
    }

    fn hold_fields(&mut self, class: Cls) {
        let body = self.index.class_body(class);
        let facts = self.index.units[self.index.file_of(body)].facts;
        for value in self.values_in_body(class) {
            match *facts.expr(value) {
                // What makes a field: `field(converter=clean)`; what it hands back stands for the value of the field.
                Expr::Call { callee, args, .. } => {
                    let made = self.fields_by(class, body, callee);
                    if !self.makes_field(body, value) {
                        self.give_one(body, value, made, Held::Overrides);
                    }
                    self.give_to(body, facts.list(args), made, Held::Overrides);
                }
                // A plain default is a value that nothing runs.
                Expr::Ascribe { .. } => {}
                _ => {
                    let made = Taker::Holder(self.holder(Holding::Fields(class, ModelOp::Reads)));
                    self.give_one(body, value, made, Held::Overrides);
                }
            }
        }
        for expr in self.index.ir(body).exprs.iter() {
            match *facts.expr(expr) {
                Expr::Ascribe { ty, .. } => self.hold_annotation(class, ty),
                Expr::Closure(method) => {
                    if let Some(decorator) = self.decorator_of_field(body, method) {
                        let made = self.fields_by(class, body, decorator);
                        self.give_one(body, expr, made, Held::Overrides);
                    }
                }
                _ => {}
            }
        }
    }

    /// The fields of a class, for what `made_by` gives them: a serializer runs when data is made.
    fn fields_by(&mut self, class: Cls, scope: Func, made_by: ExprId) -> Taker {
        let facts = self.index.units[self.index.file_of(scope)].facts;
        let name = facts.written_name(made_by).map_or("", |name| facts.str(name));
        let done = self.index.externals.catalog().holders.of_decorator(name);
        Taker::Holder(self.holder(Holding::Fields(class, done)))
    }

    /// `Annotated[str, AfterValidator(check)]`, perhaps by a name of its own.
    fn hold_annotation(&mut self, class: Cls, ty: ExprId) {
        let (scope, ty) = self.index.named_once(self.index.class_body(class), ty);
        let facts = self.index.units[self.index.file_of(scope)].facts;
        let Expr::Index { key, .. } = *facts.expr(ty) else { return };
        let parts = match *facts.expr(key) {
            Expr::Seq(items) => facts.list(items),
            _ => return,
        };
        for &part in parts {
            let Expr::Call { callee, args, .. } = *facts.expr(part) else { continue };
            let made = self.fields_by(class, scope, callee);
            self.give_to(scope, facts.list(args), made, Held::Overrides);
        }
    }

    /// What stands above a method that a field decorates: `@page.validator`.
    fn decorator_of_field(&self, body: Func, method: Func) -> Option<ExprId> {
        let facts = self.index.units[self.index.file_of(body)].facts;
        let is_field = |decorator: &ExprId| {
            let Expr::Field { base, .. } = *facts.expr(*decorator) else { return false };
            let (scope, field) = self.index.named_once(body, base);
            scope == body && matches!(facts.expr(field), Expr::Call { .. })
        };
        let decorators = facts.list(self.index.ir(method).decorators).iter();
        decorators.map(|&decorator| facts.decorator(decorator)).find(is_field)
    }
}
