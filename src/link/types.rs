//! What a value can be, as far as call resolution needs it; where the values of an expression come from, and how they move.

use smallvec::SmallVec;

use super::ids::{Cls, ContainerId, Func, HolderId, Module, PathId, Slot};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Type {
    Module(Module),
    Function(Func),
    /// A method whose receiver is given.
    Bound(Func),
    /// A function of which some arguments are given.
    Partial(Func),
    /// `exact`: this class, not one of its subclasses.
    Class {
        class: Cls,
        exact: bool,
    },
    Instance {
        class: Cls,
        exact: bool,
    },
    /// `super()` inside a method of the class.
    Super(Cls),
    /// What is named through an import: a function, a class, what an attribute of an object of a library is.
    External(PathId),
    /// An object of a library's class. It has methods, and is no callable itself.
    Object(PathId),
    /// `External`, handed over as an argument: whoever calls it is not the one who reached for the library.
    Handed(PathId),
    /// A name that nothing in the program binds, and what is reached through it.
    Unbound(PathId),
    /// What calling a generator function hands back.
    Generator(Func),
    Container(ContainerId),
    /// An object of a library, by what made it: it holds what it was given.
    Holder(HolderId),
    /// An attribute or an element of one: whoever gives it something gives it to the object.
    PartOf(HolderId),
    /// What nobody can tell any more: too many values of too many kinds have met.
    Anything,
}

impl Type {
    /// As the receiver of an argument sees it.
    pub fn handed_over(self) -> Self {
        match self {
            Type::External(path) => Type::Handed(path),
            other => other,
        }
    }

    /// An object of a library, told apart by what made it.
    pub fn is_held_by_library(self) -> bool {
        matches!(self, Type::Holder(_) | Type::PartOf(_))
    }

    /// True for what no code of the project defines.
    pub fn is_of_library(self) -> bool {
        self.sort() == 2
    }

    /// Functions, objects and classes of the project, what is of a library, anything else.
    pub fn sort(self) -> usize {
        match self {
            Type::Function(_) | Type::Bound(_) | Type::Partial(_) => 0,
            Type::Class { .. } | Type::Instance { .. } | Type::Super(_) => 1,
            Type::External(_)
            | Type::Object(_)
            | Type::Handed(_)
            | Type::Unbound(_)
            | Type::Holder(_)
            | Type::PartOf(_) => 2,
            Type::Module(_) | Type::Generator(_) | Type::Container(_) | Type::Anything => 3,
        }
    }

    /// True for what can be handed over to be called.
    pub fn is_callable(self) -> bool {
        matches!(
            self,
            Type::Function(_)
                | Type::Bound(_)
                | Type::Partial(_)
                | Type::External(_)
                | Type::Handed(_)
                | Type::Unbound(_)
        )
    }
}

/// What an expression can be; nearly always so few that no allocation is needed.
pub type Types = SmallVec<[Type; 4]>;

/// Where the values of an expression come from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Nothing that link follows.
    Nothing,
    Is(Type),
    In(Slot),
}

/// A value on its way to a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Given {
    pub value: Value,
    /// As an argument.
    pub is_handed: bool,
}

impl From<Value> for Given {
    fn from(value: Value) -> Self {
        Self { value, is_handed: false }
    }
}

impl Value {
    /// As an argument.
    pub fn handed(self) -> Given {
        Given { value: self, is_handed: true }
    }
}

/// What a global name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Global {
    /// A variable of some module.
    Slot(Slot),
    Is(Type),
}

pub fn push(out: &mut Types, ty: Type) {
    if !out.contains(&ty) {
        out.push(ty);
    }
}

/// Where the values of a slot go as well.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Copied {
    pub to: Slot,
    /// As an argument: whoever calls it is not the one who reached for the library.
    pub is_handed: bool,
}
