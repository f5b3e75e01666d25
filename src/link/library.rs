//! What calls of libraries, built-ins and containers do with values: run callables, hand things back, store and look up.

use super::args::argument;
use super::calls::{CallExpr, READS};
use super::constants::Folder;
use super::containers::{Key, Role};
use super::externals::PathId;
use super::modules::Module;
use super::ports::Port;
use super::program::Func;
use super::react::{CallId, React, given_back};
use super::solve::Solver;
use super::types::{ContainerId, Type, Types, Value};
use crate::catalog::{CallbackId, CallbackResult};
use crate::ir::{Arg, ArgKind, ExprId};

/// Methods of lists, sets and dictionaries that move what they hold.
pub(super) const CONTAINER_METHODS: [&str; 17] = [
    "append",
    "add",
    "appendleft",
    "insert",
    "extend",
    "union",
    "update",
    "get",
    "pop",
    "setdefault",
    "popleft",
    "__getitem__",
    "__setitem__",
    "values",
    "copy",
    "items",
    "popitem",
];

impl<'a> Solver<'_, 'a> {
    pub(super) fn call_external(&mut self, id: CallId, path: PathId) {
        let call = self.call_of(id);
        let externals = &self.index.externals;
        if !externals.is_of_language(path) && !self.index.is_test_code(call.func) {
            self.holders.calls.push((id, path));
        }
        if let Some(result) = externals.result(path) {
            self.insert(call.result, Type::Object(result));
        }
        if let Some(callback) = externals.callback(path) {
            self.call_through(id, callback);
        }
        if externals.sets(path) {
            self.set_by_name(call, path);
        }
        if let Some(loader) = externals.loader(path) {
            self.load(id, path, loader);
        }
        if self.has_wrappers(call.func) {
            return self.call_rust_library(id, path);
        }
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
    fn call_through(&mut self, id: CallId, callback: CallbackId) {
        let call = self.call_of(id);
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        for runs in &self.index.externals.catalog().callback(callback).runs {
            let Some(given) = argument(facts, call.args, runs.index, runs.name.as_deref()) else { continue };
            let value = self.value(call.func, given);
            let inner = self.inner_call(id, callback, given);
            self.on(value, React::Through { call: id, inner, callback });
        }
    }

    /// The call of what a library function is given.
    fn inner_call(&mut self, id: CallId, callback: CallbackId, given: ExprId) -> CallId {
        if let Some(&known) = self.inner_calls.get(&(id, callback, given)) {
            return known;
        }
        let call = self.call_of(id);
        let forwards = self.index.externals.catalog().callback(callback).forwards;
        let args = if forwards { forwarded(call.args, given) } else { &[] };
        let inner = self.add_call(CallExpr { args, receiver: None, ..call });
        self.inner_calls.insert((id, callback, given), inner);
        inner
    }

    pub(super) fn go_through(&mut self, (id, inner): (CallId, CallId), callback: CallbackId, ty: Type) {
        let call = self.call_of(id);
        let callback = self.index.externals.catalog().callback(callback);
        if callback.result == Some(CallbackResult::Called) {
            self.call_type(inner, ty);
        } else if let Some(ty) = given_back(callback.result, ty) {
            self.insert(call.result, ty);
        }
        let (target, skip) = match ty {
            Type::Function(target) => (target, 0),
            Type::Bound(target) => (target, 1),
            _ => return,
        };
        if !self.through.insert((inner, ty)) {
            return;
        }
        self.pass_arguments(inner, target, skip);
        // `Thread(target=f, args=(a, b))`.
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        if let Some(args) = argument(facts, call.args, None, Some("args")) {
            let values = self.value(call.func, args);
            self.spread(values, target, skip);
        }
    }

    fn import_dynamically(&mut self, call: CallExpr<'a>) {
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        let Some(value) = argument(facts, call.args, Some(0), Some("name")) else { return };
        let modules = self.modules_named(call.func, value);
        modules.into_iter().for_each(|module| self.insert(call.result, module));
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
        let made = self.make(call);
        let (to, at) = (self.new_slot(), factory.value);
        let factory = self.value(call.func, at);
        let missing = self.add_call(CallExpr { expr: at, receiver: None, args: &[], result: to, ..call });
        self.on(factory, React::Call(missing));
        self.store_noted(made, None, Value::In(to));
    }

    /// The container that a call makes and hands back.
    pub(super) fn make(&mut self, call: CallExpr<'a>) -> ContainerId {
        let made = self.container(self.index.file_of(call.func), call.expr, Role::Value);
        self.insert(call.result, Type::Container(made));
        made
    }

    fn cast(&mut self, call: CallExpr<'a>) {
        let Some(&Arg { value, .. }) = call.args.first() else { return };
        let annotation = self.index.annotation(call.func, value, None);
        annotation.types.iter().for_each(|&ty| self.insert(call.result, ty));
        if let (true, Some(&Arg { value, .. })) = (annotation.types.is_empty(), call.args.get(1)) {
            let value = self.value(call.func, value);
            self.copy(value, call.result);
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
                let made = self.make(call);
                self.container_update(call, made);
            }
            ("list" | "set" | "dict", None) => _ = self.make(call),
            ("zip", _) => {
                let columns: Vec<(u32, Value)> = args
                    .iter()
                    .enumerate()
                    .map(|(at, arg)| (at as u32, self.elements(call.func, arg.value)))
                    .collect();
                self.pairs(call, &columns);
            }
            ("enumerate", Some(value)) => {
                let elements = self.elements(call.func, value);
                self.pairs(call, &[(1, elements)]);
            }
            (
                "list" | "tuple" | "set" | "frozenset" | "sorted" | "reversed" | "iter" | "dict" | "aiter",
                Some(value),
            ) => {
                let value = self.value(call.func, value);
                self.copy(value, call.result);
            }
            ("next" | "anext" | "max" | "min", Some(value)) => {
                let elements = self.elements(call.func, value);
                self.copy(elements, call.result);
            }
            ("getattr", Some(value)) => self.call_getattr(call, value),
            ("type", Some(value)) if args.len() == 1 => {
                let value = self.value(call.func, value);
                let classes = self.ask(value, Port::ClassOf);
                self.copy(classes, call.result);
            }
            ("__import__", _) => self.import_dynamically(call),
            _ => {}
        }
    }

    /// A sequence of tuples with these values at these positions.
    fn pairs(&mut self, call: CallExpr<'a>, columns: &[(u32, Value)]) {
        let pair = self.container(self.index.file_of(call.func), call.expr, Role::Pair);
        for &(at, value) in columns {
            self.store_entry(pair, Some(Key::At(at)), value);
        }
        let pairs = self.make(call);
        self.store_entry(pairs, None, Value::Is(Type::Container(pair)));
    }

    /// `getattr(value, "name", default)` with a constant name is the attribute.
    fn call_getattr(&mut self, call: CallExpr<'a>, value: ExprId) {
        let Some(name) = call.args.get(1) else { return };
        let value = self.value(call.func, value);
        self.load_named(call.func, value, name.value, call.result);
        if let Some(default) = call.args.get(2) {
            let default = self.value(call.func, default.value);
            self.copy(default, call.result);
        }
    }

    /// What lists, sets and dicts do with what they are given.
    pub(super) fn container_method(&mut self, id: CallId, container: ContainerId, method: &str) {
        let call = self.call_of(id);
        let args = call.args;
        let first = args.first().map(|arg| arg.value);
        match (method, first) {
            ("append" | "add" | "appendleft", Some(value)) => {
                let value = self.value(call.func, value);
                self.store_noted(container, None, value);
            }
            ("insert", _) if args.len() == 2 => {
                let value = self.value(call.func, args[1].value);
                self.store_noted(container, None, value);
            }
            ("extend" | "union" | "update", _) => self.container_update(call, container),
            ("get" | "pop" | "setdefault" | "popleft" | "__getitem__", _) => {
                let key = first.and_then(|key| self.constant_key(call.func, key));
                self.read_entry(container, key, call.result);
                if let Some(default) = args.get(1) {
                    let default = self.value(call.func, default.value);
                    self.copy(default, call.result);
                    if method == "setdefault" {
                        self.store_under(container, key, default);
                    }
                }
            }
            ("__setitem__", Some(key)) if args.len() == 2 => {
                let (key, value) = (self.constant_key(call.func, key), self.value(call.func, args[1].value));
                self.store_under(container, key, value);
            }
            ("values" | "copy", _) => self.insert(call.result, Type::Container(container)),
            // Pairs whose second element is any value.
            ("items", _) => {
                let values = Value::In(self.elements_of(container));
                self.pairs(call, &[(1, values)]);
            }
            _ => {}
        }
    }

    fn container_update(&mut self, call: CallExpr<'a>, container: ContainerId) {
        for arg in call.args {
            let value = self.value(call.func, arg.value);
            match arg.kind {
                ArgKind::Named(name) => {
                    let key = Key::Name(name);
                    self.store_entry(container, Some(key), value);
                }
                _ => self.on_containers(value, React::CopyInto(container)),
            }
        }
    }
}

/// The arguments behind the callable, which are handed on to it.
fn forwarded(args: &[Arg], callable: ExprId) -> &[Arg] {
    let at = args.iter().position(|arg| arg.value == callable && arg.kind == ArgKind::Positional);
    at.map_or(&[], |at| &args[at + 1..])
}
