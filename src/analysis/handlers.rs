//! Which functions are comm handlers: registered or kept under the constant name of a command, in the table of a command
//! that is the namespace, or what runs an object whose class has the namespace. The words are the catalogue's.

mod classes;
mod names;
mod paired;

use std::collections::{BTreeMap, BTreeSet};

use super::callables::{callables, constant_entries};
use super::decorators::decorated;
use super::registrations::{Candidate, Registered, Way};
use crate::catalog::{Catalog, DataOps, Handlers, RegistrationKind};
use crate::finding::Confidence;
use crate::ir::{Entry, EntryKey, Expr, ExprId, ListOf, Span};
use crate::link::{At, Cls, Edge, EdgeKind, Func, Program, Rung, Target};
use crate::source::FileId;
use names::Called;

/// The comm handlers of a program.
pub(super) fn find(program: &Program<'_>, catalog: &Catalog) -> Vec<Candidate> {
    let words = &catalog.handlers;
    let place = (FileId(0), Span::default());
    let mut finder = Finder {
        program,
        words,
        operations: &catalog.operations,
        found: Vec::new(),
        parents: BTreeMap::new(),
        place,
    };
    let files = program.files_that_name(|text| words.may_name(text));
    for func in (0..program.functions.len() as u32).map(Func) {
        if files[program.function(func).file.0 as usize] {
            finder.function(func);
        }
    }
    classes::find(&mut finder);
    finder.tables();
    finder.found
}

/// What commands of other namespaces take from tables of their own, `net.lookup` for `lookup` in the table of `net`. Those are
/// the commands then, and what takes them from the table is none besides them.
pub(super) fn divide(program: &Program<'_>, catalog: &Catalog, found: &mut Vec<Candidate>) {
    let place = (FileId(0), Span::default());
    let words = &catalog.handlers;
    let is_whole = |candidate: &Candidate| {
        let Registered { kind, framework, name, is_comm, .. } = &candidate.registered;
        let is_plain = |name: &String| !name.contains('.') && !words.is_namespace(name);
        *kind == RegistrationKind::Command
            && framework.is_none()
            && !is_comm
            && name.as_ref().is_some_and(is_plain)
    };
    let parents = found.iter().filter(|candidate| is_whole(candidate)).filter_map(|candidate| {
        let Registered { handler, name, file, span, .. } = &candidate.registered;
        Some(((*handler, name.clone()?), (*file, *span)))
    });
    let mut finder = Finder {
        program,
        words,
        operations: &catalog.operations,
        found: Vec::new(),
        parents: parents.collect(),
        place,
    };
    finder.tables();
    let parts: Vec<Candidate> = finder.found.into_iter().filter(|part| part.is_named).collect();
    let divided: BTreeSet<&str> = parts.iter().filter_map(parent_of).collect();
    found.retain(|candidate| {
        !is_whole(candidate)
            || candidate.registered.name.as_deref().is_none_or(|name| !divided.contains(name))
    });
    found.extend(parts.into_iter().filter(|part| parent_of(part).is_some()).map(foreign));
}

/// `net` for `net.lookup`.
fn parent_of(part: &Candidate) -> Option<&str> {
    Some(part.registered.name.as_ref()?.split_once('.')?.0)
}

fn foreign(mut part: Candidate) -> Candidate {
    part.registered.is_comm = false;
    part.registered.confidence = part.registered.confidence.min(Confidence::Medium);
    part
}

/// `food.facts`
fn is_dotted(key: &str) -> bool {
    let is_word = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    key.contains('.') && key.split('.').all(is_word)
}

struct Finder<'f, 'a> {
    program: &'f Program<'a>,
    words: &'f Handlers,
    operations: &'f DataOps,
    found: Vec<Candidate>,
    /// What is registered under the namespace itself, which stands before the names in its table, and where it is.
    parents: BTreeMap<(Func, String), (FileId, Span)>,
    /// What is being read.
    place: (FileId, Span),
}

impl Finder<'_, '_> {
    fn add(&mut self, func: Func, name: Option<String>, confidence: Confidence) {
        self.add_to(None, func, name, confidence);
    }

