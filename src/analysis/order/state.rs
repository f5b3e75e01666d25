//! What holds at a point of a function, and what is left of it when the function comes back.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::ToolId;
use super::keys::Key;
use crate::ir::ExprId;
use crate::link::Func;

/// A call that brought internal data in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Source {
    pub func: Func,
    pub at: ExprId,
    pub tool: ToolId,
}

#[derive(Clone, PartialEq, Debug)]
pub struct State {
    pub is_live: bool,
    /// What may have run, the first of each session.
    pub sources: BTreeMap<Key, Source>,
    /// No session that the caller has is contaminated, whatever it did.
    pub is_clean: bool,
    /// The same for single sessions of the caller.
    pub reset: BTreeSet<Key>,
    /// On every way here a mark was seen that internal data was read.
    pub is_marked: bool,
    /// On every way here it was seen that the tool at hand is a source.
    pub is_source: bool,
}

impl State {
    pub fn entry() -> Self {
        Self {
            is_live: true,
            sources: BTreeMap::new(),
            is_clean: false,
            reset: BTreeSet::new(),
            is_marked: false,
            is_source: false,
        }
    }

    pub fn join(&mut self, from: &State) {
        if !from.is_live {
            return;
        }
        if !self.is_live {
            *self = from.clone();
            return;
        }
        keep_least(&mut self.sources, from.sources.clone());
        self.is_clean &= from.is_clean;
        self.reset.retain(|key| from.reset.contains(key));
        self.is_marked &= from.is_marked;
        self.is_source &= from.is_source;
    }

    pub fn add(&mut self, key: Key, source: Source) {
        keep_least(&mut self.sources, [(key, source)]);
    }

    /// Nothing internal is in any session.
    pub fn clean(&mut self) {
        self.sources.clear();
        self.is_clean = true;
    }

    /// A source that may have run in the session of this key.
    pub fn source_of(&self, key: &Key) -> Option<Source> {
        let meant = self.sources.iter().filter(|(known, _)| known.may_be(key));
        meant.map(|(_, source)| *source).min()
    }

    /// True if it is up to the caller whether that session is contaminated.
    pub fn is_open(&self, key: &Key) -> bool {
        !self.is_clean && !self.reset.contains(key)
    }
}

/// How a function leaves that does not do what it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Refusal {
    Returns,
    Raises,
}

/// What is known of functions.
#[derive(Default)]
pub struct Known {
    pub summaries: FxHashMap<Func, Summary>,
    /// Functions of the group at hand, whose summaries may still grow.
    pub unsettled: BTreeSet<Func>,
    /// How a function refuses is no longer looked for: it has been found.
    pub are_refusals_known: bool,
}

/// What a function does, in terms of whoever calls it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Summary {
    /// What is left when it comes back, if it does.
    pub left: Option<Left>,
    /// External tools that run in the state of the caller, by place.
    pub externals: BTreeSet<(Func, ExprId, ToolId, Key)>,
    /// How it leaves because it saw the mark.
    pub refusals: BTreeSet<Refusal>,
    /// It hands back the mark, or the opposite.
    pub tells: Option<bool>,
}

/// What a function that comes back leaves behind.
#[derive(Clone, PartialEq, Debug)]
pub struct Left {
    pub sources: BTreeMap<Key, Source>,
    pub is_clean: bool,
    pub reset: BTreeSet<Key>,
}

impl Summary {
    /// Keeps what was known before, so that functions that call each other come to an end.
    pub fn grow_from(&mut self, before: &Summary, are_refusals_known: bool) {
        match (&mut self.left, &before.left) {
            (Some(left), Some(before)) => left.join(before),
            (None, Some(before)) => self.left = Some(before.clone()),
            (_, None) => {}
        }
        self.externals.extend(before.externals.iter().cloned());
        if are_refusals_known {
            self.refusals.clone_from(&before.refusals);
            self.tells = before.tells;
        } else {
            self.refusals.extend(&before.refusals);
            self.tells = self.tells.filter(|_| self.tells == before.tells);
        }
    }
}

impl Left {
    fn join(&mut self, other: &Left) {
        keep_least(&mut self.sources, other.sources.clone());
        self.is_clean &= other.is_clean;
        self.reset.retain(|key| other.reset.contains(key));
    }
}

/// Adds sources; of two for one session the one that stands first stays.
fn keep_least(sources: &mut BTreeMap<Key, Source>, others: impl IntoIterator<Item = (Key, Source)>) {
    for (key, source) in others {
        let known = sources.entry(key).or_insert(source);
        *known = (*known).min(source);
    }
}
