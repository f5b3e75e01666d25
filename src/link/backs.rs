//! What functions hand back of what they are given.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::ids::{Func, Key};
use crate::ir::ExprId;

/// A parameter that is handed back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Back {
    pub(super) parameter: u32,
    /// An entry of it is meant, under a key if that is known.
    pub(super) entry: Option<Option<Key>>,
}

/// A parameter of one function that is an argument of a call whose result that function hands back.
pub(super) type Tail = ((Func, u32), (Func, u32));

#[derive(Default)]
pub(super) struct HandsBack {
    pub(super) parameters: FxHashMap<Func, SmallVec<[Back; 1]>>,
    /// Calls whose results are handed back: `return clean(page)`.
    pub(super) tail_calls: Vec<(Func, ExprId)>,
    /// Methods that hand back an object of the class they are called on (`return cls()`, `-> Self`).
    pub(super) makes_own: Vec<bool>,
}

impl HandsBack {
    pub fn new(functions: usize) -> Self {
        Self { makes_own: vec![false; functions], ..Self::default() }
    }

    pub(super) fn of(&self, func: Func, parameter: u32) -> impl Iterator<Item = Back> + use<'_> {
        let all = self.parameters.get(&func).into_iter().flatten().copied();
        all.filter(move |back| back.parameter == parameter)
    }

    /// Notes that a function hands back a parameter; true if that is news.
    pub(super) fn note(&mut self, func: Func, back: Back) -> bool {
        let known = self.parameters.entry(func).or_default();
        let is_new = !known.contains(&back);
        if is_new {
            known.push(back);
        }
        is_new
    }

    /// What the function called hands back is handed back by the one that calls it, too.
    pub(super) fn note_tails(&mut self, tails: &[Tail]) {
        let mut callers: FxHashMap<(Func, u32), Vec<(Func, u32)>> = FxHashMap::default();
        tails.iter().for_each(|&(called, caller)| callers.entry(called).or_default().push(caller));
        let mut work: Vec<(Func, Back)> = Vec::new();
        for &(func, parameter) in callers.keys() {
            work.extend(self.of(func, parameter).map(|back| (func, back)));
        }
        while let Some((func, back)) = work.pop() {
            for &(caller, parameter) in callers.get(&(func, back.parameter)).into_iter().flatten() {
                let back = Back { parameter, ..back };
                if self.note(caller, back) {
                    work.push((caller, back));
                }
            }
        }
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
