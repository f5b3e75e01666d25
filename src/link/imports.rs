//! What each import brings to the name it binds: a module of the project, something in one, or a library's path.

use std::sync::{Mutex, PoisonError};

use super::index::Index;
use super::modules::Module;
use super::names::Name;
use super::program::Unit;
use super::statics::Global;
use super::types::Type;
use crate::ir::{ImportId, Imported, MODULE};
use crate::parallel::Lazy;

/// The answers of `imported`.
pub struct Imports {
    /// By file and `ImportId`.
    known: Vec<Box<[Lazy<Option<Global>>]>>,
    /// Those that are being looked for.
    open: Mutex<Vec<(usize, ImportId)>>,
}

impl Imports {
    pub fn new(units: &[Unit<'_>]) -> Self {
        let of_file = |unit: &Unit<'_>| unit.facts.imports.iter().map(|_| Lazy::new()).collect();
        Self { known: units.iter().map(of_file).collect(), open: Mutex::default() }
    }
}

impl Index<'_> {
    /// Looks for all of them in their order: those that need one another must not depend on who asks first.
    pub(super) fn fill_imports(&self) {
        for (file, unit) in self.units.iter().enumerate() {
            for id in 0..unit.facts.imports.len() as u32 {
                let _ = self.imported(file, ImportId(id));
            }
        }
    }

    /// What an import brings to the name it binds.
    pub fn imported(&self, file: usize, id: ImportId) -> Option<Global> {
        let known = &self.imports.known[file][id.0 as usize];
        if let Some(&known) = known.get() {
            return known;
        }
        let open = || self.imports.open.lock().unwrap_or_else(PoisonError::into_inner);
        // An import that needs itself brings nothing.
        if open().contains(&(file, id)) {
            return None;
        }
        open().push((file, id));
        let found = self.find_imported(file, id);
        open().pop();
        *known.keep(found)
    }

    fn find_imported(&self, file: usize, id: ImportId) -> Option<Global> {
        if self.is_rust(file) {
            return self.used(file, id);
        }
        let facts = self.units[file].facts;
        let import = facts.import(id);
        let dotted = facts.str(import.path);
        match import.what {
            Imported::Star => None,
            Imported::Module => Some(Global::Is(self.module_or_path(file, id, dotted))),
            Imported::Root => Some(Global::Is(self.imported_root(file, id, dotted))),
            Imported::Name(name) => Some(self.imported_name(file, id, dotted, self.name(file, name))),
        }
    }

    fn module_or_path(&self, file: usize, id: ImportId, dotted: &str) -> Type {
        match self.import_module(file, id) {
            Some(module) => Type::Module(module),
            None => Type::External(self.externals.path(dotted)),
        }
    }

    /// `import a.b.c` binds `a`; a folder without modules of that path is the library of the same name.
    fn imported_root(&self, file: usize, id: ImportId, dotted: &str) -> Type {
        let first = dotted.split('.').next().unwrap_or(dotted);
        if let Some(whole @ Module::File(_)) = self.import_module(file, id)
            && let Some(root) = self.modules.root_of(whole, dotted.split('.').count())
            && self.modules.is_called(root, first)
        {
            return Type::Module(root);
        }
        match self.modules.resolve(file, 0, first) {
            Some(root @ Module::File(_)) => Type::Module(root),
            _ => Type::External(self.externals.path(first)),
        }
    }

    fn imported_name(&self, file: usize, id: ImportId, dotted: &str, name: Name) -> Global {
        match self.import_module(file, id) {
            // `from . import x` inside the package's own `__init__` means the sub-module.
            Some(Module::File(own)) if own == file && self.units[file].facts.import(id).scope == MODULE => {
                let child = self.modules.child(Module::File(own), self.names.text(name));
                child.map(|c| Global::Is(Type::Module(c))).unwrap_or_else(|| self.missing(dotted, name))
            }
            Some(module) => self
                .module_attr(module, name)
                .unwrap_or_else(|| self.missing(&self.module_text(module, dotted), name)),
            None => self.missing(dotted, name),
        }
    }

    fn module_text(&self, module: Module, dotted: &str) -> String {
        match module {
            Module::File(file) => self.modules.dotted(file),
            Module::Namespace(_) => dotted.to_owned(),
        }
    }

    fn missing(&self, dotted: &str, name: Name) -> Global {
        if dotted.is_empty() {
            return Global::Is(Type::External(self.externals.path(self.names.text(name))));
        }
        let path = self.externals.path(dotted);
        Global::Is(Type::External(self.externals.child(path, name, &self.names)))
    }
}
