//! What is done with a value when it arrives in a slot: each reaction is a constraint that waited for it.

use super::graph::Watcher;
use super::ids::{CallId, Cls, ContainerId, Func, HolderId, Key, OperationId, Slot};
use super::ports::Port;
use super::solve::{Fallback, Solver};
use super::types::{Type, Value};
use crate::catalog::{CallbackId, CallbackResult};
use crate::ir::{ExprId, Operator, Sym};

/// What is done with each value of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum React {
    /// It answers at a port.
    Port {
        port: Port,
        slot: Slot,
    },
    /// `to` is its attribute that no file spells as a name, by its number among such texts.
    LoadUnspelled {
        text: u32,
        to: Slot,
    },
    /// `to` is its attribute, unless it is the object itself.
    LoadOther {
        object: Type,
        name: Sym,
        to: Slot,
    },
    /// The same of an object of the project.
    LoadOwn {
        name: Sym,
        to: Slot,
    },
    /// `to` is its entry, by the names that an expression is known to be.
    Named {
        func: Func,
        key: ExprId,
        to: Slot,
    },
    /// `to` is its entry, or the value itself if it holds none.
    EntryOrItself {
        key: Key,
        to: Slot,
    },
    /// `to` is what an iterator gives.
    Next {
        to: Slot,
    },
    /// It is a member of `base`.
    Bind {
        base: Type,
        to: Slot,
    },
    /// It is a method of the object, and `to` is what that hands back.
    Result {
        object: Type,
        to: Slot,
    },
    /// It is called.
    Call(CallId),
    /// It is a method by which an object is called.
    CallMethod(CallId),
    /// Its method is called.
    Method {
        call: CallId,
        name: Sym,
    },
    /// It is the constructor of what the call makes.
    Construct(CallId),
    /// The object whose method hands it back; true if the method makes another one of its class.
    Receiver {
        makes_own: bool,
        to: Slot,
    },
    /// It is given to a library function that runs, wraps or hands back what it is given.
    Through {
        call: CallId,
        inner: CallId,
        callback: CallbackId,
    },
    /// The slot is a sequence that begins with it, that has its elements somewhere, or a slice of it.
    Begin(Slot),
    Part(Slot),
    Slice(Slot),
    /// The slot is the same, if no test at this use has ruled it out.
    Unless {
        expr: ExprId,
        to: Slot,
    },
    /// Its entries are attributes of the objects in a slot, or it is an object that takes those of a container.
    Attributes {
        of: Slot,
    },
    TakeAttributes(ContainerId),
    /// What it hands back at its end, if it is a generator.
    Return(Slot),
    /// It is a pair, and an entry of the mapping that the call makes.
    Pairs(CallId),
    /// Its entries are in the container, too.
    CopyInto(ContainerId),
    /// It decorates a function or a class.
    Decorate(Type),
    /// It is the method by which an object decorates one.
    DecorateBy(Type),
    /// It is what a decorator makes, which is given the object of a method first.
    OwnWrapper {
        decorator: Func,
        class: Cls,
    },
    /// It decorates what `to` stands for.
    Around {
        to: Slot,
    },
    /// It is the method by which an object decorates what `to` stands for.
    AroundBy {
        to: Slot,
    },
    /// It is what a decorator hands back.
    Wrapper {
        decorator: Func,
        to: Slot,
    },
    /// It was loaded, and the call hands it out.
    Loaded(CallId),
    /// It is run on what `given` holds, and makes what the call gives.
    RunOn {
        call: CallId,
        given: Value,
        is_many: bool,
        is_map: bool,
    },
    /// The call gives a container that holds it.
    Collect(CallId),
    /// It is put into a container by a call; true if it may be one itself that is emptied into it.
    Add {
        to: ContainerId,
        key: Option<Key>,
        is_all: bool,
    },
    /// It is given to a library.
    Hold(Taker, Held),
    /// If it is an object of a library, it holds the value.
    Stores(Value),
    /// It is the method by which the object answers to an operation.
    Answer {
        operation: OperationId,
        object: Type,
    },
}

/// What of that which is given to a library is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Held {
    Callables,
    /// Also objects of libraries, and those of classes that have a base in one or methods that the language calls.
    Overrides,
    /// Also any other object of the project.
    Objects,
}

/// What of a library takes what it is given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Taker {
    Holder(HolderId),
    /// What an expression makes, whose value stands in the slot.
    Made(ExprId, Slot),
    /// The receiver of this number, which is to be known by what made it.
    Receiver(u32),
}

impl Watcher for React {
    fn connect(port: Port, slot: Slot) -> Self {
        React::Port { port, slot }
    }
}

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
                Type::Container(_) => self.part_into(ty, to),
                _ => self.item_of(ty, None, to),
            },
            React::Unless { expr, to } => self.unless_excluded(ty, expr, to),
            React::Attributes { of } => {
                if let Type::Container(entries) = ty {
                    self.on(Value::In(of), React::TakeAttributes(entries));
                }
            }
            React::TakeAttributes(entries) => {
                if let Type::Instance { class, .. } = ty {
                    self.make_fields_of(entries, class);
                }
            }
            React::Return(to) => {
                if let Type::Generator(func) = ty {
                    self.copy(Value::In(self.returned(func)), to);
                }
            }
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
                    self.pass_arguments(call, constructor, 1);
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
                    self.pass(method, 1, Value::Is(decorated));
                }
            }
            React::OwnWrapper { decorator, class } => {
                if let Some(wrapper) = self.wrapper(ty, decorator) {
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
                    self.insert(to, Type::Function(wrapper));
                }
            }
            React::Loaded(call) => self.loaded(call, ty),
            React::RunOn { call, given, is_many, is_map } => self.run_on(call, ty, given, (is_many, is_map)),
            React::Collect(call) => self.collected(call, ty),
            React::Hold(taker, held) => self.take(taker, held, ty),
            React::Answer { operation, object } => self.answered(operation, ty, object),
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
        if self.returns_param[target.0 as usize] & 1 == 1 || self.returns_own[target.0 as usize] {
            self.insert(to, object);
        }
    }
}

/// What a call of a library function with this result gives for a callable.
pub(super) fn given_back(result: Option<CallbackResult>, ty: Type) -> Option<Type> {
    match (result?, ty) {
        // `partial(f, x)` still calls `f`, but its parameters have moved.
        (CallbackResult::Callable, Type::Function(func) | Type::Bound(func)) => Some(Type::Partial(func)),
        (CallbackResult::Callable, Type::External(path)) => Some(Type::Handed(path)),
        (CallbackResult::Callable | CallbackResult::Argument, other) => Some(other),
        (CallbackResult::Called, _) => None,
    }
}
