//! Bounds that methods set, in a language whose calls are built: `Client::builder().timeout(…)`, `command.current_dir(…)`.

use super::given::MAX_HOPS;
use super::{Calls, Given};
use crate::catalog::Bound;
use crate::ir::{Arg, Expr, ExprId, VarId};
use crate::link::Func;

impl Calls<'_, '_> {
    /// What was said to the object that a call is made on, on its way there.
    pub(super) fn built(&self, func: Func, call: ExprId, bound: Bound) -> Given {
        match *self.facts(func).expr(call) {
            Expr::Call { callee, .. } if self.facts(func).profile().has_builders => {
                match *self.facts(func).expr(callee) {
                    Expr::Field { base, .. } => self.said(func, base, bound, MAX_HOPS),
                    _ => Given::No,
                }
            }
            _ => Given::No,
        }
    }

    fn said(&self, func: Func, object: ExprId, bound: Bound, hops: u32) -> Given {
        let Some(hops) = hops.checked_sub(1) else { return Given::Unknown };
        let facts = self.facts(func);
        let mut at = object;
        loop {
            at = match *facts.expr(at) {
                Expr::Call { callee, args, .. } => match *facts.expr(callee) {
                    Expr::Field { name, .. } if self.catalog.limits.carries(bound, facts.str(name)) => {
                        return self.set_to(func, facts.list(args), bound);
                    }
                    Expr::Field { base, .. } => base,
                    _ => break,
                },
                Expr::Await(inner) | Expr::Ascribe { value: Some(inner), .. } => inner,
                Expr::Match { subject, .. } => subject,
                _ => break,
            };
        }
        if let Expr::Var(var) = *facts.expr(at)
            && let Some(told) = self.told(func, var, bound)
        {
            return told;
        }
        let makers = match *facts.expr(at) {
            Expr::Var(_) | Expr::Field { .. } | Expr::Call { .. } => self.makers(func, at, MAX_HOPS),
            Expr::Free(_) => vec![self.program.bound(func, at)],
            _ => Vec::new(),
        };
        let others = makers.into_iter().filter(|maker| *maker != (func, at));
        others.map(|(owner, maker)| self.said(owner, maker, bound, hops)).min().unwrap_or(
            match *facts.expr(at) {
                // A name of a library: whoever made it has said nothing.
                Expr::Free(_) | Expr::Import(_) => Given::No,
                _ if self.program.library_path(func, at).is_some() => Given::No,
                _ => Given::Unknown,
            },
        )
    }

    /// `command.current_dir(…);`, anywhere in the function.
    fn told(&self, func: Func, object: VarId, bound: Bound) -> Option<Given> {
        let facts = self.facts(func);
        let told = self.program.ir(func).exprs.iter().filter_map(|expr| {
            let Expr::Call { callee, args, .. } = *facts.expr(expr) else { return None };
            let Expr::Field { base, name } = *facts.expr(callee) else { return None };
            let is_told = *facts.expr(innermost(facts, base)) == Expr::Var(object)
                && self.catalog.limits.carries(bound, facts.str(name));
            is_told.then(|| self.set_to(func, facts.list(args), bound))
        });
        told.min()
    }

    fn set_to(&self, func: Func, args: &[Arg], bound: Bound) -> Given {
        match args {
            [value] => self.value(func, value.value, bound, MAX_HOPS),
            _ => Given::Yes,
        }
    }
}

/// What a chain of methods begins with.
fn innermost(facts: &crate::ir::Facts, mut at: ExprId) -> ExprId {
    while let Expr::Call { callee, .. } = *facts.expr(at) {
        let Expr::Field { base, .. } = *facts.expr(callee) else { break };
        at = base;
    }
    at
}
