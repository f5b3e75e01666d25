//! What runs if a value is called, or an attribute of it: asked once of each value and of each set of them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ids::{Func, SetId};
use super::types::Type;
use crate::ir::Sym;

/// What is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Level {
    /// A handler, a list of handlers, or of pairs with one.
    Entry,
    InList,
    InPair,
}

impl Level {
    pub fn inside(self) -> Option<Self> {
        match self {
            Level::Entry => Some(Level::InList),
            Level::InList => Some(Level::InPair),
            Level::InPair => None,
        }
    }
}

/// What was asked, by the attribute that is meant.
#[derive(Default)]
pub(super) struct Ran {
    pub of_value: FxHashMap<(Type, Option<Sym>), Arc<[Func]>>,
    pub of_set: FxHashMap<(SetId, Option<Sym>, Level), Arc<[Func]>>,
}
