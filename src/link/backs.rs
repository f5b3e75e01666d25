//! What functions hand back of what they are given.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::ids::{Func, Key};

/// A parameter that is handed back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Back {
    pub(super) parameter: u32,
    /// An entry of it is meant, under a key if that is known.
    pub(super) entry: Option<Option<Key>>,
}

#[derive(Default)]
pub(super) struct HandsBack {
    pub(super) parameters: FxHashMap<Func, SmallVec<[Back; 1]>>,
    /// Methods that hand back an object of the class they are called on (`return cls()`, `-> Self`).
    pub(super) makes_own: Vec<bool>,
}

impl HandsBack {
    pub fn new(functions: usize) -> Self {
        Self { parameters: FxHashMap::default(), makes_own: vec![false; functions] }
    }

    pub(super) fn of(&self, func: Func, parameter: u32) -> impl Iterator<Item = Back> + use<'_> {
        let all = self.parameters.get(&func).into_iter().flatten().copied();
        all.filter(move |back| back.parameter == parameter)
    }

    /// True of a method that hands back the object it is called on.
    pub fn is_same(&self, method: Func) -> bool {
        self.of(method, 0).any(|back| back.entry.is_none())
    }

    /// The same, or of one that hands back another object of its class.
    pub fn is_own(&self, method: Func) -> bool {
        self.is_same(method) || self.makes_own[method.0 as usize]
    }
}
