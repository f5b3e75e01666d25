//! Records as the code writes them down: mapping literals, `dict(…)`, constructors of classes, with what is assigned to them
//! afterwards in the same function; and texts that may hold records in another language. Values are followed through names.

mod additions;
mod texts;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use self::additions::{Added, Additions, Filled};
use super::values::Values;
use crate::catalog::DataOp;
use crate::ir::{Arg, ArgKind, Entry, EntryKey, Expr, ExprId, Facts, Jump, Lit, Span, VarId};
use crate::link::{Cls, Func, SharedMemo, Target};
use crate::record::{Field, Node, Record, Text, Value};

pub use texts::{Written, texts};

/// A name of a name of a name; more is no literal any more.
const MAX_HOPS: u32 = 5;

/// So many values make up one record; what is beyond is not known.
const MAX_VALUES: u32 = 20_000;

/// A record that is meant has one of these.
pub struct Keys<'k> {
    /// If it is a literal.
    pub literal: BTreeSet<&'k str>,
    /// If a call makes it.
    pub made: BTreeSet<&'k str>,
}

/// Reads the records of a program.
pub struct Recorder<'v, 'p, 'a> {
    values: &'v Values<'p, 'a>,
    additions: SharedMemo<Func, Arc<Additions>>,
    filled: Filled,
}

impl<'v, 'p, 'a> Recorder<'v, 'p, 'a> {
    pub fn new(values: &'v Values<'p, 'a>) -> Self {
        Self { values, additions: SharedMemo::default(), filled: Filled::default() }
    }

    /// The records of a function that have one of these keys and are meant.
    pub fn records(&self, func: Func, keys: &Keys<'_>, is_meant: impl Fn(&Node) -> bool) -> Vec<Node> {
        let candidates = candidates(self.values, func, keys);
        if candidates.is_empty() {
            return Vec::new();
        }
        let returned = self.returned(func);
        let mut out = Vec::new();
        for expr in candidates {
            let left = Cell::new(MAX_VALUES);
            let mut node = Builder::new(self, func, &left).node(expr, MAX_HOPS);
            if !is_meant(&node) {
                continue;
            }
            if returned.contains(&expr) && self.is_completed_by_callers(func) {
                open(&mut node);
            }
            out.push(node);
        }
        out
    }

    fn additions(&self, func: Func) -> Arc<Additions> {
        self.additions.of(func, || Arc::new(Additions::of(self.values, &self.filled, func)))
    }

    /// The literals that a function hands back, as they are or by a name.
    fn returned(&self, func: Func) -> FxHashSet<ExprId> {
        let facts = self.values.facts(func);
        let additions = self.additions(func);
        let values = self.values.program.ir(func).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
            Expr::Jump { kind: Jump::Return, value } => value,
            _ => None,
        });
        let literals = values.flat_map(|value| {
            let variable = self.values.program.variable(func, value).filter(|variable| variable.func == func);
            let var = variable.map(|variable| variable.var);
            let bound = additions.bound.iter().filter(move |(_, bound)| Some(**bound) == var);
            bound.map(|(literal, _)| *literal).chain([value]).collect::<Vec<_>>()
        });
        literals.collect()
    }

    /// True if somebody who calls the function adds something to what it hands back.
    fn is_completed_by_callers(&self, func: Func) -> bool {
        let calls = self.values.program.edges.iter().filter(|edge| edge.to == Target::Project(func));
        calls.into_iter().any(|edge| {
            let additions = self.additions(edge.from);
            let var = additions.bound.get(&edge.at.expr);
            additions.parts.contains(&edge.at.expr)
                || var.is_some_and(|var| additions.added.contains_key(var) || additions.open.contains(var))
        })
    }
}

fn candidates(values: &Values<'_, '_>, func: Func, keys: &Keys<'_>) -> Vec<ExprId> {
    let facts = values.facts(func);
    let is_filled = fills(values, func, &keys.literal);
    let may_be = |expr: &ExprId| match *facts.expr(*expr) {
        // Every key may be assigned afterwards.
        Expr::Record(_) if is_filled => true,
        Expr::Record(entries) => facts.list(entries).iter().any(|entry| match entry.key {
            EntryKey::Expr(key) => {
                key_of(values, func, key).is_some_and(|key| keys.literal.contains(key.as_str()))
            }
            EntryKey::Spread => false,
        }),
        Expr::Call { args, .. } => {
            let named =
                |arg: &Arg| matches!(arg.kind, ArgKind::Named(name) if keys.made.contains(facts.str(name)));
            facts.list(args).iter().any(named) || is_filled && args.is_empty()
        }
        _ => false,
    };
    values.program.ir(func).exprs.iter().filter(may_be).collect()
}

