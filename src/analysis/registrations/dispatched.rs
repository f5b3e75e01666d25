//! Functions that a table dispatches the schemas of a model provider to.

use std::collections::{BTreeMap, BTreeSet};

use super::{Annotation, Finder, Name, Said, Way, path};
use crate::catalog::Registration;
use crate::finding::Confidence;
use crate::ir::{EntryKey, Expr, ExprId, Span};
use crate::link::Func;
use crate::source::FileId;

/// A constant key, the function around, the key and the value.
struct Entry {
    text: String,
    around: Func,
    key: ExprId,
    value: ExprId,
}

impl Finder<'_, '_> {
    /// `{"search": search}` beside `{"name": "search", "input_schema": …}`: the schema is what a model is shown, and every
    /// function of the table has one.
    pub(super) fn dispatched(&mut self) {
        let program = self.program;
        let words = &self.catalog.registrations.schemas;
        let files = program.files_with(|text| words.iter().any(|word| word == text));
        let mut schemas: BTreeMap<FileId, BTreeSet<String>> = BTreeMap::new();
        for file in (0..files.len()).filter(|&file| files[file]).map(|file| FileId(file as u32)) {
            let names = self.records(file).into_iter().filter_map(|entries| self.schema(&entries));
            schemas.insert(file, names.collect());
        }
        let all: BTreeSet<&str> = schemas.values().flatten().map(String::as_str).collect();
        if all.is_empty() {
            return;
        }
        for (&file, names) in &schemas {
            names.iter().for_each(|name| self.beside_schema(file, name));
        }
        let tables = program.files_with(|text| all.contains(text));
        for file in (0..tables.len()).filter(|&file| tables[file]).map(|file| FileId(file as u32)) {
            for entries in self.records(file) {
                self.table(file, &entries, schemas.get(&file), &all);
            }
            program.facts(file).function_ids().for_each(|func| self.ladder(func, &all));
        }
    }

    fn table(
        &mut self,
        file: FileId,
        entries: &[Entry],
        beside: Option<&BTreeSet<String>>,
        all: &BTreeSet<&str>,
    ) {
        let facts = self.program.facts(file);
        let functions: Vec<(&Entry, Func)> = entries
            .iter()
            .flat_map(|entry| self.kept(file, entry.value).into_iter().map(move |func| (entry, func)))
            .collect();
        let is_beside =
            |names: &BTreeSet<String>| functions.iter().all(|(entry, _)| names.contains(&entry.text));
        let confidence = match functions.iter().all(|(entry, _)| all.contains(entry.text.as_str())) {
            true if beside.is_some_and(is_beside) => Confidence::High,
            true => Confidence::Medium,
            false => return,
        };
        for (entry, func) in functions {
            let said = self.under(entry.text.clone(), file, facts.span(entry.key), confidence);
            self.add(&Registration::default(), func, 0, said);
        }
    }

    /// A function of the module whose name a schema of the module has.
    fn beside_schema(&mut self, file: FileId, name: &str) {
        let Some(func) = self.program.function_of(file, name) else { return };
        let span = self.program.ir(func).name_span;
        let said = self.under(name.to_owned(), file, span, Confidence::Medium);
        self.add(&Registration::default(), func, 0, Said { way: Way::Listed, ..said });
    }

    fn under(&self, name: String, file: FileId, span: Span, confidence: Confidence) -> Said {
        let (name, within, way) = (Name::Known(name), span.lo, Way::Called);
        Said { name, file, span, within, way, confidence, annotation: None }
    }

    /// What a function runs that is given the name of a tool: every tool that is declared beside it, or has a branch. Without one
    /// it is the tool itself, of no known name.
    pub(super) fn dispatcher(&mut self, entry: &Registration, func: Func, said: Said) {
        let file = self.program.function(func).file;
        let mut declared = self.declared(file);
        if declared.is_empty() {
            declared = self.branches(func).into_iter().map(|(name, span)| (name, span, None)).collect();
        }
        if declared.is_empty() {
            return self.add(entry, func, 0, Said { name: Name::Unknown, ..said });
        }
        for (name, span, annotation) in declared {
            let name = Name::Known(name);
            let said = Said { name, file, span, within: span.lo, annotation, ..said.clone() };
            self.add(entry, func, 0, said);
        }
    }

    /// `Tool(name="search", inputSchema=…)`: the names of a file, and where they are declared.
    fn declared(&self, file: FileId) -> Vec<(String, Span, Option<Annotation>)> {
        let program = self.program;
        let (facts, known) = (program.facts(file), &self.catalog.registrations);
        let functions = facts.function_ids();
        let mut found = Vec::new();
        for func in functions {
            for edge in program.edges_from(func) {
                let Expr::Call { args, .. } = *facts.expr(edge.at.expr) else { continue };
                if !known.declares.matches(path(program, edge.to)) {
                    continue;
                }
                if let Name::Known(name) =
                    self.named(func, facts.list(args), Some(0), &Registration::default())
                {
                    let annotation = self.annotation(func, facts.list(args));
                    found.push((name, facts.span(edge.at.expr), annotation));
                }
            }
        }
        found
    }

    /// The dictionaries of a file, with their constant keys.
    fn records(&self, file: FileId) -> Vec<Vec<Entry>> {
        let program = self.program;
        let facts = program.facts(file);
        let functions = facts.function_ids();
        let mut records = Vec::new();
        for around in functions {
            for expr in program.ir(around).exprs.iter() {
                let Expr::Record(entries) = *facts.expr(expr) else { continue };
                let entries = facts.list(entries).iter().filter_map(|entry| match entry.key {
                    EntryKey::Expr(key) => {
                        Some(Entry { text: program.text(around, key)?, around, key, value: entry.value })
                    }
                    EntryKey::Spread => None,
                });
                records.push(entries.collect());
            }
        }
        records
    }

    /// The name in a schema that a model is given.
    fn schema(&self, entries: &[Entry]) -> Option<String> {
        let known = &self.catalog.registrations;
        let is_schema = entries.iter().any(|entry| known.schemas.contains(&entry.text));
        let mut names = entries.iter().filter(|entry| known.names.contains(&entry.text));
        let Entry { around, value, .. } = names.next().filter(|_| is_schema)?;
        self.program.text(*around, *value)
    }
}
