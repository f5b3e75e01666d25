//! Tables that are asked about the phase: `PHASES[phase]`, `ALLOWED.get(phase, True)`. What a constant table makes of the words
//! of the phase says whether a test of the entry is a test of the phase.

use std::sync::Arc;

use super::readings::sole_text;
use super::walk::{Walk, literal};
use crate::analysis::implicit;
use crate::analysis::outcomes::{Gates, Outcome, Shape, Value};
use crate::analysis::subjects::SubjectId;
use crate::catalog::Catalog;
use crate::ir::{Arg, ArgKind, Entry, EntryKey, Expr, ExprId, ListOf, Operator};
use crate::link::{Cls, Func, Program};

/// Methods by which a mapping of the project finds an entry for a key that it does not have.
const LOOKS_UP: [Operator; 2] = [Operator::Missing, Operator::Index];

/// A constant table.
struct Table {
    entries: Vec<(String, Shape)>,
    /// What stands for a key that it lacks, if it makes an entry for that.
    fills: Option<Shape>,
}

impl Table {
    fn entry(&self, word: &str) -> Option<&Shape> {
        self.entries.iter().find(|(key, _)| key == word).map(|(_, shape)| shape)
    }
}

impl Walk<'_, '_> {
    /// `PHASES[phase]`, `PHASES.get(phase, phase)`: what a constant table makes of the words of the phase.
    pub fn looked_up(&mut self, table: ExprId, key: &Value, default: Option<&Value>) -> Option<Value> {
        let program = self.known.program;
        let is_told = |it: SubjectId| self.known.is_told_apart(self.func, &self.subjects, it);
        let of_phase = !self.known.judges_actions() && key.subjects().any(is_told);
        if self.answers_itself(table) {
            return of_phase.then(|| self.made([key], Value::unknown()));
        }
        let found = found(program, self.known.catalog, self.func, table);
        let default = match found.as_ref().and_then(|table| table.fills.clone()) {
            Some(fills) if default.is_none() => Some(Value::known(fills)),
            _ => default.cloned(),
        };
        if let (Some(word), Some(table)) = (sole_text(key), &found) {
            return match (table.entry(&word), default) {
                (Some(Shape::Unknown(_)), _) => None,
                (Some(shape), _) => Some(Value::known(shape.clone())),
                (None, default) => default,
            };
        }
        if !of_phase {
            return None;
        }
        match found {
            Some(table) if table.entries.iter().any(|(_, shape)| is_answer(shape)) => {
                Some(self.answered(&table, key, default))
            }
            Some(table) => {
                let turns = self.turns(&table, default.as_ref());
                Some(if turns { self.made([key], Value::unknown()) } else { key.clone() })
            }
            // Whatever the entries are: a word that has none opens the gate.
            None => self.opens(default.as_ref()).then(|| self.made([key], Value::unknown())),
        }
    }

    /// A table of answers: which of them stand under the word that opens the gate.
    fn answered(&mut self, table: &Table, key: &Value, default: Option<Value>) -> Value {
        let subject = key.subjects().next();
        let gates = subject.map_or(Gates::NONE, |subject| self.atom(subject));
        let entries = table.entries.iter().map(|(word, shape)| Outcome {
            shape: shape.clone(),
            gates: if self.known.is_open(word) { gates } else { Gates::NONE },
        });
        let others = default.iter().flat_map(|value| value.outcomes().iter().cloned());
        Value::of(entries.chain(others).collect::<Vec<_>>())
    }

    /// A word that closes the gate has an entry that opens it.
    fn turns(&self, table: &Table, default: Option<&Value>) -> bool {
        let opens = |shape: &Shape| matches!(shape, Shape::Text(text) if self.known.is_open(text));
        let mut closed = self.known.words().closed.iter();
        closed.any(|word| table.entry(word).map_or_else(|| self.opens(default), opens))
    }

    fn opens(&self, value: Option<&Value>) -> bool {
        let open = |it: &Outcome| matches!(&it.shape, Shape::Text(text) if self.known.is_open(text));
        value.is_some_and(|value| value.outcomes().iter().any(open))
    }

    /// A mapping of the project that finds an entry for every key by a method of its own.
    fn answers_itself(&self, table: ExprId) -> bool {
        let program = self.known.program;
        let (func, made) = program.bound(self.func, table);
        let Expr::Call { callee, .. } = *program.facts(program.function(func).file).expr(made) else {
            return false;
        };
        let class = program.class_named(func, callee);
        class.is_some_and(|class| implicit::methods(program, class, &LOOKS_UP).next().is_some())
    }
}

/// `ALLOWED[phase]`, `ALLOWED.get(phase)`, where the word that opens the gate has an answer.
pub fn asks_table(program: &Program<'_>, catalog: &Catalog, func: Func, expr: ExprId) -> bool {
    let facts = program.facts(program.function(func).file);
    let table = match *facts.expr(expr) {
        Expr::Index { base, .. } => base,
        Expr::Call { callee, .. } => match *facts.expr(callee) {
            Expr::Field { base, .. } => base,
            _ => return false,
        },
        _ => return false,
    };
    let answers = |(word, shape): &(String, Shape)| catalog.phase.is_open(word) && is_answer(shape);
    found(program, catalog, func, table).is_some_and(|table| table.entries.iter().any(answers))
}

