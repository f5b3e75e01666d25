//! Attributes that are set by their names: `setattr(Gate, "check", f)`, `globals()["check"] = f`, and what patches a dotted
//! path. What they set is read by whoever reads the attribute.

use super::call::CallExpr;
use super::ids::{Func, Key, Module, PathId, Slot};
use super::index::Index;
use super::ports::Port;
use super::solve::Solver;
use super::types::{Global, Type, Value};
use crate::ir::{ArgKind, Expr, ExprId, Sym};

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
        let func = call.func;
        let is_test = self.index.is_test_code(func);
        if let Some(class) = &setter.objects {
            return self.fill_objects(call, externals.path(class));
        }
        let value = match (positional(setter.value), &setter.default) {
            (Some(value), _) => self.value(func, value),
            (None, Some(default)) => Value::Is(Type::Object(externals.path(default))),
            (None, None) => return,
        };
        if let (Some(object), Some(name)) =
            (setter.object.and_then(positional), setter.name.and_then(positional))
        {
            if let Some(value) = positional(setter.value) {
                self.set_each(func, object, name, value);
            }
            let object = self.value(func, object);
            for text in self.texts(func, name) {
                if let Some(name) = self.index.names.get(&text) {
                    self.set_attribute(object, name, is_test, value);
                }
            }
        }
        if let Some(path) = setter.path.and_then(positional) {
            for text in self.texts(func, path) {
                if let Some((owner, name)) = self.owners_of(func, &text) {
                    self.set_attribute(owner, name, is_test, value);
                }
            }
        }
    }

    /// Named arguments that objects of a class of a library have as attributes.
    fn fill_objects(&mut self, call: CallExpr<'a>, class: PathId) {
        for arg in call.args.iter().filter(|_| !self.index.is_test_code(call.func)) {
            if let ArgKind::Named(name) = arg.kind {
                let value = self.value(call.func, arg.value);
                let attribute = self.filled_attribute(class, name);
                self.give(value.handed(), attribute);
            }
        }
    }

    /// The attribute of all objects of a class of a library.
    pub(super) fn filled_attribute(&mut self, class: PathId, name: Sym) -> Slot {
        let key = (Type::Object(class), name);
        if let Some(&known) = self.members.get(&key) {
            return known;
        }
        let to = self.new_slot();
        self.members.insert(key, to);
        let path = self.index.externals.child(class, name, &self.index.names);
        self.insert(to, Type::External(path));
        to
    }

    /// What a dotted path names the last attribute of.
    fn owners_of(&mut self, func: Func, dotted: &str) -> Option<(Value, Sym)> {
        let (owner, name) = dotted.rsplit_once('.')?;
        let name = self.index.names.get(name)?;
        Some((self.named_by_path(func, owner), name))
    }

    /// The module or class of the project that a dotted path names.
    pub(super) fn named_by_path(&mut self, func: Func, dotted: &str) -> Value {
        let file = self.index.file_of(func);
        let names: Vec<&str> = dotted.split('.').collect();
        for known in (1..=names.len()).rev() {
            let module = names[..known].join(".");
            let Some(module @ Module::File(_)) = self.index.modules.resolve(file, 0, &module) else {
                continue;
            };
            return self.attributes_of(Type::Module(module), &names[known..].join("."));
        }
        Value::Nothing
    }

    /// What a dotted name means from an object on.
    pub(super) fn attributes_of(&mut self, object: Type, dotted: &str) -> Value {
        let mut found = Value::Is(object);
        for name in dotted.split('.').filter(|name| !name.is_empty()) {
            let Some(name) = self.index.names.get(name) else { return Value::Nothing };
            found = self.field_value(found, name);
        }
        found
    }

    /// The objects whose names a mapping is: `globals()`, `vars(module)`, `Gate.__dict__`, `__builtins__`.
    pub(super) fn namespaces(&mut self, func: Func, mapping: ExprId) -> Option<Value> {
        let (func, mapping) = match *self.index.units[self.index.file_of(func)].facts.expr(mapping) {
            Expr::Var(_) | Expr::Free(_) => self.index.named_once(func, mapping),
            _ => (func, mapping),
        };
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let setters = &self.index.externals.catalog().setters;
        match *facts.expr(mapping) {
            Expr::Field { base, name } if setters.is_namespace(facts.str(name)) => {
                Some(self.value(func, base))
            }
            Expr::Call { callee, args, .. } => {
                let path = self.index.statics(func, callee).into_iter().find_map(|ty| match ty {
                    Type::External(path) => Some(self.index.externals.text(path)),
                    _ => None,
                })?;
                match facts.list(args) {
                    [] if setters.is_own_namespace(path) => Some(Value::Is(Type::Module(Module::File(file)))),
                    [of] if setters.is_namespace_of(path) => Some(self.value(func, of.value)),
                    _ => None,
                }
            }
            Expr::Free(_) | Expr::Import(_) => {
                let externals = &self.index.externals;
                let is_table = |ty: &Type| match *ty {
                    Type::External(path) => setters.is_table(externals.text(path)),
                    _ => false,
                };
                self.index.statics(func, mapping).into_iter().find(is_table).map(Value::Is)
            }
            _ => None,
        }
    }

    /// `globals()["check"] = f`.
    pub(super) fn store_by_name(&mut self, func: Func, mapping: ExprId, key: ExprId, value: Value) {
        let Some(Key::Name(name)) = self.constant_key(func, key) else { return };
        if let Some(objects) = self.namespaces(func, mapping) {
            let is_test = self.index.is_test_code(func);
            self.set_attribute(objects, name, is_test, value);
        }
    }

    /// Sets an attribute of objects other than the own one.
    pub(super) fn set_attribute(&mut self, objects: Value, name: Sym, is_test: bool, value: Value) {
        self.set_elsewhere.insert(name);
        self.put(objects, Port::SetAttr { name, is_test }, value);
    }

    /// What a test puts into production code says nothing of production.
    pub fn store_attr(&mut self, is_test: bool, base: Type, name: Sym, value: Value) {
        if is_test && self.is_production(base) {
            return;
        }
        match base {
            Type::Instance { class, .. } | Type::Class { class, .. } => {
                let slot = self.attribute(class, name);
                self.copy(value, slot);
            }
            Type::Module(Module::File(file)) => {
                let known = self.index.export(self.index.module_body(file), name);
                if let Some(slot) = known.or_else(|| self.global_slots.get(&(file as u32, name)).copied()) {
                    self.copy(value, slot);
                }
            }
            Type::Container(record) => self.store_field(record, name, value),
            Type::Function(func) | Type::Bound(func) => {
                let slot = self.attribute_of_function(func, name);
                self.copy(value, slot);
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
            Expr::Free(name) => self.global(file, name),
            _ => return (func, name),
        };
        let Global::Slot(slot) = global else { return (func, name) };
        let is_open = self.iterated(slot).is_some() || self.param_of.contains_key(&slot);
        self.sole_definition(slot).filter(|_| !is_open).unwrap_or((func, name))
    }
}
