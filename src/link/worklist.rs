//! What the solver still has to run, and who must run again when a slot grows. Both hold plain numbers in a few large
//! allocations: a slot has one reader more often than not, and a heap block for each would cost more than the solving.

use super::types::Slot;

/// A set of constraints, taken out in ascending order.
#[derive(Debug, Default)]
pub struct Worklist {
    /// One bit a constraint.
    words: Vec<u64>,
    /// No word before this one has a bit set.
    first: usize,
}

impl Worklist {
    /// For constraints 0 to `count`, none of them waiting.
    pub fn new(count: usize) -> Self {
        Self { words: vec![0; count.div_ceil(64)], first: 0 }
    }

    pub fn remove(&mut self, constraint: u32) {
        self.words[constraint as usize / 64] &= !(1 << (constraint % 64));
    }

    pub fn insert(&mut self, constraint: u32) {
        let word = constraint as usize / 64;
        self.words[word] |= 1 << (constraint % 64);
        self.first = self.first.min(word);
    }

    pub fn pop_first(&mut self) -> Option<u32> {
        let ahead = self.words.get(self.first..)?;
        let word = self.first + ahead.iter().position(|&word| word != 0)?;
        self.first = word;
        let bit = self.words[word].trailing_zeros();
        self.words[word] &= self.words[word] - 1;
        Some(word as u32 * 64 + bit)
    }
}

/// By slot, the constraints that read it: linked lists in one vector, the newest reader first.
#[derive(Debug)]
pub struct Readers {
    heads: Vec<u32>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    reader: u32,
    next: u32,
}

const END: u32 = u32::MAX;

/// A reader is looked for among this many; beyond, it may stand in the list twice, and the worklist is a set.
const LOOK_BACK: usize = 32;

impl Readers {
    pub fn new(slots: usize) -> Self {
        Self { heads: vec![END; slots], entries: Vec::with_capacity(slots) }
    }

    pub fn add_slot(&mut self) {
        self.heads.push(END);
    }

    pub fn add(&mut self, slot: Slot, reader: u32) {
        if self.of(slot).take(LOOK_BACK).any(|known| known == reader) {
            return;
        }
        let head = &mut self.heads[slot.0 as usize];
        self.entries.push(Entry { reader, next: *head });
        *head = self.entries.len() as u32 - 1;
    }

    pub fn of(&self, slot: Slot) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.heads[slot.0 as usize];
        std::iter::from_fn(move || {
            let entry = *self.entries.get(at as usize)?;
            at = entry.next;
            Some(entry.reader)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_behaves_like_a_sorted_set(steps in prop::collection::vec((0..300_u32, 0..4), 0..200)) {
            let mut list = Worklist::new(300);
            let mut set = BTreeSet::new();
            for (constraint, step) in steps {
                match step {
                    0 => prop_assert_eq!(list.pop_first(), set.pop_first()),
                    1 => {
                        list.remove(constraint);
                        set.remove(&constraint);
                    }
                    _ => {
                        list.insert(constraint);
                        set.insert(constraint);
                    }
                }
            }
            prop_assert_eq!(std::iter::from_fn(|| list.pop_first()).collect::<BTreeSet<_>>(), set);
        }

        #[test]
        fn every_reader_is_remembered(pairs in prop::collection::vec((0..5_u32, 0..100_u32), 0..300)) {
            let mut readers = Readers::new(5);
            pairs.iter().for_each(|&(slot, reader)| readers.add(Slot(slot), reader));
            for slot in 0..5 {
                let wanted: BTreeSet<u32> = pairs.iter().filter(|p| p.0 == slot).map(|p| p.1).collect();
                prop_assert_eq!(readers.of(Slot(slot)).collect::<BTreeSet<_>>(), wanted);
            }
        }
    }
}
