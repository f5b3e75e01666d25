//! What calls of libraries, built-ins and containers do with values: run callables, hand things back, store and look up.

use super::args::argument;
use super::calls::{CallExpr, READS};
use super::constants::Folder;
use super::eval::push;
use super::externals::PathId;
use super::modules::Module;
use super::program::Func;
use super::solve::{Key, Role, Solver};
use super::types::{ContainerId, Type, Types};
use crate::catalog::{Callback, CallbackResult};
use crate::ir::{Arg, ArgKind, ExprId};

impl<'a> Solver<'_, 'a> {
    pub fn call_external(&mut self, call: CallExpr<'a>, path: PathId) {
        let externals = &self.index.externals;
        if let Some(result) = externals.result(path) {
            self.insert(call.result, Type::External(result));
        }
        if let Some(id) = externals.callback(path) {
            let callback = externals.catalog().callback(id);
            self.call_through(call, callback);
        }
        if externals.sets(path) {
            self.set_by_name(call, path);
        }
        if let Some(loader) = externals.loader(path) {
            self.load(call, path, loader);
        }
        if self.is_rust(call.func) {
            return self.call_rust_library(call, path);
        }
        let externals = &self.index.externals;
        let text = externals.text(path);
        if let Some(name) = text.strip_prefix("builtins.") {
            self.call_builtin(call, name);
        } else if matches!(text, "importlib.import_module" | "importlib.__import__")
            || self.reads_modules(text)
        {
            self.import_dynamically(call);
        } else if text == "collections.defaultdict" {
            self.call_defaultdict(call);
        } else if matches!(text, "typing.cast" | "typing_extensions.cast") {
            self.cast(call);
        }
    }

    /// A library function that runs, wraps or hands back the callables it is given.
    fn call_through(&mut self, call: CallExpr<'a>, callback: &Callback) {
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        for runs in &callback.runs {
            let Some(value) = argument(facts, call.args, runs.index, runs.name.as_deref()) else { continue };
            let forwarded = if callback.forwards { forwarded(call.args, value) } else { &[] };
            let forwarded = CallExpr { args: forwarded, receiver: None, ..call };
            for ty in self.eval(call.func, value) {
                match callback.result {
                    Some(CallbackResult::Callable) => self.insert(call.result, partial(ty)),
                    Some(CallbackResult::Called) => self.call_type(forwarded, ty),
                    Some(CallbackResult::Argument) => self.insert(call.result, ty),
                    None => {}
                }
                self.forward(forwarded, ty);
                if let Some(args) = argument(facts, call.args, None, Some("args")) {
                    self.forward_tuple(call, args, ty);
                }
            }
        }
    }

    fn forward(&mut self, call: CallExpr<'a>, ty: Type) {
        match ty {
            Type::Function(target) => self.pass_arguments(call, target, 0),
            Type::Bound(target) => self.pass_arguments(call, target, 1),
            _ => {}
        }
    }

    /// `Thread(target=f, args=(a, b))`.
    fn forward_tuple(&mut self, call: CallExpr<'a>, args: ExprId, ty: Type) {
        let types = self.eval(call.func, args);
        match ty {
            Type::Function(target) => self.pass_spread(target, 0, &types),
            Type::Bound(target) => self.pass_spread(target, 1, &types),
            _ => {}
        }
    }

    fn import_dynamically(&mut self, call: CallExpr<'a>) {
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        let Some(value) = argument(facts, call.args, Some(0), Some("name")) else { return };
        let modules = self.modules_named(call.func, value);
        self.insert_all(call.result, &modules);
    }

    /// The modules whose names an expression is known to be.
    pub(super) fn modules_named(&self, func: Func, name: ExprId) -> Types {
        let file = self.index.file_of(func);
        let module = |dotted: &String| {
            let level = dotted.bytes().take_while(|&b| b == b'.').count().min(8) as u8;
            match self.index.modules.resolve(file, level, dotted.trim_start_matches('.')) {
                Some(module @ Module::File(_)) => Type::Module(module),
                _ => Type::External(self.index.externals.path(dotted)),
            }
        };
        self.texts(func, name).iter().map(module).collect()
    }

    /// A method by which the table of loaded modules is asked for one.
    fn reads_modules(&self, path: &str) -> bool {
        let setters = &self.index.externals.catalog().setters;
        path.rsplit_once('.')
            .is_some_and(|(table, method)| READS.contains(&method) && setters.is_module_table(table))
    }

    /// The texts that an expression is known to be as a whole.
    pub(super) fn texts(&self, func: Func, expr: ExprId) -> Vec<String> {
        let values = Folder::new(self.index, self.hierarchy).fold(func, expr);
        values.list.into_iter().filter(|known| known.whole).map(|known| known.text).collect()
    }

    /// `defaultdict(Client)`: what is missing is made by the factory.
    fn call_defaultdict(&mut self, call: CallExpr<'a>) {
        let Some(factory) = call.args.first() else { return };
        let made = self.container(self.index.file_of(call.func), call.expr, Role::Value);
        let made_by_factory = self.eval(call.func, factory.value).into_iter().filter_map(|ty| match ty {
            Type::Class { class, exact } => Some(Type::Instance { class, exact }),
            _ => None,
        });
        let instances: Types = made_by_factory.collect();
        self.store_entry(made, None, &instances);
        self.insert(call.result, Type::Container(made));
    }

    fn cast(&mut self, call: CallExpr<'a>) {
        let Some(&Arg { value, .. }) = call.args.first() else { return };
        let annotation = self.index.annotation(call.func, value, None);
        self.insert_all(call.result, &annotation.types);
        if let (true, Some(&Arg { value, .. })) = (annotation.types.is_empty(), call.args.get(1)) {
            let types = self.eval(call.func, value);
            self.insert_all(call.result, &types);
        }
    }

    fn call_builtin(&mut self, call: CallExpr<'a>, name: &str) {
        let args = call.args;
        let first = args.first().map(|arg| arg.value);
        match (name, first) {
            ("super", _) => {
                if let Some(class) = self.index.enclosing_class(call.func) {
                    self.insert(call.result, Type::Super(class));
                }
            }
            ("dict", _) if args.iter().any(|arg| matches!(arg.kind, ArgKind::Named(_))) => {
                let made = self.container(self.index.file_of(call.func), call.expr, Role::Value);
                self.container_update(call, made);
                self.insert(call.result, Type::Container(made));
            }
            ("zip", _) => self.call_zip(call),
            ("enumerate", Some(value)) => {
                let elements = self.elements(call.func, value);
                self.pairs(call, &[(1, elements)]);
            }
            (
                "list" | "tuple" | "set" | "frozenset" | "sorted" | "reversed" | "iter" | "dict" | "aiter",
                Some(value),
            ) => {
                let types = self.eval(call.func, value);
                self.insert_all(call.result, &types);
            }
            ("next" | "anext" | "max" | "min", Some(value)) => {
                let types = self.elements(call.func, value);
                self.insert_all(call.result, &types);
            }
            ("getattr", Some(value)) => self.call_getattr(call, value, args),
            ("type", Some(value)) if args.len() == 1 => {
                for ty in self.eval(call.func, value) {
                    if let Type::Instance { class, exact } = ty {
                        self.insert(call.result, Type::Class { class, exact });
                    }
                }
            }
            ("__import__", _) => self.import_dynamically(call),
            _ => {}
        }
    }

    /// `zip(a, b)`: tuples of one element of each.
    fn call_zip(&mut self, call: CallExpr<'a>) {
        let args = call.args.iter().enumerate();
        let columns: Vec<(u32, Types)> =
            args.map(|(at, arg)| (at as u32, self.elements(call.func, arg.value))).collect();
        self.pairs(call, &columns);
    }

    /// A sequence of tuples with these types at these positions.
    fn pairs(&mut self, call: CallExpr<'a>, columns: &[(u32, Types)]) {
        let file = self.index.file_of(call.func);
        let pairs = self.container(file, call.expr, Role::Value);
        let pair = self.container(file, call.expr, Role::Pair);
        for (at, types) in columns {
            self.store_entry(pair, Some(Key::At(*at)), types);
        }
        self.store_entry(pairs, None, &[Type::Container(pair)]);
        self.insert(call.result, Type::Container(pairs));
    }

    /// `getattr(value, "name", default)` with a constant name is the attribute.
    fn call_getattr(&mut self, call: CallExpr<'a>, value: ExprId, args: &[Arg]) {
        let Some(name) = args.get(1) else { return };
        let mut types = Types::new();
        let bases = self.eval(call.func, value);
        self.named_attrs(call.func, &bases, name.value, &mut types);
        if let Some(default) = args.get(2) {
            self.eval_into(call.func, default.value, &mut types);
        }
        self.insert_all(call.result, &types);
    }

    /// The attributes that have the names that an expression is known to be.
    pub(super) fn named_attrs(&mut self, func: Func, bases: &[Type], name: ExprId, out: &mut Types) {
        for text in self.texts(func, name) {
            for &base in bases {
                match (base, self.index.names.get(&text)) {
                    (_, Some(name)) => self.attr_of(base, name, out),
                    // A name that no file spells is nobody's attribute but a library's.
                    (Type::External(path) | Type::Handed(path), None) => {
                        let externals = &self.index.externals;
                        let whole = format!("{}.{text}", externals.text(path));
                        push(out, Type::External(externals.path(&whole)));
                    }
                    _ => {}
                }
            }
        }
    }

    /// What lists, sets and dicts do with what they are given.
    pub fn container_method(&mut self, call: CallExpr<'a>, base: Type, method: &str) {
        let Type::Container(container) = base else { return };
        let args = call.args;
        let first = args.first().map(|arg| arg.value);
        match (method, first) {
            ("append" | "add" | "appendleft", Some(value)) => {
                let types = self.eval(call.func, value);
                self.store_entry(container, None, &types);
            }
            ("insert", _) if args.len() == 2 => {
                let types = self.eval(call.func, args[1].value);
                self.store_entry(container, None, &types);
            }
            ("extend" | "union" | "update", _) => self.container_update(call, container),
            ("get" | "pop" | "setdefault" | "popleft" | "__getitem__", _) => {
                let key = first.and_then(|key| self.constant_key(call.func, key));
                let mut types = Types::new();
                self.read_entry(container, key, &mut types);
                if let Some(default) = args.get(1) {
                    self.eval_into(call.func, default.value, &mut types);
                    if method == "setdefault" {
                        self.store_entry(container, key, &types.clone());
                    }
                }
                self.insert_all(call.result, &types);
            }
            ("values" | "copy", _) => self.insert(call.result, base),
            ("items", _) => self.container_items(call, container),
            _ => {}
        }
    }

    fn container_update(&mut self, call: CallExpr<'a>, container: ContainerId) {
        let file = self.index.file_of(call.func);
        for arg in call.args {
            let types = self.eval(call.func, arg.value);
            match arg.kind {
                ArgKind::Named(name) => {
                    let key = Key::Name(self.index.name(file, name));
                    self.store_entry(container, Some(key), &types);
                }
                _ => types.iter().for_each(|&ty| self.copy_entries(ty, container)),
            }
        }
    }

    /// `for key, value in table.items()`: pairs whose second element is any value.
    fn container_items(&mut self, call: CallExpr<'a>, container: ContainerId) {
        let mut values = Types::new();
        self.read_entry(container, None, &mut values);
        self.pairs(call, &[(1, values)]);
    }
}

/// The arguments behind the callable, which are handed on to it.
fn forwarded(args: &[Arg], callable: ExprId) -> &[Arg] {
    let at = args.iter().position(|arg| arg.value == callable && arg.kind == ArgKind::Positional);
    at.map_or(&[], |at| &args[at + 1..])
}

/// `partial(f, x)` still calls `f`, but its parameters have moved.
fn partial(ty: Type) -> Type {
    match ty {
        Type::Function(func) | Type::Bound(func) => Type::Partial(func),
        Type::External(path) => Type::Handed(path),
        other => other,
    }
}
