//! The gates domain of the path interpreter.

use super::state::State;
use super::thrown::{self, Gate, Thrown};
use super::walk::{Seen, Walk, literal};
use crate::analysis::exceptions::class_of;
use crate::analysis::interp::{Caught, Domain, Entered, Exit, Rounds};
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::analysis::rounds::rounds;
use crate::analysis::subjects::Subject;
use crate::ir::{Expr, ExprId, Lit, Op, Pat, PatId};

impl Domain for Walk<'_, '_> {
    type State = State;
    type Value = Value;
    type Thrown = Thrown;

    fn dead(&self) -> State {
        State::dead()
    }

    fn is_live(&self, state: &State) -> bool {
        state.is_live
    }

    fn join(&mut self, into: &mut State, from: &State) {
        into.join(from);
    }

    fn carried(&mut self, entry: &State, before: &State, after: &State) -> State {
        entry.carried(before, after)
    }

    fn forget(&mut self, state: &mut State) {
        self.known.give_up(self.func);
        state.forget();
    }

    fn unreached(&mut self, state: &State, expr: ExprId) {
        if self.records {
            let is_held = !state.is_live || self.holds(state);
            self.seen.unreached.push((expr, is_held));
        }
    }

    fn record(&mut self) {
        self.records = true;
        self.seen = Seen::default();
    }

    fn nothing(&self) -> Value {
        Value::known(Shape::None)
    }

    fn merge(&mut self, ways: &[(&State, Value)]) -> Value {
        let common = ways.iter().fold(Gates::ALL, |all, (state, _)| all.common(state.passed));
        let behind = ways.iter().map(|(state, value)| value.behind(state.passed.without(common)));
        behind.reduce(|a, b| a.or(&b)).unwrap_or_default()
    }

    fn value_when(&self, value: &Value, holds: bool) -> Value {
        self.truths(value).decided(holds)
    }

    fn negated(&mut self, value: &Value) -> Value {
        self.truths(value).negated()
    }

    fn value(&mut self, state: &mut State, expr: ExprId, parts: &[Value]) -> Value {
        let facts = self.facts;
        if let Some(known) = self.named_value(expr) {
            return Value::known(known);
        }
        match *facts.expr(expr) {
            Expr::Lit(lit) => Value::known(literal(facts, lit)),
            Expr::Free(name) => {
                self.subject(Subject::Global(name)).map_or_else(Value::unknown, |place| state.get(place))
            }
            Expr::Var(var) => self.variable(var).map_or_else(Value::unknown, |place| state.get(place)),
            Expr::Field { name, .. } => {
                self.note(state, expr, self.holds(state));
                let name = facts.str(name);
                match () {
                    () if parts[0].is_pending && self.callees.contains(&expr) => parts[0].clone(),
                    () if self.known.is_same_word(name) => self.same_word(expr, &parts[0]),
                    () if self.is_called_on(expr, name) || self.is_text_method(expr, name) => {
                        parts[0].clone()
                    }
                    () => self.read(state, &parts[0], name),
                }
            }
            Expr::Index { base, key } => match *facts.expr(key) {
                Expr::Lit(Lit::Str(key)) => self.read(state, &parts[0], facts.str(key)),
                Expr::Lit(Lit::Int(at)) => match usize::try_from(at) {
                    Ok(at) => parts[0].map(|shape| self.item_of(shape, at, None)),
                    Err(_) => parts[0].map(|_| Shape::Unknown(None)),
                },
                Expr::Op { op: Op::Slice, .. } => self.made([&parts[0]], Value::unknown()),
                _ => self.looked_up(base, &parts[1], None).unwrap_or_else(Value::unknown),
            },
            Expr::Record(entries) => self.record_of(facts.list(entries), parts),
            Expr::Seq(items) => self.sequence_of(facts.list(items), parts),
            Expr::Op { op: op @ (Op::Add | Op::Mod | Op::Mul), args } => {
                let value = self.operator(op, facts.list(args), parts);
                self.made(parts, value)
            }
            Expr::Op { .. } if let Some(truth) = self.decided(expr) => Value::known(Shape::Bool(truth)),
            Expr::Op { op, args } => self.operator(op, facts.list(args), parts),
            Expr::Collect { .. } if self.known.judges_actions() => parts[0].clone(),
            Expr::Await(_) => {
                let mut value = parts[0].clone();
                if std::mem::take(&mut value.is_pending) {
                    state.learn(&value);
                }
                value
            }
            Expr::Ascribe { value: Some(_), .. } => parts[0].clone(),
            Expr::Text(list) => match (facts.list(list), parts) {
                // `f"{phase}"`
                ([_], [only]) => only.clone(),
                (list, _) => match list.first().map(|&first| *facts.expr(first)) {
                    Some(Expr::Lit(Lit::Str(start))) => {
                        let start = facts.str(start);
                        let begins = Value::known(Shape::Begins(start.into()));
                        // What cannot be the word that opens the gate is not mistaken for it.
                        if self.known.begins_open(start) { self.made(parts, begins) } else { begins }
                    }
                    _ => self.made(parts, Value::unknown()),
                },
            },
            _ => Value::unknown(),
        }
    }