    /// With the class whose objects run.
    fn add_to(&mut self, class: Option<Cls>, func: Func, name: Option<String>, confidence: Confidence) {
        let (file, span) = self.place;
        let (way, is_named) = (if class.is_some() { Way::Marked } else { Way::Called }, name.is_some());
        let registered = Registered {
            kind: RegistrationKind::Command,
            framework: None,
            name,
            handler: func,
            others: Vec::new(),
            closed: Vec::new(),
            class,
            file,
            span,
            confidence,
            annotation: None,
            is_comm: true,
        };
        self.found.push(Candidate { registered, way, within: span.lo, is_named, nth: 0 });
    }

    /// What was found last is a command, and none of the sanctioned channel.
    fn is_foreign(&mut self) {
        if let Some(Candidate { registered, .. }) = self.found.last_mut() {
            registered.is_comm = false;
        }
    }

    fn stands_at(&mut self, func: Func, expr: ExprId) {
        let file = self.program.function(func).file;
        self.place = (file, self.program.facts(file).span(expr));
    }

    fn function(&mut self, func: Func) {
        let program = self.program;
        let facts = program.facts(program.function(func).file);
        for expr in program.ir(func).exprs.iter() {
            self.stands_at(func, expr);
            match *facts.expr(expr) {
                Expr::Record(entries) => self.table(func, expr, entries),
                Expr::Store { place, op: None, value: Some(value) } => {
                    if let Expr::Index { key, .. } = *facts.expr(place) {
                        self.keyed(func, key, value);
                    }
                }
                // `("comm.search", handle_search)`
                Expr::Seq(items) => {
                    if let [key, values @ ..] = facts.list(items) {
                        values.iter().for_each(|&value| self.keyed(func, *key, value));
                    }
                }
                Expr::Call { callee, args, .. } => {
                    self.call(func, callee, args);
                    self.paired(func, callee, args);
                }
                Expr::Class(class) => {
                    let runs = self.words.methods.iter().filter_map(|name| program.method(class, name));
                    let runs: Vec<Func> = runs.collect();
                    self.decorated(func, facts.list(facts.class(class).decorators), &runs);
                }
                Expr::Closure(closure) => {
                    self.decorated(func, facts.list(facts.function(closure).decorators), &[closure]);
                }
                _ => {}
            }
        }
    }

    /// `{"comm.search": f}`, `{"comm": {"search": f}}`, `{"name": "comm.search", "handler": f}`.
    fn table(&mut self, func: Func, record: ExprId, entries: ListOf<Entry>) {
        let facts = self.program.facts(self.program.function(func).file);
        let words = self.words;
        for entry in facts.list(entries) {
            let EntryKey::Expr(key) = entry.key else { continue };
            self.stands_at(func, key);
            self.keyed(func, key, entry.value);
            let Some(Called::Namespace(namespace)) = self.called(func, key) else { continue };
            let (owner, value) = self.program.bound(func, entry.value);
            for (at, key, value) in self.entries(owner, value) {
                self.stands_at(owner, at);
                self.add_all(owner, value, Some(format!("{namespace}.{key}")), Confidence::High);
            }
        }
        self.neighbours(func, record);
        self.stands_at(func, record);
        let of = |names: &[String]| {
            let is_meant = |entry: &&Entry| match entry.key {
                EntryKey::Expr(key) => self.program.text(func, key).is_some_and(|key| names.contains(&key)),
                EntryKey::Spread => false,
            };
            facts.list(entries).iter().filter(is_meant).map(|entry| entry.value).collect::<Vec<_>>()
        };
        let (names, namespaces) = (of(&words.name), of(&words.namespace));
        if let Some(called) = self.composed(func, namespaces.first().copied(), names.first().copied()) {
            of(&words.function).into_iter().for_each(|value| self.register(func, value, &called));
        }
    }

    /// `{"comm.search": f, "food.facts": g}`: what stands in a table of commands is one.
    fn neighbours(&mut self, func: Func, record: ExprId) {
        let entries = self.entries(func, record);
        let is_command = |key: &str| self.words.is_command(key);
        if !entries.iter().any(|(_, key, _)| is_command(key)) {
            return;
        }
        let others = entries.into_iter().filter(|(_, key, _)| is_dotted(key) && !is_command(key));
        for (at, key, value) in others.collect::<Vec<_>>() {
            self.stands_at(func, at);
            for handler in self.callables(func, value) {
                self.add(handler, Some(key.clone()), Confidence::Medium);
                self.is_foreign();
            }
        }
    }

