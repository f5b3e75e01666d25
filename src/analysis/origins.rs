//! Where a value comes from, inside one function: backwards through names, copies, reads and unpacking to the calls,
//! parameters and literals it may be. A read keeps what it takes from a container apart from the container: a list that holds
//! results of comm operations is none itself.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::definitions::{Definition, Read};
use super::values::Values;
use crate::catalog::DataOp;
use crate::finding::Confidence;
use crate::ir::{ArgKind, Entry, EntryKey, Expr, ExprId, Lit, Op, ParamKind};
use crate::link::Func;

/// So many steps back; a value that is older is not traced further.
const MAX_STEPS: usize = 400;
const MAX_READS: usize = 8;

/// What a value may be.
#[derive(Clone, Default, Debug)]
pub struct Origin {
    /// It comes from a comm operation.
    pub comm: Option<Confidence>,
    /// It comes out of a content fence.
    pub wrap: Option<Confidence>,
    pub parameter: Option<ParamKind>,
    /// Literals made here, or in the module around.
    pub literals: Vec<(Func, ExprId)>,
    /// There is more to it.
    pub is_open: bool,
}

impl Origin {
    /// Made here, of nothing that was handed in.
    pub fn is_literal(&self) -> bool {
        let known = self.comm.is_none() && self.wrap.is_none() && self.parameter.is_none();
        known && !self.is_open && !self.literals.is_empty()
    }
}

/// A value on the way back, and what is read of it: the next read is the last.
struct Node {
    func: Func,
    expr: ExprId,
    reads: Vec<Read>,
}

pub fn origin(values: &Values<'_, '_>, func: Func, expr: ExprId) -> Arc<Origin> {
    values.origins.of(values.place(func, expr), || Arc::new(trace(values, func, expr)))
}

/// The last of a long list: the search takes them first, and gets no further.
fn within_reach<T>(list: &[T]) -> &[T] {
    &list[list.len().saturating_sub(MAX_STEPS + 1)..]
}

fn trace(values: &Values<'_, '_>, func: Func, expr: ExprId) -> Origin {
    let mut tracer = Tracer { values, out: Origin::default(), todo: Vec::new() };
    tracer.todo.push(Node { func, expr, reads: Vec::new() });
    let mut seen = FxHashSet::default();
    while let Some(node) = tracer.todo.pop() {
        let is_new = seen.insert((node.func, node.expr, node.reads.len()));
        if seen.len() > MAX_STEPS || node.reads.len() > MAX_READS {
            tracer.out.is_open = true;
            break;
        }
        if is_new {
            tracer.step(&node);
        }
    }
    tracer.out
}

struct Tracer<'v, 'p, 'a> {
    values: &'v Values<'p, 'a>,
    out: Origin,
    todo: Vec<Node>,
}

