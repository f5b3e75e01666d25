//! The gates domain of the path interpreter: one walk over one function.

use std::sync::Arc;

use super::Known;
use super::state::State;
use super::thrown::{self, Thrown};
use crate::analysis::exceptions::class_of;
use crate::analysis::interp::{Caught, Domain, Exit};
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::analysis::subjects::{Subject, SubjectId, Subjects};
use crate::ir::{Entry, EntryKey, Expr, ExprId, Facts, Lit, Op, Pat, PatId};
use crate::link::Func;

/// A walk over one function, and what it has seen when it is done.
pub struct Walk<'w, 'a> {
    pub known: &'w Known<'w, 'a>,
    pub func: Func,
    pub facts: &'a Facts,
    pub subjects: Subjects,
    /// The walk that counts has begun.
    pub records: bool,
    pub seen: Seen,
}

/// What a walk has seen.
#[derive(Default)]
pub struct Seen {
    pub returns: Vec<Outcome>,
    pub yields: Option<Gates>,
    pub raises: Option<Thrown>,
    /// Expressions that lead elsewhere, and what holds there.
    pub places: Vec<Place>,
    /// Where the function comes back.
    pub exits: Vec<Left>,
    /// Parameters that are called or handed on, own ones and those of functions around, and whether behind a gate.
    pub run: Vec<((Func, u32), bool)>,
}

/// What holds where an expression is evaluated.
#[derive(Clone, Debug)]
pub struct Place {
    pub expr: ExprId,
    pub is_held: bool,
    /// Handlers that swallowed a gate's error on some way here.
    pub swallowed: Vec<ExprId>,
}

/// A `return`, or the end of the body.
#[derive(Clone, Debug)]
pub struct Left {
    pub at: ExprId,
    pub is_held: bool,
    pub swallowed: Vec<ExprId>,
    /// Some way leads there without such a handler.
    pub is_clean: bool,
    /// What may be returned although the gate has not been passed.
    pub ungated: Vec<Shape>,
}

