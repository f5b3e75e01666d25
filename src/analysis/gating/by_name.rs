//! Gates by name: what a call is taken for whose body is not in the tree or left to others, and where the name proves nothing
//! because the object that stands there is known.

use std::sync::Arc;

use super::calls::Found;
use super::known::Known;
use super::thrown::Thrown;
use super::walk::Walk;
use crate::analysis::gates::spelled;
use crate::analysis::implicit;
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::analysis::stubs;
use crate::analysis::subjects::Subject;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Operator};
use crate::link::{Edge, EdgeKind, Func, Target};

/// A class that a call has made, and an object of it.
const MAX_MAKERS: usize = 2;

/// A gate that is known by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByName {
    /// It answers instead of refusing: `is_allowed`.
    pub only_tells: bool,
}

impl Walk<'_, '_> {
    /// A gate by its name alone: in the configuration, or of the catalogue where the body is not in the tree.
    pub(super) fn vouched(
        &mut self,
        call: ExprId,
        (list, args): (&[Arg], &[Value]),
        edges: &[Edge],
    ) -> Option<Found> {
        let by_name = self.known.gate_by_name(self.func, call, edges)?;
        Some(self.named(call, (list, args), edges, by_name))
    }

    /// What a gate guarantees that is taken at its word.
    pub(super) fn named(
        &mut self,
        call: ExprId,
        (list, args): (&[Arg], &[Value]),
        edges: &[Edge],
        by_name: ByName,
    ) -> Found {
        let asks: Vec<Value> = list
            .iter()
            .zip(args)
            .map(|(arg, value)| self.spread_out(arg, &self.folded(arg.value, value)))
            .collect();
        let is_open = |(arg, value): (&Arg, &Value)| {
            let is_spread = matches!(arg.kind, ArgKind::Spread | ArgKind::SpreadNamed);
            value.outcomes().iter().any(|outcome| match &outcome.shape {
                Shape::Text(word) => self.known.is_open(word),
                shape => is_spread && shape.holds(&|word| self.known.is_open(word)),
            })
        };
        let gate_path = edges.iter().find_map(|edge| match edge.to {
            Target::External(path) => Some(Arc::from(self.known.program.path(path))),
            Target::Project(_) => None,
        });
        let thrown = Thrown { gate_path, ..Thrown::anything() };
        if list.iter().zip(&asks).any(is_open) {
            return Found { value: self.result(call), thrown: Thrown::anything(), is_gate: false };
        }
        let named = asks
            .iter()
            .flat_map(Value::subjects)
            .find(|&subject| self.known.is_named(&self.subjects, subject, self.func));
        let last = asks.last().and_then(|value| value.subjects().next());
        let own = self.subject(Subject::Result(call));
        let subject = named.or(last).or(own);
        let gates = subject.map_or(Gates::NONE, |subject| self.atom(subject));
        let passed = Outcome { shape: Shape::Bool(true), gates };
        let value = match by_name.only_tells {
            true => Value::of([passed, Outcome { shape: Shape::Bool(false), gates: Gates::NONE }]),
            false => self.checked(
                Value::of([Outcome { shape: Shape::Unknown(own), gates }]),
                self.known.hands_back_result(edges),
            ),
        };
        Found { value, thrown, is_gate: true }
    }
}

impl Known<'_, '_> {
    /// What a call is known to be by its name: the configuration vouches, or the catalogue knows what is not in the tree.
    pub fn gate_by_name(&self, func: Func, call: ExprId, edges: &[Edge]) -> Option<ByName> {
        if self.judges_actions() {
            return None;
        }
        let words = self.words();
        let called = edges.iter().filter_map(|edge| match edge.to {
            Target::Project(func) if edge.kind == EdgeKind::Call => Some((edge, func)),
            _ => None,
        });
        let targets: Vec<(&Edge, Func)> = called.collect();
        if self.is_stood_in_for(func, call, edges)
            || self.is_answered_by_anything(func, call)
            || targets.iter().any(|&(_, target)| self.is_cut_off(target))
        {
            return None;
        }
        let is_meant = |target: Func| {
            self.learnt.is_vouched(target)
                || self.is_open_stub(func, call, target)
                || self.is_wrapper_of_another(target, &targets)
        };
        let is_vouched = targets.iter().any(|&(_, target)| self.learnt.is_vouched(target));
        let name = spelled(self.program, func, call);
        let by_path = || edges.iter().any(|edge| words.is_gate(&self.program.target_name(edge.to)));
        let by_name = || name.as_deref().is_some_and(|name| words.is_gate_name(name));
        // A body that is there says what it does; of one that is left to others nothing is known.
        let is_open_question = targets.iter().all(|&(_, target)| is_meant(target));
        (is_open_question && (is_vouched || by_path() || by_name())).then(|| self.by_name(func, call))
    }

