//! What is defined inside a node, without walking it: nodes are made children first, so a subtree is a range of ids.

use super::flow::Flow;
use crate::ir::walk::Child;
use crate::ir::{Expr, ExprId};

impl Flow<'_> {
    /// The tracked variables that change inside a node. A node's subtree is the range of nodes that ends with it.
    pub(super) fn defined_in(&mut self, id: ExprId) -> Vec<u32> {
        let first = self.first_of(id);
        let events = &self.plan.events;
        let range =
            events.partition_point(|event| event.0 < first)..events.partition_point(|event| event.0 <= id);
        let mut variables: Vec<_> = events[range].iter().map(|event| event.1).collect();
        self.spend(variables.len());
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// The first node of a subtree: that of the child that was made first.
    fn first_of(&mut self, id: ExprId) -> ExprId {
        let mut at = id;
        loop {
            let mut first = at;
            let mut work = 1;
            self.each_part(at, |part| {
                first = first.min(part);
                work += 1;
            });
            self.spend(work);
            if first == at {
                return at;
            }
            at = first;
        }
    }

    /// Children, those of patterns, and the heads of definitions.
    fn each_part(&self, id: ExprId, mut visit: impl FnMut(ExprId)) {
        let facts = self.facts;
        let mut pats = Vec::new();
        facts.arenas.each_child(id, |child| match child {
            Child::Expr(id) => visit(id),
            Child::Pat(pat) => pats.push(pat),
        });
        while let Some(pat) = pats.pop() {
            facts.arenas.each_child_of_pat(pat, |child| match child {
                Child::Expr(id) => visit(id),
                Child::Pat(pat) => pats.push(pat),
            });
        }
        match *facts.expr(id) {
            Expr::Closure(function) => {
                let function = facts.function(function);
                facts.list(function.decorators).iter().copied().for_each(&mut visit);
                let params = facts.list(function.params).iter();
                params.flat_map(|param| param.ty.into_iter().chain(param.default)).for_each(&mut visit);
                function.returns.into_iter().for_each(visit);
            }
            Expr::Class(class) => {
                let class = facts.class(class);
                let heads = facts.list(class.decorators).iter().chain(facts.list(class.bases)).copied();
                let options = facts.list(class.options).iter().map(|option| option.value);
                heads.chain(class.kind.expr()).chain(options).for_each(visit);
            }
            _ => {}
        }
    }
}
