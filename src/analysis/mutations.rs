//! Changes of data that lose something: a key that is deleted, blanked, overwritten or left out of a copy, a marker that is
//! cut out of a text. Says what changes and how; whether the value matters is for whoever asks.

mod filters;
mod moves;
mod strips;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::values::{Bound, Method, Values};
use crate::catalog::DataOp::{
    Clear, CopyWith, DeleteAttribute, DeleteEntry, Filter, Get, GetOrInsert, MakeMapping, MakeOrderedMapping,
    Retain, SetAttribute, SetEntry, Take, Update,
};
use crate::finding::Confidence;
use crate::ir::{Arg, ArgKind, Entry, EntryKey, Expr, ExprId, Facts, Lit, Op, Pat, PatId, Span, Sym, VarId};
use crate::link::{Func, Memo, Variable};

pub use strips::strips;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum How {
    Delete,
    Pop,
    /// Set to nothing.
    Blank,
    Overwrite,
    /// Left out of a copy.
    Filter,
    /// The mapping under the key is emptied.
    Clear,
    /// Cut out of a text.
    Strip,
}

/// What has the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    Mapping(ExprId),
    /// An object, and the key is an attribute.
    Object(ExprId),
}

impl Subject {
    pub fn expr(self) -> ExprId {
        let (Subject::Mapping(expr) | Subject::Object(expr)) = self;
        expr
    }
}

/// One key, or one marker, that is lost.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    pub how: How,
    pub what: String,
    pub subject: Subject,
    /// The new value of an overwritten key; what is left of a text.
    pub value: Option<ExprId>,
    /// How sure it is that this is what is lost.
    pub confidence: Confidence,
    pub span: Span,
}

/// Every change of one of `keys` in the body of a function.
pub fn key_changes(values: &Values<'_, '_>, func: Func, keys: &[String]) -> Vec<Change> {
    let mut finder = Finder::new(values, func, keys);
    for id in values.program.ir(func).exprs.iter() {
        finder.expr(id);
    }
    let Finder { mut out, .. } = finder;
    if out.iter().any(|change| matches!(change.how, How::Delete | How::Pop)) {
        let moved = moves::moves(values, func, keys);
        out.retain(|change| !moved.contains(values, func, change));
    }
    out
}

/// The keys that the function uses on the value in each variable.
pub fn used_keys(values: &Values<'_, '_>, func: Func) -> FxHashMap<Variable, BTreeSet<String>> {
    let facts = values.facts(func);
    let mut used: FxHashMap<Variable, BTreeSet<String>> = FxHashMap::default();
    for id in values.program.ir(func).exprs.iter() {
        let (value, key) = match *facts.expr(id) {
            Expr::Index { base, key } => (base, key),
            Expr::Op { op: Op::In | Op::NotIn, args } => match *facts.list(args) {
                [key, value] => (value, key),
                _ => continue,
            },
            Expr::Call { .. } => match values.method(func, id) {
                Some(Method { receiver, does: Some(Get | Take | GetOrInsert), args: [key, ..], .. }) => {
                    (receiver, key.value)
                }
                _ => continue,
            },
            _ => continue,
        };
        if let Some(root) = values.root(func, value) {
            used.entry(root).or_default().extend(values.texts(func, key).iter().cloned());
        }
    }
    used
}

/// The keys that the value in `root` is made with.
pub fn made_keys(values: &Values<'_, '_>, root: Variable) -> BTreeSet<String> {
    let facts = values.facts(root.func);
    let definitions = values.definitions(root.func);
    let records =
        definitions.of(root.var).iter().filter_map(|definition| match *facts.expr(definition.value) {
            Expr::Record(entries) => Some(facts.list(entries)),
            _ => None,
        });
    records.flatten().filter_map(|entry| literal_key(facts, entry)).collect()
}

fn literal_key(facts: &Facts, entry: &Entry) -> Option<String> {
    match entry.key {
        EntryKey::Expr(key) => match *facts.expr(key) {
            Expr::Lit(Lit::Str(text)) => Some(facts.str(text).to_owned()),
            _ => None,
        },
        EntryKey::Spread => None,
    }
}

struct Finder<'f, 'p, 'a> {
    values: &'f Values<'p, 'a>,
    func: Func,
    facts: &'a Facts,
    keys: &'f [String],
    /// Whether a body copies what is under the key in a variable: a loop has as many tests as lines.
    copied: Memo<(ExprId, VarId), bool>,
    out: Vec<Change>,
}

impl<'f, 'p, 'a> Finder<'f, 'p, 'a> {
    fn new(values: &'f Values<'p, 'a>, func: Func, keys: &'f [String]) -> Self {
        Self { values, func, facts: values.facts(func), keys, copied: Memo::default(), out: Vec::new() }
    }

