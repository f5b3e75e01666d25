//! What a function hands back if there is nothing: a constant in one arm, and what was read in the other.

use super::shape::{is_absence, shares};
use super::{Scan, Site};
use crate::ir::{Arm, Expr, ExprId, IfArm, Jump, Pat};

impl Scan<'_, '_> {
    /// `if "phase" in request: return request["phase"]`, and the constant in the other arm or behind it.
    pub(super) fn returned(&self, statements: &[ExprId], out: &mut Vec<Site>) {
        for (at, &statement) in statements.iter().enumerate() {
            let Expr::If { arms, otherwise } = *self.facts.expr(statement) else { continue };
            let &[IfArm { test, body }] = self.facts.list(arms) else { continue };
            let other = otherwise.or_else(|| statements.get(at + 1).copied());
            let (Some(one), Some(other)) =
                (self.handed_back(body), other.and_then(|at| self.handed_back(at)))
            else {
                continue;
            };
            if !is_absence(self.facts, test) {
                continue;
            }
            for (constant, read) in [(one, other), (other, one)] {
                if shares(self.facts, test, read) {
                    self.hands_back_constant(constant, [self.name_of(read), None], out);
                }
            }
        }
    }

    /// `try: return request["phase"]`, and the constant in a handler.
    pub(super) fn rescued_return(&self, body: ExprId, handlers: &[ExprId], out: &mut Vec<Site>) {
        let Some(read) = self.handed_back(body) else { return };
        for constant in handlers.iter().filter_map(|&handler| self.handed_back(handler)) {
            self.hands_back_constant(constant, [self.name_of(read), None], out);
        }
    }

    /// `case {"phase": phase}: return phase`, and the constant in the arm for everything else.
    pub(super) fn matched_return(&self, arms: &[Arm], out: &mut Vec<Site>) {
        let is_rest = |arm: &&Arm| arm.guard.is_none() && matches!(self.facts.pat(arm.pat), Pat::Wild);
        let Some(constant) = arms.iter().find(is_rest).and_then(|arm| self.handed_back(arm.body)) else {
            return;
        };
        for arm in arms.iter().filter(|arm| !is_rest(arm)) {
            let (Some(read), Pat::Record { items, .. }) =
                (self.handed_back(arm.body), *self.facts.pat(arm.pat))
            else {
                continue;
            };
            let Expr::Var(var) = *self.facts.expr(read) else { continue };
            let is_read = |pat| matches!(*self.facts.pat(pat), Pat::Var(bound) if bound == var);
            if let Some(field) = self.facts.list(items).iter().find(|field| is_read(field.pat)) {
                let key = self.facts.str(field.name).to_owned();
                self.hands_back_constant(constant, [self.name_of(read), Some(key)], out);
            }
        }
    }

    fn hands_back_constant(&self, constant: ExprId, names: [Option<String>; 2], out: &mut Vec<Site>) {
        if let Some(value) = self.constant(self.func, constant) {
            self.fall_back(constant, value, names, || self.decides(constant), out);
        }
    }

    /// The value of the `return` that a statement or a body ends with.
    fn handed_back(&self, body: ExprId) -> Option<ExprId> {
        match *self.facts.expr(body) {
            Expr::Block(list) => self.handed_back(*self.facts.list(list).last()?),
            Expr::Jump { kind: Jump::Return, value } => value,
            _ => None,
        }
    }
}