impl<'a> Walk<'_, 'a> {
    pub fn subject(&mut self, subject: Subject) -> Option<SubjectId> {
        self.subjects.id(subject)
    }

    /// The result of something nobody can look into.
    pub fn result(&mut self, expr: ExprId) -> Value {
        Value::known(Shape::Unknown(self.subject(Subject::Result(expr))))
    }

    /// A variable, as its subject: parameters are told from the rest because callers fill them.
    fn variable(&mut self, var: crate::ir::VarId) -> Option<SubjectId> {
        let program = self.known.program;
        match program.parameter_of(program.slot_of(self.func, var)) {
            Some((owner, at)) if owner == self.func => self.subject(Subject::Param(at)),
            _ => self.subject(Subject::Var(var)),
        }
    }

    /// The place that an expression names: a variable, or an attribute or key of something that has a name.
    pub fn place(&mut self, state: &State, expr: ExprId) -> Option<SubjectId> {
        let facts = self.facts;
        match *facts.expr(expr) {
            Expr::Var(var) => self.variable(var),
            Expr::Field { base, name } => {
                let base = self.place(state, base)?;
                self.part(base, facts.str(name))
            }
            Expr::Index { base, key } => {
                let base = self.place(state, base)?;
                let Expr::Lit(Lit::Str(key)) = *facts.expr(key) else { return None };
                self.part(base, facts.str(key))
            }
            _ => None,
        }
    }

    fn part(&mut self, base: SubjectId, name: &str) -> Option<SubjectId> {
        self.subjects.part(base, name)
    }

    /// `base.name`, `base["name"]`, `base.get("name")`.
    pub fn read(&mut self, state: &State, base: &Value, name: &str) -> Value {
        let mut parts = Vec::new();
        for outcome in base.outcomes() {
            let value = match &outcome.shape {
                Shape::Unknown(Some(of)) => match self.part(*of, name) {
                    Some(part) => state.get(part),
                    None => Value::unknown(),
                },
                shape => Value::known(shape.field(name).cloned().unwrap_or(Shape::Unknown(None))),
            };
            parts.extend(value.behind(outcome.gates).outcomes().iter().cloned());
        }
        Value::of(parts)
    }

    /// The value of an expression, with constants that are defined elsewhere.
    pub fn folded(&self, expr: ExprId, value: &Value) -> Value {
        match value.outcomes() {
            [Outcome { shape: Shape::Unknown(_), .. }] => match self.known.constant(self.func, expr) {
                Some(text) => Value::known(Shape::Text(text)),
                None => value.clone(),
            },
            _ => value.clone(),
        }
    }

    fn record_of(&self, entries: &[Entry], parts: &[Value]) -> Value {
        let mut outcomes = vec![Outcome { shape: Shape::record(None, Vec::new()), gates: Gates::NONE }];
        for (entry, part) in entries.iter().zip(parts) {
            let EntryKey::Expr(key) = entry.key else { return Value::unknown() };
            let Expr::Lit(Lit::Str(key)) = *self.facts.expr(key) else { continue };
            let name: Arc<str> = self.facts.str(key).into();
            let part = self.folded(entry.value, part);
            outcomes = product(&outcomes, &part, |shape, field| match shape {
                Shape::Record { class, mut fields } => {
                    fields.push((name.clone(), field));
                    Shape::record(class, fields)
                }
                other => other,
            });
        }
        Value::of(outcomes)
    }

    fn sequence_of(&self, items: &[ExprId], parts: &[Value]) -> Value {
        let mut outcomes = vec![Outcome { shape: Shape::Seq(Vec::new()), gates: Gates::NONE }];
        for (&item, part) in items.iter().zip(parts) {
            let part = self.folded(item, part);
            outcomes = product(&outcomes, &part, |shape, item| match shape {
                Shape::Seq(mut items) => {
                    items.push(item);
                    Shape::Seq(items)
                }
                other => other,
            });
        }
        Value::of(outcomes.into_iter().map(|outcome| match outcome.shape {
            Shape::Seq(items) => Outcome { shape: Shape::sequence(items), gates: outcome.gates },
            _ => outcome,
        }))
    }

    /// True if what has been passed speaks of the phase that this function was asked to work in.
    pub fn holds(&self, state: &State) -> bool {
        self.subjects.of(state.passed).any(|subject| self.known.fits(self.func, &self.subjects, subject))
    }

    /// Notes what holds where an expression leads elsewhere.
    pub fn note(&mut self, state: &State, expr: ExprId, is_held: bool) {
        if self.records && state.is_live {
            let swallowed = state.swallowed.to_vec();
            self.seen.places.push(Place { expr, is_held, swallowed });
        }
    }

    /// A parameter, own or of a function around, is run here or by whoever gets it.
    pub fn note_run(&mut self, value: ExprId, is_held: bool) {
        let Expr::Var(var) = *self.facts.expr(value) else { return };
        let program = self.known.program;
        if let Some(parameter) =
            program.parameter_of(program.slot_of(self.func, var)).filter(|_| self.records)
        {
            self.seen.run.push((parameter, is_held));
        }
    }
}

