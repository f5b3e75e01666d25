//! Interned text: one number for each distinct string. A file is lowered with a table of its own; joined files share one, so that
//! a number means the same text in all of them.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};

/// An interned string, of a file as it is lowered and of all files once they are joined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Sym(pub u32);

/// Distinct strings, in one allocation, each with its number.
#[derive(Debug, Default)]
pub struct Strings {
    text: String,
    ends: Vec<usize>,
    /// By the hash of the text, which stands once, in `text`. Empty once a file is lowered.
    ids: HashTable<Sym>,
    // A seeded hash: the keys are text of the scanned tree, which may be hostile.
    hasher: DefaultHashBuilder,
    /// What was asked for lately, by a cheap hash: most names come again soon, and a wrong guess costs one comparison.
    recent: Vec<Option<Sym>>,
}

impl Strings {
    pub fn get(&self, sym: Sym) -> &str {
        &self.text[range(&self.ends, sym)]
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Every number, in order.
    pub fn syms(&self) -> impl Iterator<Item = Sym> + use<> {
        (0..self.ends.len() as u32).map(Sym)
    }

    /// Every string, in the order of the numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.syms().map(|sym| self.get(sym))
    }

    /// The number of a string that is here.
    pub fn find(&self, text: &str) -> Option<Sym> {
        match self.ids.is_empty() {
            true => self.syms().find(|&sym| self.get(sym) == text),
            false => self.ids.find(self.hasher.hash_one(text), |&sym| self.get(sym) == text).copied(),
        }
    }

    pub fn intern(&mut self, text: &str) -> Sym {
        let slot = cheap_hash(text);
        if let Some(&Some(sym)) = self.recent.get(slot)
            && self.get(sym) == text
        {
            return sym;
        }
        let sym = self.look_up(text);
        if self.recent.is_empty() {
            self.recent.resize(RECENT, None);
        }
        self.recent[slot] = Some(sym);
        sym
    }

    fn look_up(&mut self, text: &str) -> Sym {
        let Self { text: all, ends, ids, hasher, .. } = self;
        let hash = hasher.hash_one(text);
        if let Some(&sym) = ids.find(hash, |&sym| &all[range(ends, sym)] == text) {
            return sym;
        }
        let sym = Sym(ends.len() as u32);
        all.push_str(text);
        ends.push(all.len());
        ids.insert_unique(hash, sym, |&sym| hasher.hash_one(&all[range(ends, sym)]));
        sym
    }

    /// For whoever is done with interning: what is asked for now and then only is searched.
    pub fn finish(mut self) -> Self {
        (self.ids, self.recent) = Default::default();
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
        self
    }

    /// Makes room for about so many more.
    pub fn reserve(&mut self, strings: usize) {
        let Self { text, ends, ids, hasher, .. } = self;
        ends.reserve(strings);
        ids.reserve(strings, |&sym| hasher.hash_one(&text[range(ends, sym)]));
    }
}

/// Where a string stands.
fn range(ends: &[usize], sym: Sym) -> Range<usize> {
    let at = sym.0 as usize;
    at.checked_sub(1).map_or(0, |before| ends[before])..ends[at]
}

/// A power of two.
const RECENT: usize = 256;

fn cheap_hash(text: &str) -> usize {
    let ends = match text.as_bytes() {
        [] => 0,
        [only] => u32::from(*only),
        [first, .., last] => {
            let middle = text.as_bytes()[text.len() / 2];
            u32::from(*first) | u32::from(*last) << 8 | u32::from(middle) << 16
        }
    };
    let mixed = (ends ^ (text.len() as u32) << 24).wrapping_mul(0x9E37_79B1);
    (mixed >> 24) as usize & (RECENT - 1)
}
