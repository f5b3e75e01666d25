//! Labels: what may be true of a value, and where that comes from. They only ever grow, so a join keeps what either side
//! knows: "on some way content from outside leads here that nobody attributed" is such a fact, "it is attributed" is none.

mod entries;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::analysis::inflows::Inflow;
use crate::finding::Confidence;
use crate::ir::Sym;

use entries::{Entries, Entry, covers, drop_cells, fold_keys, merge};

pub use entries::{ASPECTS, NO_WORDS, Word, Words};

/// A part of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Key {
    Name(Sym),
    At(u32),
    /// Some element.
    Each,
    /// Whatever is under no key that is known.
    Rest,
}

/// Whose label it is: a source's, or that of what somebody else puts into a parameter or a shared place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    Source(Inflow),
    /// Of the function that is walked, by position; or of what is under a key of it.
    Param(u32, Option<Key>),
    /// A variable of several functions, or an attribute of a class's objects.
    Cell(u32),
}

/// What may be true of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Aspect {
    /// It holds content, which somebody could run.
    Content,
    /// Content that did not pass the attribution guard.
    Unattributed,
    /// Content without a fence.
    Unfenced,
    /// Content without the warning that comes with a fence.
    Unwarned,
    /// It is what was brought in, and no container that somebody else has put it into.
    Itself,
}

impl Origin {
    /// True for content that is there whatever the caller gives.
    pub fn is_own(self) -> bool {
        !matches!(self, Origin::Param(..))
    }
}

impl Aspect {
    pub const ALL: [Aspect; ASPECTS] =
        [Aspect::Content, Aspect::Unattributed, Aspect::Unfenced, Aspect::Unwarned, Aspect::Itself];
}

/// A set of labels, sorted by origin; no entry is without a word. Cheap to copy: most values are made of few others.
#[derive(Clone, Default, Debug)]
pub struct Labels(Option<Arc<[Entry]>>);

impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.entries() == other.entries()
    }
}

impl Labels {
    /// Content of this origin that nobody has guarded.
    pub fn raw(origin: Origin, word: Word) -> Self {
        Self::all(origin, word)
    }

    /// Content that has passed both guards.
    pub fn guarded(self) -> Self {
        self.without(Aspect::Unattributed).without(Aspect::Unfenced).without(Aspect::Unwarned)
    }

    /// All that can be true of a value.
    pub fn all(origin: Origin, word: Word) -> Self {
        Self::from(&[Entry { origin, words: [word; ASPECTS] }])
    }

    pub fn of(origin: Origin, aspect: Aspect, word: Word) -> Self {
        Self::all(origin, word).only(aspect)
    }

    fn from(entries: &[Entry]) -> Self {
        Self((!entries.is_empty()).then(|| entries.into()))
    }

    fn entries(&self) -> &[Entry] {
        self.0.as_deref().unwrap_or_default()
    }

    /// True if both are one copy of the other.
    pub fn is_same(&self, other: &Labels) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// True if some of it is there whatever the caller gives.
    pub fn has_own(&self) -> bool {
        self.entries().iter().any(|entry| entry.origin.is_own())
    }

