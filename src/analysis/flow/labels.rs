//! Labels: what may be true of a value, and where that comes from. They only ever grow, so a join keeps what either side
//! knows: "on some way content from outside leads here that nobody attributed" is such a fact, "it is attributed" is none.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::finding::Confidence;
use crate::link::Name;

/// Labels tell so many keys of one parameter apart.
const MAX_KEYS: usize = 8;

/// A value that so many shared places may have filled is told apart by the first of them: nobody could follow the others.
const MAX_CELLS: usize = 8;

/// With more of them the keys of parameters are not told apart.
const MAX_ORIGINS: usize = 16;

type Entries = SmallVec<[Entry; 8]>;

/// A part of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Key {
    Name(Name),
    At(u32),
    /// Some element.
    Each,
    /// Whatever is under no key that is known.
    Rest,
}

/// Where content comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Inflow {
    Comm,
    Network,
    Process,
    /// Read from a database.
    Storage,
    /// It went through a content fence, so it is from outside, whoever fetched it.
    Fence,
}

impl Inflow {
    pub const WORDS: [(&'static str, Inflow); 5] = [
        ("comm", Inflow::Comm),
        ("network", Inflow::Network),
        ("process", Inflow::Process),
        ("storage", Inflow::Storage),
        ("fence", Inflow::Fence),
    ];
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
    /// It names a file that holds content.
    Filed,
}

impl Origin {
    /// True for content that is there whatever the caller gives.
    pub fn is_own(self) -> bool {
        !matches!(self, Origin::Param(..))
    }
}

impl Aspect {
    pub const ALL: [Aspect; 4] = [Aspect::Content, Aspect::Unattributed, Aspect::Unfenced, Aspect::Filed];
}

/// How sure a label is, and the site it comes from. The smaller one is the better one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Word(u32);

const SITE_BITS: u32 = 30;

impl Word {
    const NONE: Word = Word(u32::MAX);

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

    fn is_as_sure(self, as_other: Word) -> bool {
        self.0 >> SITE_BITS <= as_other.0 >> SITE_BITS
    }

    /// Of two that are equally sure the one that came first stays, so that a fixpoint does not move for another witness.
    fn or(self, other: Word) -> Word {
        if self.is_as_sure(other) { self } else { other }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    origin: Origin,
    /// By aspect.
    words: [Word; 4],
}

impl Entry {
    /// The surer word for each aspect.
    fn or(&self, other: &Entry) -> Entry {
        let mut words = self.words;
        for (own, word) in words.iter_mut().zip(other.words) {
            *own = own.or(word);
        }
        Entry { origin: self.origin, words }
    }
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
        Self::all(origin, word).without(Aspect::Filed)
    }