    fn expr(&mut self, id: ExprId) {
        let facts = self.facts;
        match *facts.expr(id) {
            Expr::Store { place, op: None, value } => self.store(place, value, facts.span(id)),
            Expr::Store { place, op: Some(Op::BitOr), value: Some(value) } => self.merge(place, value),
            Expr::Bind { pat, value } => self.places(pat, value),
            Expr::Call { args, .. } => self.call(id, facts.list(args)),
            Expr::Record(entries) => self.spread(facts.list(entries)),
            Expr::Op { op: Op::BitOr, args } => {
                if let Some((&first, rest)) = facts.list(args).split_first() {
                    rest.iter().for_each(|&other| self.merge(first, other));
                }
            }
            Expr::Match { subject, arms } => {
                facts.list(arms).iter().for_each(|arm| self.rest(arm.pat, subject, arm.span));
            }
            Expr::If { arms, otherwise } => self.filter(facts.list(arms), otherwise),
            _ => {}
        }
    }

    /// The keys that are looked for, among those that `key` can be.
    fn known(&self, key: ExprId) -> Vec<String> {
        if matches!(self.facts.expr(key), Expr::Lit(Lit::Int(_) | Lit::None | Lit::Bool(_))) {
            return Vec::new();
        }
        let texts = self.values.texts(self.func, key);
        texts.iter().filter(|text| self.keys.contains(text)).cloned().collect()
    }

    fn is_key(&self, name: Sym) -> Option<String> {
        let name = self.facts.str(name);
        self.keys.iter().find(|key| *key == name).cloned()
    }

    fn lose(&mut self, how: How, what: String, subject: Subject, span: Span) {
        let confidence = Confidence::High;
        self.out.push(Change { how, what, subject, value: None, confidence, span });
    }

    fn store(&mut self, place: ExprId, value: Option<ExprId>, span: Span) {
        let (subject, keys) = match *self.facts.expr(place) {
            Expr::Index { base, key } => (Subject::Mapping(base), self.known(key)),
            Expr::Field { base, name } => (Subject::Object(base), self.is_key(name).into_iter().collect()),
            _ => return,
        };
        for key in keys {
            match value {
                Some(value) => self.assign(subject, key, value, span),
                None => self.lose(How::Delete, key, subject, span),
            }
        }
    }

    fn assign(&mut self, subject: Subject, what: String, value: ExprId, span: Span) {
        let how = if self.is_nothing(value) { How::Blank } else { How::Overwrite };
        let confidence = Confidence::High;
        self.out.push(Change { how, what, subject, value: Some(value), confidence, span });
    }

    fn is_nothing(&self, value: ExprId) -> bool {
        match *self.facts.expr(value) {
            Expr::Lit(Lit::None) => true,
            Expr::Record(entries) => entries.is_empty(),
            Expr::Seq(items) => items.is_empty(),
            Expr::Field { .. } | Expr::Free(_) | Expr::Call { .. } if self.facts.profile().makes_empty => {
                let callee = match *self.facts.expr(value) {
                    Expr::Call { callee, .. } => callee,
                    _ => value,
                };
                let path = self.values.program.library_path(self.func, callee);
                path.is_some_and(|path| self.values.catalog.handed_on.is_nothing(path))
            }
            _ => self.values.texts(self.func, value)[..] == [""],
        }
    }

    /// `d["k"], x = None, 1`.
    fn places(&mut self, pat: PatId, value: ExprId) {
        let facts = self.facts;
        match (*facts.pat(pat), facts.expr(value)) {
            (Pat::Seq { items, rest: None }, Expr::Seq(parts)) => {
                for (&pat, &part) in facts.list(items).iter().zip(facts.list(*parts)) {
                    self.places(pat, part);
                }
            }
            (Pat::Place(place), _) => self.store(place, Some(value), facts.span(place)),
            _ => {}
        }
    }

    fn call(&mut self, id: ExprId, args: &'a [Arg]) {
        let span = self.facts.span(id);
        if let Some(method) = self.values.method(self.func, id)
            && self.by_method(method, span)
        {
            return;
        }
        let Some(does) = self.values.operation(self.func, id) else { return };
        match (does, args) {
            (DeleteEntry, [mapping, key]) => self.delete(How::Delete, mapping.value, key.value, span),
            (SetEntry, [mapping, key, value]) => {
                let subject = Subject::Mapping(mapping.value);
                self.known(key.value)
                    .into_iter()
                    .for_each(|key| self.assign(subject, key, value.value, span));
            }
            (DeleteAttribute, [object, name]) => {
                let subject = Subject::Object(object.value);
                self.known(name.value).into_iter().for_each(|key| self.lose(How::Delete, key, subject, span));
            }
            (SetAttribute, [object, name, value]) => {
                let subject = Subject::Object(object.value);
                self.known(name.value)
                    .into_iter()
                    .for_each(|key| self.assign(subject, key, value.value, span));
            }
            (MakeMapping | MakeOrderedMapping, [mapping, rest @ ..]) => match mapping.kind {
                ArgKind::Positional | ArgKind::SpreadNamed => {
                    self.given(Subject::Mapping(mapping.value), rest, None);
                }
                _ => {}
            },
            (CopyWith, [object, rest @ ..]) => {
                self.given(Subject::Object(object.value), rest, None);
            }
            _ => {}
        }
    }

