//! What the search for constant text found before: the answers to whole questions, and the lists that many questions walk
//! through. Nothing that depends on how much of a budget was left is kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ids::{Cls, Func, Slot};
use super::memo::SharedMemo;
use super::values::Values;
use crate::ir::ExprId;
use crate::ir::Sym;
use crate::parallel::Lazy;

/// The texts that a set is known to hold, and whether it can hold nothing else.
#[derive(Clone, Default, Debug)]
pub struct Members {
    pub texts: Arc<BTreeSet<String>>,
    pub are_all: bool,
}

type Place = (Func, ExprId);

#[derive(Default)]
pub struct Asked {
    /// Each use of a variable is an expression of its own, with the same answer.
    pub(super) variables: SharedMemo<Slot, Values>,
    pub(super) answers: SharedMemo<Place, Values>,
    /// What a class and its ancestors bind an attribute to.
    pub(super) attributes: SharedMemo<(Cls, Sym), Arc<[Place]>>,
    pub(super) returns: SharedMemo<Func, Arc<[ExprId]>>,
    pub(super) changes: Lazy<Changes>,
    /// All calls, for whoever asks what functions are given.
    pub calls: Lazy<CallsByName>,
    /// The texts that a set names.
    pub sets: SharedMemo<Place, Members>,
    /// What production code changes beside binding it.
    pub altered: Lazy<Altered>,
}

/// What changes a name beside its definitions.
#[derive(Default)]
pub struct Changes {
    /// What functions assign to names of their module: the value, or the assignment itself if it adds to the old one.
    pub(super) globals: FxHashMap<Slot, Vec<Place>>,
    /// Where methods add to an attribute of their own object.
    pub(super) attributes: FxHashMap<(Cls, Sym), Vec<Place>>,
    /// Where a list or a table is written to, or a method of it is called that changes it.
    pub(super) lists: FxHashMap<Slot, Vec<Place>>,
}

/// What production code changes.
#[derive(Default)]
pub struct Altered {
    pub(super) slots: FxHashSet<Slot>,
    /// Names that it sets on any object, hands over as texts or gives to parameters: what they set is not followed.
    pub(super) names: FxHashSet<Sym>,
}

/// Calls by the last name of what is called.
pub type CallsByName = FxHashMap<Sym, Vec<(Func, ExprId)>>;
