//! Which functions are tools: what frameworks let a model call, by decorator, base class or registration, and what a table
//! dispatches the schemas of a model provider to.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::handlers::Handler;
use super::roles::decorators;
use crate::catalog::{Catalog, Registration};
use crate::finding::Confidence;
use crate::ir::{Arg, EntryKey, Expr, ExprId, FnId};
use crate::link::{At, EdgeKind, Func, Program, Target, argument};
use crate::source::FileId;

/// The tools of a program, in order.
pub fn tools(program: &Program<'_>, catalog: &Catalog) -> Vec<Handler> {
    let mut finder = Finder { program, catalog, found: BTreeMap::new() };
    for func in (0..program.functions.len() as u32).map(Func) {
        finder.marked(func);
        finder.inherited(func);
    }
    // Hundreds of calls lead to one target, and few targets register.
    let mut registers: FxHashMap<Target, Vec<&Registration>> = FxHashMap::default();
    for edge in program.edges.iter().filter(|edge| edge.kind == EdgeKind::Call) {
        // A framework may be the project itself.
        let path = || match edge.to {
            Target::External(path) => program.path(path),
            Target::Project(func) => &*program.function(func).path,
        };
        let known = registers.entry(edge.to).or_insert_with(|| catalog.tools.registrations(path()).collect());
        for registration in known {
            finder.registered(edge.from, edge.at, registration, edge.confidence);
        }
    }
    for call in &program.calls {
        finder.registered_by_name(call.from, call.at);
    }
    finder.dispatched();
    let found = finder.found.into_iter();
    found.map(|(func, (confidence, name))| Handler { func, name, confidence }).collect()
}

struct Finder<'f, 'a> {
    program: &'f Program<'a>,
    catalog: &'f Catalog,
    found: BTreeMap<Func, (Confidence, Option<String>)>,
}

impl Finder<'_, '_> {
    fn add(&mut self, func: Func, name: Option<String>, confidence: Confidence) {
        let known = self.found.entry(func).or_insert((confidence, None));
        known.0 = known.0.max(confidence);
        known.1 = known.1.take().or(name);
    }

    /// `@tool`, `@mcp.tool()`.
    fn marked(&mut self, func: Func) {
        let names = decorators(self.program, func);
        if names.is_empty() {
            return;
        }
        let paths = self.program.decorator_paths(func);
        // What the project's own decorator does can be seen: its name says nothing.
        let of_project: Vec<&str> =
            self.program.decorators(func).map(|found| self.program.name(found.func)).collect();
        let foreign = names.iter().filter(|(name, _)| !of_project.contains(name));
        let marks = foreign.filter_map(|(name, _)| self.catalog.tools.marks(&paths, name));
        if let Some(confidence) = marks.max() {
            self.add(func, self.name_of_decorator(func), confidence);
        }
    }

    /// `@tool("search")`, `@tool(name="search")`.
    fn name_of_decorator(&self, func: Func) -> Option<String> {
        let program = self.program;
        let file = program.function(func).file;
        let facts = program.facts(file);
        let scope = program.func(file, program.ir(func).parent);
        let mut decorators = facts.list(program.ir(func).decorators).iter();
        decorators.find_map(|&decorator| match *facts.expr(decorator) {
            Expr::Call { args, .. } => self.named(scope, facts.list(args), Some(0)),
            _ => None,
        })
    }

    /// The constant name that an argument list gives.
    fn named(&self, func: Func, args: &[Arg], index: Option<usize>) -> Option<String> {
        let facts = self.program.facts(self.program.function(func).file);
        let words = self.catalog.tools.names.iter();
        let by_name = words.filter_map(|word| argument(facts, args, None, Some(word)));
        let mut values = by_name.chain(argument(facts, args, index, None));
        values.find_map(|value| self.program.text(func, value))
    }

    /// `class Search(BaseTool)` with the method that the framework calls.
    fn inherited(&mut self, func: Func) {
        let (program, tools) = (self.program, &self.catalog.tools);
        let (Some(class), name) = (program.function(func).class, program.name(func)) else { return };
        if !tools.runs(name) {
            return;
        }
        if let Some(confidence) = tools.inherits(&program.base_paths(class), name) {
            let names = tools.names.iter().flat_map(|name| program.declared(class, name));
            let mut texts = names.filter_map(|(owner, value)| program.text(owner, value));
            let name = texts.next();
            self.add(func, name, confidence);
        }
    }

