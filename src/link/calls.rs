//! The call constraint: arguments flow into parameters, results flow out, containers and built-ins do what they are known
//! to do.

use super::args::{Passed, pair};
use super::program::{Cls, Func};
use super::solve::{Role, Solver};
use super::types::{Slot, Type, Types};
use crate::ir::{Arg, ArgKind, Expr, ExprId, Pat, Sym};

/// Methods by which a mapping is asked for what is under a key.
pub(super) const READS: [&str; 4] = ["get", "pop", "setdefault", "__getitem__"];

/// The method by which an object is called.
pub(super) const CALL: &str = "__call__";

/// The method that gets what an object is made of.
pub(super) const INIT: &str = "__init__";

/// The methods that run where an object is entered and left.
pub(super) const ENTERS: [&str; 4] = ["__enter__", "__aenter__", "__exit__", "__aexit__"];

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
        let args = facts.list(args);
        let result = self.result_of(file, site);
        let (receiver, callees) = match *facts.expr(callee) {
            Expr::Field { base, name } => {
                let call = CallExpr { func, expr, receiver: Some(base), args, result };
                (Some(base), self.methods_called(call, base, name))
            }
            _ => (None, self.eval(func, callee)),
        };
        if callees.is_empty() {
            // What was let go would be called.
            self.insert_all(result, &[]);
        }
        for ty in callees {
            self.call_type(CallExpr { func, expr, receiver, args, result }, ty);
        }
    }

    /// What `base.name` is; what a container does is done here.
    fn methods_called(&mut self, call: CallExpr<'a>, base: ExprId, name: Sym) -> Types {
        if self.is_rust(call.func) {
            return self.rust_methods(call, base, name);
        }
        let file = self.index.file_of(call.func);
        let method = self.index.units[file].facts.str(name);
        let name = self.index.name(file, name);
        let mut callees = Types::new();
        if READS.contains(&method) {
            let objects = self.namespaces(call.func, base);
            if let (false, Some(key)) = (objects.is_empty(), call.args.first()) {
                let mut found = Types::new();
                self.named_attrs(call.func, &objects, key.value, &mut found);
                self.insert_all(call.result, &found);
            }
        }
        for ty in self.eval(call.func, base) {
            match ty {
                Type::Container(_) => self.container_method(call, ty, method),
                Type::Class { class, .. }
                    if self.index.externals.catalog().subclass_lists.contains(method) =>
                {
                    self.list_subclasses(call, class);
                }
                _ => self.attr_of(ty, name, &mut callees),
            }
        }
        callees
    }

    fn list_subclasses(&mut self, call: CallExpr<'a>, class: Cls) {
        let below = self.hierarchy.descendants[class.0 as usize].iter();
        let below: Types = below.map(|&class| Type::Class { class, exact: true }).collect();
        let list = self.container(self.index.file_of(call.func), call.expr, Role::Value);
        self.store_entry(list, None, &below);
        self.insert(call.result, Type::Container(list));
    }

    pub fn call_type(&mut self, call: CallExpr<'a>, ty: Type) {
        match ty {
            Type::Function(target) => self.call_function(call, target, 0),
            Type::Bound(target) => self.call_function(call, target, 1),
            Type::Partial(target) => self.call_result(call, target),
            Type::Class { class, exact } => self.instantiate(call, class, exact),
            Type::Instance { .. } => {
                for method in self.method(ty, CALL) {
                    self.call_function(CallExpr { receiver: None, ..call }, method, 1);
                }
            }
            Type::External(path) | Type::Handed(path) | Type::Unbound(path) => self.call_external(call, path),
            _ => {}
        }
    }

    /// The project's own special methods of a type.
    pub fn method(&mut self, receiver: Type, method: &str) -> Vec<Func> {
        let Some(name) = self.index.names.get(method) else { return Vec::new() };
        let mut members = Types::new();
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
        if skip == 1 && (returned & 1 == 1 || self.returns_own[target.0 as usize]) {
            self.return_receiver(call, self.returns_own[target.0 as usize]);
        }
        if returned != 0 {
            self.return_arguments(call, target, skip, returned);
        }
    }

    fn call_result(&mut self, call: CallExpr<'a>, target: Func) {
        if self.index.ir(target).is_generator {
            self.insert(call.result, Type::Generator(target));
        }
        let mut types = Types::new();
        self.read(self.returned(target), &mut types);
        self.insert_all(call.result, &types);
    }

    /// `return self`: the caller knows the receiver better than the method does.
    fn return_receiver(&mut self, call: CallExpr<'a>, own_instance: bool) {
        let Some(receiver) = call.receiver else { return };
        for ty in self.eval(call.func, receiver) {
            match ty {
                Type::Class { class, exact } if own_instance => {
                    self.insert(call.result, Type::Instance { class, exact });
                }
                Type::Instance { .. } | Type::Class { .. } => self.insert(call.result, ty),
                _ => {}
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

    fn instantiate(&mut self, call: CallExpr<'a>, class: Cls, exact: bool) {
        self.insert(call.result, Type::Instance { class, exact });
        let mut has_init = false;
        for method in [INIT, "__new__"] {
            let Some(name) = self.index.names.get(method) else { continue };
            let Some((_, slot)) = self.hierarchy.class_attr(self.index, class, name) else { continue };
            has_init = true;
            let mut members = Types::new();
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
            let types: Types = self.eval(call.func, arg.value).into_iter().map(Type::handed_over).collect();
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
}