/// True if the function assigns an entry with one of these keys.
fn fills(values: &Values<'_, '_>, func: Func, keys: &BTreeSet<&str>) -> bool {
    let facts = values.facts(func);
    let is_key =
        |key: ExprId| matches!(*facts.expr(key), Expr::Lit(Lit::Str(text)) if keys.contains(facts.str(text)));
    values.program.ir(func).exprs.iter().any(|expr| match *facts.expr(expr) {
        Expr::Store { place, value: Some(_), .. } => {
            matches!(*facts.expr(place), Expr::Index { key, .. } if is_key(key))
        }
        _ => false,
    })
}

fn key_of(values: &Values<'_, '_>, func: Func, key: ExprId) -> Option<String> {
    match *values.facts(func).expr(key) {
        Expr::Lit(Lit::Str(text)) => Some(values.facts(func).str(text).to_owned()),
        Expr::Lit(_) => None,
        _ => values.program.text(func, key),
    }
}

/// Makes what is known of the expressions of one function.
struct Builder<'b, 'p, 'a> {
    recorder: &'b Recorder<'b, 'p, 'a>,
    values: &'b Values<'p, 'a>,
    func: Func,
    facts: &'a Facts,
    additions: Arc<Additions>,
    /// How many values may still be looked at.
    left: &'b Cell<u32>,
}

impl<'b, 'p, 'a> Builder<'b, 'p, 'a> {
    fn new(recorder: &'b Recorder<'b, 'p, 'a>, func: Func, left: &'b Cell<u32>) -> Self {
        let values = recorder.values;
        let additions = recorder.additions(func);
        Self { recorder, values, func, facts: values.facts(func), additions, left }
    }

    fn node(&self, expr: ExprId, hops: u32) -> Node {
        let span = self.facts.span(expr);
        let Some(left) = self.left.get().checked_sub(1) else { return Node::unknown(span) };
        self.left.set(left);
        let value = match *self.facts.expr(expr) {
            Expr::Lit(Lit::None) => Value::Null,
            Expr::Lit(Lit::Bool(truth)) => Value::Bool(truth),
            Expr::Lit(Lit::Int(number)) => Value::Integer(number),
            Expr::Record(entries) => Value::Record(self.mapping(self.facts.list(entries), hops)),
            Expr::Seq(items) => self.list(self.facts.list(items), hops),
            Expr::Ascribe { value: Some(inner), .. } | Expr::Await(inner) => return self.node(inner, hops),
            Expr::Call { callee, args, .. } => match self.made(callee, self.facts.list(args), hops) {
                Some(record) => Value::Record(record),
                None => self.text(expr).unwrap_or(Value::Unknown),
            },
            Expr::Text(_) => self.text(expr).unwrap_or(Value::Text(Text::default())),
            _ => match self.text(expr) {
                Some(text) => text,
                None => return self.named(expr, hops),
            },
        };
        let mut node = Node { span, value };
        if let Some(&var) = self.additions.bound.get(&expr) {
            self.complete(&mut node, var, hops);
        }
        if self.additions.parts.contains(&expr) {
            open(&mut node);
        }
        node
    }

    fn text(&self, expr: ExprId) -> Option<Value> {
        let possible = self.values.program.possible(self.func, expr);
        let options = possible.list.into_iter().map(|known| (known.text, known.whole)).collect::<Vec<_>>();
        (!options.is_empty()).then_some(Value::Text(Text { options, complete: possible.complete }))
    }

    /// What a name stands for. Places in another file are of no use to whoever reads this one.
    fn named(&self, expr: ExprId, hops: u32) -> Node {
        let span = self.facts.span(expr);
        let unknown = Node::unknown(span);
        let Some(hops) = hops.checked_sub(1) else { return unknown };
        let Some(bound) = self.values.bound(self.func, expr) else { return unknown };
        let [only] = bound.definitions() else { return unknown };
        if only.is_element || !only.reads.is_empty() || only.of_loop.is_some() {
            return unknown;
        }
        if bound.func == self.func {
            return self.node(only.value, hops);
        }
        let mut node = Builder::new(self.recorder, bound.func, self.left).node(only.value, hops);
        let file = |func| self.values.program.function(func).file;
        if file(bound.func) != file(self.func) {
            node.map_spans(&|_| span);
        }
        node
    }

