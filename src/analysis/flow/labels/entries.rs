//! The entries that sets of labels are made of, and how many of them are told apart.

use smallvec::SmallVec;

use super::{Key, Origin};
use crate::finding::Confidence;

/// Labels tell so many keys of one parameter apart.
const MAX_KEYS: usize = 8;

/// A value that so many shared places may have filled is told apart by the first of them: nobody could follow the others.
const MAX_CELLS: usize = 8;

/// With more of them the keys of parameters are not told apart.
const MAX_ORIGINS: usize = 16;

pub type Entries = SmallVec<[Entry; 8]>;

/// How sure a label is, and the site it comes from. The smaller one is the better one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Word(u32);

const SITE_BITS: u32 = 30;

impl Word {
    pub const NONE: Word = Word(u32::MAX);

    pub fn new(confidence: Confidence, site: u32) -> Self {
        let rank = match confidence {
            Confidence::High => 0,
            Confidence::Medium => 1,
            Confidence::Low => 2,
        };
        Self(rank << SITE_BITS | site.min((1 << SITE_BITS) - 1))
    }

    pub fn confidence(self) -> Confidence {
        match self.0 >> SITE_BITS {
            0 => Confidence::High,
            1 => Confidence::Medium,
            _ => Confidence::Low,
        }
    }

    /// Number of the source site.
    pub fn site(self) -> u32 {
        self.0 & ((1 << SITE_BITS) - 1)
    }

    pub fn weakened(self, by: Confidence) -> Self {
        if self == Self::NONE { self } else { Self::new(self.confidence().min(by), self.site()) }
    }

    /// One inferred hop further.
    pub fn inferred(self) -> Self {
        if self == Self::NONE {
            return self;
        }
        let less = match self.confidence() {
            Confidence::High => Confidence::Medium,
            Confidence::Medium | Confidence::Low => Confidence::Low,
        };
        self.weakened(less)
    }

    /// True also where neither is known.
    pub fn is_as_sure(self, as_other: Word) -> bool {
        self.0 >> SITE_BITS <= as_other.0 >> SITE_BITS
    }

    /// Of two that are equally sure the one that came first stays, so that a fixpoint does not move for another witness.
    fn or(self, other: Word) -> Word {
        if self.is_as_sure(other) { self } else { other }
    }
}

/// How many aspects there are.
pub const ASPECTS: usize = 5;

pub type Words = [Word; ASPECTS];

pub const NO_WORDS: Words = [Word::NONE; ASPECTS];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub origin: Origin,
    /// By aspect.
    pub words: Words,
}

impl Entry {
    /// The surer word for each aspect.
    pub fn or(&self, other: &Entry) -> Entry {
        let mut words = self.words;
        for (own, word) in words.iter_mut().zip(other.words) {
            *own = own.or(word);
        }
        Entry { origin: self.origin, words }
    }
}

/// The entries of both, sorted.
pub fn merge(one: &[Entry], other: &[Entry]) -> Entries {
    let mut merged = Entries::with_capacity(one.len() + other.len());
    let mut new = other.iter().copied().peekable();
    for own in one {
        while let Some(entry) = new.next_if(|entry| entry.origin < own.origin) {
            merged.push(entry);
        }
        let same = new.next_if(|entry| entry.origin == own.origin);
        merged.push(same.map_or(*own, |same| own.or(&same)));
    }
    merged.extend(new);
    merged
}

/// True if `known` says all that `new` says. Both are sorted.
pub fn covers(known: &[Entry], new: &[Entry]) -> bool {
    let is_in = |entry: &Entry, known: &[Entry]| {
        let says = |own: &Entry| own.words.iter().zip(entry.words).all(|(own, word)| own.is_as_sure(word));
        known.first().is_some_and(|own| own.origin == entry.origin && says(own))
    };
    let mut rest = known;
    new.iter().all(|entry| {
        while let [first, others @ ..] = rest
            && first.origin < entry.origin
        {
            rest = others;
        }
        is_in(entry, rest) || is_folded(known, entry)
    })
}

/// True if the entry is one of those that are not told apart.
fn is_folded(known: &[Entry], entry: &Entry) -> bool {
    let words_of =
        |origin| known.binary_search_by_key(&origin, |own| own.origin).map_or(NO_WORDS, |at| known[at].words);
    match entry.origin {
        Origin::Cell(_) => is_past_cells(known, entry.origin),
        Origin::Param(at, Some(_)) => {
            let own = Entry { origin: entry.origin, words: words_of(entry.origin) };
            let part = Entry { words: words_of(Origin::Param(at, Some(Key::Each))), ..own };
            own.or(&part).words.iter().zip(entry.words).all(|(own, word)| own.is_as_sure(word))
        }
        Origin::Param(_, None) | Origin::Source(_) => false,
    }
}

/// Of a parameter with too many keys only "some part of it" is known.
pub fn fold_keys(entries: &mut Entries) {
    let keyed = |entry: &Entry| match entry.origin {
        Origin::Param(at, Some(_)) => Some(at),
        _ => None,
    };
    let params: SmallVec<[u32; 8]> = entries.iter().filter_map(keyed).collect();
    let is_crowded = entries.len() > MAX_ORIGINS;
    let (mut at, mut next) = (0, 0);
    while at < params.len() {
        let param = params[at];
        next += params[at..].iter().take_while(|other| **other == param).count();
        if (is_crowded && next - at > 1) || next - at > MAX_KEYS {
            let parts = entries.iter().filter(|entry| keyed(entry) == Some(param)).copied();
            let part = parts.reduce(|one, other| one.or(&other));
            entries.retain(|entry| keyed(entry) != Some(param));
            let folded = part.map(|part| Entry { origin: Origin::Param(param, Some(Key::Each)), ..part });
            *entries = merge(entries, folded.as_slice());
        }
        at = next;
    }
}

/// True for a cell behind as many others as are told apart. Cells are last in the order.
fn is_past_cells(entries: &[Entry], origin: Origin) -> bool {
    let Some(first) = entries.len().checked_sub(MAX_CELLS) else { return false };
    matches!(entries[first].origin, Origin::Cell(_))
        && entries.last().is_some_and(|last| last.origin < origin)
}

pub fn drop_cells(entries: &mut Entries) {
    let is_cell = |entry: &Entry| matches!(entry.origin, Origin::Cell(_));
    let first = entries.iter().position(is_cell).unwrap_or(entries.len());
    entries.truncate(first + MAX_CELLS);
}