/// An entry that says yes or no.
fn is_answer(shape: &Shape) -> bool {
    matches!(shape, Shape::Bool(_) | Shape::Int(_) | Shape::None)
}

/// A constant table, as far as keys are known; nothing if there may be others.
fn found(program: &Program<'_>, catalog: &Catalog, func: Func, table: ExprId) -> Option<Table> {
    let (owner, bound) = program.bound(func, table);
    let facts = program.facts(program.function(owner).file);
    match *facts.expr(bound) {
        Expr::Record(list) => Some(Table { entries: entries(program, owner, list)?, fills: None }),
        Expr::Call { callee, args, .. } => {
            let path = program.library_path(owner, callee)?;
            let (fills, rest) = match (facts.list(args), catalog.tells.fills_gaps(path)) {
                ([first, rest @ ..], true) => (Some(filled(program, catalog, owner, first.value)), rest),
                (args, false) if catalog.handed_on.is_shallow(path) => (None, args),
                _ => return None,
            };
            Some(Table { entries: given(program, owner, rest)?, fills })
        }
        _ => None,
    }
}

/// The parts that an object of a class is made of, in order.
type PartsOf<'p> = &'p dyn Fn(Cls) -> Vec<Arc<str>>;

/// What a name is bound to once, elsewhere: `APPROVED = Verdict(True, "")`, a record, a pair.
pub fn kept(program: &Program<'_>, parts: PartsOf<'_>, func: Func, name: ExprId) -> Option<Shape> {
    let (owner, value) = program.bound(func, name);
    if (owner, value) == (func, name) || program.is_altered(owner, value) {
        return None;
    }
    let facts = program.facts(program.function(owner).file);
    match *facts.expr(value) {
        Expr::Record(list) => {
            let fields = entries(program, owner, list)?.into_iter();
            Some(Shape::record(None, fields.map(|(key, shape)| (key.into(), shape)).collect()))
        }
        Expr::Seq(items) => {
            let items = facts.list(items).iter().map(|&item| shape(program, owner, item));
            Some(Shape::Seq(items.collect()))
        }
        Expr::Call { callee, args, .. } => {
            let class = program.class_named(owner, callee)?;
            let fields = object(program, owner, parts(class), facts.list(args))?;
            Some(Shape::record(Some(program.class_name(class).into()), fields))
        }
        _ => None,
    }
}

fn object(
    program: &Program<'_>,
    func: Func,
    names: Vec<Arc<str>>,
    args: &[Arg],
) -> Option<Vec<(Arc<str>, Shape)>> {
    let facts = program.facts(program.function(func).file);
    let mut positions = names.into_iter();
    let fields = args.iter().map(|arg| {
        let name = match arg.kind {
            ArgKind::Named(name) => facts.str(name).into(),
            ArgKind::Positional => positions.next()?,
            ArgKind::Spread | ArgKind::SpreadNamed => return None,
        };
        Some((name, shape(program, func, arg.value)))
    });
    fields.collect()
}

fn entries(program: &Program<'_>, func: Func, list: ListOf<Entry>) -> Option<Vec<(String, Shape)>> {
    let facts = program.facts(program.function(func).file);
    let entries = facts.list(list).iter().map(|entry| match entry.key {
        EntryKey::Expr(key) => Some((program.text(func, key)?, shape(program, func, entry.value))),
        EntryKey::Spread => None,
    });
    entries.collect()
}

/// `dict({"planning": "planning"}, execution="execution")`
fn given(program: &Program<'_>, func: Func, args: &[Arg]) -> Option<Vec<(String, Shape)>> {
    let facts = program.facts(program.function(func).file);
    let mut found = Vec::new();
    for arg in args {
        match (arg.kind, *facts.expr(arg.value)) {
            (ArgKind::Named(name), _) => {
                found.push((facts.str(name).to_owned(), shape(program, func, arg.value)));
            }
            (ArgKind::Positional | ArgKind::SpreadNamed, Expr::Record(list)) => {
                found.extend(entries(program, func, list)?);
            }
            _ => return None,
        }
    }
    Some(found)
}

fn shape(program: &Program<'_>, func: Func, value: ExprId) -> Shape {
    let facts = program.facts(program.function(func).file);
    match (*facts.expr(value), program.text(func, value)) {
        (_, Some(text)) => Shape::Text(text.into()),
        (Expr::Lit(lit), None) => literal(facts, lit),
        _ => Shape::Unknown(None),
    }
}

/// What a function without arguments makes: `lambda: "execution"`, `bool`.
fn filled(program: &Program<'_>, catalog: &Catalog, func: Func, maker: ExprId) -> Shape {
    if program.library_path(func, maker).is_some_and(|path| catalog.tells.makes_nothing(path)) {
        return Shape::Bool(false);
    }
    let (owner, bound) = program.bound(func, maker);
    let file = program.function(owner).file;
    let Expr::Closure(closure) = *program.facts(file).expr(bound) else { return Shape::Unknown(None) };
    let mut returned = program.returns(closure);
    match (returned.next(), returned.next()) {
        (Some(only), None) => shape(program, closure, only),
        _ => Shape::Unknown(None),
    }
}
