//! What declared types speak of, and what the graph asks of values: what stands for all of a kind, which are certain.

use super::ids::SetId;
use super::types::Type;

/// What can be done with a value, as far as declared types speak of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Kinds(u8);

impl Kinds {
    pub const NONE: Self = Self(0);
    /// Functions, classes, objects that can be called.
    pub const CALLABLE: Self = Self(1);
    /// Containers, generators, objects that can be subscripted or iterated over.
    pub const MANY: Self = Self(2);
    pub const ANY: Self = Self(7);
    /// Everything but what can only be iterated over.
    pub const NOT_ONLY_MANY: Self = Self(5);
    pub(super) const OTHER: Self = Self(4);

    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// What a declaration lets in besides what it names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accepted {
    pub kinds: Kinds,
    /// The compiler sees to it, so that nothing else is there, however few values say so.
    pub is_checked: bool,
}

/// What a declaration lets into a slot.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    pub(super) accepted: Accepted,
    /// What contradicts it.
    pub(super) waiting: SetId,
    /// As much of that as was let in.
    pub(super) admitted: SetId,
}

/// What the graph asks of values.
pub trait Domain {
    /// What stands for all values of the kind, of which a set need not hold many.
    fn join(&self, ty: Type) -> Option<Type>;

    fn kinds(&self, ty: Type) -> Kinds;

    /// True if a value is one of those that another one stands for.
    fn covers(&self, whole: Type, part: Type) -> bool;

    /// True if a type that is written as a value is one of those that `whole` stands for.
    fn is_value_of(&self, whole: Type, part: Type) -> bool;

    /// False of what may be anything, as an attribute of a library's object, and of what stands for a field's default.
    fn is_certain(&self, ty: Type) -> bool;
}

/// Values that have no kinds to tell apart.
#[cfg(test)]
pub(super) struct Plain;

#[cfg(test)]
impl Domain for Plain {
    fn join(&self, _: Type) -> Option<Type> {
        None
    }

    fn kinds(&self, _: Type) -> Kinds {
        Kinds::ANY
    }

    fn covers(&self, whole: Type, part: Type) -> bool {
        whole == part
    }

    fn is_value_of(&self, _: Type, _: Type) -> bool {
        false
    }

    fn is_certain(&self, _: Type) -> bool {
        true
    }
}