    /// A double of a library stands where the gate should: `Mock()`.
    fn is_stood_in_for(&self, func: Func, call: ExprId, edges: &[Edge]) -> bool {
        let by_edge = edges.iter().any(|edge| match edge.to {
            Target::External(path) => self.catalog.boundaries.stands_in(self.program.path(path)),
            Target::Project(_) => false,
        });
        by_edge || edges.is_empty() && self.is_made_by_double(func, call)
    }

    /// `Gates = namedtuple("Gates", "check")`, `Gates(check=print).check(phase)`.
    fn is_made_by_double(&self, func: Func, call: ExprId) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let Expr::Call { callee, .. } = *facts.expr(call) else { return false };
        let Expr::Field { base, name } = *facts.expr(callee) else { return false };
        let method = facts.str(name);
        let (mut owner, mut made) = self.program.bound(func, base);
        for _ in 0..MAX_MAKERS {
            let facts = self.program.facts(self.program.function(owner).file);
            let Expr::Call { callee, .. } = *facts.expr(made) else { return false };
            if let Some(path) = self.program.library_path(owner, callee) {
                return self.catalog.boundaries.stands_in(&format!("{path}.{method}"));
            }
            (owner, made) = self.program.bound(owner, callee);
        }
        false
    }

    /// An object of the project has no such method: what its class answers in place of any is no gate, unless that is asked of
    /// another object.
    fn is_answered_by_anything(&self, func: Func, call: ExprId) -> bool {
        let program = self.program;
        let Some(class) = program.lacking(func, call) else { return false };
        // The method by which a class answers in place of any other.
        let getter = implicit::methods(program, class, &[Operator::FindAttribute]).next();
        let Some(getter) = getter else { return true };
        let facts = program.facts(program.function(getter).file);
        let is_own = |value: ExprId| {
            let (owner, bound) = program.bound(getter, value);
            let facts = program.facts(program.function(owner).file);
            let is_method = match *facts.expr(bound) {
                Expr::Field { base, name } if program.own_class(owner, base).is_some() => {
                    program.method(class, facts.str(name)).is_some()
                }
                bound => matches!(bound, Expr::Closure(_)),
            };
            is_method || program.library_path(getter, value).is_some()
        };
        program.returns(getter).all(|value| !matches!(facts.expr(value), Expr::Call { .. }) && is_own(value))
    }

    /// A body that is left to others; not where the call names the very class that has it.
    pub(super) fn is_open_stub(&self, func: Func, call: ExprId, target: Func) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        let names_class = || match *facts.expr(call) {
            Expr::Call { callee, .. } => match *facts.expr(callee) {
                Expr::Field { base, .. } => self.program.class_named(func, base).is_some(),
                _ => false,
            },
            _ => false,
        };
        stubs::is_open(self.program, self.catalog, target)
            && (stubs::is_declared_abstract(self.program, self.catalog, target)
                || !stubs::is_overridden(self.program, target)
                || !names_class())
    }

    /// What the name of a gate says of how it refuses.
    pub fn by_name(&self, func: Func, call: ExprId) -> ByName {
        let name = spelled(self.program, func, call).unwrap_or_default();
        let last = name.rsplit('.').next().unwrap_or_default();
        ByName { only_tells: self.words().only_tells(last) }
    }

    /// True if the catalogue knows what is called as a gate, by its path or as it is written.
    pub fn is_named_gate(&self, func: Func, call: ExprId, edge: &Edge) -> bool {
        let words = self.words();
        words.is_gate(&self.program.target_name(edge.to))
            || spelled(self.program, func, call).is_some_and(|name| words.is_gate_name(&name))
    }
}