    fn entries(&self, func: Func, record: ExprId) -> Vec<(ExprId, String, ExprId)> {
        constant_entries(self.program, func, record)
    }

    /// What stands under the name of a command.
    fn keyed(&mut self, func: Func, key: ExprId, value: ExprId) {
        if let Some(called @ Called::Command { .. }) = self.called(func, key) {
            self.register(func, value, &called);
        }
    }

    fn register(&mut self, func: Func, value: ExprId, called: &Called) {
        match called {
            Called::Command { name, confidence } => self.add_all(func, value, name.clone(), *confidence),
            Called::Namespace(namespace) => {
                for handler in self.callables(func, value) {
                    self.parents.entry((handler, namespace.clone())).or_insert(self.place);
                }
            }
        }
    }

    fn add_all(&mut self, func: Func, value: ExprId, name: Option<String>, confidence: Confidence) {
        let found = self.callables(func, value);
        // One of several, and nothing says which.
        let confidence = if found.len() > 1 { confidence.min(Confidence::Medium) } else { confidence };
        found.into_iter().for_each(|handler| self.add(handler, name.clone(), confidence));
    }

    fn callables(&self, func: Func, value: ExprId) -> Vec<Func> {
        callables(self.program, self.words, func, value)
    }

    /// The table from which a command that is the namespace takes what it runs. Without one it does all itself.
    fn tables(&mut self) {
        for ((parent, namespace), place) in std::mem::take(&mut self.parents) {
            let called = self.called_by(parent).filter_map(|edge| match edge.to {
                Target::Project(func) => Some((func, edge.rung == Rung::Table)),
                Target::External(_) => None,
            });
            let called: BTreeMap<Func, bool> = called.collect();
            let in_tables = self.keys(parent, &called.keys().copied().collect());
            let stands_in_table =
                |(func, by_table): (Func, bool)| (by_table || in_tables.contains_key(&func)).then_some(func);
            let targets: BTreeSet<Func> = called.into_iter().filter_map(stands_in_table).collect();
            self.place = place;
            if targets.is_empty() {
                self.add(parent, Some(namespace.clone()), Confidence::High);
            }
            for target in targets {
                self.place = place;
                let Some(keys) = in_tables.get(&target) else {
                    self.add(target, None, Confidence::Medium);
                    continue;
                };
                for (around, at, key) in keys {
                    self.stands_at(*around, *at);
                    self.add(target, Some(format!("{namespace}.{key}")), Confidence::High);
                }
            }
        }
    }

    /// The calls of a command, and those of a helper that does all its work.
    fn called_by(&self, parent: Func) -> impl Iterator<Item = &Edge> {
        let program = self.program;
        let calls =
            move |func: Func| program.edges_from(func).iter().filter(|edge| edge.kind == EdgeKind::Call);
        let helper = match calls(parent)
            .map(|edge| edge.to)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()[..]
        {
            [Target::Project(helper)] => Some(helper),
            _ => None,
        };
        calls(parent).chain(helper.into_iter().flat_map(calls))
    }

    /// Under which keys of the tables in a command's file its functions stand: the function around the key, the key and
    /// its text.
    fn keys(&self, parent: Func, targets: &BTreeSet<Func>) -> BTreeMap<Func, Vec<(Func, ExprId, String)>> {
        let program = self.program;
        let file = program.function(parent).file;
        let facts = program.facts(file);
        let mut keys: BTreeMap<Func, Vec<(Func, ExprId, String)>> = BTreeMap::new();
        if targets.is_empty() {
            return keys;
        }
        for func in facts.function_ids() {
            for expr in program.ir(func).exprs.iter() {
                for (at, key, value) in self.entries(func, expr) {
                    for kept in decorated(program, At { file, expr: value })
                        .into_iter()
                        .filter(|kept| targets.contains(kept))
                    {
                        keys.entry(kept).or_default().push((func, at, key.clone()));
                    }
                }
            }
        }
        keys
    }
}
