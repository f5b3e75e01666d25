//! Names that definitions and imports alone decide, without inference: base classes, decorators, annotations. The solver
//! starts from what is found here.

use super::externals::PathId;
use super::index::Index;
use super::modules::Module;
use super::names::Name;
use super::program::Func;
use super::types::{Slot, Type, Types};
use crate::ir::{ClassId, Expr, ExprId, ImportId, Imported, MODULE};

/// Aliases of aliases, re-exports of re-exports: more hops than this are a cycle.
pub(super) const MAX_HOPS: u32 = 24;

/// What a global name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Global {
    /// A variable of some module.
    Slot(Slot),
    Is(Type),
}

impl Index<'_> {
    /// A name that no function of the file binds: the module's own, a star import's, a built-in, or nothing.
    pub fn global(&self, file: usize, name: Name) -> Global {
        let key = (file as u32, name);
        if let Some(&known) = self.globals.borrow().get(&key) {
            return known;
        }
        let found = self.find_global(file, name);
        self.globals.borrow_mut().insert(key, found);
        found
    }

    fn find_global(&self, file: usize, name: Name) -> Global {
        if let Some(global) = self.module_attr(Module::File(file), name, MAX_HOPS) {
            return global;
        }
        let text = self.names.text(name);
        if self.externals.catalog().builtins.contains(text) {
            return Global::Is(Type::External(self.externals.path(&format!("builtins.{text}"))));
        }
        Global::Is(Type::Unbound(self.externals.path(text)))
    }

    /// `module.name`: an export, what a star import brings, or a sub-module.
    pub fn module_attr(&self, module: Module, name: Name, hops: u32) -> Option<Global> {
        if let Some(&known) = self.module_attrs.borrow().get(&(module, name)) {
            return known;
        }
        let found = self.find_module_attr(module, name, hops);
        // An answer cut short by `hops` holds for this question only.
        if hops == MAX_HOPS {
            self.module_attrs.borrow_mut().insert((module, name), found);
        }
        found
    }

    fn find_module_attr(&self, module: Module, name: Name, hops: u32) -> Option<Global> {
        if let Module::File(file) = module {
            if let Some(slot) = self.export(self.module_body(file), name) {
                return Some(Global::Slot(slot));
            }
            if let Some(global) = self.star_attr(file, name, hops) {
                return Some(global);
            }
        }
        let child =
            self.modules.child(module, self.names.text(name)).map(|child| Global::Is(Type::Module(child)));
        match module {
            Module::File(file) => child.or_else(|| self.lazy_attr(file, name, hops)),
            Module::Namespace(_) => child,
        }
    }

    fn star_attr(&self, file: usize, name: Name, hops: u32) -> Option<Global> {
        let hops = hops.checked_sub(1)?;
        let facts = self.units[file].facts;
        let mut external = None;
        for &star in self.stars.get(&(file as u32))? {
            let import = facts.import(star);
            match self.import_module(file, star) {
                Some(module) => {
                    if let Some(global) = self.module_attr(module, name, hops) {
                        return Some(global);
                    }
                }
                None if import.level == 0 => external = Some(facts.str(import.path)),
                None => {}
            }
        }
        // One library star import may bring any name; a built-in is likelier to be the built-in.
        let path = external.filter(|_| !self.externals.catalog().builtins.contains(self.names.text(name)))?;
        let path = self.externals.path(path);
        Some(Global::Is(Type::External(self.externals.child(path, name, &self.names))))
    }

    /// What an import brings to the name it binds.
    pub fn imported(&self, file: usize, id: ImportId) -> Option<Global> {
        let key = (file as u32, id);
        if let Some(&known) = self.imports.borrow().get(&key) {
            return known;
        }
        // An import that needs itself brings nothing.
        self.imports.borrow_mut().insert(key, None);
        let found = self.find_imported(file, id);
        self.imports.borrow_mut().insert(key, found);
        found
    }

    fn find_imported(&self, file: usize, id: ImportId) -> Option<Global> {
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
                .module_attr(module, name, MAX_HOPS)
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

    /// What `expr`, standing in `func`, names by definitions and imports alone.
    pub fn statics(&self, func: Func, expr: ExprId) -> Types {
        let mut found = Types::new();
        self.static_expr(func, expr, MAX_HOPS, &mut found);
        found
    }

    fn static_expr(&self, func: Func, expr: ExprId, hops: u32, out: &mut Types) {
        let file = self.file_of(func);
        let facts = self.units[file].facts;
        let Some(hops) = hops.checked_sub(1) else { return };
        match *facts.expr(expr) {
            Expr::Var(var) => self.static_slot(self.var(func, var), hops, out),
            Expr::Free(name) => self.static_global(self.global(file, self.name(file, name)), hops, out),
            Expr::Closure(id) => out.push(Type::Function(self.func(file, id))),
            Expr::Class(id) => out.push(self.class_type(file, id)),
            Expr::Import(id) => {
                if let Some(global) = self.imported(file, id) {
                    self.static_global(global, hops, out);
                }
            }
            Expr::Bind { value, .. } | Expr::Ascribe { value: Some(value), .. } => {
                self.static_expr(func, value, hops, out);
            }
            Expr::Index { base, .. } => self.static_expr(func, base, hops, out),
            Expr::Field { base, name } => {
                let mut bases = Types::new();
                self.static_expr(func, base, hops, &mut bases);
                let name = self.name(file, name);
                bases.into_iter().for_each(|base| self.static_attr(base, name, hops, out));
            }
            _ => {}
        }
        out.sort_unstable();
        out.dedup();
    }

    fn class_type(&self, file: usize, id: ClassId) -> Type {
        Type::Class { class: self.class(file, id), exact: true }
    }

    /// Variables that are bound to each other in many places would be searched once for each way through them.
    fn static_slot(&self, slot: Slot, hops: u32, out: &mut Types) {
        let mut definitions = self.definitions(slot);
        let Some((func, value)) = definitions.next() else { return };
        if definitions.next().is_none() {
            return self.static_expr(func, value, hops, out);
        }
        if let Some(known) = self.static_slots.borrow().get(&(slot, hops)) {
            return out.extend(known.iter().copied());
        }
        let mut found = Types::new();
        for (func, value) in self.definitions(slot) {
            self.static_expr(func, value, hops, &mut found);
        }
        out.extend(found.iter().copied());
        self.static_slots.borrow_mut().insert((slot, hops), found);
    }

    fn static_global(&self, global: Global, hops: u32, out: &mut Types) {
        match global {
            Global::Slot(slot) => self.static_slot(slot, hops, out),
            Global::Is(ty) => out.push(ty),
        }
    }

    fn static_attr(&self, base: Type, name: Name, hops: u32, out: &mut Types) {
        match base {
            Type::Module(module) => {
                if let Some(global) = self.module_attr(module, name, hops) {
                    self.static_global(global, hops, out);
                }
            }
            Type::Class { class, .. } => {
                if let Some(slot) = self.export(self.class_body(class), name) {
                    self.static_slot(slot, hops, out);
                }
            }
            Type::External(path) => out.push(Type::External(self.externals.child(path, name, &self.names))),
            Type::Unbound(path) => out.push(Type::Unbound(self.externals.child(path, name, &self.names))),
            _ => {}
        }
    }

    /// The paths of a function's decorators, as far as they lead out of the project: `builtins.property`.
    pub fn decorator_paths(&self, func: Func) -> Vec<PathId> {
        let file = self.file_of(func);
        let facts = self.units[file].facts;
        let function = self.ir(func);
        let parent = self.func(file, function.parent);
        let mut paths = Vec::new();
        for &decorator in facts.list(function.decorators) {
            let callee = match *facts.expr(decorator) {
                Expr::Call { callee, .. } => callee,
                _ => decorator,
            };
            for ty in self.statics(parent, callee) {
                if let Type::External(path) | Type::Unbound(path) = ty {
                    paths.push(path);
                }
            }
        }
        paths
    }
}