    /// All that can be true of a value.
    pub fn all(origin: Origin, word: Word) -> Self {
        Self::from(&[Entry { origin, words: [word; 4] }])
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

    /// Of a path into whose file something with these labels is written.
    pub fn filed(&self) -> Self {
        let mut out = Labels::default();
        for (origin, aspect, word) in self.iter() {
            if aspect == Aspect::Content && matches!(origin, Origin::Source(_)) {
                out.add(origin, Aspect::Filed, word.weakened(Confidence::Medium));
            }
        }
        out
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// True if some of it is there whatever the caller gives.
    pub fn has_own(&self) -> bool {
        self.entries().iter().any(|entry| entry.origin.is_own())
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
        let mut out = self.changed(|entry| if is_whole(&&entry) { [Word::NONE; 4] } else { entry.words });
        out.join(&Self::from(&parts));
        out
    }

    /// Without the parts of parameters that nothing is in.
    pub fn of_given(&self, has_key: impl Fn(u32, Key) -> bool) -> Self {
        self.changed(|entry| match entry.origin {
            Origin::Param(at, Some(key)) if !has_key(at, key) => [Word::NONE; 4],
            _ => entry.words,
        })
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
    fn changed(&self, words: impl Fn(Entry) -> [Word; 4]) -> Self {
        if self.entries().iter().all(|entry| words(*entry) == entry.words) {
            return self.clone();
        }
        let changed = self.entries().iter().map(|entry| Entry { words: words(*entry), ..*entry });
        let left: Entries = changed.filter(|entry| entry.words != [Word::NONE; 4]).collect();
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
        let own = self.changed(|entry| if is_param(&entry) { [Word::NONE; 4] } else { entry.words });
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

/// The entries of both, sorted.
fn merge(one: &[Entry], other: &[Entry]) -> Entries {
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
fn covers(known: &[Entry], new: &[Entry]) -> bool {
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
    let words_of = |origin| {
        known.binary_search_by_key(&origin, |own| own.origin).map_or([Word::NONE; 4], |at| known[at].words)
    };
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
fn fold_keys(entries: &mut Entries) {
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

fn drop_cells(entries: &mut Entries) {
    let is_cell = |entry: &Entry| matches!(entry.origin, Origin::Cell(_));
    let first = entries.iter().position(is_cell).unwrap_or(entries.len());
    entries.truncate(first + MAX_CELLS);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels() -> impl Strategy<Value = Labels> {
        some_labels(3, 2, 8)
    }

    /// More than are told apart.
    fn many() -> impl Strategy<Value = Labels> {
        some_labels(20, 20, 20)
    }

    fn some_labels(keys: u32, cells: u32, count: usize) -> impl Strategy<Value = Labels> {
        let origin = prop_oneof![
            Just(Origin::Source(Inflow::Comm)),
            Just(Origin::Source(Inflow::Network)),
            (0..3u32).prop_map(|at| Origin::Param(at, None)),
            (0..2u32, 0..keys).prop_map(|(at, key)| Origin::Param(at, Some(Key::At(key)))),
            (0..cells).prop_map(Origin::Cell),
        ];
        let aspect = prop::sample::select(Aspect::ALL.to_vec());
        let confidence = prop::sample::select(vec![Confidence::Low, Confidence::Medium, Confidence::High]);
        let one = (origin, aspect, confidence, 0..9u32);
        prop::collection::vec(one, 0..count).prop_map(|all| {
            let mut labels = Labels::default();
            for (origin, aspect, confidence, site) in all {
                labels.add(origin, aspect, Word::new(confidence, site));
            }
            labels
        })
    }

    fn joined(one: &Labels, other: &Labels) -> Labels {
        let mut out = one.clone();
        out.join(other);
        out
    }

    /// What is known, without the witnesses.
    fn known(labels: &Labels) -> Vec<(Origin, Aspect, Confidence)> {
        labels.iter().map(|(origin, aspect, word)| (origin, aspect, word.confidence())).collect()
    }

    proptest! {
        #[test]
        fn a_join_is_an_upper_bound(a in labels(), b in labels(), c in labels()) {
            prop_assert_eq!(joined(&a, &a), a.clone());
            prop_assert_eq!(known(&joined(&a, &b)), known(&joined(&b, &a)));
            prop_assert_eq!(known(&joined(&joined(&a, &b), &c)), known(&joined(&a, &joined(&b, &c))));
            prop_assert!(!joined(&a, &b).join(&a) && !joined(&a, &b).join(&b));
        }

        #[test]
        fn a_join_of_many_is_an_upper_bound(a in many(), b in many(), c in many()) {
            prop_assert_eq!(known(&joined(&a, &b)), known(&joined(&b, &a)));
            prop_assert!(!joined(&a, &b).join(&a) && !joined(&a, &b).join(&b));
            let all = joined(&joined(&a, &b), &c);
            prop_assert!([&a, &b, &c].into_iter().all(|one| all.covers(one)));
        }

        #[test]
        fn a_join_says_whether_it_learned_something(a in labels(), b in labels()) {
            let mut grown = a.clone();
            prop_assert_eq!(grown.join(&b), known(&grown) != known(&a));
        }

        #[test]
        fn guards_take_one_aspect_of_everything(a in labels(), b in labels()) {
            for aspect in Aspect::ALL {
                prop_assert!(a.clone().without(aspect).iter().all(|(_, other, _)| other != aspect));
                let apart = joined(&a.clone().without(aspect), &a.clone().only(aspect));
                prop_assert_eq!(known(&apart), known(&a));
                let both = joined(&a, &b).without(aspect);
                prop_assert_eq!(known(&both), known(&joined(&a.clone().without(aspect), &b.clone().without(aspect))));
            }
        }

        #[test]
        fn summaries_grow_with_what_they_are_given(summary in labels(), a in labels(), b in labels()) {
            let of = |labels: &Labels| {
                summary.substituted(|at, _| if at == 0 { labels.clone() } else { Labels::default() })
            };
            let mut apart = of(&a);
            apart.join(&of(&b));
            prop_assert_eq!(known(&of(&joined(&a, &b))), known(&apart));
        }

        #[test]
        fn nothing_gets_surer_by_being_weakened(a in labels()) {
            let weak = a.clone().weakened(Confidence::Medium);
            prop_assert!(weak.iter().all(|(_, _, word)| word.confidence() <= Confidence::Medium));
            prop_assert_eq!(joined(&a, &weak), a);
        }
    }
}
