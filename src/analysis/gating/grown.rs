//! Collections of what was judged: what is put aside where the gate has approved it is approved wherever it is taken out again.

use super::state::State;
use super::walk::Walk;
use crate::analysis::outcomes::{Outcome, Shape, Value};
use crate::catalog::DataOp;
use crate::ir::{Arg, Expr, ExprId};

impl Walk<'_, '_> {
    /// `cleared.append(call)`
    pub(super) fn grows(&mut self, state: &mut State, called: ExprId, (list, args): (&[Arg], &[Value])) {
        let Expr::Field { base, name } = *self.facts.expr(called) else { return };
        let does = self.known.catalog.operations.of_name(self.facts.str(name));
        if !matches!(does, Some(DataOp::Append | DataOp::Add | DataOp::Insert | DataOp::Prepend)) {
            return;
        }
        let Some(place) = self.place(base) else { return };
        let added = self.put_aside(state, list.iter().map(|arg| arg.value).collect(), args);
        let before = state.get(place);
        let is_empty = |outcome: &&Outcome| outcome.shape == Shape::Seq(Vec::new());
        let kept = before.outcomes().iter().filter(|outcome| !is_empty(outcome)).cloned();
        state.set(place, Value::of(kept.chain([added]).collect::<Vec<_>>()), &self.subjects);
    }

    /// `[call for call in calls if gate.check(call)]`
    pub(super) fn kept_item(&mut self, state: &State, item: ExprId, value: &Value) -> Value {
        match self.known.judges_actions() {
            true => Value::of([self.put_aside(state, vec![item], std::slice::from_ref(value))]),
            false => value.clone(),
        }
    }

    fn put_aside(&mut self, state: &State, exprs: Vec<ExprId>, values: &[Value]) -> Outcome {
        let is_judged = self.is_judged(state, &exprs, values);
        let of_values =
            values.iter().filter_map(Value::least).reduce(|all, one| all.with(one)).unwrap_or_default();
        let gates = if is_judged { state.passed.with(of_values) } else { of_values };
        Outcome { shape: Shape::Unknown(None), gates }
    }
}
