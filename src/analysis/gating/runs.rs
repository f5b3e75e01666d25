//! What runs what: callables that are handed over, wrappers, and what holds when a decorated function starts.

use super::known::Known;
use crate::analysis::outcomes::Gates;
use crate::analysis::subjects::{Subject, Subjects};
use crate::catalog::BUILTINS;
use crate::ir::{Expr, ExprId};
use crate::link::{Decorator, Edge, EdgeKind, Func, Passed, Target};

/// A function that makes a decorator by calling another one that makes it.
const MAX_MAKERS: u32 = 3;

impl Known<'_, '_> {
    pub fn note_runs(&mut self, seen: Vec<((Func, u32), bool)>) {
        for (parameter, is_held) in seen {
            *self.learnt.to_mut().runs.entry(parameter).or_insert(true) &= is_held;
        }
    }

    /// Whether an argument is run by whoever gets it, and if so, always behind a gate.
    pub fn runs(&self, func: Func, call: ExprId, edges: &[Edge], value: ExprId) -> Option<bool> {
        let calls = || edges.iter().filter(|edge| edge.kind == EdgeKind::Call);
        let of_edge = |edge: &Edge| match edge.to {
            Target::External(path) => {
                self.catalog.callback_of(self.program.path(path)).is_some().then_some(false)
            }
            Target::Project(callee) => {
                let mut pairs = self.program.arguments(edge).into_iter();
                let taken = pairs.find_map(|(passed, given)| match passed {
                    Passed::Param(at) if given == value => Some((callee, at)),
                    _ => None,
                });
                self.learnt.runs.get(&taken?).copied()
            }
        };
        if calls().next().is_some() {
            return calls().filter_map(of_edge).reduce(|a, b| a && b);
        }
        let facts = self.program.facts(self.program.function(func).file);
        let Expr::Call { callee, .. } = *facts.expr(call) else { return None };
        // Of somebody unknown the worst is to be expected; a built-in function asks what a value is.
        let is_builtin =
            self.program.library_path(func, callee).is_some_and(|path| path.starts_with(BUILTINS));
        (!is_builtin).then_some(false)
    }

    /// True if a decorator of the function runs it only behind a gate.
    pub fn is_held_at_entry(&self, func: Func) -> bool {
        self.gate_around(func).is_some()
    }

    /// The outermost decorator that runs the function only behind a gate, whoever calls it.
    pub fn gate_around(&self, func: Func) -> Option<ExprId> {
        if self.learnt.undecorated.contains(&func) {
            return None;
        }
        let lowest = self.learnt.registered_by.get(&func);
        let is_gate = |decorator: &Decorator| {
            let first = |of: Func| self.learnt.runs.get(&(of, 0)) == Some(&true);
            match decorator.is_called {
                true => self.handed_back(decorator.func, MAX_MAKERS).into_iter().any(first),
                false => first(decorator.func),
            }
        };
        // What a decorator registers knows nothing of those above it.
        let mut below =
            self.program.decorators(func).filter(|it| lowest.is_none_or(|&lowest| it.at > lowest));
        below.find(is_gate).map(|decorator| decorator.at)
    }

    /// The functions that a function may hand back: those inside it, and what is handed back by what it ends in calling.
    fn handed_back(&self, func: Func, hops: u32) -> Vec<Func> {
        let mut found: Vec<Func> = self.program.nested(func).collect();
        if let Some(hops) = hops.checked_sub(1) {
            for value in self.program.returns(func) {
                for edge in self.program.edges_at(func, value) {
                    if let Target::Project(maker) = edge.to {
                        found.extend(self.handed_back(maker, hops));
                    }
                }
            }
        }
        found
    }

    /// What has been passed when the function starts.
    pub fn entry(&self, subjects: &mut Subjects, func: Func) -> Gates {
        let body = Subject::Result(self.program.ir(func).body);
        match self.is_held_at_entry(func).then(|| subjects.id(body)).flatten() {
            Some(subject) => subjects.atom(subject),
            None => Gates::NONE,
        }
    }

    /// A wrapper that runs another target of the same call.
    pub fn is_wrapper_of_another(&self, func: Func, targets: &[(&Edge, Func)]) -> bool {
        let parent = self.program.ir(func).parent;
        let mut others = targets.iter().map(|&(_, target)| target).filter(|&target| target != func);
        others.any(|target| {
            self.program.decorators(target).any(|decorator| {
                decorator.func == parent || self.program.nested(decorator.func).any(|inner| inner == parent)
            })
        })
    }
}
