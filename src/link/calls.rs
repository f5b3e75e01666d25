//! Calls: arguments flow into parameters, results flow out; what containers, built-ins and libraries do stands beside.

use super::call::{CALL, CallExpr, INIT};
use super::ids::{CallId, Cls, Func, Role, Slot};
use super::react::React;
use super::solve::{Fallback, Solver};
use super::types::{Type, Value};
use crate::catalog::DataOp;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Pat, Sym};

impl<'a> Solver<'_, 'a> {
    pub(super) fn build_call(&mut self, func: Func, expr: ExprId) {
        let file = self.index.file_of(func);
        let facts = self.index.units[file].facts;
        let Expr::Call { callee, args, site } = *facts.expr(expr) else { return };
        let (args, result) = (facts.list(args), self.result_of(site));
        let Expr::Field { base, name } = *facts.expr(callee) else {
            let call = self.add_call(CallExpr { func, expr, receiver: None, args, result });
            self.note_declared_result(func, callee, result);
            let callee = self.value(func, callee);
            return self.on(callee, React::Call(call));
        };
        let call = self.add_call(CallExpr { func, expr, receiver: Some(base), args, result });
        let does = self.method_does(func, name);
        if does.is_some_and(DataOp::takes_entry)
            && let Some(key) = args.first()
            && let Some(objects) = self.namespaces(func, base)
        {
            self.load_named(func, objects, key.value, result);
        }
        if does == Some(DataOp::Update) {
            self.update_namespace(self.call_of(call), base);
        }
        let base = self.base_value(func, base);
        let (text, name) = (facts.str(name), name);
        let catalog = self.index.externals.catalog();
        let callback = catalog.callback_named(text).filter(|&id| catalog.callback(id).each.is_some());
        if let Some(callback) = callback {
            self.call_through(call, callback);
        }
        let is_list = catalog.subclass_lists.contains(text);
        if self.has_wrappers(func) || is_list || does == Some(DataOp::Send) {
            self.on(base, React::Method { call, name });
        } else if does.is_some_and(DataOp::moves_entries) {
            self.on_containers(base, React::Method { call, name });
        }
        if !self.has_wrappers(func) {
            let callee = self.field_value(base, name);
            self.on(callee, React::Call(call));
        }
    }

    /// `make: Callable[[], Client]`: what it makes, if nothing else is known.
    fn note_declared_result(&mut self, func: Func, callee: ExprId, result: Slot) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Var(var) = *facts.expr(callee) else { return };
        let Some(&(owner, at)) = self.index.param_of.get(&self.index.var(func, var)) else { return };
        let Some(ty) = facts.list(self.index.ir(owner).params)[at as usize].ty else { return };
        for made in self.index.result_declared(self.index.ir(owner).parent, ty) {
            self.fallbacks.push(Fallback::Is(made, result));
        }
    }

    pub(super) fn add_call(&mut self, call: CallExpr<'a>) -> CallId {
        self.calls.push(call);
        CallId(self.calls.len() as u32 - 1)
    }

    pub(super) fn call_of(&self, call: CallId) -> CallExpr<'a> {
        self.calls[call.0 as usize]
    }

    /// `base.name(…)` for one thing that the base can be; what a container does is done here.
    pub(super) fn call_method(&mut self, call: CallId, base: Type, name: Sym) {
        let it = self.call_of(call);
        let method = self.index.names.text(name);
        if self.has_wrappers(it.func) {
            return self.call_wrapped_method(call, base, name);
        }
        match base {
            Type::Container(container) => self.container_method(call, container, name),
            Type::Generator(generator) => self.send_into(it, generator),
            Type::Class { class, .. } if self.index.externals.catalog().subclass_lists.contains(method) => {
                self.list_subclasses(it, class);
            }
            _ => {}
        }
    }

    /// `generator.send(value)`: the value arrives at its `yield`, and what it yields comes back.
    fn send_into(&mut self, call: CallExpr<'a>, generator: Func) {
        if let Some(&Arg { value, .. }) = call.args.first() {
            let (value, to) = (self.value(call.func, value), self.sent_into(generator));
            self.give(value.handed(), to);
        }
        self.copy(Value::In(self.yields(generator)), call.result);
    }

    fn list_subclasses(&mut self, call: CallExpr<'a>, class: Cls) {
        let list = self.container(self.index.file_of(call.func), call.expr, Role::Value);
        for &class in &self.hierarchy.descendants[class.0 as usize] {
            self.store_entry(list, None, Value::Is(Type::Class { class, exact: true }));
        }
        self.insert(call.result, Type::Container(list));
    }

    pub(super) fn call_type(&mut self, call: CallId, ty: Type) {
        let it = self.call_of(call);
        match ty {
            Type::Function(target) => self.call_function(call, target, 0, it.receiver),
            Type::Bound(target) => self.call_function(call, target, 1, it.receiver),
            Type::Partial(target) => self.call_result(it, target),
            Type::Class { class, exact } => self.construct(call, class, exact),
            Type::Anything => self.insert(it.result, ty),
            Type::Container(made) if self.containers.classes.contains(&made) => self.insert(it.result, ty),
            Type::Holder(holder) | Type::PartOf(holder) => self.call_holder(call, holder),
            Type::Instance { .. } => {
                if let Some(name) = self.index.names.get(CALL) {
                    let method = self.attr(ty, name);
                    self.on(method, React::CallMethod(call));
                }
            }
            Type::External(path) | Type::Handed(path) | Type::Unbound(path) => self.call_external(call, path),
            Type::Object(path) => {
                let method = self.index.externals.called(path);
                self.call_external(call, method);
            }
            _ => {}
        }
    }

    /// `skip` parameters are given already; the receiver is the object whose method it is.
    pub(super) fn call_function(&mut self, call: CallId, target: Func, skip: u32, receiver: Option<ExprId>) {
        if !self.called.insert((call, target, skip)) {
            return;
        }
        let it = self.call_of(call);
        self.pass_arguments(call, target, skip, true);
        self.call_result(it, target);
        // `return self`: the caller knows the receiver better than the method does.
        if let Some(receiver) = receiver.filter(|_| skip == 1 && self.hands_back.is_own(target)) {
            let receiver = self.value(it.func, receiver);
            let makes_own = self.hands_back.makes_own[target.0 as usize];
            self.on(receiver, React::Receiver { makes_own, to: it.result });
        }
        self.return_arguments(it, target, skip);
    }

    pub(super) fn call_result(&mut self, call: CallExpr<'a>, target: Func) {
        if self.index.ir(target).is_generator {
            self.insert(call.result, Type::Generator(target));
        }
        self.copy(Value::In(self.returned(target)), call.result);
    }

    fn construct(&mut self, call: CallId, class: Cls, exact: bool) {
        let it = self.call_of(call);
        self.insert(it.result, Type::Instance { class, exact });
        if self.hierarchy.is_enumeration(class) {
            // Its objects were made by its body.
            return;
        }
        let mut has_constructor = false;
        for method in [INIT, "__new__"] {
            let Some(name) = self.index.names.get(method) else { continue };
            let Some((_, slot)) = self.hierarchy.class_attr(self.index, class, name) else { continue };
            has_constructor = true;
            self.on(Value::In(slot), React::Construct(call));
        }
        if !has_constructor {
            self.initialise_fields(it, class);
        }
    }

    /// A class without `__init__` that is given arguments is a dataclass or a model: they become its fields.
    fn initialise_fields(&mut self, call: CallExpr<'a>, class: Cls) {
        if self.is_test_into_production(call.func, self.index.class_body(class)) {
            return;
        }
        let fields = self.fields(class);
        let mut position = 0;
        for arg in call.args {
            let name = match arg.kind {
                ArgKind::Named(name) => Some(name),
                ArgKind::Positional => {
                    position += 1;
                    fields.get(position - 1).copied()
                }
                _ => None,
            };
            let (Some(name), value) = (name, self.value(call.func, arg.value)) else { continue };
            if value != Value::Nothing {
                let slot = self.attribute(class, name);
                self.give(value.handed(), slot);
            }
        }
    }

    /// Annotated names of a class body, in order, those of ancestors first.
    fn fields(&self, class: Cls) -> Vec<Sym> {
        let mut fields = Vec::new();
        for &ancestor in self.hierarchy.ancestors[class.0 as usize].iter().rev() {
            let body = self.index.class_body(ancestor);
            let file = self.index.file_of(body);
            let facts = self.index.units[file].facts;
            let function = self.index.ir(body);
            for expr in function.exprs.iter() {
                let Expr::Bind { pat, value } = *facts.expr(expr) else { continue };
                if let (Pat::Var(var), Expr::Ascribe { .. }) = (*facts.pat(pat), *facts.expr(value)) {
                    let name = facts.list(function.vars)[var.0 as usize];
                    if !fields.contains(&name) {
                        fields.push(name);
                    }
                }
            }
        }
        fields
    }
}
