//! The numbers and keys by which link speaks of things: functions, modules, paths, slots, values and sets of them, entries of
//! containers, calls.

use crate::ir::Sym;
pub use crate::ir::{Cls, Func};

/// Indexes the linked files.
pub type FileIndex = usize;

/// What an import path names on disk.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Module {
    File(FileIndex),
    /// A folder without `__init__`; indexes `Modules::folders`.
    Namespace(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PathId(pub u32);

/// A set of possible values, by number: what a variable, an attribute, a return, a parameter or an element can be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot(pub u32);

/// A list, tuple, set or dict by the place that makes it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ContainerId(pub u32);

/// An object of a library that holds what it is given, by the place that makes it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HolderId(pub u32);

/// An entry of a container.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Key {
    Name(Sym),
    /// A member of an enumeration, or any other class attribute.
    Member(Cls, Sym),
    Class(Cls),
    At(u32),
}

/// What a container is to the expression that stands for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The expression's own value.
    Value,
    /// `*args` of the function whose body this is.
    Rest,
    /// `**kwargs` of the function whose body this is.
    KeywordRest,
    /// The pairs that `items()` gives.
    Pair,
    /// The fields of the object that a validator is about to make.
    Fields,
}

/// A value, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub(super) u32);

/// A set of values, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SetId(pub(super) u32);

pub const EMPTY: SetId = SetId(0);

/// A call as its constraints see it, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallId(pub u32);

/// An operation, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OperationId(pub u32);
