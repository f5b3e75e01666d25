//! What each reaction does with a value that has arrived in its slot, and what values answer at ports.

use super::ids::{Key, Slot};
use super::ports::Port;
use super::react::{Held, React, Taker};
use super::solve::{Fallback, Solver};
use super::types::{Given, Type, Value};
use crate::ir::{Operator, Sym};

impl Solver<'_, '_> {
    pub(super) fn react(&mut self, react: React, ty: Type) {
        match react {
            React::Port { port, slot } => self.connect(port, ty, slot),
            React::LoadOther { object, name, to } if ty != object => self.load_attr(ty, name, to),
            React::LoadOther { .. } => {}
            React::LoadOwn { name, to } => {
                if matches!(ty, Type::Instance { .. }) {
                    self.load_attr(ty, name, to);
                }
            }
            React::LoadUnspelled { text, to } => self.load_unspelled(ty, text, to),
            React::Named { func, key, to } => self.named_entry(ty, func, key, to),
            React::EntryOrItself { key, to } => match ty {
                Type::Container(_) | Type::Generator(_) => self.entry_of(ty, Some(key), to),
                _ => self.insert(to, ty),
            },
            React::Next { to } => self.next_into(ty, to),
            React::Begin(to) => self.begin_with(ty, to),
            React::Part(to) => self.part_into(ty, to),
            React::Slice(to) => match ty {
                Type::Container(_) => self.slice_into(ty, to),
                _ => self.item_of(ty, None, to),
            },
            React::Unless { expr, to } => self.unless_excluded(ty, expr, to),
            React::Attributes { of } => {
                if let Type::Container(entries) = ty {
                    self.on(Value::In(of), React::TakeAttributes(entries));
                }
            }
            React::TakeAttributes(entries) => {
                // What stands for many says nothing of one.
                if let Type::Instance { class, .. } = ty
                    && !self.is_summary(entries)
                {
                    self.make_fields_of(entries, class);
                }
            }
            React::Return(to) => {
                if let Type::Generator(func) = ty {
                    self.copy(Value::In(self.returned(func)), to);
                }
            }
            React::LoadAll { beginning, to } => self.load_all(ty, beginning, to),
            React::Pairs(call) => {
                if let Type::Container(pair) = ty {
                    self.pair_into(call, pair);
                }
            }
            React::Bind { base, to } => self.insert(to, self.bound(ty, base)),
            React::Result { object, to } => self.result_into(ty, object, to),
            React::CopyInto(to) => {
                if let Type::Container(from) = ty {
                    self.copy_entries(from, to);
                }
            }
            React::Add { to, key, is_all } => match ty {
                Type::Container(from) if is_all => self.copy_entries(from, to),
                _ => self.store_entry(to, key, Value::Is(ty)),
            },
            _ => self.react_to_call(react, ty),
        }
    }

    /// Reactions that calls and decorators wait for.
    fn react_to_call(&mut self, react: React, ty: Type) {
        match react {
            React::Call(call) => self.call_type(call, ty),
            React::CallMethod(call) => {
                if let Type::Bound(method) = ty {
                    self.call_function(call, method, 1, None);
                }
            }
            React::Method { call, name } => self.call_method(call, ty, name),
            React::Construct(call) => {
                if let Type::Function(constructor) = ty {
                    self.pass_arguments(call, constructor, 1, false);
                    let facts = self.index.units[self.index.file_of(constructor)].facts;
                    // What makes an object may make one of another class.
                    if facts.profile().runs(Operator::Create, facts.str(self.index.ir(constructor).name)) {
                        let made = Value::In(self.returned(constructor));
                        self.copy(made, self.call_of(call).result);
                    }
                }
            }
            React::Receiver { makes_own, to } => match ty {
                Type::Class { class, exact } if makes_own => {
                    self.insert(to, Type::Instance { class, exact });
                }
                Type::Instance { .. } | Type::Class { .. } => self.insert(to, ty),
                _ => {}
            },
            React::Through { call, inner, callback } => self.go_through((call, inner), callback, ty),
            React::Decorate(decorated) => self.decorate_with(ty, decorated),
            React::DecorateBy(decorated) => {
                if let Type::Bound(method) = ty {
                    self.pass_own(method, 1, Value::Is(decorated));
                }
            }
            React::OwnWrapper { decorator, class } => {
                if let Some(Type::Function(wrapper)) = self.wrapper(ty, decorator) {
                    self.pass(wrapper, 0, Value::Is(Type::Instance { class, exact: false }));
                }
            }
            React::Around { to } => self.around(ty, to),
            React::AroundBy { to } => {
                if let Type::Bound(method) = ty {
                    self.on(Value::In(self.returned(method)), React::Wrapper { decorator: method, to });
                }
            }
            React::Wrapper { decorator, to } => {
                if let Some(wrapper) = self.wrapper(ty, decorator) {
                    self.insert(to, wrapper);
                }
            }
            React::Loaded(call) => self.loaded(call, ty),
            React::RunOn { call, given, is_many, is_map } => self.run_on(call, ty, given, (is_many, is_map)),
            React::Collect(call) => self.collected(call, ty),
            React::Hold(taker, held) => self.take(taker, held, ty),
            React::Answer { operation, object } => self.answered(operation, ty, object),
            React::AskNamed { operation, name } => {
                if let Type::Instance { class, .. } = ty {
                    self.ask_method(operation, (ty, class), name);
                }
            }
            React::Stores(value) => {
                if let Type::Holder(holder) | Type::PartOf(holder) = ty {
                    self.on(value, React::Hold(Taker::Holder(holder), Held::Overrides));
                }
            }
            _ => {}
        }
    }

