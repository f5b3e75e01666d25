//! The call constraint: arguments flow into parameters, results flow out, containers and built-ins do what they are known
//! to do.

use super::args::{Passed, argument, pair};
use super::externals::PathId;
use super::modules::Module;
use super::program::{Cls, Func};
use super::solve::{Key, Role, Solver};
use super::types::{Slot, Type};
use crate::catalog::CallbackResult;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Lit, ParamKind, Pat};

/// A call as its constraint sees it.
#[derive(Clone, Copy)]
pub struct CallExpr<'a> {
    pub func: Func,
    pub expr: ExprId,
    /// `x` in `x.method()`.
    pub receiver: Option<ExprId>,
    pub args: &'a [Arg],
    pub result: Slot,
}

impl<'a> Solver<'_, 'a> {
    pub fn apply_call(&mut self, func: Func, expr: ExprId) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let Expr::Call { callee, args, site } = *facts.expr(expr) else { return };
        let receiver = match *facts.expr(callee) {
            Expr::Field { base, .. } => Some(base),
            _ => None,
        };
        let call =
            CallExpr { func, expr, receiver, args: facts.list(args), result: self.result_of(file, site) };
        if let Expr::Field { base, name } = *facts.expr(callee) {
            let method = facts.str(name);
            for ty in self.eval(func, base) {
                self.container_method(call, ty, method);
            }
        }
        for ty in self.eval(func, callee) {
            self.call_type(call, ty);
        }
    }

    fn call_type(&mut self, call: CallExpr<'a>, ty: Type) {
        match ty {
            Type::Function(target) => self.call_function(call, target, 0),
            Type::Bound(target) => self.call_function(call, target, 1),
            Type::Partial(target) => self.call_result(call, target),
            Type::Class { class, exact } => self.instantiate(call, class, exact),
            Type::Instance { .. } => {
                for method in self.method(ty, "__call__") {
                    self.call_function(CallExpr { receiver: None, ..call }, method, 1);
                }
            }
            Type::External(path) | Type::Unbound(path) => self.call_external(call, path),
            _ => {}
        }
    }

    /// The project's own special methods of a type.
    pub fn method(&mut self, receiver: Type, method: &str) -> Vec<Func> {
        let Some(name) = self.index.names.get(method) else { return Vec::new() };
        let mut members = Vec::new();
        self.attr_of(receiver, name, &mut members);
        members
            .into_iter()
            .filter_map(|ty| if let Type::Bound(func) = ty { Some(func) } else { None })
            .collect()
    }

    fn call_function(&mut self, call: CallExpr<'a>, target: Func, skip: u32) {
        self.pass_arguments(call, target, skip);
        self.call_result(call, target);
        let returned = self.returns_param[target.0 as usize];
        if returned & 1 == 1 && skip == 1 {
            self.return_receiver(call);
        }
        if returned != 0 {
            self.return_arguments(call, target, skip, returned);
        }
    }

    fn call_result(&mut self, call: CallExpr<'a>, target: Func) {
        if self.index.ir(target).is_generator {
            self.insert(call.result, Type::Generator(target));
        }
        let mut types = Vec::new();
        self.read(self.returned(target), &mut types);
        self.insert_all(call.result, &types);
    }

    /// `return self`: the caller knows the receiver better than the method does.
    fn return_receiver(&mut self, call: CallExpr<'a>) {
        let Some(receiver) = call.receiver else { return };
        for ty in self.eval(call.func, receiver) {
            if matches!(ty, Type::Instance { .. } | Type::Class { .. }) {
                self.insert(call.result, ty);
            }
        }
    }

    fn return_arguments(&mut self, call: CallExpr<'a>, target: Func, skip: u32, returned: u32) {
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        for (passed, value) in pair(self.index, facts, call.args, target, skip) {
            if let Passed::Param(at) = passed
                && at < 32
                && returned & (1 << at) != 0
            {
                let types = self.eval(call.func, value);
                self.insert_all(call.result, &types);
            }
        }
    }

    /// Test code calls production code with doubles; they say nothing of production.
    fn is_test_into_production(&self, caller: Func, callee: Func) -> bool {
        let units = self.index.units;
        units[self.index.file_of(caller)].is_test && !units[self.index.file_of(callee)].is_test
    }

    fn pass_arguments(&mut self, call: CallExpr<'a>, target: Func, skip: u32) {
        if self.is_test_into_production(call.func, target) {
            return;
        }
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        for (passed, value) in pair(self.index, facts, call.args, target, skip) {
            let types = self.eval(call.func, value);
            if types.is_empty() {
                continue;
            }
            match passed {
                Passed::Param(at) => self.pass(target, at, &types),
                Passed::Rest(at) => self.pass_collected(target, at, None, &types),
                Passed::KeywordRest(at, name) => {
                    let name = self.index.name(self.index.file_of(call.func), name);
                    self.pass_collected(target, at, Some(Key::Name(name)), &types);
                }
                Passed::SpreadFrom(from) => self.pass_spread(target, from, &types),
                Passed::SpreadNamed => self.pass_spread_named(target, &types),
            }
        }
    }

    fn param_slot(&self, target: Func, at: u32) -> Option<Slot> {
        let facts = self.index.units[self.index.file_of(target)].facts;
        let param = facts.list(self.index.ir(target).params).get(at as usize)?;
        match *facts.pat(param.pat) {
            Pat::Var(var) => Some(self.index.var(target, var)),
            _ => None,
        }
    }

    pub fn pass(&mut self, target: Func, at: u32, types: &[Type]) {
        let Some(slot) = self.param_slot(target, at) else { return };
        if !self.closed_params.contains(&slot) {
            self.insert_all(slot, types);
        }
    }

    /// `*args` and `**kwargs` are containers of the function.
    fn pass_collected(&mut self, target: Func, at: u32, key: Option<Key>, types: &[Type]) {
        let Some(slot) = self.param_slot(target, at) else { return };
        let file = self.index.file_of(target);
        let facts = self.index.units[file].facts;
        let is_rest = facts.list(self.index.ir(target).params)[at as usize].kind == ParamKind::Rest;
        let role = if is_rest { Role::Rest } else { Role::KeywordRest };
        let container = self.container(file, self.index.ir(target).body, role);
        self.insert(slot, Type::Container(container));
        self.store_entry(container, key, types);
    }

    fn pass_spread(&mut self, target: Func, from: u32, types: &[Type]) {
        let facts = self.index.units[self.index.file_of(target)].facts;
        let params = facts.list(self.index.ir(target).params);
        for &ty in types {
            let Type::Container(container) = ty else { continue };
            for at in from..params.len() as u32 {
                let mut values = Vec::new();
                self.read_entry(container, Some(Key::At(at - from)), &mut values);
                match params[at as usize].kind {
                    ParamKind::Rest => self.pass_collected(target, at, None, &values),
                    ParamKind::KeywordOnly | ParamKind::KeywordRest => {}
                    _ => self.pass(target, at, &values),
                }
            }
        }
    }

    fn pass_spread_named(&mut self, target: Func, types: &[Type]) {
        let file = self.index.file_of(target);
        let facts = self.index.units[file].facts;
        let params = facts.list(self.index.ir(target).params);
        for &ty in types {
            let Type::Container(container) = ty else { continue };
            for (at, param) in params.iter().enumerate() {
                let name = self.index.name(file, param.name);
                match param.kind {
                    ParamKind::KeywordRest => {
                        let own = self.container(file, self.index.ir(target).body, Role::KeywordRest);
                        if let Some(slot) = self.param_slot(target, at as u32) {
                            self.insert(slot, Type::Container(own));
                        }
                        self.copy_entries(ty, own);
                    }
                    ParamKind::Rest | ParamKind::PositionalOnly => {}
                    _ => {
                        let mut values = Vec::new();
                        self.read_entry(container, Some(Key::Name(name)), &mut values);
                        self.pass(target, at as u32, &values);
                    }
                }
            }
        }
    }

    fn instantiate(&mut self, call: CallExpr<'a>, class: Cls, exact: bool) {
        self.insert(call.result, Type::Instance { class, exact });
        let mut has_init = false;
        for method in ["__init__", "__new__"] {
            let Some(name) = self.index.names.get(method) else { continue };
            let Some((_, slot)) = self.hierarchy.class_attr(self.index, class, name) else { continue };
            has_init = true;
            let mut members = Vec::new();
            self.read(slot, &mut members);
            for member in members {
                if let Type::Function(init) = member {
                    self.pass_arguments(call, init, 1);
                }
            }
        }
        if !has_init {
            self.initialise_fields(call, class);
        }
    }

    /// A class without `__init__` that is given arguments is a dataclass or a model: they become its fields.
    fn initialise_fields(&mut self, call: CallExpr<'a>, class: Cls) {
        let file = self.index.file_of(call.func);
        let _facts = self.index.units[file].facts;
        if self.is_test_into_production(call.func, self.index.class_body(class)) {
            return;
        }
        let fields = self.fields(class);
        let mut position = 0;
        for arg in call.args {
            let name = match arg.kind {
                ArgKind::Named(name) => Some(self.index.name(file, name)),
                ArgKind::Positional => {
                    position += 1;
                    fields.get(position - 1).copied()
                }
                _ => None,
            };
            let Some(name) = name else { continue };
            let types = self.eval(call.func, arg.value);
            if !types.is_empty() {
                let slot = self.attr(class, name);
                self.insert_all(slot, &types);
            }
        }
    }

    /// Annotated names of a class body, in order, those of ancestors first.
    fn fields(&self, class: Cls) -> Vec<super::names::Name> {
        let mut fields = Vec::new();
        for &ancestor in self.hierarchy.ancestors[class.0 as usize].iter().rev() {
            let body = self.index.class_body(ancestor);
            let file = self.index.file_of(body);
            let facts = self.index.units[file].facts;
            let function = self.index.ir(body);
            for expr in function.exprs.iter() {
                let Expr::Bind { pat, value } = *facts.expr(expr) else { continue };
                if let (Pat::Var(var), Expr::Ascribe { .. }) = (*facts.pat(pat), *facts.expr(value)) {
                    let name = self.index.name(file, facts.list(function.vars)[var.0 as usize]);
                    if !fields.contains(&name) {
                        fields.push(name);
                    }
                }
            }
        }
        fields
    }

    fn call_external(&mut self, call: CallExpr<'a>, path: PathId) {
        let externals = &self.index.externals;
        if let Some(result) = externals.result(path) {
            self.insert(call.result, Type::External(result));
        }
        if let Some(id) = externals.callback(path) {
            let callback = externals.catalog().callback(id);
            self.call_through(call, callback);
        }
        let text = externals.text(path);
        if let Some(name) = text.strip_prefix("builtins.") {
            self.call_builtin(call, name);
        } else if matches!(text.as_str(), "importlib.import_module" | "importlib.__import__") {
            self.import_dynamically(call);
        } else if matches!(text.as_str(), "typing.cast" | "typing_extensions.cast") {
            self.cast(call);
        }
    }

    /// A library function that runs, wraps or hands back the callables it is given.
    fn call_through(&mut self, call: CallExpr<'a>, callback: &crate::catalog::Callback) {
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
        let file = self.index.file_of(call.func);
        let facts = self.index.units[file].facts;
        let Some(value) = argument(facts, call.args, Some(0), Some("name")) else { return };
        let Expr::Lit(Lit::Str(text)) = *facts.expr(value) else { return };
        let dotted = facts.str(text);
        let level = dotted.bytes().take_while(|&b| b == b'.').count().min(8) as u8;
        let ty = match self.index.modules.resolve(file, level, dotted.trim_start_matches('.')) {
            Some(module @ Module::File(_)) => Type::Module(module),
            _ => Type::External(self.index.externals.path(dotted)),
        };
        self.insert(call.result, ty);
    }

    fn cast(&mut self, call: CallExpr<'a>) {
        let _facts = self.index.units[self.index.file_of(call.func)].facts;
        let Some(&Arg { value, .. }) = call.args.first() else { return };
        let annotation = self.index.annotation(call.func, value, None);
        self.insert_all(call.result, &annotation.types);
        if let (true, Some(&Arg { value, .. })) = (annotation.types.is_empty(), call.args.get(1)) {
            let types = self.eval(call.func, value);
            self.insert_all(call.result, &types);
        }
    }

    fn call_builtin(&mut self, call: CallExpr<'a>, name: &str) {
        let _facts = self.index.units[self.index.file_of(call.func)].facts;
        let args = call.args;
        let first = args.first().map(|arg| arg.value);
        match (name, first) {
            ("super", _) => {
                if let Some(class) = self.index.enclosing_class(call.func) {
                    self.insert(call.result, Type::Super(class));
                }
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

    /// `getattr(value, "name", default)` with a constant name is the attribute.
    fn call_getattr(&mut self, call: CallExpr<'a>, value: ExprId, args: &[Arg]) {
        let file = self.index.file_of(call.func);
        let facts = self.index.units[file].facts;
        let Some(Expr::Lit(Lit::Str(name))) = args.get(1).map(|arg| facts.expr(arg.value)) else { return };
        let name = self.index.name(file, *name);
        let mut types = Vec::new();
        for base in self.eval(call.func, value) {
            self.attr_of(base, name, &mut types);
        }
        if let Some(default) = args.get(2) {
            self.eval_into(call.func, default.value, &mut types);
        }
        self.insert_all(call.result, &types);
    }

    /// What lists, sets and dicts do with what they are given.
    fn container_method(&mut self, call: CallExpr<'a>, base: Type, method: &str) {
        let Type::Container(container) = base else { return };
        let _facts = self.index.units[self.index.file_of(call.func)].facts;
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
                let mut types = Vec::new();
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

    fn container_update(&mut self, call: CallExpr<'a>, container: super::types::ContainerId) {
        let file = self.index.file_of(call.func);
        let _facts = self.index.units[file].facts;
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
    fn container_items(&mut self, call: CallExpr<'a>, container: super::types::ContainerId) {
        let file = self.index.file_of(call.func);
        let pairs = self.container(file, call.expr, Role::Value);
        let pair = self.container(file, call.expr, Role::Pair);
        let mut values = Vec::new();
        self.read_entry(container, None, &mut values);
        self.store_entry(pair, Some(Key::At(1)), &values);
        self.store_entry(pairs, None, &[Type::Container(pair)]);
        self.insert(call.result, Type::Container(pairs));
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
        other => other,
    }
}
