//! Calls: what a callee guarantees when it comes back, what it may throw, and what it is handed to run.

use super::state::State;
use super::summary::{Given, Summary};
use super::thrown::{Gate, Thrown};
use super::walk::{Left, Walk};
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::analysis::subjects::{Subject, SubjectId};
use crate::ir::{Arg, Expr, ExprId};
use crate::link::{Edge, EdgeKind, Func, Passed, Target};

impl<'a> Walk<'_, 'a> {
    pub fn called(
        &mut self,
        state: &mut State,
        call: ExprId,
        callee: &Value,
        args: &[Value],
    ) -> (Value, Thrown) {
        let facts = self.facts;
        let Expr::Call { callee: called, args: list, .. } = *facts.expr(call) else {
            return (Value::unknown(), Thrown::anything());
        };
        let list = facts.list(list);
        let edges: Vec<Edge> = self.known.program.edges_at(self.func, call).to_vec();
        let is_held = match self.known.learnt.runs_tool(self.func, call) {
            true => {
                let given: Vec<ExprId> = list.iter().map(|arg| arg.value).collect();
                self.is_judged(state, &given, args)
            }
            false => self.holds(state),
        };
        self.note(state, call, is_held);
        self.note_run(called, is_held);
        self.hand_over(state, call, &edges, list, is_held);
        let mut found = self.outcome(state, call, callee, (list, args), &edges);
        if self.known.judges_actions() {
            found = self.judged_call(call, callee, (list, args), &edges, found);
        }
        let Found { value, thrown, is_gate } = found;
        let is_waited_for = !value.is_pending || self.is_awaited(call);
        let by_gate = refusal(state, &value, is_gate).filter(|_| is_waited_for);
        if let Expr::Field { base, .. } = *facts.expr(called)
            && let Some(place) = self.place(base)
        {
            self.change(state, place);
            if self.known.judges_actions() {
                self.grows(state, called, (list, args));
            }
        }
        let mut thrown = Thrown { by_gate: thrown.by_gate.or(by_gate), ..thrown };
        if value.is_pending {
            return (value, thrown);
        }
        state.learn(&value);
        if let Some(refused) = self.enters_arguments(state, list, args, &edges) {
            thrown = refused;
        }
        // What a coroutine came out as is learnt by whoever runs it.
        if edges.iter().any(|edge| self.known.runs_coroutine(edge.to)) {
            for pending in args.iter().filter(|pending| pending.is_pending) {
                thrown.by_gate = thrown.by_gate.or(refusal(state, pending, true));
                state.learn(pending);
            }
        }
        (value, thrown)
    }

    /// `await call`, so that what the coroutine throws is thrown here.
    pub(super) fn is_awaited(&self, call: ExprId) -> bool {
        self.uses().awaited.contains(&call)
    }

    /// Arguments that are functions: whoever gets them runs them here, behind its own gates.
    fn hand_over(&mut self, state: &State, call: ExprId, edges: &[Edge], args: &[Arg], is_held: bool) {
        for arg in args {
            let runs = self.known.runs(self.func, call, edges, arg.value);
            if !self.known.program.edges_at(self.func, arg.value).is_empty() {
                self.note(state, arg.value, is_held || runs == Some(true));
            }
            if let Some(behind_gate) = runs {
                self.note_run(arg.value, is_held || behind_gate);
            }
        }
    }

    fn outcome(
        &mut self,
        state: &mut State,
        call: ExprId,
        callee: &Value,
        args: (&[Arg], &[Value]),
        edges: &[Edge],
    ) -> Found {
        if let Some(found) = self.vouched(call, args, edges) {
            return found;
        }
        if self.known.checks_attribution(self.func, call, edges) {
            let own = self.subject(Subject::Result(call));
            let outcome = Outcome { shape: Shape::Unknown(own), gates: Gates::ATTRIBUTED };
            let value = self.checked(Value::of([outcome]), self.known.hands_back_result(edges));
            return Found { value, thrown: Thrown::anything(), is_gate: false };
        }
        if self.known.leaves_for_good(edges) {
            return Found::unknown(Value::never());
        }
        let targets: Vec<(&Edge, Func)> = edges
            .iter()
            .filter(|edge| matches!(edge.kind, EdgeKind::Call | EdgeKind::CallHanded))
            .filter_map(|edge| match edge.to {
                Target::Project(func) => Some((edge, func)),
                Target::External(_) => None,
            })
            .collect();
        if let Some(object) = self.object_of(call, args.1) {
            return Found::unknown(object);
        }
        let targets = self.bodies(call, targets);
        let is_whole = edges.iter().all(|edge| matches!(edge.to, Target::Project(_)));
        if targets.is_empty() || !is_whole {
            if let Some(found) = self.of_callable(call, callee, args) {
                return found;
            }
            if let Some(found) = self.of_language(call, callee, args.1, state) {
                return found;
            }
            if let Some(found) = self.run_elsewhere(call, callee, args, edges) {
                return found;
            }
            return self.library(state, call, callee, args);
        }
        self.project(call, callee, args, &targets)
    }

    /// The bodies that may run: one that is left to others does not, if there are others.
    fn bodies<'e>(&self, call: ExprId, targets: Vec<(&'e Edge, Func)>) -> Vec<(&'e Edge, Func)> {
        let is_open = |target: Func| self.known.is_open_stub(self.func, call, target);
        match targets.iter().all(|&(_, target)| is_open(target)) {
            true => targets,
            false => targets.into_iter().filter(|&(_, target)| !is_open(target)).collect(),
        }
    }

    /// The project's own functions: what all of them guarantee.
    fn project(
        &mut self,
        call: ExprId,
        callee: &Value,
        args: (&[Arg], &[Value]),
        targets: &[(&Edge, Func)],
    ) -> Found {
        let mut found: Option<Found> = None;
        for &(edge, target) in targets {
            // A wrapper runs what it is put around, which is another target of the same call.
            if self.known.is_wrapper_of_another(target, targets) {
                continue;
            }
            let one = match self.known.is_cut_off(target) {
                true => Found::unknown(self.result(call)),
                false => self.of_target(call, callee, args, edge, target),
            };
            found = Some(match found {
                Some(known) => known.or(one),
                None => one,
            });
        }
        found.unwrap_or_else(|| Found::unknown(self.result(call)))
    }

    fn of_target(
        &mut self,
        call: ExprId,
        callee: &Value,
        (list, args): (&[Arg], &[Value]),
        edge: &Edge,
        target: Func,
    ) -> Found {
        let known = self.known;
        if let Some(record) = self.constructed(call, list, args, target) {
            return Found::unknown(record);
        }
        if known.program.ir(target).is_generator {
            self.begun(call, callee, (list, args), edge, target);
            return Found::unknown(self.result(call));
        }
        let special = self.special(target, edge, list, args);
        let guarantees = special.as_deref().or(known.summary(target)).is_some_and(|known| known.tells());
        if !guarantees && self.may_be_meant(target, call, edge, list, args) {
            let by_name = known.by_name(self.func, call);
            return self.named(call, (list, args), &[*edge], by_name);
        }
        let Some(summary) = special.as_deref().or(known.summary(target)) else {
            if known.never_returns(target) {
                return Found::unknown(Value::never().pending(known.is_coroutine(target)));
            }
            let turned = self.turned(call, edge, target, list, args);
            return Found::unknown(turned.unwrap_or_else(|| self.result(call)));
        };
        let given = self.given(callee, (list, args), edge, target);
        let own = self.subject(Subject::Result(call));
        let is_gate = summary.guarantees();
        let mut value = self.translated(summary, &given, own, |it| it.value(&summary.returns));
        let is_found = |outcome: &Outcome| match outcome.shape {
            Shape::Unknown(None) => true,
            Shape::Unknown(subject) => subject == own,
            _ => false,
        };
        if !is_gate
            && value.outcomes().iter().any(is_found)
            && let Some(turned) = self.turned(call, edge, target, list, args)
        {
            value = turned;
        }
        if let (Some(gates), Some(own)) = (summary.answer, own) {
            let gates = self.translated(summary, &given, Some(own), |it| it.gates(gates));
            self.answers.insert(own, gates);
        }
        value.is_pending = known.is_coroutine(target);
        let thrown =
            summary.raises.clone().map_or_else(Thrown::anything, |raises| Thrown { by_gate: None, ..raises });
        Found { value, thrown, is_gate }
    }

    /// What each parameter of the callee is given.
    pub(super) fn given(
        &mut self,
        callee: &Value,
        (list, args): (&[Arg], &[Value]),
        edge: &Edge,
        target: Func,
    ) -> Vec<(u32, Given)> {
        let program = self.known.program;
        let mut given = self.given_by(&program.arguments(edge), (list, args), target);
        for (passed, owner, expr) in program.arguments_before(edge) {
            let Passed::Param(param) = passed else { continue };
            let word = self.known.constant(owner, expr);
            let gives =
                if word.is_some_and(|word| self.known.is_open(&word)) { Given::Open } else { Given::Unknown };
            given.retain(|&(known, _)| known != param);
            given.push((param, gives));
        }
        // The object whose method it is.
        if let Some(of) = callee.subjects().next()
            && program.function(target).class.is_some()
            && given.iter().all(|&(param, _)| param != 0)
            && let Subject::Part(base, _) = self.subjects.get(of)
        {
            given.push((0, Given::Subject(*base)));
        }
        given
    }

    /// The same of arguments that are paired with parameters; what a parameter collects is given together.
    pub(super) fn given_by(
        &mut self,
        pairs: &[(Passed, ExprId)],
        (list, args): (&[Arg], &[Value]),
        target: Func,
    ) -> Vec<(u32, Given)> {
        let mut given: Vec<(u32, Given)> = Vec::new();
        for &(passed, expr) in pairs {
            let (Passed::Param(param) | Passed::Rest(param) | Passed::KeywordRest(param, _)) = passed else {
                continue;
            };
            let Some(at) = list.iter().position(|arg| arg.value == expr) else { continue };
            let gives = self.gives(&self.folded(expr, &args[at]));
            match given.iter_mut().find(|(known, _)| *known == param) {
                Some((_, known)) => *known = self.both(*known, gives),
                None => given.push((param, gives)),
            }
        }
        self.spread(pairs, (list, args), target, &mut given);
        for at in 0..self.known.program.ir(target).params.len() as u32 {
            if given.iter().all(|&(param, _)| param != at) && self.known.defaults_to_open(target, at) {
                given.push((at, Given::Open));
            }
        }
        given
    }

    /// Two values that one parameter collects: of the phase and something else, the phase.
    fn both(&self, one: Given, other: Given) -> Given {
        let is_phase = |given| match given {
            Given::Subject(subject) => self.known.is_named(&self.subjects, subject, self.func),
            Given::Open | Given::Unknown => false,
        };
        match (one, other) {
            (Given::Open, _) | (_, Given::Open) => Given::Open,
            (Given::Unknown, given) | (given, Given::Unknown) => given,
            (_, given) if is_phase(given) => given,
            _ => one,
        }
    }

    pub(super) fn gives(&self, value: &Value) -> Given {
        let open = |shape: &Shape| matches!(shape, Shape::Text(word) if self.known.is_open(word));
        if value.outcomes().iter().any(|outcome| open(&outcome.shape)) {
            return Given::Open;
        }
        // The worst of what it may be: whoever asks about that has not asked about the phase.
        let fits = |&subject: &SubjectId| self.known.fits(self.func, &self.subjects, subject);
        let worst = value.subjects().find(|subject| !fits(subject));
        worst.or_else(|| value.subjects().next()).map_or(Given::Unknown, Given::Subject)
    }

    /// Notes where the function comes back.
    pub fn left(&mut self, state: &State, at: ExprId, value: &Value) {
        let passed = |outcome: &&Outcome, gate: Gate| match gate {
            Gate::Attribution => outcome.gates.has(Gates::ATTRIBUTED),
            Gate::Phase => self.asks_for_phase(outcome.gates),
        };
        let without = |gate: Gate| {
            let ungated = value.outcomes().iter().filter(|outcome| !passed(outcome, gate));
            ungated.map(|outcome| outcome.shape.clone()).collect()
        };
        let swallowed = state.swallowed.iter().map(|&(handler, gate)| (handler, without(gate))).collect();
        let ungated = without(Gate::Phase);
        self.seen.exits.push(Left { at, swallowed, is_clean: state.is_clean, ungated });
        // A parameter that is handed back is run by somebody who has asked nobody.
        if let Expr::Jump { value: Some(value), .. } = *self.facts.expr(at) {
            self.note_run(value, false);
        }
    }
}