    pub(super) fn load_attr(&mut self, base: Type, name: Sym, to: Slot) {
        if let Type::Container(container) = base {
            if self.containers.records.contains(&container) {
                self.read_entry(container, Some(Key::Name(name)), to);
            }
            // `tuple.1`.
            if let Ok(at) = self.index.names.text(name).parse::<u32>() {
                self.read_entry(container, Some(Key::At(at)), to);
            }
            return;
        }
        let value = self.attr(base, name);
        self.copy(value, to);
    }

    pub(super) fn entry_of(&mut self, ty: Type, key: Option<Key>, to: Slot) {
        match ty {
            Type::Container(container) => self.read_entry(container, key, to),
            Type::Generator(func) => self.copy(Value::In(self.yields(func)), to),
            Type::PartOf(_) => self.insert(to, ty),
            _ => {}
        }
    }

    pub(super) fn elements_into(&mut self, ty: Type, to: Slot) {
        match ty {
            Type::Instance { .. } => {
                let iterator = self.method_result(ty, "__iter__");
                self.on(iterator, React::Next { to });
                self.next_into(ty, to);
            }
            Type::Class { class, .. } if self.hierarchy.is_enumeration(class) => {
                self.insert(to, Type::Instance { class, exact: true });
            }
            _ => self.entry_of(ty, None, to),
        }
    }

    fn next_into(&mut self, ty: Type, to: Slot) {
        match ty {
            Type::Instance { .. } => {
                let next = self.method_result(ty, "__next__");
                self.copy(next, to);
            }
            _ => self.entry_of(ty, None, to),
        }
    }

    /// What `with context as x` gives `x`: a library's object stands for itself.
    pub(super) fn entered_into(&mut self, ty: Type, to: Slot) {
        match ty {
            Type::Generator(func) => self.copy(Value::In(self.yields(func)), to),
            Type::Instance { .. } => {
                let own = self.new_slot();
                for method in ["__enter__", "__aenter__"] {
                    let entered = self.method_result(ty, method);
                    self.copy(entered, own);
                }
                self.copy(Value::In(own), to);
                self.fallbacks.push(Fallback::Is(ty, own));
            }
            _ => self.insert(to, ty),
        }
    }

    /// What calling a method of `object` hands back.
    fn result_into(&mut self, method: Type, object: Type, to: Slot) {
        let Type::Bound(target) = method else { return };
        self.copy(Value::In(self.returned(target)), to);
        self.copy(Value::In(self.yields(target)), to);
        if self.hands_back.is_own(target) {
            self.insert(to, object);
        }
    }
}

impl Solver<'_, '_> {
    /// The answer of a value.
    pub(super) fn ask(&mut self, value: Value, port: Port) -> Value {
        match value {
            Value::Nothing => Value::Nothing,
            Value::In(slot) => Value::In(self.graph.port(slot, port)),
            Value::Is(ty) => {
                let slot = self.new_slot();
                self.graph.tell_of(React::Port { port, slot }, ty);
                Value::In(slot)
            }
        }
    }

    /// Gives something to a value.
    pub(super) fn put(&mut self, value: Value, port: Port, given: impl Into<Given>) {
        if let Value::In(slot) = self.ask(value, port) {
            self.give(given, slot);
        }
    }

    pub(super) fn connect(&mut self, port: Port, ty: Type, slot: Slot) {
        match (port, ty) {
            (port, Type::Anything) if port.is_read() => self.insert(slot, ty),
            (Port::Attr(name), _) => self.load_attr(ty, name, slot),
            (Port::Item(key), _) => self.item_of(ty, key, slot),
            (Port::Entry(key), _) => self.entry_of(ty, key, slot),
            (Port::Elements, _) => self.elements_into(ty, slot),
            (Port::Enter, _) => self.entered_into(ty, slot),
            (Port::ClassOf, Type::Instance { class, exact }) => {
                self.insert(slot, Type::Class { class, exact })
            }
            (Port::Objects, Type::Class { class, .. }) => {
                self.insert(slot, Type::Instance { class, exact: false });
            }
            (Port::Objects, Type::External(path) | Type::Handed(path)) => {
                self.insert(slot, Type::Object(path))
            }
            (Port::Containers, Type::Container(_)) | (Port::Modules, Type::Module(_)) => {
                self.insert(slot, ty)
            }
            (Port::Modules, Type::External(path)) if self.index.externals.is_module_table(path) => {
                self.insert(slot, ty);
            }
            (Port::SetAttr { name, is_test }, _) => self.store_attr(is_test, ty, name, Value::In(slot)),
            (Port::SetEntry(key), Type::Container(container)) => {
                self.store_under(container, key, Value::In(slot));
            }
            _ => {}
        }
    }
}
