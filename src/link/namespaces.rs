//! Attributes and names that are reached as entries of a mapping: `globals()["run"] = f`, `self.__dict__.update(options)`, and a loop
//! that sets each entry of one as an attribute.

use super::call::CallExpr;
use super::ids::{Cls, ContainerId, Func, Key, Slot};
use super::react::React;
use super::solve::Solver;
use super::types::{Type, Value};
use crate::catalog::DataOp;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Sym};

impl<'a> Solver<'_, 'a> {
    /// Names of the module that are bound by way of its mapping.
    pub(super) fn note_entries(&mut self, func: Func, expr: ExprId) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        match *facts.expr(expr) {
            Expr::Store { place, value: Some(_), .. } => {
                if let Expr::Index { base, key } = *facts.expr(place)
                    && let Some(Key::Name(name)) = self.constant_key(func, key)
                    && self.is_own_module(func, base)
                {
                    self.note_global_name(func, name);
                }
            }
            Expr::Call { callee, args, .. } => {
                if let Expr::Field { base, name } = *facts.expr(callee)
                    && self.method_does(func, name) == Some(DataOp::Update)
                    && self.is_own_module(func, base)
                {
                    named(facts.list(args)).for_each(|(name, _)| self.note_global_name(func, name));
                }
            }
            _ => {}
        }
    }

    fn is_own_module(&mut self, func: Func, mapping: ExprId) -> bool {
        let facts = self.index.units[self.index.file_of(func)].facts;
        matches!(facts.expr(mapping), Expr::Call { .. })
            && matches!(self.namespaces(func, mapping), Some(Value::Is(Type::Module(_))))
    }

    /// `self.__dict__.update(options)`, `globals().update(run=f)`.
    pub(super) fn update_namespace(&mut self, call: CallExpr<'a>, mapping: ExprId) {
        let Some(objects) = self.namespaces(call.func, mapping) else { return };
        let is_test = self.index.is_test_code(call.func);
        for (name, value) in named(call.args) {
            let value = self.value(call.func, value);
            self.set_attribute(objects, name, is_test, value);
        }
        for arg in call.args.iter().filter(|arg| !matches!(arg.kind, ArgKind::Named(_))) {
            let entries = self.value(call.func, arg.value);
            self.take_attributes(objects, entries);
        }
    }

    /// The entries of a mapping become attributes of objects.
    pub(super) fn take_attributes(&mut self, objects: Value, entries: Value) {
        let of = self.new_slot();
        self.copy(objects, of);
        self.on_containers(entries, React::Attributes { of });
    }

    /// The entries of the container become attributes of the class.
    pub fn make_fields_of(&mut self, container: ContainerId, class: Cls) {
        let fields_of = &self.containers.of(container).fields_of;
        if fields_of.contains(&class) {
            return;
        }
        self.fill(container);
        self.containers.of_mut(container).fields_of.push(class);
        for (key, slot) in self.keys_of(container) {
            self.become_attribute(key, slot, class);
        }
    }

    pub(super) fn become_attribute(&mut self, key: Key, slot: Slot, class: Cls) {
        if let Key::Name(name) = key {
            let attribute = self.attribute(class, name);
            self.copy(Value::In(slot), attribute);
        }
    }

    /// `for name, value in options.items(): setattr(self, name, value)`.
    pub(super) fn set_each(&mut self, func: Func, object: ExprId, name: ExprId, value: ExprId) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let iterated = |expr: ExprId| match *facts.expr(expr) {
            Expr::Var(var) => self.index.iterated(self.index.var(func, var)),
            _ => None,
        };
        let (Some(name), Some(value)) = (iterated(name), iterated(value)) else { return };
        if name.iterable != value.iterable || (name.position, value.position) != (Some(0), Some(1)) {
            return;
        }
        let Expr::Call { callee, .. } = *facts.expr(name.iterable) else { return };
        let Expr::Field { base, name } = *facts.expr(callee) else { return };
        if self.method_does(func, name) == Some(DataOp::Entries) {
            let (objects, entries) = (self.value(func, object), self.value(func, base));
            self.take_attributes(objects, entries);
        }
    }
}

fn named(args: &[Arg]) -> impl Iterator<Item = (Sym, ExprId)> {
    args.iter().filter_map(|arg| match arg.kind {
        ArgKind::Named(name) => Some((name, arg.value)),
        _ => None,
    })
}