    /// By origin, the words of all aspects.
    pub fn words(&self) -> impl Iterator<Item = (Origin, Words)> + '_ {
        self.entries().iter().map(|entry| (entry.origin, entry.words))
    }

    pub fn iter(&self) -> impl Iterator<Item = (Origin, Aspect, Word)> + '_ {
        let of = |entry: &Entry| {
            let Entry { origin, words } = *entry;
            let pairs = Aspect::ALL.into_iter().zip(words);
            pairs.filter(|(_, word)| *word != Word::NONE).map(move |(aspect, word)| (origin, aspect, word))
        };
        self.entries().iter().flat_map(of)
    }

    /// True if `other` says nothing that is not known, but perhaps for a witness.
    pub fn covers(&self, other: &Labels) -> bool {
        self.is_same(other) || covers(self.entries(), other.entries())
    }

    /// Adds what `other` knows; true if that is more than a witness.
    pub fn join(&mut self, other: &Labels) -> bool {
        if self.covers(other) {
            return false;
        }
        if self.is_empty() {
            *self = other.clone();
            return true;
        }
        let mut merged = merge(self.entries(), other.entries());
        fold_keys(&mut merged);
        drop_cells(&mut merged);
        *self = Self::from(&merged);
        true
    }

    /// What is under a key of a value of which no key is known: of a parameter the caller knows more.
    pub fn under(&self, key: Key) -> Self {
        let is_whole = |entry: &&Entry| matches!(entry.origin, Origin::Param(_, None));
        let mut whole = self.entries().iter().filter(is_whole).peekable();
        if whole.peek().is_none() {
            return self.clone();
        }
        let parts: Entries = whole
            .filter_map(|entry| match entry.origin {
                Origin::Param(at, _) => Some(Entry { origin: Origin::Param(at, Some(key)), ..*entry }),
                _ => None,
            })
            .collect();
        let mut out = self.changed(|entry| if is_whole(&&entry) { NO_WORDS } else { entry.words });
        out.join(&Self::from(&parts));
        out
    }

    /// Without the parts of parameters that nothing is in.
    pub fn of_given(&self, has_key: impl Fn(u32, Key) -> bool) -> Self {
        self.changed(|entry| match entry.origin {
            Origin::Param(at, Some(key)) if !has_key(at, key) => NO_WORDS,
            _ => entry.words,
        })
    }

    pub fn without_origins(&self, drops: impl Fn(Origin) -> bool) -> Self {
        self.changed(|entry| if drops(entry.origin) { NO_WORDS } else { entry.words })
    }

    /// The parameters whose whole these are labels of.
    pub fn params(&self) -> impl Iterator<Item = u32> + '_ {
        self.entries().iter().filter_map(|entry| match entry.origin {
            Origin::Param(at, None) => Some(at),
            _ => None,
        })
    }

    pub fn add(&mut self, origin: Origin, aspect: Aspect, word: Word) -> bool {
        self.join(&Self::of(origin, aspect, word))
    }

    /// With other words.
    fn changed(&self, words: impl Fn(Entry) -> Words) -> Self {
        if self.entries().iter().all(|entry| words(*entry) == entry.words) {
            return self.clone();
        }
        let changed = self.entries().iter().map(|entry| Entry { words: words(*entry), ..*entry });
        let left: Entries = changed.filter(|entry| entry.words != NO_WORDS).collect();
        Self::from(&left)
    }

    fn retain(&self, keeps: impl Fn(Aspect) -> bool) -> Self {
        let none = |aspect: Aspect, word| if keeps(aspect) { word } else { Word::NONE };
        self.changed(|entry| Aspect::ALL.map(|aspect| none(aspect, entry.words[aspect as usize])))
    }

    pub fn without(self, aspect: Aspect) -> Self {
        self.retain(|other| other != aspect)
    }

    pub fn only(self, aspect: Aspect) -> Self {
        self.retain(|other| other == aspect)
    }

    /// What another function gets of it: a row of a database is soon what the program makes of it.
    pub fn handed_on(self) -> Self {
        self.changed(|entry| match entry.origin {
            Origin::Source(Inflow::Storage) => entry.words.map(|word| match word.inferred() {
                word if word.confidence() == Confidence::Low => Word::NONE,
                word => word,
            }),
            _ => entry.words,
        })
    }

    /// No surer than this.
    pub fn weakened(self, by: Confidence) -> Self {
        if by == Confidence::High {
            self
        } else {
            self.changed(|entry| entry.words.map(|word| word.weakened(by)))
        }
    }

    /// What a summary says, in the terms of a caller: `given` is what it put into each parameter.
    pub fn substituted(&self, given: impl Fn(u32, Option<Key>) -> Labels) -> Self {
        let is_param = |entry: &Entry| matches!(entry.origin, Origin::Param(..));
        let own = self.changed(|entry| if is_param(&entry) { NO_WORDS } else { entry.words });
        let mut out = own.handed_on();
        for entry in self.entries() {
            let Origin::Param(at, key) = entry.origin else { continue };
            let limit =
                |word: Word, by: Word| if by == Word::NONE { by } else { word.weakened(by.confidence()) };
            let limited = |given: Entry| {
                Aspect::ALL.map(|at| limit(given.words[at as usize], entry.words[at as usize]))
            };
            out.join(&given(at, key).changed(limited));
        }
        out
    }
}
