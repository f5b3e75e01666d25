//! What of a program an operation has to be followed into: the functions that lead to an event or an effect.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Happens, Tracer, Trail};
use crate::analysis::gates::spelled;
use crate::ir::{Expr, ExprId};
use crate::link::{At, Edge, Func, Target};

impl Tracer<'_, '_> {
    pub(super) fn matters(&self, func: Func) -> bool {
        self.matters.borrow().contains(&func)
    }

    fn acts(&self, func: Func) -> bool {
        self.acts.borrow().contains(&func)
    }

    /// Which functions lead to an event or an effect, among those that the operation reaches.
    pub(super) fn find_what_matters(&self, reached: &[Func]) {
        let mut callers: FxHashMap<Func, Vec<Func>> = FxHashMap::default();
        for &func in reached {
            for edge in self.program.edges_from(func) {
                if let Target::Project(target) = edge.to {
                    callers.entry(target).or_default().push(func);
                }
            }
            for inner in self.program.nested(func) {
                callers.entry(inner).or_default().push(func);
            }
        }
        let acting = reached.iter().copied().filter(|&func| self.acts(func) || self.has_effect(func));
        let acts = above(&callers, acting.collect());
        let telling = |func: &Func| self.matters(*func) || acts.contains(func) || self.has_event(*func);
        let matters = above(&callers, reached.iter().copied().filter(telling).collect());
        self.acts.borrow_mut().extend(acts);
        self.matters.borrow_mut().extend(matters);
    }

    /// The trail of an operation in which the event cannot happen: whatever it does is early, on whichever way.
    pub(super) fn untold(&self, handler: Func, reached: &[Func]) -> Trail {
        let acts = |edge: &Edge| matches!(edge.to, Target::Project(target) if self.acts(target));
        let own = |func: Func| self.calls(func).filter(move |&call| self.is_effect(func, call));
        let leads = |call: &ExprId| {
            self.is_effect(handler, *call) || self.program.edges_at(handler, *call).iter().any(acts)
        };
        let effects = reached.iter().flat_map(|&func| own(func).map(move |call| (func, call)));
        let effects: BTreeSet<_> = effects.collect();
        Trail {
            exits: Vec::new(),
            early: self.program.ir(handler).exprs.iter().filter(leads).map(|at| (handler, at)).collect(),
            seen: Vec::new(),
            by_name: Vec::new(),
            effects: effects.into_iter().collect(),
            given_up: false,
        }
    }

    fn has_effect(&self, func: Func) -> bool {
        known(&self.lines.has_effect, func, || self.calls(func).any(|call| self.is_effect(func, call)))
    }

    pub(super) fn has_event(&self, func: Func) -> bool {
        known(&self.lines.has_event, func, || {
            self.calls(func).any(|call| self.happens_at(func, call).is_some())
                || !self.events.tests_in_line(func).is_empty()
        })
    }

    /// How a call brings the event about, if it does.
    pub(super) fn happens_at(&self, func: Func, call: ExprId) -> Option<Happens> {
        known(&self.lines.happens, (func, call), || self.events.at(func, call))
    }

    fn calls(&self, func: Func) -> impl Iterator<Item = ExprId> {
        let facts = self.program.facts(self.program.function(func).file);
        let exprs = self.program.ir(func).exprs.iter();
        exprs.filter(|expr| matches!(facts.expr(*expr), Expr::Call { .. }))
    }

    /// True for a call that leads to nothing of the project.
    pub(super) fn is_foreign(&self, func: Func, call: ExprId) -> bool {
        let mut edges = self.program.edges_at(func, call).iter();
        !edges.any(|edge| matches!(edge.to, Target::Project(_)))
    }

    /// A call with an external effect, or of a runner that only its name tells.
    pub(super) fn is_effect(&self, func: Func, call: ExprId) -> bool {
        let at = At { file: self.program.function(func).file, expr: call };
        self.effects.contains(&at) || self.is_runner(func, call)
    }

    /// The tests of the declaration in a function's own lines. One behind which an effect runs chooses, and refuses nothing.
    pub(super) fn tests_in_line(&self, func: Func) -> FxHashSet<ExprId> {
        let facts = self.program.facts(self.program.function(func).file);
        let acts = |edge: &Edge| matches!(edge.to, Target::Project(target) if self.acts(target));
        let runs = |expr: ExprId| {
            matches!(facts.expr(expr), Expr::Call { .. })
                && (self.is_effect(func, expr) || self.program.edges_at(func, expr).iter().any(acts))
        };
        let tests = self.events.tests_in_line(func).into_iter();
        tests
            .filter(|(_, refusal)| !facts.arenas.below(*refusal).into_iter().any(runs))
            .map(|(test, _)| test)
            .collect()
    }

    /// `self.run_sandboxed(args)`, where nothing shows what it runs.
    fn is_runner(&self, func: Func, call: ExprId) -> bool {
        let is_open = self.program.edges_at(func, call).is_empty();
        let name = || spelled(self.program, func, call);
        is_open
            && name().is_some_and(|name| {
                self.catalog.flow.runs_command(name.rsplit('.').next().unwrap_or_default())
            })
    }
}

/// What is found out once.
fn known<K: Copy + Eq + Hash, V: Copy>(of: &RefCell<FxHashMap<K, V>>, key: K, find: impl FnOnce() -> V) -> V {
    let found = of.borrow().get(&key).copied();
    found.unwrap_or_else(|| {
        let found = find();
        of.borrow_mut().insert(key, found);
        found
    })
}

/// These functions, and those that lead to them.
fn above(callers: &FxHashMap<Func, Vec<Func>>, mut work: Vec<Func>) -> FxHashSet<Func> {
    let mut found = FxHashSet::default();
    while let Some(func) = work.pop() {
        if found.insert(func) {
            work.extend(callers.get(&func).into_iter().flatten());
        }
    }
    found
}