/// Every way to put the outcomes of a part to those of the parts before it; a few.
fn product(so_far: &[Outcome], part: &Value, put: impl Fn(Shape, Shape) -> Shape) -> Vec<Outcome> {
    let all = so_far.iter().flat_map(|outcome| {
        part.outcomes().iter().map(|part| Outcome {
            shape: put(outcome.shape.clone(), part.shape.clone()),
            gates: outcome.gates.with(part.gates),
        })
    });
    Value::of(all).outcomes().to_vec()
}

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
        state.forget();
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
        value.when(holds)
    }

    fn negated(&mut self, value: &Value) -> Value {
        value.negated()
    }

    fn value(&mut self, state: &mut State, expr: ExprId, parts: &[Value]) -> Value {
        let facts = self.facts;
        match *facts.expr(expr) {
            Expr::Lit(lit) => Value::known(literal(facts, lit)),
            Expr::Var(var) => self.variable(var).map_or_else(Value::unknown, |place| state.get(place)),
            Expr::Field { name, .. } => {
                self.note(state, expr, self.holds(state));
                match self.known.is_same_word(facts.str(name)) {
                    true => parts[0].clone(),
                    false => self.read(state, &parts[0], facts.str(name)),
                }
            }
            Expr::Index { key, .. } => match *facts.expr(key) {
                Expr::Lit(Lit::Str(key)) => self.read(state, &parts[0], facts.str(key)),
                Expr::Lit(Lit::Int(at)) => parts[0].map(|shape| {
                    let item = usize::try_from(at).ok().and_then(|at| shape.item(at));
                    item.cloned().unwrap_or(Shape::Unknown(None))
                }),
                _ => Value::unknown(),
            },
            Expr::Record(entries) => self.record_of(facts.list(entries), parts),
            Expr::Seq(items) => self.sequence_of(facts.list(items), parts),
            Expr::Op { op, args } => self.operator(op, facts.list(args), parts),
            Expr::Await(_) => {
                let mut value = parts[0].clone();
                if std::mem::take(&mut value.is_pending) {
                    state.learn(&value);
                }
                value
            }
            Expr::Ascribe { value: Some(_), .. } => parts[0].clone(),
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
        handling: Option<&Thrown>,
    ) -> Thrown {
        let thrown = match value {
            Some((expr, _)) => Thrown::of(class_of(self.known.program, self.func, expr)),
            None => handling.cloned().unwrap_or_else(Thrown::anything),
        };
        Thrown { by_gate: thrown.by_gate || state.is_refused, ..thrown }
    }

    fn caught(&mut self, types: &[ExprId], thrown: &Thrown) -> Caught {
        thrown::caught(self.known.program, self.known.catalog, self.func, types, thrown)
    }

    fn handle(&mut self, state: &mut State, thrown: &Thrown, handler: ExprId) {
        if thrown.by_gate {
            state.is_clean = false;
            if let Err(at) = state.swallowed.binary_search(&handler) {
                state.swallowed.insert(at, handler);
            }
        }
        state.is_refused = false;
    }

    fn either(&self, one: &Thrown, other: &Thrown) -> Thrown {
        one.or(other)
    }

    fn entered(&mut self, state: &mut State, context: ExprId, value: &Value) -> (Value, Option<Vec<ExprId>>) {
        self.enters(state, context, value)
    }

    fn element(&mut self, value: &Value) -> Value {
        let items = value.outcomes().iter().map(|outcome| match &outcome.shape {
            Shape::Seq(items) if !items.is_empty() => {
                items.iter().map(|item| Value::known(item.clone())).reduce(|a, b| a.or(&b))
            }
            _ => None,
        });
        items
            .collect::<Option<Vec<_>>>()
            .and_then(|all| all.into_iter().reduce(|a, b| a.or(&b)))
            .unwrap_or_else(Value::unknown)
    }

    fn bind(&mut self, state: &mut State, pat: PatId, value: &Value) {
        let facts = self.facts;
        match *facts.pat(pat) {
            Pat::Var(var) => {
                if let Some(place) = self.variable(var) {
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
                if let Some(place) = self.place(state, place) {
                    state.set(place, value.clone(), &self.subjects);
                }
            }
            Pat::Seq { items, rest: None } => {
                for (at, &item) in facts.list(items).iter().enumerate() {
                    let part = value.map(|shape| shape.item(at).cloned().unwrap_or(Shape::Unknown(None)));
                    self.bind(state, item, &part);
                }
            }
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
        if let Some(place) = self.place(state, place) {
            let value = match (op, value) {
                (None, Some((expr, value))) => self.folded(expr, value),
                _ => Value::unknown(),
            };
            state.set(place, value, &self.subjects);
        }
    }

    fn assume(&mut self, state: &mut State, value: &Value, holds: bool) {
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

    fn exit(&mut self, state: &State, how: Exit<Thrown>, value: &Value) {
        match how {
            Exit::Return(at) => {
                let value = value.behind(state.passed);
                self.seen.returns.extend(value.outcomes().iter().cloned());
                if self.records {
                    self.left(state, at, &value);
                }
            }
            Exit::Raise(thrown) if thrown.classes.is_some() => {
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

pub fn literal(facts: &Facts, lit: Lit) -> Shape {
    match lit {
        Lit::None => Shape::None,
        Lit::Bool(value) => Shape::Bool(value),
        Lit::Int(value) => Shape::Int(value),
        Lit::Str(text) => Shape::Text(facts.str(text).into()),
        Lit::Bytes(_) | Lit::Other => Shape::Unknown(None),
    }
}