    /// `StructuredTool.from_function(func=search)`, `Agent(tools=[search])`.
    fn registered(&mut self, func: Func, at: At, registration: &Registration, confidence: Confidence) {
        let facts = self.program.facts(at.file);
        let Expr::Call { args, .. } = *facts.expr(at.expr) else { return };
        let args = facts.list(args);
        for wanted in &registration.argument {
            let Some(value) = argument(facts, args, wanted.index, wanted.name.as_deref()) else { continue };
            let found: Vec<Func> = self.kept(at.file, value);
            // The name of one, not of a list of them.
            let name = match found.len() {
                1 if !registration.list => self.named(func, args, registration.named_at),
                _ => None,
            };
            found.into_iter().for_each(|tool| self.add(tool, name.clone(), confidence));
        }
    }

    fn kept(&self, file: FileId, value: ExprId) -> Vec<Func> {
        self.program.kept(At { file, expr: value }).collect()
    }

    /// `model.bind_tools([search])`, whatever the model is.
    fn registered_by_name(&mut self, func: Func, at: At) {
        let facts = self.program.facts(at.file);
        let Expr::Call { callee, .. } = *facts.expr(at.expr) else { return };
        let Some(callee) = self.program.receiver_name(func, callee) else { return };
        let catalog = self.catalog;
        for registration in catalog.tools.registrations_named(callee.name) {
            self.registered(func, at, registration, Confidence::Medium);
        }
    }

    /// `{"search": search}` beside `{"name": "search", "input_schema": …}`: the schema is what a model is shown, and every
    /// function of the table has one.
    fn dispatched(&mut self) {
        let program = self.program;
        let files = program.files_with(|text| self.catalog.tools.schemas.iter().any(|word| word == text));
        let mut schemas: BTreeMap<FileId, BTreeSet<String>> = BTreeMap::new();
        for file in (0..files.len()).filter(|&file| files[file]).map(|file| FileId(file as u32)) {
            let names = self.records(file).into_iter().filter_map(|entries| self.schema(&entries));
            schemas.insert(file, names.collect());
        }
        let all: BTreeSet<&str> = schemas.values().flatten().map(String::as_str).collect();
        if all.is_empty() {
            return;
        }
        let tables = program.files_with(|text| all.contains(text));
        for file in (0..tables.len()).filter(|&file| tables[file]).map(|file| FileId(file as u32)) {
            let beside = schemas.get(&file);
            for entries in self.records(file) {
                let functions: Vec<(String, Func)> = entries
                    .iter()
                    .flat_map(|(key, _, value)| {
                        self.kept(file, *value).into_iter().map(|func| (key.clone(), func))
                    })
                    .collect();
                let is_beside =
                    |names: &BTreeSet<String>| functions.iter().all(|(key, _)| names.contains(key));
                let confidence = match functions.iter().all(|(key, _)| all.contains(key.as_str())) {
                    true if beside.is_some_and(is_beside) => Confidence::High,
                    true => Confidence::Medium,
                    false => continue,
                };
                functions.into_iter().for_each(|(name, func)| self.add(func, Some(name), confidence));
            }
        }
    }

    /// The dictionaries of a file: constant keys, each with the function around and the value.
    fn records(&self, file: FileId) -> Vec<Vec<(String, Func, ExprId)>> {
        let program = self.program;
        let facts = program.facts(file);
        let functions = (0..facts.functions.len() as u32).map(|id| program.func(file, FnId(id)));
        let mut records = Vec::new();
        for func in functions {
            for expr in program.ir(func).exprs.iter() {
                let Expr::Record(entries) = *facts.expr(expr) else { continue };
                let entries = facts.list(entries).iter().filter_map(|entry| match entry.key {
                    EntryKey::Expr(key) => Some((program.text(func, key)?, func, entry.value)),
                    EntryKey::Spread => None,
                });
                records.push(entries.collect());
            }
        }
        records
    }

    /// The name in a schema that a model is given.
    fn schema(&self, entries: &[(String, Func, ExprId)]) -> Option<String> {
        let tools = &self.catalog.tools;
        let is_schema = entries.iter().any(|(key, ..)| tools.schemas.contains(key));
        let mut names = entries.iter().filter(|(key, ..)| tools.names.contains(key));
        let (_, func, value) = names.next().filter(|_| is_schema)?;
        self.program.text(*func, *value)
    }
}
