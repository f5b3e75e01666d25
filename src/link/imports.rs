//! What each import brings to the name it binds: a module of the project, something in one, or a library's path.

use super::ids::Module;
use super::index::Index;
use super::types::{Global, Type};
use crate::ir::{ImportId, Imported, Sym};

impl Index<'_> {
    /// Looks for all of them in their order: those that need one another must not depend on who asks first.
    pub(super) fn fill_imports(&self) {
        for (file, unit) in self.units.iter().enumerate() {
            for id in unit.facts.import_ids() {
                let _ = self.imported(file, id);
            }
        }
    }

    /// What an import brings to the name it binds.
    pub fn imported(&self, file: usize, id: ImportId) -> Option<Global> {
        self.imports.of(file, id, || self.find_imported(file, id))
    }

    fn find_imported(&self, file: usize, id: ImportId) -> Option<Global> {
        if self.has_crates(file) {
            return self.used(file, id);
        }
        let facts = self.units[file].facts;
        let import = facts.import(id);
        let dotted = facts.str(import.path);
        match import.what {
            Imported::Star => None,
            Imported::Module => Some(Global::Is(self.module_or_path(id, dotted))),
            Imported::Root => Some(Global::Is(self.imported_root(file, id, dotted))),
            Imported::Name(name) => Some(self.imported_name(file, id, dotted, name)),
        }
    }

    fn module_or_path(&self, id: ImportId, dotted: &str) -> Type {
        match self.import_module(id) {
            Some(module) => Type::Module(module),
            None => Type::External(self.externals.path(dotted)),
        }
    }

    /// `import a.b.c` binds `a`; a folder without modules of that path is the library of the same name.
    fn imported_root(&self, file: usize, id: ImportId, dotted: &str) -> Type {
        let first = dotted.split('.').next().unwrap_or(dotted);
        if let Some(whole @ Module::File(_)) = self.import_module(id)
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

    fn imported_name(&self, file: usize, id: ImportId, dotted: &str, name: Sym) -> Global {
        let facts = self.units[file].facts;
        match self.import_module(id) {
            // `from . import x` inside the package's own `__init__` means the sub-module.
            Some(Module::File(own)) if own == file && facts.import(id).scope == facts.module() => {
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

    fn missing(&self, dotted: &str, name: Sym) -> Global {
        if dotted.is_empty() {
            return Global::Is(Type::External(self.externals.path(self.names.text(name))));
        }
        let path = self.externals.path(dotted);
        Global::Is(Type::External(self.externals.child(path, name, &self.names)))
    }
}
