//! Globs of Rust: what `use a::*` brings, also through the globs of `a`.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ids::{Cls, FileIndex, Func, Module, Slot};
use super::index::Index;
use super::tables::Table;
use super::types::{Global, Type};
use crate::ir::{ClassKind, ImportId, Sym};

/// More globs than this are looked through once for all names.
const MANY_GLOBS: usize = 16;

/// What comes after a module that a glob leads to.
enum Search {
    /// Its own globs.
    Enters,
    /// The next one.
    Passes,
    Ends,
}

/// What globs bring.
pub(super) enum Brought {
    Known(Global),
    /// Nothing of the workspace; a library may have it.
    Library(Option<Type>),
}

impl Index<'_> {
    /// What the globs of an inline module bring.
    pub(super) fn namespace_attr(&self, class: Cls, name: Sym) -> Option<Global> {
        let (file, ir) = self.class_ir(class);
        if ir.kind != ClassKind::Namespace || !self.has_crates(file) {
            return None;
        }
        self.through_globs(Type::Class { class, exact: true }, name)
    }

    /// What the globs of a module bring: first what is the workspace's own.
    pub(super) fn glob_attr(&self, file: FileIndex, name: Sym) -> Option<Global> {
        self.through_globs(Type::Module(Module::File(file)), name)
    }

    pub(super) fn through_globs(&self, place: Type, name: Sym) -> Option<Global> {
        match self.brought(place, name) {
            Brought::Known(global) => Some(global),
            Brought::Library(library) => self.of_library(library?, name),
        }
    }

    /// A library's glob may bring any name; one that every file knows is likelier to be that.
    pub(super) fn of_library(&self, library: Type, name: Sym) -> Option<Global> {
        let is_known = self.externals.catalog().wrappers.known(self.names.text(name)).is_some();
        if is_known { None } else { self.step(library, name) }
    }

    pub(super) fn brought(&self, place: Type, name: Sym) -> Brought {
        let scope = self.scope_of(place);
        let many = |globs: &Vec<ImportId>| globs.len() > MANY_GLOBS;
        let (mut found, mut behind) = (None, None);
        let library = self.each_brought(place, |base| {
            found = self.own_name(base, name);
            // A module that hands on hundreds of others is asked by everything inside it.
            let hub = self
                .scope_of(base)
                .filter(|hub| scope != Some(*hub) && self.globs.get(hub).is_some_and(many));
            match (found, hub.filter(|_| self.are_imports_known)) {
                (Some(_), _) => Search::Ends,
                (None, Some(_)) => {
                    let table = self.table(base);
                    found = table.names.get(&name).copied();
                    behind = behind.or(table.library);
                    if found.is_some() { Search::Ends } else { Search::Passes }
                }
                (None, None) => Search::Enters,
            }
        });
        match found {
            Some(slot) => Brought::Known(Global::Slot(slot)),
            None => Brought::Library(library.or(behind)),
        }
    }

    /// All that the globs of a module bring of the workspace.
    fn table(&self, place: Type) -> Arc<Table> {
        let Some(scope) = self.scope_of(place) else { return Arc::default() };
        self.glob_tables.of(scope, || {
            let mut names = FxHashMap::default();
            let library = self.each_brought(place, |base| {
                let Some(body) = self.scope_of(base) else { return Search::Passes };
                let file = self.file_of(body);
                for export in self.units[file].facts.list(self.ir(body).exports) {
                    names.entry(export.name).or_insert_with(|| self.var(body, export.var));
                }
                Search::Enters
            });
            Arc::new(Table { names, library })
        })
    }

    /// Goes through the modules that globs lead to, the near ones first. Gives the library that one of them leads to.
    fn each_brought(&self, place: Type, mut see: impl FnMut(Type) -> Search) -> Option<Type> {
        let mut seen = FxHashSet::from_iter([place]);
        let mut work = VecDeque::from([place]);
        let mut library = None;
        while let Some(next) = work.pop_front() {
            let (file, globs) = self.globs_of(next);
            for &glob in globs {
                let Some(Global::Is(base)) = self.imported(file, glob) else { continue };
                if let Type::External(_) = base {
                    library = library.or(Some(base));
                }
                if !seen.insert(base) {
                    continue;
                }
                match see(base) {
                    Search::Ends => return library,
                    Search::Passes => {}
                    Search::Enters => work.push_back(base),
                }
            }
        }
        library
    }

    fn globs_of(&self, place: Type) -> (FileIndex, &[ImportId]) {
        let Some(scope) = self.scope_of(place) else { return (0, &[]) };
        (self.file_of(scope), self.globs.get(&scope).map_or(&[], Vec::as_slice))
    }

    /// The body of a module or a class.
    fn scope_of(&self, place: Type) -> Option<Func> {
        match place {
            Type::Module(Module::File(file)) => Some(self.module_body(file)),
            Type::Class { class, .. } => Some(self.class_body(class)),
            _ => None,
        }
    }

    pub(super) fn own_name(&self, place: Type, name: Sym) -> Option<Slot> {
        self.export(self.scope_of(place)?, name)
    }
}
