//! Attributes that are set by their names: `setattr(Gate, "check", f)`, `globals()["check"] = f`, and what patches a dotted
//! path. What they set is read by whoever reads the attribute.

use super::calls::CallExpr;
use super::externals::PathId;
use super::index::Index;
use super::modules::Module;
use super::names::Name;
use super::program::Func;
use super::solve::{Key, Solver};
use super::statics::Global;
use super::types::{Type, Types};
use crate::ir::{ArgKind, Expr, ExprId};

impl<'a> Solver<'_, 'a> {
    /// A library function that sets an attribute by its name.
    pub(super) fn set_by_name(&mut self, call: CallExpr<'a>, path: PathId) {
        let externals = &self.index.externals;
        let catalog = externals.catalog();
        let Some(setter) = catalog.setters.of_call(externals.text(path)) else { return };
        let positional = |at: usize| {
            let arg = call.args.get(at).filter(|arg| arg.kind == ArgKind::Positional);
            arg.map(|arg| arg.value)
        };
        let types = match (positional(setter.value), &setter.default) {
            (Some(value), _) => self.eval(call.func, value),
            (None, Some(default)) => Types::from_slice(&[Type::External(externals.path(default))]),
            (None, None) => return,
        };
        if let (Some(object), Some(name)) =
            (setter.object.and_then(positional), setter.name.and_then(positional))
        {
            let bases = self.eval(call.func, object);
            for text in self.texts(call.func, name) {
                let Some(name) = self.index.names.get(&text) else { continue };
                bases.iter().for_each(|&base| self.store_attr(call.func, base, name, &types));
            }
        }
        if let Some(path) = setter.path.and_then(positional) {
            for text in self.texts(call.func, path) {
                for (base, name) in self.owners_of(call.func, &text) {
                    self.store_attr(call.func, base, name, &types);
                }
            }
        }
    }

    /// What a dotted path names the last attribute of.
    fn owners_of(&mut self, func: Func, dotted: &str) -> Vec<(Type, Name)> {
        let Some((owner, name)) = dotted.rsplit_once('.') else { return Vec::new() };
        let Some(name) = self.index.names.get(name) else { return Vec::new() };
        let owners = self.named_by_path(func, owner);
        owners.into_iter().map(|owner| (owner, name)).collect()
    }

    /// The modules and classes of the project that a dotted path names.
    pub(super) fn named_by_path(&mut self, func: Func, dotted: &str) -> Types {
        let file = self.index.file_of(func);
        let names: Vec<&str> = dotted.split('.').collect();
        for known in (1..=names.len()).rev() {
            let module = names[..known].join(".");
            let Some(module @ Module::File(_)) = self.index.modules.resolve(file, 0, &module) else {
                continue;
            };
            return self.attributes_of(Type::Module(module), &names[known..].join("."));
        }
        Types::new()
    }

    /// What a dotted name means from an object on.
    pub(super) fn attributes_of(&mut self, object: Type, dotted: &str) -> Types {
        let mut found = Types::from_slice(&[object]);
        for name in dotted.split('.').filter(|name| !name.is_empty()) {
            let Some(name) = self.index.names.get(name) else { return Types::new() };
            let mut next = Types::new();
            found.into_iter().for_each(|base| self.attr_of(base, name, &mut next));
            found = next;
        }
        found
    }

    /// The objects whose names a mapping is: `globals()`, `vars(module)`, `Gate.__dict__`, `__builtins__`.
    pub(super) fn namespaces(&mut self, func: Func, mapping: ExprId) -> Types {
        let (func, mapping) = match *self.index.units[self.index.file_of(func)].facts.expr(mapping) {
            Expr::Var(_) | Expr::Free(_) => self.index.named_once(func, mapping),
            _ => (func, mapping),
        };
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let setters = &self.index.externals.catalog().setters;
        match *facts.expr(mapping) {
            Expr::Field { base, name } if setters.is_namespace(facts.str(name)) => self.eval(func, base),
            Expr::Call { callee, args, .. } => {
                let path = self.index.statics(func, callee).into_iter().find_map(|ty| match ty {
                    Type::External(path) => Some(self.index.externals.text(path)),
                    _ => None,
                });
                match (path, facts.list(args)) {
                    (Some(path), []) if setters.is_own_namespace(path) => {
                        Types::from_slice(&[Type::Module(Module::File(file))])
                    }
                    (Some(path), [of]) if setters.is_namespace_of(path) => self.eval(func, of.value),
                    _ => Types::new(),
                }
            }
            Expr::Free(_) | Expr::Import(_) => {
                let externals = &self.index.externals;
                let is_table = |ty: &Type| match *ty {
                    Type::External(path) => setters.is_table(externals.text(path)),
                    _ => false,
                };
                self.index.statics(func, mapping).into_iter().filter(is_table).collect()
            }
            _ => Types::new(),
        }
    }

    /// `globals()["check"] = f`.
    pub(super) fn store_by_name(&mut self, func: Func, mapping: ExprId, key: ExprId, types: &[Type]) {
        let Some(Key::Name(name)) = self.constant_key(func, key) else { return };
        for base in self.namespaces(func, mapping) {
            self.store_attr(func, base, name, types);
        }
    }

    /// What a test puts into production code says nothing of production.
    pub fn store_attr(&mut self, func: Func, base: Type, name: Name, types: &[Type]) {
        if self.is_test_store(func, base) {
            return;
        }
        match base {
            Type::Instance { class, .. } | Type::Class { class, .. } => {
                let slot = self.attr(class, name);
                self.insert_all(slot, types);
            }
            Type::Module(super::modules::Module::File(file)) => {
                if let Some(slot) = self.index.export(self.index.module_body(file), name) {
                    self.insert_all(slot, types);
                }
            }
            _ => {}
        }
    }
}

impl Index<'_> {
    /// What a name is bound to, if that is one thing; else the name itself.
    pub(super) fn named_once(&self, func: Func, name: ExprId) -> (Func, ExprId) {
        let file = self.file_of(func);
        let global = match *self.units[file].facts.expr(name) {
            Expr::Var(var) => Global::Slot(self.var(func, var)),
            Expr::Free(name) => self.global(file, self.name(file, name)),
            _ => return (func, name),
        };
        let Global::Slot(slot) = global else { return (func, name) };
        let is_open = self.iterated(slot).is_some() || self.param_of.contains_key(&slot);
        self.sole_definition(slot).filter(|_| !is_open).unwrap_or((func, name))
    }
}
