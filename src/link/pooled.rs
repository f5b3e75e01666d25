//! One of many: the lists of handlers that a table keeps, one under each key that nobody knows. Whoever takes one out and runs what
//! is in it means the handlers of one event, and inference has one list for all of them: there is an edge to each handler, at
//! low confidence, and the call is a gap.

use rustc_hash::FxHashSet;

use super::edges::Pass;
use super::ids::{ContainerId, Func};
use super::solve::Solver;
use super::types::{Type, Value};
use crate::ir::{Expr, ExprId};

impl Solver<'_, '_> {
    /// The containers that stand in tables under keys that are not known: each is one of many.
    pub(super) fn pooled(&mut self) -> FxHashSet<ContainerId> {
        // What stands for many containers says nothing of what was stored in one of them.
        let keyed = self.containers.keyed.iter().copied().filter(|&container| !self.is_summary(container));
        let keyed: Vec<ContainerId> = keyed.collect();
        let mut found = FxHashSet::default();
        for container in keyed {
            let unknown = self.containers.of(container).unknown;
            let types = self.types(Value::In(unknown));
            found.extend(types.into_iter().filter_map(|ty| match ty {
                Type::Container(id) if !self.is_summary(id) => Some(self.containers.find(id)),
                _ => None,
            }));
        }
        found
    }
}

impl Pass<'_, '_, '_> {
    /// True if `value`, or what its receiver comes out of, is one of many lists, and there are many handlers.
    pub(super) fn is_one_of_many(&mut self, func: Func, value: ExprId, count: usize) -> bool {
        if count <= self.solver.index.externals.catalog().holders.pooled {
            return false;
        }
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        let mut root = value;
        while let Expr::Field { base, .. } = *facts.expr(root) {
            root = base;
        }
        let (scope, whole) = match *facts.expr(root) {
            Expr::Var(var) => match self.solver.index.iterated(self.solver.index.var(func, var)) {
                Some(iterated) => (iterated.func, iterated.iterable),
                None => (func, root),
            },
            _ => (func, root),
        };
        let types = self.solver.eval(scope, whole);
        types.iter().any(|ty| match *ty {
            Type::Container(id) => self.pooled.contains(&self.solver.containers.find(id)),
            _ => false,
        })
    }
}
