//! What the search for constant text found before: the answers to whole questions, and the lists that many questions walk
//! through. Nothing that depends on how much of a budget was left is kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Values;
use crate::ir::ExprId;
use crate::link::memo::SharedMemo;
use crate::link::names::Name;
use crate::link::program::{Cls, Func};
use crate::link::types::Slot;

type Place = (Func, ExprId);

#[derive(Default)]
pub struct Asked {
    /// Each use of a variable is an expression of its own, with the same answer.
    pub(super) variables: SharedMemo<Slot, Values>,
    pub(super) answers: SharedMemo<Place, Values>,
    /// What a class and its ancestors bind an attribute to.
    pub(super) attributes: SharedMemo<(Cls, Name), Arc<[Place]>>,
    pub(super) returns: SharedMemo<Func, Arc<[ExprId]>>,
    /// The texts that a set names.
    pub sets: SharedMemo<Place, Arc<BTreeSet<String>>>,
}