    /// False if the method is none of a mapping that loses a key.
    fn by_method(&mut self, method: Method<'_, 'a>, span: Span) -> bool {
        let Method { receiver, does: Some(does), args, .. } = method else { return false };
        match (does, args) {
            (Take, [key, ..]) => self.delete(How::Pop, receiver, key.value, span),
            (DeleteEntry, [key]) => self.delete(How::Delete, receiver, key.value, span),
            (SetEntry, [key, value]) => {
                let subject = Subject::Mapping(receiver);
                self.known(key.value)
                    .into_iter()
                    .for_each(|key| self.assign(subject, key, value.value, span));
            }
            (Update, args) => {
                self.given(Subject::Mapping(receiver), args, Some(span));
                if let Some(arg) = args.first().filter(|arg| arg.kind == ArgKind::Positional) {
                    self.merge(receiver, arg.value);
                }
            }
            (Clear, []) => self.clear(receiver, span),
            (Retain | Filter, [closure]) => self.retained(receiver, does, closure.value, span),
            _ => return false,
        }
        true
    }

    fn delete(&mut self, how: How, mapping: ExprId, key: ExprId, span: Span) {
        for key in self.known(key) {
            self.lose(how, key, Subject::Mapping(mapping), span);
        }
    }

    /// Keys given by name, or as a record behind `**`.
    fn given(&mut self, subject: Subject, args: &[Arg], span: Option<Span>) {
        for arg in args {
            match arg.kind {
                ArgKind::Named(name) => {
                    let span = span.unwrap_or(self.facts.span(arg.value));
                    self.is_key(name).into_iter().for_each(|key| self.assign(subject, key, arg.value, span));
                }
                ArgKind::SpreadNamed => self.merge(subject.expr(), arg.value),
                _ => {}
            }
        }
    }

    /// A mapping gets the entries of another.
    fn merge(&mut self, mapping: ExprId, other: ExprId) {
        let facts = self.facts;
        if let Expr::Record(entries) = *facts.expr(other) {
            facts.list(entries).iter().for_each(|entry| self.entry(mapping, entry));
        }
    }

    fn entry(&mut self, mapping: ExprId, entry: &Entry) {
        let EntryKey::Expr(key) = entry.key else { return };
        let span = self.facts.span(key);
        for known in self.known(key) {
            self.assign(Subject::Mapping(mapping), known, entry.value, span);
        }
    }

    /// `{**d, "k": None}`.
    fn spread(&mut self, entries: &[Entry]) {
        let mut before = Vec::new();
        for entry in entries {
            match entry.key {
                EntryKey::Spread => before.push(entry.value),
                EntryKey::Expr(_) => before.iter().for_each(|&mapping| self.entry(mapping, entry)),
            }
        }
    }

    fn clear(&mut self, receiver: ExprId, span: Span) {
        let bound = self.values.bound(self.func, receiver).filter(|bound| bound.func == self.func);
        let own = bound.iter().flat_map(Bound::definitions).filter(|definition| definition.reads.is_empty());
        let read: Vec<ExprId> = own.map(|definition| definition.value).chain([receiver]).collect();
        for read in read {
            let (subject, keys) = match *self.facts.expr(read) {
                Expr::Index { base, key } => (Subject::Mapping(base), self.known(key)),
                Expr::Field { base, name } => {
                    (Subject::Object(base), self.is_key(name).into_iter().collect())
                }
                Expr::Call { .. } => match self.values.method(self.func, read) {
                    Some(Method { receiver, does: Some(Get | GetOrInsert), args: [key, ..], .. }) => {
                        (Subject::Mapping(receiver), self.known(key.value))
                    }
                    _ => continue,
                },
                _ => continue,
            };
            keys.into_iter().for_each(|key| self.lose(How::Clear, key, subject, span));
        }
    }

    /// `case {"k": _, **rest}`: the rest goes on without the key.
    fn rest(&mut self, pat: PatId, subject: ExprId, span: Span) {
        let facts = self.facts;
        let mut todo = vec![pat];
        while let Some(pat) = todo.pop() {
            if let Pat::Record { items, rest: Some(_) } = *facts.pat(pat) {
                let keys = facts.list(items).iter().filter_map(|field| self.is_key(field.name));
                for key in keys.collect::<Vec<_>>() {
                    self.lose(How::Filter, key, Subject::Mapping(subject), span);
                }
            }
            facts.arenas.each_child_of_pat(pat, |child| {
                if let crate::ir::walk::Child::Pat(pat) = child {
                    todo.push(pat);
                }
            });
        }
    }
}
