//! Modules that the program imports from its own packages and that no source was read of: compiled ones, generated ones,
//! files outside of what was scanned. What runs in them is not known, so whoever asks for silence has to be told.

use std::collections::{BTreeMap, BTreeSet};

use super::edge::{EdgeKind, Target};
use super::folders::{ancestors, join};
use super::ids::{FileIndex, Module};
use super::modules::Modules;
use super::program::Program;
use crate::ir::{ImportId, Imported, Span, Takes, When};
use crate::source::FileId;

/// Files that are modules and no source, by the path that an import of them has: `a/b` for `a/b.so` and `a/b.pyc`.
pub type Compiled = BTreeMap<String, String>;

/// What makes the names of a package that it does not bind.
const LAZY: &str = "__getattr__";

/// An import of a module that nobody has read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Absent {
    pub file: FileId,
    pub span: Span,
    /// As it is written.
    pub module: String,
    pub why: Absence,
}

impl Absent {
    /// What the name is relative to, if it is.
    fn within(&self, program: &Program<'_>) -> Option<String> {
        let file = self.file.0 as usize;
        let path = program.units()[file].path;
        if program.modules().crates.holds(file) {
            return Some(path.to_string());
        }
        self.module.starts_with('.').then(|| path.parent().map(ToString::to_string)).flatten()
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Absence {
    /// This file is what runs.
    Compiled(String),
    /// Nothing of its name is in the tree, and the program calls what it brings.
    Nowhere,
    /// Code of another file is put in place.
    Included,
    /// This macro was given its name.
    Made(String),
}

impl Program<'_> {
    /// The imports of production code that lead to modules without source.
    ///
    /// An import inside a `try` says itself that the module may be missing, and what is never called cannot act: a generated
    /// version file is not asked for. A module that is there and is no source is always named, since importing it runs it.
    pub fn absent_modules(&self, compiled: &Compiled) -> Vec<Absent> {
        let called = self.called_paths();
        let mut found = Vec::new();
        for (file, unit) in self.units().iter().enumerate().filter(|(_, unit)| !unit.is_test) {
            for (id, import) in unit.facts.numbered_imports() {
                if import.when == When::TypeOnly {
                    continue;
                }
                let why = match self.modules().crates.holds(file) {
                    true => self.undeclared(file, id),
                    false => self.unresolved_module(file, id, compiled, &called),
                };
                if let Some(why) = why {
                    let mut module = self.as_written(file, id);
                    // The package is there, what is taken out of it is not.
                    if let (Imported::Name(name), Absence::Nowhere, Takes::Names) =
                        (import.what, &why, import.takes)
                        && self.index.import_module(id).is_some()
                        && !unit.facts.str(import.path).is_empty()
                    {
                        module = format!("{module}.{}", unit.facts.str(name));
                    }
                    found.push(Absent { file: FileId(file as u32), span: import.span, module, why });
                }
            }
        }
        // One module is one gap, at the first place that imports it.
        let mut seen = BTreeSet::new();
        found.retain(|absent: &Absent| {
            absent.why == Absence::Included || seen.insert((absent.module.clone(), absent.within(self)))
        });
        found
    }

    /// The paths outside of the program that production code calls.
    fn called_paths(&self) -> BTreeSet<&str> {
        let calls = self.edges.iter().filter(|edge| edge.kind == EdgeKind::Call);
        let production = calls.filter(|edge| !self.is_test_code(edge.from));
        let external = production.filter_map(|edge| match edge.to {
            Target::External(path) => Some(self.path(path)),
            Target::Project(_) => None,
        });
        external.collect()
    }

    fn unresolved_module(
        &self,
        file: usize,
        id: ImportId,
        compiled: &Compiled,
        called: &BTreeSet<&str>,
    ) -> Option<Absence> {
        let (facts, modules) = (self.units()[file].facts, self.modules());
        let import = facts.import(id);
        let path = facts.str(import.path);
        let resolved = self.index.import_module(id);
        let name = match import.what {
            Imported::Name(name) => Some(facts.str(name)),
            Imported::Root | Imported::Module | Imported::Star => None,
        };
        let is_source = |module: Option<Module>| matches!(module, Some(Module::File(_)));
        let is_taken =
            |file: &&String| !is_source(resolved) || loads_first(file) && !modules.is_package(resolved);
        let binaries = |name| {
            let places = match compiled.is_empty() {
                true => Vec::new(),
                false => modules.places(file, import.level, path, name),
            };
            places.into_iter().filter_map(|place| compiled.get(&place))
        };
        let is_read = |name: &str| resolved.is_some_and(|module| modules.child(module, name).is_some());
        let inner = name.filter(|name| !is_read(name)).and_then(|name| binaries(Some(name)).next());
        if let Some(binary) = binaries(None).find(is_taken).or(inner) {
            return Some(Absence::Compiled(binary.clone()));
        }
        if import.when != When::Always {
            return None;
        }
        let is_own = || import.level > 0 || modules.is_own_package(file, path);
        let is_missing = match (resolved, name) {
            (None, _) => !path.is_empty() && is_own() && is_called(called, path),
            (Some(package), Some(name)) => self.lacks(package, name, called),
            (Some(_), None) => false,
        };
        is_missing.then_some(Absence::Nowhere)
    }

    /// True if a package neither binds a name nor holds a module of it, and the program calls what that brings.
    fn lacks(&self, package: Module, name: &str, called: &BTreeSet<&str>) -> bool {
        let Module::File(file) = package else { return false };
        let binds = |name: &str| {
            let name = self.index.names.get(name);
            name.is_some_and(|name| self.index.module_attr(package, name).is_some())
        };
        let is_closed = || !binds(LAZY) && !self.index.stars.contains_key(&(file as u32));
        self.modules().is_package(Some(package))
            && !binds(name)
            && is_closed()
            && is_called(called, &format!("{}.{name}", self.modules().dotted(file)))
    }

    /// `mod name;` without its file.
    fn undeclared(&self, file: usize, id: ImportId) -> Option<Absence> {
        match self.units()[file].facts.import(id).takes {
            Takes::Names => None,
            Takes::Text => Some(Absence::Included),
            Takes::Module => self.modules().crates.declared(file, id).is_none().then_some(Absence::Nowhere),
        }
    }

    fn as_written(&self, file: usize, id: ImportId) -> String {
        let facts = self.units()[file].facts;
        let import = facts.import(id);
        let path = facts.str(import.path);
        match (import.takes, import.what) {
            (Takes::Text, _) => path.trim_start_matches("./").to_owned(),
            (Takes::Module, Imported::Name(name)) => facts.str(name).to_owned(),
            (Takes::Names, Imported::Name(name)) if path.is_empty() => {
                format!("{}{}", ".".repeat(usize::from(import.level)), facts.str(name))
            }
            (Takes::Names, _) => format!("{}{path}", ".".repeat(usize::from(import.level))),
            (Takes::Module, _) => path.to_owned(),
        }
    }
}

impl Modules<'_> {
    /// Where a module of this name would lie, as a path without extension; `name` is one inside it.
    fn places(&self, file: FileIndex, level: u8, dotted: &str, name: Option<&str>) -> Vec<String> {
        let roots: Vec<String> = match level {
            0 => ancestors(&self.roots[file]).flat_map(|root| [root.to_owned(), join(root, "src")]).collect(),
            _ => self.anchor(file, level).into_iter().collect(),
        };
        let below = dotted.replace('.', "/");
        let place = |root: &String| match (below.as_str(), name) {
            ("", None) => None,
            ("", Some(name)) => Some(join(root, name)),
            (below, None) => Some(join(root, below)),
            (below, Some(name)) => Some(join(&join(root, below), name)),
        };
        roots.iter().filter_map(place).collect()
    }

    fn is_package(&self, module: Option<Module>) -> bool {
        matches!(module, Some(Module::File(file)) if self.is_package[file])
    }

    /// True if the first name of an import is a package of the project and what is above the last one is a package, too: a module
    /// holds no modules but those that code puts there.
    fn is_own_package(&self, file: FileIndex, dotted: &str) -> bool {
        let Some((above, _)) = dotted.rsplit_once('.') else { return false };
        let first = above.split('.').next().unwrap_or(above);
        let is_module =
            matches!(self.resolve(file, 0, above), Some(Module::File(file)) if !self.is_package[file]);
        let is_standard = self.catalog.standard_modules.contains(first);
        !is_standard && self.is_package(self.resolve(file, 0, first)) && !is_module
    }
}

/// True if the program calls this path, or something below it.
fn is_called(called: &BTreeSet<&str>, path: &str) -> bool {
    let below = format!("{path}.");
    called.contains(path) || called.range(&*below..).next().is_some_and(|next| next.starts_with(&below))
}

/// An extension module comes before a source file of the same name, compiled bytecode behind it.
fn loads_first(file: &str) -> bool {
    !file.ends_with(".pyc") && !file.ends_with(".pyo")
}
