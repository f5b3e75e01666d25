//! Labels: what may be true of a value, and where that comes from. They only ever grow, so a join keeps what either side
//! knows: "on some way content from outside leads here that nobody attributed" is such a fact, "it is attributed" is none.

use smallvec::SmallVec;

use crate::finding::Confidence;
use crate::link::Name;

/// Labels tell so many keys of one parameter apart.
const MAX_KEYS: usize = 8;

/// A part of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Key {
    Name(Name),
    At(u32),
    /// Some element.
    Each,
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

    /// Of two that are equally sure the one that came first stays, so that a fixpoint does not move for another witness.
    fn improve(&mut self, by: Word) -> bool {
        let better = self.0 >> SITE_BITS > by.0 >> SITE_BITS;
        if better {
            *self = by;
        }
        better
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    origin: Origin,
    /// By aspect.
    words: [Word; 4],
}

/// A set of labels, sorted by origin; no entry is without a word.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Labels(SmallVec<[Entry; 2]>);

impl Labels {
    /// Content of this origin that nobody has guarded.
    pub fn raw(origin: Origin, word: Word) -> Self {
        Self::all(origin, word).without(Aspect::Filed)
    }

    /// All that can be true of a value.
    pub fn all(origin: Origin, word: Word) -> Self {
        Self(SmallVec::from_iter([Entry { origin, words: [word; 4] }]))
    }

    pub fn of(origin: Origin, aspect: Aspect, word: Word) -> Self {
        Self::all(origin, word).only(aspect)
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
        self.0.is_empty()
    }

    /// True if some of it is there whatever the caller gives.
    pub fn has_own(&self) -> bool {
        self.0.iter().any(|entry| entry.origin.is_own())
    }

    pub fn iter(&self) -> impl Iterator<Item = (Origin, Aspect, Word)> + '_ {
        let of = |entry: &Entry| {
            let Entry { origin, words } = *entry;
            let pairs = Aspect::ALL.into_iter().zip(words);
            pairs.filter(|(_, word)| *word != Word::NONE).map(move |(aspect, word)| (origin, aspect, word))
        };
        self.0.iter().flat_map(of)
    }

    /// Adds what `other` knows; true if that is more than a witness.
    pub fn join(&mut self, other: &Labels) -> bool {
        let mut grown = false;
        for entry in &other.0 {
            match self.0.binary_search_by_key(&entry.origin, |own| own.origin) {
                Ok(at) => {
                    for (own, word) in self.0[at].words.iter_mut().zip(entry.words) {
                        grown |= own.improve(word);
                    }
                }
                Err(at) => {
                    self.0.insert(at, *entry);
                    grown = true;
                }
            }
        }
        if grown {
            self.limit();
        }
        grown
    }

    /// Of a parameter with too many keys only the whole is known.
    fn limit(&mut self) {
        if self.0.len() <= MAX_KEYS {
            return;
        }
        let of = |entry: &Entry| match entry.origin {
            Origin::Param(at, Some(_)) => Some(at),
            _ => None,
        };
        let keyed: Vec<u32> = self.0.iter().filter_map(of).collect();
        for at in keyed.windows(MAX_KEYS + 1).filter(|at| at[0] == at[MAX_KEYS]).map(|at| at[0]) {
            let is_part = |entry: &Entry| of(entry) == Some(at);
            let parts: Vec<Entry> = self.0.iter().filter(|entry| is_part(entry)).copied().collect();
            self.0.retain(|entry| !is_part(entry));
            for part in parts {
                self.join(&Labels(SmallVec::from_iter([Entry { origin: Origin::Param(at, None), ..part }])));
            }
        }
    }

    /// What is under a key of a value of which no key is known: of a parameter the caller knows more.
    pub fn under(&self, key: Key) -> Self {
        if self.0.iter().all(|entry| !matches!(entry.origin, Origin::Param(_, None))) {
            return self.clone();
        }
        let mut out = Labels::default();
        for entry in &self.0 {
            let origin = match entry.origin {
                Origin::Param(at, None) => Origin::Param(at, Some(key)),
                other => other,
            };
            out.join(&Labels(SmallVec::from_iter([Entry { origin, ..*entry }])));
        }
        out
    }

    pub fn add(&mut self, origin: Origin, aspect: Aspect, word: Word) -> bool {
        self.join(&Self::of(origin, aspect, word))
    }

    fn retain(&mut self, keeps: impl Fn(Aspect) -> bool) {
        for entry in &mut self.0 {
            for (aspect, word) in Aspect::ALL.into_iter().zip(&mut entry.words) {
                if !keeps(aspect) {
                    *word = Word::NONE;
                }
            }
        }
        self.0.retain(|entry| entry.words != [Word::NONE; 4]);
    }

    pub fn without(mut self, aspect: Aspect) -> Self {
        self.retain(|other| other != aspect);
        self
    }

    pub fn only(mut self, aspect: Aspect) -> Self {
        self.retain(|other| other == aspect);
        self
    }

    /// What another function gets of it: a row of a database is soon what the program makes of it.
    pub fn handed_on(mut self) -> Self {
        let is_row = |entry: &Entry| entry.origin == Origin::Source(Inflow::Storage);
        for word in self.0.iter_mut().filter(|entry| is_row(entry)).flat_map(|entry| &mut entry.words) {
            *word = word.inferred();
            if word.confidence() == Confidence::Low {
                *word = Word::NONE;
            }
        }
        self.0.retain(|entry| entry.words != [Word::NONE; 4]);
        self
    }

    /// No surer than this.
    pub fn weakened(mut self, by: Confidence) -> Self {
        if by < Confidence::High {
            for word in self.0.iter_mut().flat_map(|entry| &mut entry.words) {
                *word = word.weakened(by);
            }
        }
        self
    }

    /// What a summary says, in the terms of a caller: `given` is what it put into each parameter.
    pub fn substituted(&self, given: impl Fn(u32, Option<Key>) -> Labels) -> Self {
        let mut out = Labels::default();
        for entry in &self.0 {
            let Origin::Param(at, key) = entry.origin else {
                out.join(&Labels(SmallVec::from_iter([*entry])).handed_on());
                continue;
            };
            for (origin, aspect, word) in given(at, key).iter() {
                let wanted = entry.words[aspect as usize];
                if wanted != Word::NONE {
                    out.add(origin, aspect, word.weakened(wanted.confidence()));
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels() -> impl Strategy<Value = Labels> {
        let origin = prop_oneof![
            Just(Origin::Source(Inflow::Comm)),
            Just(Origin::Source(Inflow::Network)),
            (0..3u32).prop_map(|at| Origin::Param(at, None)),
            (0..2u32, 0..12u32).prop_map(|(at, key)| Origin::Param(at, Some(Key::At(key)))),
            (0..2u32).prop_map(Origin::Cell),
        ];
        let aspect = prop::sample::select(Aspect::ALL.to_vec());
        let confidence = prop::sample::select(vec![Confidence::Low, Confidence::Medium, Confidence::High]);
        let one = (origin, aspect, confidence, 0..9u32);
        prop::collection::vec(one, 0..8).prop_map(|all| {
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
