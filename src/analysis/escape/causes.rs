//! What a `raise` raises: a class, what a helper made, or what a handler handles.

use super::walk::Walk;
use crate::analysis::exceptions::{Exception, class_of};
use crate::ir::{Expr, ExprId};
use crate::link::{EdgeKind, Func, Target};

/// What a `raise` raises.
pub enum Cause {
    Class(Option<Exception>),
    /// What the handler with this body handles.
    Handled(ExprId),
}

impl Walk<'_, '_> {
    /// What the value of a `raise` can be.
    pub fn causes(&self, func: Func, expr: ExprId, hops: u32) -> Vec<Cause> {
        let facts = self.program.facts(self.program.function(func).file);
        let known = class_of(self.program, func, expr);
        let Some(hops) = hops.checked_sub(1).filter(|_| known.is_none()) else {
            return vec![Cause::Class(known)];
        };
        let all = |parts: &[ExprId]| parts.iter().flat_map(|&part| self.causes(func, part, hops)).collect();
        match *facts.expr(expr) {
            Expr::Var(var) if func == self.func => match self.binds.get(&var) {
                Some(&handler) => vec![Cause::Handled(handler)],
                None => {
                    let values = self.definitions.of(var).iter().filter(|value| value.reads.is_empty());
                    let values: Vec<ExprId> = values.map(|value| value.value).collect();
                    if values.is_empty() { vec![Cause::Class(None)] } else { all(&values) }
                }
            },
            Expr::If { arms, otherwise } => {
                let bodies = facts.list(arms).iter().map(|arm| arm.body).chain(otherwise);
                all(&bodies.collect::<Vec<_>>())
            }
            Expr::Block(list) => all(&facts.list(list).last().copied().into_iter().collect::<Vec<_>>()),
            Expr::Any(parts) => all(facts.list(parts)),
            Expr::Bind { value, .. } | Expr::Await(value) => all(&[value]),
            Expr::Ascribe { value: Some(value), .. } => all(&[value]),
            Expr::Call { callee, .. } => self.made(func, expr, callee, hops),
            _ => vec![Cause::Class(None)],
        }
    }

    /// `raise self._error(...)`, `raise error.with_traceback(...)`.
    fn made(&self, func: Func, call: ExprId, callee: ExprId, hops: u32) -> Vec<Cause> {
        let facts = self.program.facts(self.program.function(func).file);
        let makers = self.program.edges_at(func, call).iter().filter_map(|edge| match (edge.kind, edge.to) {
            (EdgeKind::Call, Target::Project(maker)) => Some(maker),
            _ => None,
        });
        let mut causes = Vec::new();
        for maker in makers {
            let returned = self.program.returns(maker);
            causes.extend(returned.flat_map(|value| self.causes(maker, value, hops)));
        }
        match *facts.expr(callee) {
            Expr::Field { base, .. } if causes.is_empty() => self.causes(func, base, hops),
            _ if causes.is_empty() => vec![Cause::Class(None)],
            _ => causes,
        }
    }
}
