//! Gates that are handed over: a helper that calls what it is given, a library function that runs it before it comes back,
//! before its result is awaited or asked for. What is run so guarantees what it guarantees where it is called.

use super::calls::Found;
use super::summary::Summary;
use super::thrown::Thrown;
use super::walk::Walk;
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::analysis::subjects::Subject;
use crate::catalog::{AT_ONCE, AWAITED, Callback};
use crate::ir::{Arg, ArgKind, Expr, ExprId};
use crate::link::{Edge, EdgeKind, Func, Target, argument};

impl Walk<'_, '_> {
    /// The function of the project that an expression hands over, if it is one.
    pub(super) fn handed(&self, value: ExprId) -> Option<Shape> {
        let program = self.known.program;
        let mut edges = program.edges_at(self.func, value).iter().filter(|edge| edge.kind != EdgeKind::Call);
        match (edges.next().map(|edge| edge.to), edges.next()) {
            (Some(Target::Project(to)), None) if program.function(to).class.is_none() => {
                Some(Shape::Function(to, 0))
            }
            (Some(Target::Project(to)), None) => {
                Some(Shape::Function(to, program.filled(self.func, value, to)))
            }
            _ => None,
        }
    }

    /// The same if whoever gets its result has passed the gate.
    pub(super) fn handed_gate(&self, value: ExprId) -> Option<Shape> {
        let tells = |shape: &Shape| match shape {
            Shape::Function(func, _) => self.known.summary(*func).is_some_and(Summary::tells),
            _ => false,
        };
        self.handed(value).filter(tells)
    }

    pub(super) fn hands_gate(&self, list: &[Arg]) -> bool {
        list.iter().any(|arg| self.handed_gate(arg.value).is_some())
    }

    /// A call of a parameter that is known to be a function.
    pub(super) fn of_callable(
        &mut self,
        call: ExprId,
        callee: &Value,
        args: (&[Arg], &[Value]),
    ) -> Option<Found> {
        let [Outcome { shape: Shape::Function(target, filled), .. }] = *callee.outcomes() else {
            return None;
        };
        self.run(call, args, (target, filled))
    }

    fn run(
        &mut self,
        call: ExprId,
        args: (&[Arg], &[Value]),
        (target, filled): (Func, u32),
    ) -> Option<Found> {
        let known = self.known;
        if known.program.ir(target).is_generator || known.is_cut_off(target) {
            return None;
        }
        let summary = known.summary(target)?;
        let pairs = known.program.handed_arguments(self.func, args.0, (target, filled));
        let given = self.given_by(&pairs, args, target);
        let own = self.subject(Subject::Result(call));
        let mut value = self.translated(summary, &given, own, |it| it.value(&summary.returns));
        value.is_pending = known.is_coroutine(target);
        let raises = summary.raises.clone();
        let thrown = raises.map_or_else(Thrown::anything, |raises| Thrown { by_gate: None, ..raises });
        Some(Found { value, thrown, is_gate: summary.guarantees() })
    }

    /// `asyncio.to_thread(check, phase)`, `pool.submit(check, phase)`: what the function guarantees that a library runs.
    pub(super) fn run_by_library(
        &mut self,
        call: ExprId,
        (list, args): (&[Arg], &[Value]),
        edges: &[Edge],
    ) -> Option<Found> {
        let callback = self.callback(edges).filter(|callback| callback.forwards)?;
        let is_awaited = callback.runs_until(AWAITED);
        let is_run = !callback.ready.is_empty() && (!is_awaited || self.is_awaited(call));
        let is_pending = !callback.runs_until(AT_ONCE);
        let only = callback.runs.iter().find_map(|runs| {
            let value = argument(self.facts, list, runs.index, runs.name.as_deref())?;
            Some((list.iter().position(|arg| arg.value == value)?, self.handed(value)?))
        });
        let (at, Shape::Function(target, filled)) = only.filter(|_| is_run)? else { return None };
        let forwarded = (&list[at + 1..], &args[at + 1..]);
        let found = self.run(call, forwarded, (target, filled)).filter(|found| !found.value.is_pending)?;
        let gates = found.value.least().unwrap_or(Gates::ALL);
        let own = self.subject(Subject::Result(call));
        let value = Value::of([Outcome { shape: Shape::Unknown(own), gates }]);
        Some(Found { value: value.pending(is_pending), ..found })
    }

    /// What is run by a library, at once or before its result is there.
    pub(super) fn run_elsewhere(
        &mut self,
        call: ExprId,
        callee: &Value,
        args: (&[Arg], &[Value]),
        edges: &[Edge],
    ) -> Option<Found> {
        let waited = self.waits(call, callee);
        let found = waited.or_else(|| self.run_by_library(call, args, edges));
        found.or_else(|| self.awaited_together(call, args, edges))
    }

    /// What a library function does with callables.
    fn callback(&self, edges: &[Edge]) -> Option<&Callback> {
        edges.iter().find_map(|edge| match edge.to {
            Target::External(path) => {
                let catalog = self.known.catalog;
                catalog.callback_of(self.known.program.path(path)).map(|id| catalog.callback(id))
            }
            Target::Project(_) => None,
        })
    }

    /// `await asyncio.gather(require_execution(phase))`.
    pub(super) fn awaited_together(
        &mut self,
        call: ExprId,
        (list, args): (&[Arg], &[Value]),
        edges: &[Edge],
    ) -> Option<Found> {
        let words = &self.known.catalog.phase;
        let awaits = |edge: &Edge| match edge.to {
            Target::External(path) => words.awaits_coroutines(self.known.program.path(path)),
            Target::Project(_) => false,
        };
        let keeps = |arg: &Arg| match arg.kind {
            ArgKind::Named(name) => words.keeps_exceptions(self.facts.str(name)),
            _ => false,
        };
        let is_run = edges.iter().any(awaits) && !list.iter().any(keeps) && self.is_awaited(call);
        let pending = args.iter().filter(|arg| arg.is_pending).filter_map(Value::least);
        let gates = pending.filter(|_| is_run).reduce(Gates::with)?;
        let own = self.subject(Subject::Result(call));
        let value = Value::of([Outcome { shape: Shape::Unknown(own), gates }]).pending(true);
        Some(Found { value, thrown: Thrown::kept(), is_gate: true })
    }

    /// `future.result()`: the method by which a result is waited for, on a result that is not ready.
    pub(super) fn waits(&self, call: ExprId, callee: &Value) -> Option<Found> {
        let Expr::Call { callee: called, .. } = *self.facts.expr(call) else { return None };
        let Expr::Field { name, .. } = *self.facts.expr(called) else { return None };
        if !callee.is_pending || !self.known.catalog.makes_ready(self.facts.str(name)) {
            return None;
        }
        Some(Found { value: callee.clone().pending(false), thrown: Thrown::kept(), is_gate: true })
    }
}

impl Callback {
    /// What it runs has run then.
    fn runs_until(&self, then: &str) -> bool {
        self.ready.iter().any(|ready| ready == then)
    }
}
