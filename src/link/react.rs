//! What is done with a value when it arrives in a slot: each reaction is a constraint that waited for it.

use super::graph::Watcher;
use super::ids::{CallId, Cls, ContainerId, Func, HolderId, Key, OperationId, Slot};
use super::ports::Port;
use super::types::{Type, Value};
use crate::catalog::{CallbackId, CallbackResult};
use crate::ir::{ExprId, Sym};

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
    /// The slot is each of its attributes whose name begins so, by the number of the text.
    LoadAll {
        beginning: u32,
        to: Slot,
    },
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
    /// Its method of this name answers to an operation.
    AskNamed {
        operation: OperationId,
        name: Sym,
    },
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

/// What a call of a library function with this result gives for a callable.
pub(super) fn given_back(result: Option<CallbackResult>, ty: Type) -> Option<Type> {
    match (result?, ty) {
        // `partial(f, x)` still calls `f`, but its parameters have moved.
        (CallbackResult::Callable, Type::Function(func) | Type::Bound(func)) => Some(Type::Partial(func)),
        (CallbackResult::Callable, Type::External(path)) => Some(Type::Handed(path)),
        (CallbackResult::Callable | CallbackResult::Argument, other) => Some(other),
        (CallbackResult::Called | CallbackResult::Provided | CallbackResult::Collected, _) => None,
    }
}
