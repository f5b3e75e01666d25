//! Rust's paths: what `use a::b::c` and the first name of a path mean. Each name is looked up in what the names before it
//! stand for: a module, an inline module, an enum, or a library. Names come from items, from `use` and from globs, also
//! through those of other modules; what nothing of the workspace has is a library's.

use super::globs::Brought;
use super::ids::{FileIndex, Func, Module, Slot};
use super::index::Index;
use super::statics::MAX_HOPS;
use super::types::{Global, Type};
use crate::ir::{ClassKind, Expr, FnKind, ImportId, Imported, Sym};

impl Index<'_> {
    /// True where names are paths from the root of a crate.
    pub(super) fn has_crates(&self, file: FileIndex) -> bool {
        self.units[file].facts.profile().has_crates
    }

    /// True for a name that methods of the language's own types have: no hint at a class of the project.
    pub(super) fn is_known_method(&self, file: FileIndex, name: &str) -> bool {
        let catalog = self.externals.catalog();
        if self.units[file].facts.profile().has_wrappers {
            catalog.wrappers.is_own_method(name)
        } else {
            catalog.builtin_methods.contains(name)
        }
    }

    /// What an import of a Rust file brings; of a glob, where it looks.
    pub(super) fn used(&self, file: FileIndex, id: ImportId) -> Option<Global> {
        if let Some(child) = self.modules.crates.declared(file, id) {
            return Some(Global::Is(Type::Module(Module::File(child))));
        }
        let import = self.units[file].facts.import(id);
        if let Some(own) = self.own_macro(file, id) {
            return Some(Global::Slot(own));
        }
        let base = self.path_of_import(file, id, |_| ())?;
        match import.what {
            Imported::Name(name) => self.step(base, name).or_else(|| self.beyond(base, name)),
            Imported::Root | Imported::Module | Imported::Star => Some(Global::Is(base)),
        }
    }

    /// `pub use name;` hands on a macro of the same file.
    fn own_macro(&self, file: FileIndex, id: ImportId) -> Option<Slot> {
        let import = self.units[file].facts.import(id);
        let path = self.units[file].facts.str(import.path);
        if import.what != Imported::Module || import.level > 0 {
            return None;
        }
        let slot = self.export(self.module_body(file), self.names.get(path)?)?;
        let is_function =
            |(func, value)| matches!(self.units[self.file_of(func)].facts.expr(value), Expr::Closure(_));
        self.definitions(slot).any(is_function).then_some(slot)
    }

    /// Paths of Rust go through what imports bring, so they are followed once that is known.
    pub(super) fn fill_import_modules(&mut self) {
        for file in (0..self.units.len()).filter(|&file| self.has_crates(file)).collect::<Vec<_>>() {
            let ids = self.units[file].facts.import_ids();
            let used: Vec<_> = ids.map(|id| (id, self.used_module(file, id))).collect();
            used.into_iter().for_each(|(id, module)| self.import_modules[id.0 as usize] = module);
        }
    }

    /// The module file that an import leads into, which is the deepest one on its path.
    pub(super) fn used_module(&self, file: FileIndex, id: ImportId) -> Option<Module> {
        let mut deepest = None;
        let mut note = |ty| {
            if let Type::Module(module) = ty {
                deepest = Some(module);
            }
        };
        let base = self.path_of_import(file, id, &mut note);
        let declared = self.modules.crates.declared(file, id).map(Module::File);
        declared.or(base.and(deepest))
    }

    /// Follows the path of an import without the name that it takes from there.
    fn path_of_import(&self, file: FileIndex, id: ImportId, mut note: impl FnMut(Type)) -> Option<Type> {
        let import = self.units[file].facts.import(id);
        let path = self.units[file].facts.str(import.path);
        let mut names = path.split('.').filter(|name| !name.is_empty());
        let mut at = match import.level {
            0 => self.start_of_path(file, import.scope, names.next()?)?,
            level => self.above(file, import.scope, level)?,
        };
        note(at);
        for text in names {
            let Some(name) = self.names.get(text) else {
                // A name that no file spells by itself is a library's.
                at = self.external_child(at, text)?;
                continue;
            };
            at = match self.step(at, name).or_else(|| self.beyond(at, name))? {
                Global::Is(ty) => ty,
                Global::Slot(slot) => self.slot_statics(slot).into_iter().find(is_place)?,
            };
            note(at);
        }
        Some(at)
    }

    fn start_of_path(&self, file: FileIndex, scope: crate::ir::Func, first: &str) -> Option<Type> {
        let crates = &self.modules.crates;
        if first == "crate" {
            return Some(Type::Module(Module::File(crates.root(file))));
        }
        if let Some(name) = self.names.get(first)
            && let Some(found) = self.in_scope(file, scope, name)
        {
            // A library's glob brings no libraries.
            let is_named = first.starts_with(char::is_uppercase)
                || scope != self.module_body(file)
                || self.export(self.module_body(file), name).is_some();
            if is_named || !matches!(found, Type::External(_)) {
                return Some(found);
            }
        }
        Some(self.crate_named(file, first))
    }

    /// A library of the workspace, else one from outside.
    fn crate_named(&self, file: FileIndex, name: &str) -> Type {
        let crates = &self.modules.crates;
        let original = crates.original(file, name);
        match crates.library(file, original) {
            Some(library) => Type::Module(Module::File(library)),
            None => {
                let meant = self.externals.catalog().wrappers.library(original);
                Type::External(self.externals.path(meant))
            }
        }
    }

    /// A module, class or library of that name that is known where an import stands.
    fn in_scope(&self, file: FileIndex, scope: crate::ir::Func, name: Sym) -> Option<Type> {
        let facts = self.units[file].facts;
        let mut at = scope;
        while at != facts.module() {
            if let FnKind::ClassBody(class) = facts.function(at).kind {
                let found = self.place_in(Type::Class { class, exact: true }, name);
                if found.is_some() {
                    return found;
                }
            } else if let Some(slot) = self.export(at, name)
                && let Some(found) = self.slot_statics(slot).into_iter().find(is_place)
            {
                return Some(found);
            }
            at = facts.function(at).parent;
        }
        self.place_in(Type::Module(Module::File(file)), name)
    }

    /// `use anyhow::anyhow` takes a macro from the library and leaves the name of the library what it was.
    fn place_in(&self, module: Type, name: Sym) -> Option<Type> {
        let found = match self.step(module, name)? {
            Global::Is(ty) => ty,
            Global::Slot(slot) => self.slot_statics(slot).into_iter().find(is_place)?,
        };
        match found {
            Type::External(path) => {
                let text = self.externals.text(path);
                let own = self.names.text(name);
                let is_inside = text.strip_prefix(own).is_some_and(|rest| rest.starts_with('.'));
                (!is_inside).then_some(found)
            }
            _ => is_place(&found).then_some(found),
        }
    }

    /// The module around an import (1), the one above (2) and so on; inline modules count.
    fn above(&self, file: FileIndex, scope: crate::ir::Func, level: u8) -> Option<Type> {
        let facts = self.units[file].facts;
        let mut left = level - 1;
        let mut at = scope;
        while at != facts.module() {
            let function = facts.function(at);
            if let FnKind::ClassBody(class) = function.kind
                && facts.class(class).kind == ClassKind::Namespace
            {
                if left == 0 {
                    return Some(Type::Class { class, exact: true });
                }
                left -= 1;
            }
            at = function.parent;
        }
        let mut file = file;
        for _ in 0..left {
            file = self.modules.crates.parent(file)?;
        }
        Some(Type::Module(Module::File(file)))
    }

    /// `base::name`, if the workspace or a library's path says what that is.
    pub(super) fn step(&self, base: Type, name: Sym) -> Option<Global> {
        match base {
            Type::Module(module) => self.module_attr(module, name),
            Type::Class { class, .. } => {
                let own = self.export(self.class_body(class), name).map(Global::Slot);
                own.or_else(|| self.namespace_attr(class, name))
            }
            Type::External(path) => {
                Some(Global::Is(Type::External(self.externals.child(path, name, &self.names))))
            }
            _ => None,
        }
    }

    /// What a module of the workspace should have and no file of it shows: a macro makes it.
    fn beyond(&self, base: Type, name: Sym) -> Option<Global> {
        match base {
            Type::Module(Module::File(file)) => {
                let path = self.externals.path(&self.modules.dotted(file));
                Some(Global::Is(Type::External(self.externals.child(path, name, &self.names))))
            }
            _ => None,
        }
    }

    fn external_child(&self, base: Type, name: &str) -> Option<Type> {
        match base {
            Type::External(path) => {
                let whole = format!("{}.{name}", self.externals.text(path));
                Some(Type::External(self.externals.path(&whole)))
            }
            _ => None,
        }
    }

    /// A name of a Rust file that no function binds.
    pub(super) fn find_crate_global(&self, file: FileIndex, name: Sym) -> Global {
        if let Some(global) = self.module_attr(Module::File(file), name) {
            return global;
        }
        let text = self.names.text(name);
        if let Some(path) = self.externals.catalog().wrappers.known(text) {
            return Global::Is(Type::External(self.externals.path(path)));
        }
        // A glob in a function or an inline module is known in part of the file only.
        for scope in self.glob_scopes(file) {
            let place = match self.ir(scope).kind {
                FnKind::ClassBody(class) => Type::Class { class, exact: true },
                _ => continue,
            };
            if let Some(global) = self.through_globs(place, name) {
                return global;
            }
        }
        match self.in_function_globs(file, name).or_else(|| self.macro_above(file, name)) {
            Some(global) => global,
            None => Global::Is(Type::Unbound(self.externals.path(text))),
        }
    }

    /// A macro is known in the modules below the one that defines it.
    fn macro_above(&self, file: FileIndex, name: Sym) -> Option<Global> {
        let above =
            std::iter::successors(self.modules.crates.parent(file), |&at| self.modules.crates.parent(at));
        let known = above.take(MAX_HOPS as usize).filter_map(|at| self.module_attr(Module::File(at), name));
        known.into_iter().find(|known| matches!(*known, Global::Slot(slot) if self.is_macro(slot)))
    }

    /// Of the functions of modules, macros alone have parameters without types.
    fn is_macro(&self, slot: Slot) -> bool {
        self.sole_definition(slot).is_some_and(|(scope, value)| {
            let facts = self.units[self.file_of(scope)].facts;
            let Expr::Closure(id) = *facts.expr(value) else { return false };
            facts.list(facts.function(id).params).iter().all(|param| param.ty.is_none())
        })
    }

    fn in_function_globs(&self, file: FileIndex, name: Sym) -> Option<Global> {
        let functions = self.glob_scopes(file).filter(|&scope| self.ir(scope).kind == FnKind::Plain);
        let globs = functions.flat_map(|scope| self.globs[&scope].iter());
        globs.filter_map(|&glob| self.imported(file, glob)).find_map(|base| match base {
            Global::Is(base @ Type::External(_)) => self.of_library(base, name),
            Global::Is(base) => self.own_name(base, name).map(Global::Slot),
            Global::Slot(_) => None,
        })
    }

    /// The functions and inline modules of a file with globs of their own.
    fn glob_scopes(&self, file: FileIndex) -> impl Iterator<Item = Func> + '_ {
        let scopes = self.glob_scopes.get(&(file as u32)).into_iter().flatten();
        scopes.copied()
    }

    /// The first name of a path: a library's glob brings no libraries.
    pub(super) fn head(&self, file: FileIndex, name: Sym) -> Global {
        self.heads.of((file as u32, name), || {
            let text = self.names.text(name);
            let is_type = text.starts_with(char::is_uppercase);
            if is_type {
                return self.global(file, name);
            }
            if let Some(slot) = self.export(self.module_body(file), name) {
                return Global::Slot(slot);
            }
            if let Brought::Known(global) = self.brought(Type::Module(Module::File(file)), name) {
                return global;
            }
            if let Some(child) = self.modules.child(Module::File(file), text) {
                return Global::Is(Type::Module(child));
            }
            let wrappers = &self.externals.catalog().wrappers;
            Global::Is(match wrappers.known(text) {
                Some(path) => Type::External(self.externals.path(path)),
                None => self.crate_named(file, text),
            })
        })
    }
}

/// What a path can go on from.
fn is_place(ty: &Type) -> bool {
    matches!(ty, Type::Module(_) | Type::Class { .. } | Type::External(_))
}
