//! Switches: what a function never gets to because of flags that its call or the constructor of its object has set. A check that
//! is on unless somebody turns it off is a check.

use super::bound::Flag;
use super::flags::constant;
use super::tested::Tests;
use crate::analysis::branching::is_all;
use crate::ir::{Expr, ExprId, Op};
use crate::link::{Edge, Func, Passed};

impl Tests<'_, '_> {
    /// The flags that a call sets, and those that it leaves as they are.
    pub(super) fn flags_given(
        &self,
        edge: &Edge,
        callee: Func,
        given: &[(Passed, ExprId)],
    ) -> Vec<(u32, Flag)> {
        let facts = self.program.facts(self.program.function(callee).file);
        let params = facts.list(self.program.ir(callee).params);
        if params.iter().all(|param| param.default.is_none()) && given.is_empty()
            || !is_all(self.program, edge, callee, given)
        {
            return Vec::new();
        }
        let flag = |at: u32, default: Option<ExprId>| match given.iter().find(|it| it.0 == Passed::Param(at))
        {
            Some(&(_, value)) => self.flag(value),
            None => constant(facts.expr(default?)),
        };
        (0..).zip(params).filter_map(|(at, param)| Some((at, flag(at, param.default)?))).collect()
    }

    /// Whether a test comes out true, as far as flags decide it.
    pub(super) fn truth(&self, test: ExprId) -> Option<bool> {
        let (mut test, mut turned) = (test, false);
        while let Expr::Not(inner) = *self.facts.expr(test) {
            (test, turned) = (inner, !turned);
        }
        let known = match *self.facts.expr(test) {
            Expr::Op { op, args } => match (op, self.facts.list(args)) {
                (Op::Is | Op::Eq, &[value, none]) if self.is_nothing(none) => {
                    self.flag(value).map(|flag| flag == Flag::None)
                }
                (Op::IsNot | Op::Ne, &[value, none]) if self.is_nothing(none) => {
                    self.flag(value).map(|flag| flag != Flag::None)
                }
                _ => None,
            },
            _ => self.flag(test).map(Flag::holds),
        };
        known.map(|known| known != turned)
    }

    /// What is never run, from one expression to another.
    pub(super) fn dead(&self) -> Vec<(ExprId, ExprId)> {
        let mut found = Vec::new();
        let below = |expr: ExprId| (self.first(expr), expr);
        for expr in self.program.ir(self.func).exprs.iter() {
            match *self.facts.expr(expr) {
                Expr::If { arms, otherwise } => {
                    let mut is_open = true;
                    for arm in self.facts.list(arms) {
                        let truth = self.truth(arm.test);
                        found.extend((!is_open || truth == Some(false)).then(|| below(arm.body)));
                        is_open &= truth != Some(true);
                    }
                    found.extend(otherwise.filter(|_| !is_open).map(below));
                }
                Expr::Block(parts) => {
                    let parts = self.facts.list(parts);
                    let end = parts.iter().position(|&part| self.always_leaves(part));
                    found.extend(end.and_then(|end| Some((self.first(*parts.get(end + 1)?), expr))));
                }
                _ => {}
            }
        }
        found
    }

    /// `if not restrict: return …`, where nothing is to be restricted.
    fn always_leaves(&self, part: ExprId) -> bool {
        let Expr::If { arms, .. } = *self.facts.expr(part) else { return false };
        let mut arms = self.facts.list(arms).iter();
        arms.find(|arm| self.truth(arm.test) != Some(false))
            .is_some_and(|arm| self.truth(arm.test) == Some(true) && self.leaves(arm.body))
    }

    fn flag(&self, expr: ExprId) -> Option<Flag> {
        match *self.facts.expr(expr) {
            Expr::Var(var) if !self.bindings.contains_key(&var) => {
                let at = self.params.get(&var)?;
                self.given.flags.iter().find(|(param, _)| param == at).map(|&(_, flag)| flag)
            }
            _ => self.helpers.switches.set(self.program, self.func, expr),
        }
    }
}
