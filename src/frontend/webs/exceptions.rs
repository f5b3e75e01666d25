//! `try` and context managers: control may leave a body anywhere inside.

use super::flow::{Branch, Flow, values_of};
use super::values::{Value, Values};
use crate::ir::{ExprId, Handler, Pat, Try};

impl Flow<'_> {
    pub(super) fn attempt(&mut self, found: &Try) {
        let entry = self.log.len();
        let first_def = self.defs.len();
        let jumps: Vec<_> = self.loops.iter().map(|frame| frame.jumps).collect();
        let was_live = self.is_live;
        let mut thrown = Vec::new();
        let normal = self.branch(entry, |flow| {
            flow.expr(found.body);
            thrown = flow.any_of(entry, first_def);
            found.otherwise.into_iter().for_each(|id| flow.expr(id));
        });
        let mut branches = vec![normal];
        for handler in self.facts.list(found.handlers) {
            branches.push(self.branch(entry, |flow| {
                thrown.iter().for_each(|&(variable, value)| flow.set(variable, value));
                flow.is_live = was_live;
                flow.handler(handler);
            }));
        }
        let seen = found.finally.map(|finally| (finally, self.seen_by_finally(first_def, &branches)));
        self.join(entry, &branches);
        if let Some((finally, seen)) = seen {
            self.finally(finally, &seen, was_live, &jumps);
        }
    }

    /// The variable of a handler is gone behind it.
    fn handler(&mut self, handler: &Handler) {
        let facts = self.facts;
        facts.list(handler.types).iter().for_each(|&id| self.expr(id));
        handler.pat.into_iter().for_each(|pat| self.pat(pat));
        self.expr(handler.body);
        if let Some(&Pat::Var(var)) = handler.pat.map(|pat| facts.pat(pat))
            && let Some(variable) = self.plan.index[var.0 as usize]
        {
            self.set(variable, Values::unbound(variable));
        }
    }

    /// `finally` sees every state inside; what it does not change is behind it as it was before.
    fn finally(&mut self, finally: ExprId, seen: &[(u32, Value)], was_live: bool, jumps: &[usize]) {
        let is_passed = self.is_live;
        let kept: Vec<_> =
            seen.iter().map(|&(variable, _)| (variable, self.current[variable as usize])).collect();
        seen.iter().for_each(|&(variable, value)| self.set(variable, value));
        self.is_live = was_live;
        let before = self.log.len();
        self.expr(finally);
        let changed = self.changed(before);
        for (variable, value) in kept {
            if changed.binary_search_by_key(&variable, |&(changed, _)| changed).is_err() {
                self.set(variable, value);
            }
        }
        self.is_live &= is_passed;
        self.passed_by(&changed, jumps);
    }

    /// A jump out of the body of a `try` takes along what `finally` changes.
    fn passed_by(&mut self, changed: &[(u32, Value)], jumps: &[usize]) {
        for (frame, &jumps) in self.loops.iter().zip(jumps) {
            for &(variable, head, exit) in frame.variables.iter().filter(|_| frame.jumps > jumps) {
                if let Ok(at) = changed.binary_search_by_key(&variable, |&(changed, _)| changed) {
                    self.values.choose_from(head, changed[at].1);
                    self.values.choose_from(exit, changed[at].1);
                }
            }
        }
    }

    /// The body of a context manager, which may swallow an exception: every state inside can be the one behind it.
    pub(super) fn managed(&mut self, body: ExprId) {
        let was_live = self.is_live;
        let (entry, first_def) = (self.log.len(), self.defs.len());
        self.expr(body);
        for (variable, value) in self.any_of(entry, first_def) {
            self.set(variable, value);
        }
        self.is_live = was_live;
    }

    /// For each variable that was defined or changed since `entry`: what it held then, or any of the definitions.
    fn any_of(&mut self, entry: usize, first_def: usize) -> Vec<(u32, Value)> {
        // The first entry of a variable in the log holds what it was before.
        let mut before = self.log[entry..].to_vec();
        before.sort_by_key(|&(variable, _)| variable);
        before.dedup_by_key(|&mut (variable, _)| variable);
        let old = |flow: &Self, variable: u32| match before.binary_search_by_key(&variable, |&(v, _)| v) {
            Ok(at) => before[at].1,
            Err(_) => flow.current[variable as usize],
        };
        let logged = before.iter().map(|&(variable, _)| variable).collect();
        self.joined_defs(first_def, logged, old)
    }

    fn seen_by_finally(&mut self, first_def: usize, branches: &[Branch]) -> Vec<(u32, Value)> {
        let changed = branches.iter().flat_map(|branch| branch.changed.iter().map(|&(variable, _)| variable));
        let changed = changed.collect();
        self.joined_defs(first_def, changed, |flow, variable| flow.current[variable as usize])
    }

    /// Each of `variables`, and those defined since `first_def`: its old value or any of these definitions.
    fn joined_defs(
        &mut self,
        first_def: usize,
        variables: Vec<u32>,
        old: impl Fn(&Self, u32) -> Value,
    ) -> Vec<(u32, Value)> {
        let defs = self.defs[first_def..].iter().map(|&(_, value)| (self.values.variable(value), value));
        let mut all: Vec<_> = defs.collect();
        let defined = all.iter().map(|&(variable, _)| variable).collect::<Vec<_>>();
        all.extend(variables.into_iter().chain(defined).map(|variable| (variable, old(self, variable))));
        all.sort_unstable();
        all.dedup();
        self.spend(all.len());
        let groups = all.chunk_by(|one, other| one.0 == other.0);
        groups.map(|group| (group[0].0, self.values.join(group[0].0, &values_of(group)))).collect()
    }
}
