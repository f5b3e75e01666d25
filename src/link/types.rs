//! Types-lite: what a value can be, as far as call resolution needs it. A slot (variable, attribute, return, parameter,
//! element) holds a few types; beyond that it is `top`, which resolves nothing and is counted.

use smallvec::SmallVec;

use super::externals::PathId;
use super::modules::Module;
use super::program::{Cls, Func};

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
    /// A library path, or an instance made by calling it: an instance keeps the path of its constructor.
    External(PathId),
    /// The same, handed over as an argument: whoever calls it is not the one who reached for the library.
    Handed(PathId),
    /// A name that nothing in the program binds, and what is reached through it.
    Unbound(PathId),
    /// What calling a generator function hands back.
    Generator(Func),
    Container(ContainerId),
}

impl Type {
    /// As the receiver of an argument sees it.
    pub fn handed_over(self) -> Self {
        match self {
            Type::External(path) => Type::Handed(path),
            other => other,
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

/// A list, tuple, set or dict by the place that makes it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ContainerId(pub u32);

/// A set of possible values, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot(pub u32);

/// Values of a slot that is no callable: more is `top` (ARCHITECTURE "Linking").
const MAX_TYPES: usize = 4;
/// Handler tables and registries: more is `top`.
pub const MAX_TARGETS: usize = 16;

/// What an expression can be; nearly always so few that no allocation is needed.
pub type Types = SmallVec<[Type; 4]>;

#[derive(Clone, Debug, Default)]
pub struct TypeSet {
    types: SmallVec<[Type; 1]>,
    top: bool,
    /// Something that was let go, here or elsewhere, would be in the set.
    pub is_cut: bool,
}

/// What came of adding a value to a set.
pub enum Added {
    Known,
    New,
    /// The set is full: it holds nothing any more, and this is what it held.
    Cut(SmallVec<[Type; 1]>),
    /// The set was full before.
    Lost,
}

impl TypeSet {
    pub fn types(&self) -> &[Type] {
        &self.types
    }

    /// Once `top`, the set is empty and stays so.
    pub fn insert(&mut self, ty: Type) -> Added {
        if self.top {
            return Added::Lost;
        }
        if self.types.contains(&ty) {
            return Added::Known;
        }
        let kind = |ty: Type| (ty.is_callable(), matches!(ty, Type::Container(_)));
        let same_kind = self.types.iter().filter(|&&known| kind(known) == kind(ty)).count();
        // A container is where it is made, so several returns of one shape are several containers.
        let limit = if kind(ty) == (false, false) { MAX_TYPES } else { MAX_TARGETS };
        if same_kind >= limit {
            (self.top, self.is_cut) = (true, true);
            return Added::Cut(std::mem::take(&mut self.types));
        }
        self.types.push(ty);
        Added::New
    }
}
