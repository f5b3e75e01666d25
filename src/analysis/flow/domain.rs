//! The walk as the interpreter drives it: what an expression makes of the values of its parts, and what a test proves.

use super::data::Data;
use super::labels::Aspect;
use super::records::{changed, joined_text};
use super::state::{Proof, Proven, State, Value};
use super::stores::Wrapped;
use super::walk::Walk;
use crate::analysis::interp::{Caught, Domain, Entered, Exit};
use crate::ir::{Expr, ExprId, Lit, Op, Pat, PatId};

impl Walk<'_, '_, '_> {
    /// What an expression makes of the values of its parts.
    fn made(&mut self, state: &State, expr: ExprId, parts: &[Value]) -> Value {
        let facts = self.facts;
        let first = || parts.first().cloned().unwrap_or_default();
        match *facts.expr(expr) {
            Expr::Lit(Lit::Str(_)) => Value::of(self.marker(expr)),
            Expr::Lit(Lit::Bool(truth)) => Value { truth: Some(truth), ..Value::default() },
            Expr::Var(var) => self.variable(state, var),
            Expr::Free(name) => {
                let mut value = self.global(expr, name);
                if value.data.is_nothing() {
                    value.data = self.marker(expr);
                }
                value
            }
            Expr::Field { base, name } => self.field(state, expr, base, name, &first()),
            Expr::Index { key, .. } => match *facts.expr(key) {
                Expr::Op { op: Op::Slice, .. } => Value::of(first().data),
                _ => self.index(&first(), key),
            },
            Expr::Record(entries) => Value::of(self.record(facts.list(entries), parts)),
            Expr::Seq(items) => Value::of(self.sequence(facts.list(items), parts)),
            Expr::Op { op, .. } => self.operation(op, parts),
            Expr::Text(_) | Expr::Opaque(_) => Value::of(joined_text(parts.iter().map(|part| &part.data))),
            Expr::Await(_) | Expr::Spread(_) | Expr::Ascribe { .. } => first(),
            Expr::Collect { .. } => Value::of(Data::default().with_element(&first().data)),
            _ => Value::default(),
        }
    }
}

impl Domain for Walk<'_, '_, '_> {
    type State = State;
    type Value = Value;
    /// Nothing is known of exceptions; their texts are made here.
    type Thrown = ();

    fn dead(&self) -> State {
        State::dead()
    }

    fn is_live(&self, state: &State) -> bool {
        state.is_live()
    }

    fn join(&mut self, into: &mut State, from: &State) {
        into.join(from, &mut self.joins);
    }

    fn carried(&mut self, entry: &State, before: &State, after: &State) -> State {
        entry.carried(before, after)
    }

    /// States grow and are finite: a loop that has not settled has found what there is to find.
    fn forget(&mut self, _state: &mut State) {}

    fn record(&mut self) {
        self.is_recording = true;
        self.returns = None;
        self.outs.clear();
    }

    fn nothing(&self) -> Value {
        Value::default()
    }

    fn merge(&mut self, ways: &[(&State, Value)]) -> Value {
        let Some(((_, first), others)) = ways.split_first() else { return Value::default() };
        let mut all = first.clone();
        for (_, value) in others {
            all.data = all.data.join(&value.data);
            all.path = all.path.filter(|path| value.path == Some(*path));
            all.proof = None;
            all.truth = None;
        }
        all
    }

    fn value(&mut self, state: &mut State, expr: ExprId, parts: &[Value]) -> Value {
        let value = self.made(state, expr, parts);
        self.tell_asked(expr, &value);
        value
    }

    fn value_when(&self, value: &Value, _holds: bool) -> Value {
        value.clone()
    }

    fn negated(&mut self, value: &Value) -> Value {
        let proof = value.proof.map(|proof| Proof { holds: !proof.holds, ..proof });
        Value { proof, truth: value.truth.map(|truth| !truth), ..Value::default() }
    }

    fn call(&mut self, state: &mut State, call: ExprId, callee: &Value, args: &[Value]) -> (Value, ()) {
        let value = self.called(state, call, callee, args);
        self.tell_asked(call, &value);
        (value, ())
    }

    fn thrown(
        &mut self,
        _state: &mut State,
        _raise: ExprId,
        _value: Option<(ExprId, &Value)>,
        _handling: Option<(ExprId, &())>,
    ) {
    }

    fn not_there(&self) {}

    fn caught(&mut self, types: &[ExprId], _thrown: &()) -> Caught {
        if types.is_empty() { Caught::Yes } else { Caught::Maybe }
    }

    fn handle(&mut self, _state: &mut State, _thrown: &(), _handler: ExprId) {}

    fn either(&self, _one: &(), _other: &()) {}

    fn entered(&mut self, _state: &mut State, context: ExprId, value: &Value) -> Entered<Value, ()> {
        let entered = self.getter(context, value);
        let value = Value { data: value.data.and(&entered), ..value.clone() };
        Entered { value, swallows: None, thrown: None }
    }

    fn element(&mut self, value: &Value) -> Value {
        self.read(value, None)
    }

    fn bind(&mut self, state: &mut State, pat: PatId, value: &Value) {
        self.bound(state, pat, value);
    }

    fn store(&mut self, state: &mut State, place: ExprId, op: Option<Op>, value: Option<(ExprId, &Value)>) {
        self.stored(state, place, op, value);
    }

    fn assume(&mut self, state: &mut State, value: &Value, holds: bool) {
        if value.truth == Some(!holds) {
            *state = State::dead();
        }
        let Some(proof) = value.proof.filter(|proof| proof.holds == holds) else { return };
        let aspects: &[Aspect] = match proof.of {
            Proven::Attributed => &[Aspect::Unattributed],
            Proven::Fenced => &[Aspect::Unfenced, Aspect::Unwarned],
        };
        for &aspect in aspects {
            state.change(proof.path, &mut |data, keys| changed(data, keys, &|part| part.without(aspect)));
        }
    }

    fn matched(&mut self, state: &State, value: &Value, pat: PatId) -> (State, State, Value) {
        // What is no `Ok` is an error.
        let left = match *self.facts.pat(pat) {
            Pat::Ctor { path, .. } if self.wraps(path) == Some(Wrapped::Value) => Value::default(),
            _ => value.clone(),
        };
        (state.clone(), state.clone(), left)
    }

    fn exit(&mut self, state: &State, how: Exit<()>, value: &Value) {
        match how {
            _ if !self.is_recording => {}
            Exit::Return(at) => self.left(state, at, &value.data),
            Exit::Yield(at) => self.left(state, at, &Data::default().with_element(&value.data)),
            Exit::Raise(()) => {}
        }
    }
}
