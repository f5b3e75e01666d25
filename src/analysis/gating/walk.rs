//! One walk over one function: what it is told, what it has seen, and what values its expressions have.

use std::cell::OnceCell;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Known;
use super::state::State;
use super::thrown::{Gate, Thrown};
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::analysis::subjects::{Subject, SubjectId, Subjects};
use crate::ir::{Entry, EntryKey, Expr, ExprId, Facts, Function, Lit};
use crate::link::Func;

/// A walk over one function, and what it has seen when it is done.
pub struct Walk<'w, 'a> {
    pub known: &'w Known<'w, 'a>,
    pub func: Func,
    pub facts: &'a Facts,
    pub subjects: Subjects,
    /// How many calls deep this walk is for the constants of a call.
    pub depth: u32,
    /// Calls that make a generator, and what has been passed where it yields.
    pub generators: FxHashMap<ExprId, Gates>,
    /// What is called.
    pub callees: FxHashSet<ExprId>,
    /// How what is called is used, looked up once.
    pub uses: OnceCell<Uses>,
    /// What judges of actions answered, and what they judged.
    pub answers: FxHashMap<SubjectId, Gates>,
    /// Those of them that say something only where they are compared with a word.
    pub words_only: FxHashSet<SubjectId>,
    /// The walk that counts has begun.
    pub records: bool,
    pub seen: Seen,
}

/// Calls of a function by what becomes of their results.
#[derive(Debug, Default)]
pub struct Uses {
    /// Nobody looks at the result, but for its error.
    pub statements: FxHashSet<ExprId>,
    pub awaited: FxHashSet<ExprId>,
}

impl Uses {
    fn new(facts: &Facts, function: &Function) -> Self {
        let peeled = |mut expr: ExprId| loop {
            expr = match *facts.expr(expr) {
                Expr::Await(inner) => inner,
                Expr::Match { subject, .. } => subject,
                _ => return expr,
            }
        };
        let mut uses = Self::default();
        for expr in function.exprs.iter() {
            match *facts.expr(expr) {
                Expr::Block(items) => {
                    uses.statements.extend(facts.list(items).iter().map(|&item| peeled(item)))
                }
                Expr::Await(inner) => {
                    uses.awaited.insert(inner);
                }
                _ => {}
            }
        }
        uses
    }
}

/// What a walk has seen.
#[derive(Default)]
pub struct Seen {
    pub returns: Vec<Outcome>,
    pub yields: Option<Gates>,
    /// What has been passed where the generators yield that are handed back.
    pub begun: Option<Gates>,
    pub raises: Option<Thrown>,
    /// Expressions that lead elsewhere, and what holds there.
    pub places: Vec<Place>,
    /// Expressions that no way leads into, and whether the gate would hold there anyway.
    pub unreached: Vec<(ExprId, bool)>,
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
    /// A judge of actions has approved something, and something else runs.
    pub is_other: bool,
    /// Handlers that swallowed the phase gate's error on some way here.
    pub swallowed: Vec<ExprId>,
}

/// A `return`, or the end of the body.
#[derive(Clone, Debug)]
pub struct Left {
    pub at: ExprId,
    /// Handlers that swallowed a gate's error on some way there, each with what may be returned although that gate has
    /// not been passed.
    pub swallowed: Vec<(ExprId, Vec<Shape>)>,
    /// Some way leads there without any handler.
    pub is_clean: bool,
    /// What may be returned although the phase gate has not been passed.
    pub ungated: Vec<Shape>,
}

impl<'a> Walk<'_, 'a> {
    pub(super) fn uses(&self) -> &Uses {
        self.uses.get_or_init(|| Uses::new(self.facts, self.known.program.ir(self.func)))
    }

    pub fn subject(&mut self, subject: Subject) -> Option<SubjectId> {
        self.subjects.id(subject)
    }

    /// The result of something nobody can look into.
    pub fn result(&mut self, expr: ExprId) -> Value {
        Value::known(Shape::Unknown(self.subject(Subject::Result(expr))))
    }

    /// A variable, as its subject: parameters are told from the rest because callers fill them.
    pub fn variable(&mut self, var: crate::ir::VarId) -> Option<SubjectId> {
        let program = self.known.program;
        match program.parameter_of(program.slot_of(self.func, var)) {
            Some((owner, at)) if owner == self.func => self.subject(Subject::Param(at)),
            _ => self.subject(Subject::Var(var)),
        }
    }

    /// The place that an expression names: a variable, or an attribute or key of something that has a name.
    pub fn place(&mut self, expr: ExprId) -> Option<SubjectId> {
        let facts = self.facts;
        match *facts.expr(expr) {
            Expr::Var(var) => self.variable(var),
            Expr::Free(name) => self.subject(Subject::Global(name)),
            Expr::Field { base, name } => {
                let base = self.place(base)?;
                self.part(base, facts.str(name))
            }
            Expr::Index { base, key } => {
                let base = self.place(base)?;
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
            let value = match outcome.shape.subject() {
                Some(of) => self.part(of, name).map_or_else(Value::unknown, |part| state.get(part)),
                None => Value::known(outcome.shape.field(name).cloned().unwrap_or(Shape::Unknown(None))),
            };
            parts.extend(value.behind(outcome.gates).outcomes().iter().cloned());
        }
        Value::of(parts)
    }

    /// The value of an expression, with constants that are defined elsewhere.
    pub fn folded(&self, expr: ExprId, value: &Value) -> Value {
        match value.outcomes() {
            [Outcome { shape: Shape::Unknown(_) | Shape::Begins(_), .. }] => {
                match self.known.constant(self.func, expr) {
                    Some(text) => Value::known(Shape::Text(text)),
                    None => value.clone(),
                }
            }
            _ => value.clone(),
        }
    }

    pub fn record_of(&self, entries: &[Entry], parts: &[Value]) -> Value {
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

    pub fn sequence_of(&self, items: &[ExprId], parts: &[Value]) -> Value {
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
        self.asks_for_phase(state.passed)
    }

    pub fn asks_for_phase(&self, passed: Gates) -> bool {
        self.subjects.of(passed).any(|subject| self.known.fits(self.func, &self.subjects, subject))
    }

    /// Something about an object has changed: of what it was made of nothing is known any more.
    pub fn change(&mut self, state: &mut State, place: SubjectId) {
        let is_made = |shape: &Shape| matches!(shape, Shape::Seq(_) | Shape::Record { .. });
        if state.get(place).outcomes().iter().any(|outcome| is_made(&outcome.shape)) {
            state.set(place, Value::known(Shape::Unknown(Some(place))), &self.subjects);
        }
    }

    /// Notes what holds where an expression leads elsewhere.
    pub fn note(&mut self, state: &State, expr: ExprId, is_held: bool) {
        if self.records && state.is_live {
            let of_phase = state.swallowed.iter().filter(|(_, gate)| *gate == Gate::Phase && !is_held);
            let swallowed = of_phase.map(|&(handler, _)| handler).collect();
            let is_other = !is_held && self.known.judges_actions() && self.holds(state);
            self.seen.places.push(Place { expr, is_held, is_other, swallowed });
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
pub(super) fn product(so_far: &[Outcome], part: &Value, put: impl Fn(Shape, Shape) -> Shape) -> Vec<Outcome> {
    let all = so_far.iter().flat_map(|outcome| {
        part.outcomes().iter().map(|part| Outcome {
            shape: put(outcome.shape.clone(), part.shape.clone()),
            gates: outcome.gates.with(part.gates),
        })
    });
    Value::of(all).outcomes().to_vec()
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
