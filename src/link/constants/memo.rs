//! What the search for constant text found before: the answers to whole questions, and the lists that many questions walk
//! through. Nothing that depends on how much of a budget was left is kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Values;
use super::accumulated::Changes;
use crate::ir::ExprId;
use crate::ir::Sym;
use crate::link::altered::Altered;
use crate::link::ids::{Cls, Func, Slot};
use crate::link::loaded::CallsByName;
use crate::link::memo::SharedMemo;
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