impl Tracer<'_, '_, '_> {
    fn go(&mut self, node: &Node, expr: ExprId, reads: Vec<Read>) {
        self.todo.push(Node { func: node.func, expr, reads });
    }

    fn same(&mut self, node: &Node, expr: ExprId) {
        self.go(node, expr, node.reads.clone());
    }

    fn step(&mut self, node: &Node) {
        let facts = self.values.facts(node.func);
        match *facts.expr(node.expr) {
            Expr::Lit(_) | Expr::Text(_) => self.literal(node),
            Expr::Await(inner) | Expr::Spread(inner) | Expr::Bind { value: inner, .. } => {
                self.same(node, inner)
            }
            Expr::Ascribe { value: Some(inner), .. } => self.same(node, inner),
            Expr::Index { base, key } => {
                let read = self.read(node.func, key);
                self.part(node, base, read);
            }
            Expr::Field { base, name } => self.field(node, base, name),
            Expr::Var(_) | Expr::Free(_) | Expr::Import(_) => self.name(node),
            Expr::Call { .. } => self.call(node),
            Expr::Record(entries) => self.record(node, facts.list(entries)),
            Expr::Seq(items) => self.sequence(node, facts.list(items)),
            Expr::Collect { item, .. } => self.collected(node, item),
            Expr::Op { op: Op::BitOr | Op::Add, args } | Expr::All(args) | Expr::Any(args) => {
                within_reach(facts.list(args)).iter().for_each(|&arg| self.same(node, arg));
            }
            Expr::Block(list) => {
                facts.list(list).last().into_iter().for_each(|&last| self.same(node, last));
            }
            Expr::If { arms, otherwise } => {
                facts.list(arms).iter().for_each(|arm| self.same(node, arm.body));
                otherwise.into_iter().for_each(|otherwise| self.same(node, otherwise));
            }
            _ => self.out.is_open = true,
        }
    }

    fn literal(&mut self, node: &Node) {
        if node.reads.is_empty() {
            self.out.literals.push((node.func, node.expr));
        }
    }

    /// What a subscript reads; a slice is a copy.
    fn read(&self, func: Func, key: ExprId) -> Option<Read> {
        match *self.values.facts(func).expr(key) {
            Expr::Op { op: Op::Slice, .. } => None,
            Expr::Lit(Lit::Str(name)) => Some(Read::Name(name)),
            Expr::Lit(Lit::Int(at)) => Some(u32::try_from(at).map_or(Read::Any, Read::At)),
            _ => Some(Read::Any),
        }
    }

    fn part(&mut self, node: &Node, base: ExprId, read: Option<Read>) {
        let reads = node.reads.iter().copied().chain(read).collect();
        self.go(node, base, reads);
    }

    fn field(&mut self, node: &Node, base: ExprId, name: crate::ir::Sym) {
        if self.values.program.variable(node.func, node.expr).is_some() {
            return self.name(node);
        }
        if let Expr::Var(var) = *self.values.facts(node.func).expr(base) {
            let definitions = self.values.definitions(node.func);
            definitions.field(var, name).for_each(|value| self.same(node, value));
        }
        self.part(node, base, Some(Read::Name(name)));
    }

    fn name(&mut self, node: &Node) {
        let Some(variable) = self.values.program.variable(node.func, node.expr) else {
            self.out.is_open = true;
            return;
        };
        let definitions = self.values.definitions(variable.func);
        if let Some(kind) = definitions.parameter(variable.var) {
            self.out.parameter.get_or_insert(kind);
        }
        let counts = |it: &&Definition| !it.is_element || !node.reads.is_empty();
        let counted = definitions.of(variable.var).iter().rev().filter(counts).take(MAX_STEPS + 1);
        let first = self.todo.len();
        for definition in counted {
            let mut reads = node.reads.clone();
            match definition.is_element {
                true => drop(reads.pop()),
                false => reads.extend(definition.reads.iter().rev()),
            }
            self.todo.push(Node { func: variable.func, expr: definition.value, reads });
        }
        self.todo[first..].reverse();
    }

    fn call(&mut self, node: &Node) {
        let values = self.values;
        let facts = values.facts(node.func);
        if let Some(confidence) = values.effects.comm_call(values.at(node.func, node.expr)) {
            self.out.comm = self.out.comm.max(Some(confidence));
            return;
        }
        if values.is_wrap(node.func, node.expr) {
            self.out.wrap = Some(Confidence::High);
            return;
        }
        let Expr::Call { args, .. } = *facts.expr(node.expr) else { return };
        let args = facts.list(args);
        let handed_on = &values.catalog.handed_on;
        if values.path(node.func, node.expr).is_some_and(|path| handed_on.by_call(&path)) {
            if args.is_empty() {
                self.literal(node);
            }
            let given = args.iter().filter(|arg| !matches!(arg.kind, ArgKind::Named(_)));
            given.for_each(|arg| self.same(node, arg.value));
            return;
        }
        match values.method(node.func, node.expr) {
            Some(method) if handed_on.by_method(method.name) => {
                let key = method.args.first().filter(|_| method.does != Some(DataOp::Copy));
                let read = key.and_then(|key| self.read(node.func, key.value));
                self.part(node, method.receiver, read);
            }
            _ => self.out.is_open = true,
        }
    }

    fn record(&mut self, node: &Node, entries: &[Entry]) {
        let facts = self.values.facts(node.func);
        let mut inner = node.reads.clone();
        let read = inner.pop();
        if read.is_none() {
            self.literal(node);
        }
        for entry in entries {
            match (entry.key, read) {
                (EntryKey::Spread, _) => self.same(node, entry.value),
                (EntryKey::Expr(_), None) => {}
                (EntryKey::Expr(key), Some(read)) => {
                    let fits = match (read, facts.expr(key)) {
                        (Read::Name(name), Expr::Lit(Lit::Str(key))) => name == *key,
                        _ => true,
                    };
                    if fits {
                        self.go(node, entry.value, inner.clone());
                    }
                }
            }
        }
    }

    fn sequence(&mut self, node: &Node, items: &[ExprId]) {
        let facts = self.values.facts(node.func);
        let mut inner = node.reads.clone();
        let Some(read) = inner.pop() else { return self.literal(node) };
        for (at, &item) in items.iter().enumerate() {
            match (read, facts.expr(item)) {
                (_, Expr::Spread(_)) => self.same(node, item),
                (Read::At(wanted), _) if wanted as usize != at => {}
                _ => self.go(node, item, inner.clone()),
            }
        }
    }

    fn collected(&mut self, node: &Node, item: ExprId) {
        let facts = self.values.facts(node.func);
        let mut inner = node.reads.clone();
        match (*facts.expr(item), inner.pop()) {
            // `{k: v for k, v in d.items() …}` is a copy of `d`.
            (Expr::Record(entries), None) => {
                for entry in facts.list(entries) {
                    if let EntryKey::Expr(key) = entry.key {
                        self.copied(node, key);
                    }
                }
            }
            (Expr::Record(_), Some(_)) => self.same(node, item),
            (_, Some(_)) => self.go(node, item, inner),
            (_, None) => self.literal(node),
        }
    }

    /// The mapping whose keys `key` runs through.
    fn copied(&mut self, node: &Node, key: ExprId) {
        let bound = self.values.bound(node.func, key);
        let Some(bound) = bound.filter(|bound| !bound.definitions().is_empty()) else {
            self.out.is_open = true;
            return;
        };
        for definition in bound.definitions() {
            match definition.of_loop {
                Some(_) => {
                    self.todo.push(Node { func: bound.func, expr: definition.value, reads: Vec::new() })
                }
                None => self.out.is_open = true,
            }
        }
    }
}