/// Whose no it is if the call does not come back, whoever else may fail there.
fn refusal(state: &State, value: &Value, is_gate: bool) -> Option<Gate> {
    let learnt = value.least().unwrap_or(Gates::NONE).without(state.passed);
    match learnt.has(Gates::ATTRIBUTED) {
        true => Some(Gate::Attribution),
        false => (is_gate && !learnt.is_empty()).then_some(Gate::Phase),
    }
}

pub(super) fn given_at(given: &[(u32, Given)], at: u32) -> Given {
    given.iter().find(|(param, _)| *param == at).map_or(Given::Unknown, |&(_, given)| given)
}

/// What is known of a call.
pub(super) struct Found {
    pub value: Value,
    pub thrown: Thrown,
    /// It asks for the phase.
    pub is_gate: bool,
}

impl Found {
    pub fn unknown(value: Value) -> Self {
        Self { value, thrown: Thrown::anything(), is_gate: false }
    }

    fn or(self, other: Found) -> Self {
        Self {
            value: self.value.or(&other.value),
            thrown: self.thrown.or(&other.thrown),
            is_gate: self.is_gate || other.is_gate,
        }
    }
}

impl Summary {
    /// True if the function can say no: by raising, or by an answer that is not true.
    pub fn can_refuse(&self) -> bool {
        let no = |outcome: &Outcome| outcome.shape.truth() != Some(true) && outcome.shape != Shape::None;
        self.raises.is_some() || self.returns.outcomes().iter().any(no)
    }
}
