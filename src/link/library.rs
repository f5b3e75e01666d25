//! What calls of libraries do with values: run callables, hand them on, load modules. What they do to collections and objects is
//! in `collections`.

use super::args::argument;
use super::call::CallExpr;
use super::constants::Folder;
use super::ids::{CallId, Func, Module, PathId};
use super::names::OWN_NAME;
use super::ports::Port;
use super::react::{React, given_back};
use super::solve::Solver;
use super::types::{Type, Types, Value};
use crate::catalog::{CallbackId, CallbackResult, DataOp, Each, Loads};
use crate::ir::{Arg, ArgKind, Expr, ExprId, FnKind};

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
        if let Some(base) = call.receiver.filter(|_| externals.makes_own(path)) {
            let classes = self.base_value(call.func, base);
            let made = self.ask(classes, Port::Objects);
            self.copy(made, call.result);
        }
        if let Some(callback) = externals.callback(path) {
            self.call_through(id, callback);
        }
        if matches!(self.index.ir(call.func).kind, FnKind::ClassBody(_)) && externals.makes_field(path) {
            self.default_of_field(call);
        }
        if externals.sets(path) {
            self.set_by_name(call, path);
        }
        if let Some(loader) = externals.loader(path) {
            self.load(id, path, loader);
            if let (Loads::Module, Some(named)) = (loader.of, &loader.argument) {
                self.import_dynamically(call, named.index);
            }
        }
        if self.has_wrappers(call.func) {
            return self.call_wrapped_library(id, path);
        }
        if self.reads_modules(externals.text(path)) {
            self.import_dynamically(call, Some(0));
        }
        if let Some(does) = externals.catalog().operations.of_call(externals.text(path)) {
            self.call_operation(id, does);
        }
    }

    /// `field(default=CLIENT)`: what stands for the default of a field.
    fn default_of_field(&mut self, call: CallExpr<'a>) {
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        let Some(default) = argument(facts, call.args, Some(0), Some("default")) else { return };
        // What a library makes there stands for a default of its own.
        let is_own = match *facts.expr(default) {
            Expr::Call { callee, .. } => {
                let made = self.index.statics(call.func, callee);
                made.iter().any(|ty| matches!(ty, Type::Class { .. }))
            }
            _ => true,
        };
        if is_own {
            let default = self.value(call.func, default);
            self.copy(default, call.result);
        }
    }

    /// A library function that runs, wraps or hands back the callables it is given.
    pub(super) fn call_through(&mut self, id: CallId, callback: CallbackId) {
        let call = self.call_of(id);
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        for runs in &self.index.externals.catalog().callback(callback).runs {
            let Some(given) = argument(facts, call.args, runs.index, runs.name.as_deref()) else { continue };
            let value = self.value(call.func, given);
            if let Some(each) = self.index.externals.catalog().callback(callback).each
                && let Some(&many) = self.given_many(call, each).first()
            {
                let objects = self.elements(call.func, many);
                self.look_up_in_each(call, given, objects);
            }
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
        let mut result = call.result;
        if self.index.externals.catalog().callback(callback).result == Some(CallbackResult::Collected) {
            result = self.new_slot();
        }
        // Where the function is a value like any other, what it makes of whatever it is given says nothing.
        if result != call.result && self.is_named_call(call) {
            let made = self.make(call);
            self.store_entry(made, None, Value::In(result));
        }
        let inner = self.add_call(CallExpr { args, receiver: None, result, ..call });
        self.inner_calls.insert((id, callback, given), inner);
        inner
    }

    /// True if a call names the library's function.
    fn is_named_call(&self, call: CallExpr<'a>) -> bool {
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        let Expr::Call { callee, .. } = *facts.expr(call.expr) else { return false };
        matches!(self.index.statics(call.func, callee)[..], [Type::External(_)])
    }

    pub(super) fn go_through(&mut self, (id, inner): (CallId, CallId), callback: CallbackId, ty: Type) {
        let call = self.call_of(id);
        let callback = self.index.externals.catalog().callback(callback);
        if let Some(CallbackResult::Called | CallbackResult::Provided | CallbackResult::Collected) =
            callback.result
        {
            self.call_type(inner, ty);
            if let (Some(CallbackResult::Provided), Type::Function(provider)) = (callback.result, ty) {
                self.copy(Value::In(self.yields(provider)), call.result);
            }
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
        self.pass_arguments(inner, target, skip, false);
        if let Some(each) = callback.each {
            self.give_each(call, each, target, skip);
        }
        // `Thread(target=f, args=(a, b))`.
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        if let Some(args) = argument(facts, call.args, None, Some("args")) {
            let values = self.value(call.func, args);
            self.spread(values, target, skip);
        }
    }

    /// What is run on each of many is given one of them.
    fn give_each(&mut self, call: CallExpr<'a>, each: Each, target: Func, skip: u32) {
        let many = self.given_many(call, each);
        let count = if each.rest { many.len() } else { 1 };
        for (&many, at) in many.iter().take(count).zip(skip + each.parameter..) {
            let one = self.elements(call.func, many);
            match each.spread {
                true => self.spread(one, target, skip),
                false => self.pass(target, at, one),
            }
        }
        self.operations.unpacked.insert(target);
    }

    fn given_many(&self, call: CallExpr<'a>, each: Each) -> Vec<ExprId> {
        match each.argument {
            Some(at) => call.args.iter().skip(at).map(|arg| arg.value).collect(),
            None => call.receiver.into_iter().collect(),
        }
    }

    fn import_dynamically(&mut self, call: CallExpr<'a>, argument_at: Option<usize>) {
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        let Some(value) = argument(facts, call.args, argument_at, Some("name")) else { return };
        let modules = self.modules_named(call.func, value);
        modules.into_iter().for_each(|module| self.insert(call.result, module));
        // `resolve_name("net:send")` hands back what is in a module.
        for text in self.texts(call.func, value).iter().filter(|text| text.contains(['.', ':'])) {
            let named = self.named_by_path(call.func, &text.replace(':', "."));
            self.copy(named, call.result);
        }
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
        // A module is asked for by what it calls itself.
        let facts = self.index.units[file].facts;
        if matches!(*facts.expr(name), Expr::Free(own) if facts.str(own) == OWN_NAME) {
            return Types::from_slice(&[Type::Module(Module::File(file))]);
        }
        let values = Folder::new(self.index, self.hierarchy).fold(func, name);
        let whole = values.list.iter().filter(|known| known.whole).map(|known| module(&known.text));
        let begun = values.list.iter().filter(|known| !known.whole);
        whole.chain(begun.flat_map(|known| self.modules_below(&known.text))).collect()
    }

    /// `import_module(f"plugins.{name}")`: any module of a package that has few.
    fn modules_below(&self, beginning: &str) -> Types {
        let is_package = beginning.ends_with('.') && !beginning.starts_with('.');
        let files = (0..self.index.units.len()).filter(|_| is_package);
        let is_meant = |&file: &usize| {
            let dotted = self.index.modules.dotted(file);
            dotted.strip_prefix(beginning).is_some_and(|rest| !rest.is_empty() && !rest.contains('.'))
        };
        let found: Types = files.filter(is_meant).map(|file| Type::Module(Module::File(file))).collect();
        let few = self.index.externals.catalog().holders.pooled;
        if found.len() > few { Types::new() } else { found }
    }

    /// A method by which the table of loaded modules is asked for one.
    fn reads_modules(&self, path: &str) -> bool {
        let setters = &self.index.externals.catalog().setters;
        let Some((table, method)) = path.rsplit_once('.') else { return false };
        setters.is_module_table(table)
            && self.index.externals.catalog().operations.of_name(method).is_some_and(DataOp::takes_entry)
    }

    /// The texts that an expression is known to be as a whole.
    pub(super) fn texts(&self, func: Func, expr: ExprId) -> Vec<String> {
        let values = Folder::new(self.index, self.hierarchy).fold(func, expr);
        values.list.into_iter().filter(|known| known.whole).map(|known| known.text).collect()
    }
}

/// The arguments behind the callable, which are handed on to it.
fn forwarded(args: &[Arg], callable: ExprId) -> &[Arg] {
    let at = args.iter().position(|arg| arg.value == callable && arg.kind == ArgKind::Positional);
    at.map_or(&[], |at| &args[at + 1..])
}
