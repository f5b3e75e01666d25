//! Context managers: what has been passed inside their block, and what refuses to let anybody in.

use super::state::State;
use super::thrown::{Gate, Thrown};
use super::walk::Walk;
use crate::analysis::implicit;
use crate::analysis::outcomes::{Gates, Value};
use crate::analysis::subjects::Subject;
use crate::ir::{Arg, Expr, ExprId, Operator};
use crate::link::{Edge, Func, Target};

impl<'a> Walk<'_, 'a> {
    /// The body of a generator has not run when the call comes back; what it guarantees holds where it yields.
    pub(super) fn begun(
        &mut self,
        call: ExprId,
        callee: &Value,
        args: (&[Arg], &[Value]),
        edge: &Edge,
        target: Func,
    ) {
        let Some(summary) = self.known.summary(target) else { return };
        let given = self.given(callee, args, edge, target);
        let own = self.subject(Subject::Result(call));
        let yields = summary.yields.unwrap_or(Gates::NONE);
        let gates = self.translated(summary, &given, own, |it| it.gates(yields));
        self.generators.insert(call, gates);
    }

    /// A function that hands back a generator yields where that one does.
    pub fn yields_at(&self, state: &State, at: ExprId) -> Gates {
        let Expr::Jump { value: Some(value), .. } = *self.facts.expr(at) else { return Gates::NONE };
        self.generators.get(&value).map_or(Gates::NONE, |gates| gates.with(state.passed))
    }

    /// `with gate(phase):` — a context manager guarantees what holds where it yields, or where `__enter__` comes back.
    /// Comes back with the refusal that may be thrown instead.
    pub fn enters(&mut self, state: &mut State, context: ExprId, value: &Value) -> Option<Thrown> {
        let program = self.known.program;
        let edges: Vec<Edge> = program.edges_at(self.func, context).to_vec();
        let called = self.arguments(context);
        self.note(state, context, self.holds(state));
        let args: Vec<Value> =
            called.iter().map(|arg| self.peek(state, arg.value).unwrap_or_else(Value::unknown)).collect();
        let mut refused: Option<Thrown> = None;
        for edge in &edges {
            let Target::Project(target) = edge.to else { continue };
            let Some(summary) = self.known.summary(target) else { continue };
            let gates = match (
                summary.yields,
                implicit::runs(program, target, &[Operator::Enter, Operator::EnterAsync]),
            ) {
                (Some(gates), _) => gates,
                (None, true) => summary.returns.least().unwrap_or(Gates::ALL),
                _ => continue,
            };
            let given = self.given(value, (called, &args), edge, target);
            let own = self.subject(Subject::Result(context));
            let gates = self.translated(summary, &given, own, |it| it.gates(gates));
            if let Some(gate) = gate_of(gates.without(state.passed)) {
                let raises = summary.raises.clone().unwrap_or_default();
                let thrown = Thrown { by_gate: Some(gate), ..raises };
                refused = Some(refused.map_or(thrown.clone(), |known| known.or(&thrown)));
            }
            state.passed = state.passed.with(gates);
        }
        refused
    }

    /// `stack.enter_context(gate(phase))` enters what it is given.
    pub fn enters_arguments(
        &mut self,
        state: &mut State,
        list: &[Arg],
        args: &[Value],
        edges: &[Edge],
    ) -> Option<Thrown> {
        if !edges.iter().any(|edge| self.known.enters_contexts(edge.to)) {
            return None;
        }
        let (first, value) = (list.first()?, args.first()?);
        self.enters(state, first.value, value)
    }

    /// The types that the object of a `with` swallows inside it.
    pub fn swallowed_in(&self, context: ExprId) -> Option<Vec<ExprId>> {
        self.known.managers.swallowed(self.func, context)
    }

    fn arguments(&self, call: ExprId) -> &'a [Arg] {
        match *self.facts.expr(call) {
            Expr::Call { args, .. } => self.facts.list(args),
            _ => &[],
        }
    }
}

/// Whose gates they are, if there are any.
fn gate_of(gates: Gates) -> Option<Gate> {
    match gates.has(Gates::ATTRIBUTED) {
        true => Some(Gate::Attribution),
        false => (!gates.is_empty()).then_some(Gate::Phase),
    }
}