    fn call(&mut self, state: &mut State, call: ExprId, callee: &Value, args: &[Value]) -> (Value, Thrown) {
        self.called(state, call, callee, args)
    }

    fn thrown(
        &mut self,
        state: &mut State,
        _raise: ExprId,
        value: Option<(ExprId, &Value)>,
        handling: Option<(ExprId, &Thrown)>,
    ) -> Thrown {
        let thrown = match (value, handling) {
            (Some((expr, _)), _) => Thrown::of(class_of(self.known.program, self.func, expr)),
            (None, Some((_, handling))) => handling.clone(),
            (None, None) => Thrown::anything(),
        };
        // Whoever handles a refusal and raises, hands it on, in whatever shape.
        let handed_on = handling.and_then(|(handler, _)| state.taken_by(handler));
        let refused = state.is_refused.then_some(Gate::Phase);
        Thrown { by_gate: thrown.by_gate.or(handed_on).or(refused), ..thrown }
    }

    fn not_there(&self) -> Thrown {
        Thrown::not_there(self.known.catalog)
    }

    fn caught(&mut self, types: &[ExprId], thrown: &Thrown) -> Caught {
        let by_type = thrown::caught(self.known.program, self.known.catalog, self.func, types, thrown);
        let unknown = [None];
        let by_manager = match &thrown.classes {
            Some(classes) => self.known.managers.caught(self.func, types, classes.iter().map(Some)),
            None => self.known.managers.caught(self.func, types, unknown.into_iter()),
        };
        match by_manager.unwrap_or(by_type) {
            Caught::No if thrown.is_kept => Caught::Maybe,
            caught => caught,
        }
    }

    fn handle(&mut self, state: &mut State, thrown: &Thrown, handler: ExprId) {
        state.is_clean = false;
        thrown.by_gate.into_iter().for_each(|gate| state.take(handler, gate));
        state.is_refused = false;
    }

    fn flies_out(&mut self, state: &mut State, handler: ExprId) {
        state.swallowed.retain(|(known, _)| *known != handler);
    }

    fn either(&self, one: &Thrown, other: &Thrown) -> Thrown {
        one.or(other)
    }

    fn entered(&mut self, state: &mut State, context: ExprId, value: &Value) -> Entered<Value, Thrown> {
        let thrown = self.enters(state, context, value);
        Entered { value: self.result(context), swallows: self.swallowed_in(context), thrown }
    }

    fn rounds(&self, iterable: ExprId, _value: &Value) -> Rounds {
        rounds(self.known.program, self.func, iterable)
    }

    fn element(&mut self, value: &Value) -> Value {
        // Of an empty one there is no element.
        let is_empty = |outcome: &&Outcome| outcome.shape == Shape::Seq(Vec::new());
        let items = value.outcomes().iter().filter(|outcome| !is_empty(outcome)).flat_map(|outcome| {
            let item = |shape: Shape| Outcome { shape, gates: outcome.gates };
            match &outcome.shape {
                Shape::Seq(items) => items.iter().cloned().map(item).collect(),
                _ => vec![item(Shape::Unknown(None))],
            }
        });
        match items.collect::<Vec<_>>() {
            items if items.is_empty() => Value::unknown(),
            items => Value::of(items),
        }
    }

    fn kept(&mut self, state: &State, item: ExprId, value: &Value) -> Value {
        self.kept_item(state, item, value)
    }

