//! Functions that never come back: what follows a call of them does not run.

use super::Known;
use crate::analysis::stubs;
use crate::ir::{Expr, ExprId, Jump, Lit, Try};
use crate::link::{Edge, Func, Target};

/// A function that only calls another one that never comes back.
const MAX_CALLS: u32 = 4;

impl Known<'_, '_> {
    /// The body ends in a `raise`, or in a call of what never comes back, and has no other way out.
    pub fn never_returns(&self, func: Func) -> bool {
        self.never_returns_within(func, MAX_CALLS)
    }

    fn never_returns_within(&self, func: Func, hops: u32) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let function = self.program.ir(func);
        let is_abstract = function.is_generator || stubs::is_empty(self.program, self.catalog, func);
        let returns = |expr| match *facts.expr(expr) {
            Expr::Jump { kind: Jump::Return, value } => {
                value.is_none_or(|value| !self.ends(func, value, hops))
            }
            _ => false,
        };
        !is_abstract && self.ends(func, function.body, hops) && !function.exprs.iter().any(returns)
    }

    /// Control does not come past a statement.
    fn ends(&self, func: Func, statement: ExprId, hops: u32) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let ends = |statement: ExprId| self.ends(func, statement, hops);
        match *facts.expr(statement) {
            Expr::Block(body) => facts.list(body).last().is_some_and(|&last| ends(last)),
            Expr::Jump { kind: Jump::Raise, .. } => true,
            Expr::Jump { kind: Jump::Return, value: Some(value) } => ends(value),
            Expr::If { arms, otherwise } => {
                let arms = facts.list(arms);
                let is_always = |test: ExprId| *facts.expr(test) == Expr::Lit(Lit::Bool(true));
                let is_whole = arms.last().is_some_and(|last| is_always(last.test));
                arms.iter().all(|arm| ends(arm.body)) && (is_whole || otherwise.is_some_and(ends))
            }
            Expr::Try(index) => {
                let Try { body, handlers, finally, .. } = *facts.arenas.try_at(index);
                let mut bodies = facts.list(handlers).iter().map(|handler| handler.body);
                finally.is_some_and(ends) || (ends(body) && bodies.all(ends))
            }
            Expr::Call { .. } => self.call_ends(func, statement, hops),
            _ => false,
        }
    }

    /// All that a call may lead to never comes back.
    fn call_ends(&self, func: Func, call: ExprId, hops: u32) -> bool {
        let edges = self.program.edges_at(func, call);
        let never = |edge: &Edge| match (edge.to, hops.checked_sub(1)) {
            (Target::Project(next), Some(hops)) => {
                !self.is_coroutine(next) && self.never_returns_within(next, hops)
            }
            _ => false,
        };
        self.leaves_for_good(edges) || (!edges.is_empty() && edges.iter().all(never))
    }
}
