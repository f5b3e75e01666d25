//! Names that definitions and imports alone decide, without inference: base classes, decorators, annotations. The solver
//! starts from what is found here.

use smallvec::SmallVec;

use super::ids::{Func, Module, PathId, Slot};
use super::index::Index;
use super::types::{Global, Type, Types, push};
use crate::ir::{ClassKind, Cls, Expr, ExprId, Sym};

/// Aliases of aliases, re-exports of re-exports: more hops than this are a cycle.
pub(super) const MAX_HOPS: u32 = 128;

/// Expressions looked at for one answer: names of several names of several names multiply.
const MAX_STEPS: u32 = 400;

/// One question of `statics`.
struct Search {
    left: u32,
    /// Variables whose definitions are being looked at.
    open: SmallVec<[Slot; 8]>,
}

/// One question of `module_attr`.
#[derive(Default)]
pub(super) struct Reexports {
    seen: SmallVec<[(Module, Sym); 8]>,
    /// From the module that was asked first.
    hops: u32,
}

impl Index<'_> {
    /// A name that no function of the file binds: the module's own, a star import's, a built-in, or nothing.
    pub fn global(&self, file: usize, name: Sym) -> Global {
        self.globals.of((file as u32, name), || self.find_global(file, name))
    }

    fn find_global(&self, file: usize, name: Sym) -> Global {
        if self.has_crates(file) {
            return self.find_crate_global(file, name);
        }
        if let Some(global) = self.module_attr(Module::File(file), name) {
            return global;
        }
        let text = self.names.text(name);
        if self.externals.catalog().builtins.contains(text) {
            return Global::Is(Type::External(self.externals.path(&format!("builtins.{text}"))));
        }
        Global::Is(Type::Unbound(self.externals.path(text)))
    }

    /// `module.name`: an export, what a star import brings, or a sub-module.
    pub fn module_attr(&self, module: Module, name: Sym) -> Option<Global> {
        self.module_attrs.of((module, name), || self.reexported(module, name, &mut Reexports::default()))
    }

    /// The same on the way of another question. Modules that import all of one another have many ways between them, so each is
    /// asked once.
    pub(super) fn reexported(&self, module: Module, name: Sym, asked: &mut Reexports) -> Option<Global> {
        if let Some(known) = self.module_attrs.known(&(module, name)) {
            return known;
        }
        if asked.seen.contains(&(module, name)) || asked.hops == MAX_HOPS {
            return None;
        }
        asked.seen.push((module, name));
        asked.hops += 1;
        let found = self.find_module_attr(module, name, asked);
        asked.hops -= 1;
        found
    }

    fn find_module_attr(&self, module: Module, name: Sym, asked: &mut Reexports) -> Option<Global> {
        if let Module::File(file) = module {
            if let Some(slot) = self.export(self.module_body(file), name) {
                return Some(Global::Slot(slot));
            }
            let starred = match self.has_crates(file) {
                true => self.glob_attr(file, name),
                false => self.star_attr(file, name, asked),
            };
            if starred.is_some() {
                return starred;
            }
        }
        let child =
            self.modules.child(module, self.names.text(name)).map(|child| Global::Is(Type::Module(child)));
        match module {
            Module::File(file) => child.or_else(|| self.lazy_attr(file, name, asked)),
            Module::Namespace(_) => child,
        }
    }

    fn star_attr(&self, file: usize, name: Sym, asked: &mut Reexports) -> Option<Global> {
        let facts = self.units[file].facts;
        let mut external = None;
        for &star in self.stars.get(&(file as u32))? {
            let import = facts.import(star);
            match self.import_module(star) {
                Some(module) => {
                    if let Some(global) = self.reexported(module, name, asked) {
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

    /// What a variable stands for by definitions and imports alone.
    pub(super) fn slot_statics(&self, slot: Slot) -> Types {
        let mut found = Types::new();
        let mut search = Search { left: MAX_STEPS, open: SmallVec::new() };
        self.static_slot(slot, MAX_HOPS, &mut search, &mut found);
        found
    }

    /// What `expr`, standing in `func`, names by definitions and imports alone.
    pub fn statics(&self, func: Func, expr: ExprId) -> Types {
        let mut found = Types::new();
        let mut search = Search { left: MAX_STEPS, open: SmallVec::new() };
        self.static_expr(func, expr, MAX_HOPS, &mut search, &mut found);
        found
    }

    /// The same of a global name.
    pub(super) fn statics_of(&self, global: Global) -> Types {
        let mut found = Types::new();
        let mut search = Search { left: MAX_STEPS, open: SmallVec::new() };
        self.static_global(global, MAX_HOPS, &mut search, &mut found);
        found
    }

    fn static_expr(&self, func: Func, expr: ExprId, hops: u32, search: &mut Search, out: &mut Types) {
        let file = self.file_of(func);
        let facts = self.units[file].facts;
        let Some(hops) = hops.checked_sub(1).filter(|_| search.left > 0) else { return };
        search.left -= 1;
        match *facts.expr(expr) {
            Expr::Var(var) => self.static_slot(self.var(func, var), hops, search, out),
            Expr::Free(name) => self.static_global(self.global(file, name), hops, search, out),
            Expr::Closure(id) => push(out, Type::Function(id)),
            Expr::Class(id) => push(out, self.class_type(id)),
            Expr::Import(id) => {
                if let Some(global) = self.imported(file, id) {
                    self.static_global(global, hops, search, out);
                }
            }
            Expr::Bind { value, .. } | Expr::Ascribe { value: Some(value), .. } => {
                self.static_expr(func, value, hops, search, out);
            }
            Expr::Index { base, .. } => self.static_expr(func, base, hops, search, out),
            Expr::Field { base, name } => {
                let mut bases = Types::new();
                match *facts.expr(base) {
                    Expr::Free(first) if self.has_crates(file) => {
                        let head = self.head(file, first);
                        self.static_global(head, hops, search, &mut bases);
                    }
                    _ => self.static_expr(func, base, hops, search, &mut bases),
                }
                bases.into_iter().for_each(|base| self.static_attr(base, name, hops, search, out));
            }
            _ => {}
        }
    }

    pub(super) fn class_type(&self, class: Cls) -> Type {
        // What a trait's function does is for its implementors to say.
        Type::Class { class, exact: self.class_ir(class).1.kind != ClassKind::Interface }
    }

    fn static_slot(&self, slot: Slot, hops: u32, search: &mut Search, out: &mut Types) {
        // What a name is by way of itself (`a, b = b, a`) it is without it.
        if search.open.contains(&slot) {
            return;
        }
        search.open.push(slot);
        for (func, value) in self.definitions(slot) {
            self.static_expr(func, value, hops, search, out);
        }
        search.open.pop();
    }

    fn static_global(&self, global: Global, hops: u32, search: &mut Search, out: &mut Types) {
        match global {
            Global::Slot(slot) => self.static_slot(slot, hops, search, out),
            Global::Is(ty) => push(out, ty),
        }
    }

    fn static_attr(&self, base: Type, name: Sym, hops: u32, search: &mut Search, out: &mut Types) {
        match base {
            Type::Module(module) => {
                if let Some(global) = self.module_attr(module, name) {
                    self.static_global(global, hops, search, out);
                }
            }
            Type::Class { class, .. } => {
                if let Some(slot) = self.export(self.class_body(class), name) {
                    self.static_slot(slot, hops, search, out);
                } else if let Some(global) = self.namespace_attr(class, name) {
                    self.static_global(global, hops, search, out);
                }
            }
            Type::External(path) => push(out, Type::External(self.externals.child(path, name, &self.names))),
            Type::Unbound(path) => push(out, Type::Unbound(self.externals.child(path, name, &self.names))),
            _ => {}
        }
    }

    /// The paths of a function's decorators, as far as they lead out of the project: `builtins.property`.
    pub fn decorator_paths(&self, func: Func) -> Vec<PathId> {
        let file = self.file_of(func);
        let facts = self.units[file].facts;
        let function = self.ir(func);
        let parent = function.parent;
        let mut paths = Vec::new();
        for &decorator in facts.list(function.decorators) {
            let callee = facts.decorator(decorator);
            for ty in self.statics(parent, callee) {
                if let Type::External(path) | Type::Unbound(path) = ty {
                    paths.push(path);
                }
            }
        }
        paths
    }
}