    fn bind(&mut self, state: &mut State, pat: PatId, value: &Value) {
        let facts = self.facts;
        match *facts.pat(pat) {
            Pat::Var(var) => {
                self.rejudge(state, var);
                if let Some(place) = self.variable(var) {
                    let value = &self.rebound(place, value);
                    // An unknown value is called after what it is kept in.
                    let named = value.map(|shape| match shape {
                        Shape::Unknown(None) => Shape::Unknown(Some(place)),
                        known => known.clone(),
                    });
                    state.set(place, named.pending(value.is_pending), &self.subjects);
                }
            }
            Pat::As { pat, var } => {
                self.bind(state, pat, value);
                if let Some(place) = self.variable(var) {
                    state.set(place, value.clone(), &self.subjects);
                }
            }
            Pat::Place(place) => {
                if let Some(place) = self.place(place) {
                    state.set(place, value.clone(), &self.subjects);
                }
            }
            Pat::Seq { items, rest: None } => {
                for (at, &item) in facts.list(items).iter().enumerate() {
                    let named = match *facts.pat(item) {
                        Pat::Var(var) => {
                            facts.list(self.known.program.ir(self.func).vars).get(var.0 as usize)
                        }
                        _ => None,
                    };
                    let named = named.map(|&name| facts.str(name));
                    let part = value.map(|shape| self.item_of(shape, at, named));
                    self.bind(state, item, &part);
                }
            }
            Pat::Ctor { .. } if self.bind_variant(state, pat, value) => {}
            Pat::Ctor { items: fields, named, .. } => {
                facts.list(fields).iter().for_each(|&pat| self.bind(state, pat, &Value::unknown()));
                for field in facts.list(named) {
                    let part = self.read(state, value, facts.str(field.name));
                    self.bind(state, field.pat, &part);
                }
            }
            Pat::Record { items, rest } => {
                for field in facts.list(items) {
                    let part = self.read(state, value, facts.str(field.name));
                    self.bind(state, field.pat, &part);
                }
                rest.into_iter().for_each(|pat| self.bind(state, pat, &Value::unknown()));
            }
            Pat::Seq { items, .. } | Pat::Or(items) => {
                facts.list(items).iter().for_each(|&pat| self.bind(state, pat, &Value::unknown()));
            }
            Pat::Wild | Pat::Value(_) => {}
        }
    }

    fn store(&mut self, state: &mut State, place: ExprId, op: Option<Op>, value: Option<(ExprId, &Value)>) {
        if let Some(place) = self.place(place) {
            let value = match (op, value) {
                (None, Some((expr, value))) => self.folded(expr, value),
                _ => Value::unknown(),
            };
            if let Subject::Part(whole, _) = *self.subjects.get(place) {
                self.change(state, whole);
            }
            state.set(place, value, &self.subjects);
        }
    }

    fn assume(&mut self, state: &mut State, value: &Value, holds: bool) {
        let value = &self.truths(value);
        let here = value.when(holds);
        let asks = value.when(!holds).least().is_some_and(|gates| !gates.without(state.passed).is_empty());
        state.learn(&here);
        if state.is_live {
            state.is_refused =
                asks && here.least().is_some_and(|gates| gates.without(state.passed).is_empty());
        }
    }

    fn matched(&mut self, state: &State, value: &Value, pat: PatId) -> (State, State, Value) {
        let (hit, left) = self.split(value, pat);
        let (mut yes, mut no) = (state.clone(), state.clone());
        yes.learn(&hit);
        no.learn(&left);
        (yes, no, left)
    }

    fn chosen(&mut self, state: &mut State, values: (&Value, &Value), pat: PatId, body: ExprId) {
        self.takes_refusal(state, values, pat, body);
    }

    fn exit(&mut self, state: &State, how: Exit<Thrown>, value: &Value) {
        match how {
            Exit::Return(at) => {
                let value = match *self.facts.expr(at) {
                    Expr::Jump { value: Some(returned), .. } => self.folded(returned, value),
                    _ => value.clone(),
                };
                let value = value.behind(state.passed);
                self.seen.returns.extend(value.outcomes().iter().cloned());
                let begun = self.yields_at(state, at);
                self.seen.begun = Some(self.seen.begun.unwrap_or(Gates::ALL).common(begun));
                if self.records {
                    self.left(state, at, &value);
                }
            }
            // What nobody wrote is no refusal, also where it passes a `finally`.
            Exit::Raise(thrown) if thrown.classes.is_some() && !thrown.is_implicit => {
                self.seen.raises = Some(match self.seen.raises.take() {
                    Some(known) => known.or(&thrown),
                    None => thrown,
                });
            }
            Exit::Raise(_) => {}
            Exit::Yield(_) => {
                let known = self.seen.yields.unwrap_or(Gates::ALL);
                self.seen.yields = Some(known.common(state.passed));
            }
        }
    }
}