    fn mapping(&self, entries: &[Entry], hops: u32) -> Record {
        let mut record = Record::default();
        for &Entry { key, value } in entries {
            let name = match key {
                EntryKey::Expr(key) => {
                    key_of(self.values, self.func, key).map(|name| (name, self.facts.span(key).lo))
                }
                EntryKey::Spread => None,
            };
            match name {
                Some((name, lo)) => record.fields.push(self.field(name, lo, value, hops)),
                None => record.open = true,
            }
        }
        record
    }

    fn field(&self, key: String, lo: u32, value: ExprId, hops: u32) -> Field {
        let span = Span { lo, hi: self.facts.span(value).hi.max(lo) };
        Field { key, span, node: self.node(value, hops) }
    }

    fn list(&self, items: &[ExprId], hops: u32) -> Value {
        let is_spread = |item: &&ExprId| matches!(self.facts.expr(**item), Expr::Spread(_));
        let open = items.iter().any(|item| is_spread(&item));
        let items = items.iter().filter(|item| !is_spread(item));
        Value::List { items: items.map(|&item| self.node(item, hops)).collect(), open }
    }

    /// `dict(a=1)`, `Class(a=1)`: what is given by name becomes a part of it.
    fn made(&self, callee: ExprId, args: &[Arg], hops: u32) -> Option<Record> {
        let program = self.values.program;
        let class = program.class_named(self.func, callee);
        let name = self.class_name(class, callee)?;
        let is_class = class.is_some() || name.starts_with(char::is_uppercase);
        if !is_class && !self.values.catalog.operations.may_be(&name, &[DataOp::MakeMapping]) {
            return None;
        }
        let mut record = Record { class: is_class.then(|| name.clone()), ..Record::default() };
        for arg in args {
            match arg.kind {
                ArgKind::Named(name) => {
                    // The name stands before the value, with a sign between.
                    let name = self.facts.str(name).to_owned();
                    let lo = self.facts.span(arg.value).lo;
                    record.fields.push(self.field(name, lo, arg.value, hops));
                }
                _ => record.open = true,
            }
        }
        // Of two with one key the last counts: what is given.
        let defaults = class.map(|class| self.defaults(class)).unwrap_or_default();
        record.fields.splice(0..0, defaults);
        Some(record)
    }

    /// As its definition calls it, or the last part of its path.
    fn class_name(&self, class: Option<Cls>, callee: ExprId) -> Option<String> {
        let program = self.values.program;
        let path =
            || program.library_path(self.func, callee).map(|path| path.rsplit('.').next().unwrap_or(path));
        let written = || program.receiver_name(self.func, callee).map(|name| name.name);
        class.map(|class| program.class_name(class)).or_else(path).or_else(written).map(str::to_owned)
    }

    /// The fields that an object of the class has although nobody gives them.
    fn defaults(&self, class: Cls) -> Vec<Field> {
        let fields = &self.values.catalog.fields;
        let defaulted = self.values.program.defaulted_fields(class, |name| fields.contains(name));
        let field = |key: String| Field { key, span: Span::default(), node: Node::unknown(Span::default()) };
        defaulted.into_iter().map(field).collect()
    }

    /// What becomes of the value of a variable after it was made.
    fn complete(&self, node: &mut Node, var: VarId, hops: u32) {
        for added in self.additions.added.get(&var).into_iter().flatten() {
            let Some(hops) = hops.checked_sub(1) else { break };
            self.add(node, added, &added.path, hops);
        }
        if self.additions.open.contains(&var) {
            open(node);
        }
    }

    fn add(&self, node: &mut Node, added: &Added, path: &[String], hops: u32) {
        let Value::Record(record) = &mut node.value else { return };
        match path {
            [] => record.open = true,
            [key] => {
                let field = match added.value {
                    Some(value) => self.field(key.clone(), added.lo, value, hops),
                    None => Field { key: key.clone(), span: node.span, node: Node::unknown(node.span) },
                };
                let at = if added.if_absent { 0 } else { record.fields.len() };
                record.fields.insert(at, field);
            }
            [key, rest @ ..] => {
                if let Some(field) = record.fields.iter_mut().rev().find(|field| field.key == *key) {
                    self.add(&mut field.node, added, rest, hops);
                }
            }
        }
    }
}

fn open(node: &mut Node) {
    match &mut node.value {
        Value::Record(record) => record.open = true,
        Value::List { open, .. } => *open = true,
        _ => {}
    }
}
