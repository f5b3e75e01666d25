//! Objects that swallow what is raised inside their `with`: of the library, generators that let nothing out of their
//! `yield`, classes whose `__exit__` says so.

use super::thrown::Raised;
use super::walk::{MAX_HOPS, Walk};
use crate::ir::{Expr, ExprId, Lit};
use crate::link::{EdgeKind, Func, Target};

impl Walk<'_, '_> {
    /// Whether an object swallows what is raised inside its `with`; the types, or all if there are none.
    pub fn swallows(&self, context: ExprId) -> Option<Vec<ExprId>> {
        let Expr::Call { callee, args, .. } = *self.facts.expr(context) else { return None };
        let path = self.program.library_path(self.func, callee);
        if path.is_some_and(|path| self.catalog.phase.swallows(path)) {
            let types: Vec<ExprId> = self.facts.list(args).iter().map(|arg| arg.value).collect();
            return (!types.is_empty()).then_some(types);
        }
        let edges = self.program.edges_at(self.func, context).iter();
        let mut entered = edges.filter_map(|edge| match (edge.kind, edge.to) {
            (EdgeKind::Call, Target::Project(func)) => Some(func),
            _ => None,
        });
        entered.any(|func| self.manager_swallows(func, MAX_HOPS)).then(Vec::new)
    }

    /// A generator that lets nothing out of its `yield`; a class whose `__exit__` says so.
    fn manager_swallows(&self, func: Func, hops: u32) -> bool {
        let Some(hops) = hops.checked_sub(1) else { return false };
        if self.program.ir(func).is_generator {
            let known = self.known.known(func);
            return self.known.summaries.contains_key(&func) && !known.contains_key(&Raised::Body);
        }
        // Another one made it.
        let makers = self.program.returns(func).flat_map(|value| self.program.edges_at(func, value));
        let mut makers = makers.filter_map(|edge| match (edge.kind, edge.to) {
            (EdgeKind::Call, Target::Project(maker)) => Some(maker),
            _ => None,
        });
        if makers.any(|maker| self.manager_swallows(maker, hops)) {
            return true;
        }
        let Some(class) = self.program.function(func).class else { return false };
        let leaves = ["__exit__", "__aexit__"].iter().filter_map(|name| self.program.method(class, name));
        leaves.flat_map(|leave| self.program.returns(leave).map(move |value| (leave, value))).any(
            |(leave, value)| {
                let facts = self.program.facts(self.program.function(leave).file);
                !matches!(facts.expr(value), Expr::Lit(Lit::None | Lit::Bool(false)))
            },
        )
    }
}
