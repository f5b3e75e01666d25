//! The slots in which something has arrived, taken out in ascending order, so that the result does not depend on luck. A slot
//! that very many others feed waits until nothing else moves, and then takes in what all of them brought at once.

/// A slot that was taken out so many times waits for all others. Below that the order is the plain one: which containers are told
/// apart depends on what arrives together, so the order of slots that few feed stays as it is.
const OFTEN: u16 = 4000;

/// A set of numbers.
#[derive(Debug, Default)]
pub struct Worklist {
    now: Bits,
    /// What was taken out often.
    later: Bits,
    /// How often each number was taken out.
    taken: Vec<u16>,
}

impl Worklist {
    pub fn remove(&mut self, number: u32) {
        self.now.remove(number);
        self.later.remove(number);
    }

    pub fn insert(&mut self, number: u32) {
        let is_often = self.taken.get(number as usize).is_some_and(|&times| times >= OFTEN);
        if is_often { &mut self.later } else { &mut self.now }.insert(number);
    }

    pub fn pop_next(&mut self) -> Option<u32> {
        let number = self.now.pop_first().or_else(|| self.later.pop_first())?;
        let at = number as usize;
        if at >= self.taken.len() {
            self.taken.resize(at + 1, 0);
        }
        self.taken[at] = self.taken[at].saturating_add(1);
        Some(number)
    }
}

#[derive(Debug, Default)]
struct Bits {
    /// One bit a number.
    words: Vec<u64>,
    /// One bit a word that is not zero.
    groups: Vec<u64>,
    /// No group before this one has a bit set.
    first: usize,
}

impl Bits {
    fn remove(&mut self, number: u32) {
        if let Some(word) = self.words.get_mut(number as usize / 64) {
            *word &= !(1 << (number % 64));
            if *word == 0 {
                self.groups[number as usize / 4096] &= !(1 << (number / 64 % 64));
            }
        }
    }

    fn insert(&mut self, number: u32) {
        let word = number as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
            self.groups.resize(word / 64 + 1, 0);
        }
        self.words[word] |= 1 << (number % 64);
        self.groups[word / 64] |= 1 << (word % 64);
        self.first = self.first.min(word / 64);
    }

    fn pop_first(&mut self) -> Option<u32> {
        let ahead = self.groups.get(self.first..)?;
        self.first += ahead.iter().position(|&group| group != 0)?;
        let word = self.first * 64 + self.groups[self.first].trailing_zeros() as usize;
        let number = word as u32 * 64 + self.words[word].trailing_zeros();
        self.remove(number);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_behaves_like_a_sorted_set(steps in prop::collection::vec((0..9_000_u32, 0..4), 0..200)) {
            let mut list = Worklist::default();
            let mut set = BTreeSet::new();
            for (number, step) in steps {
                match step {
                    0 => prop_assert_eq!(list.pop_next(), set.pop_first()),
                    1 => {
                        list.remove(number);
                        set.remove(&number);
                    }
                    _ => {
                        list.insert(number);
                        set.insert(number);
                    }
                }
            }
            prop_assert_eq!(std::iter::from_fn(|| list.pop_next()).collect::<BTreeSet<_>>(), set);
        }
    }

    #[test]
    fn what_was_taken_out_often_waits_for_the_others() {
        let mut list = Worklist::default();
        for _ in 0..OFTEN {
            list.insert(1);
            assert_eq!(list.pop_next(), Some(1));
        }
        [1, 7, 9].into_iter().for_each(|number| list.insert(number));
        list.remove(9);
        assert_eq!(std::iter::from_fn(|| list.pop_next()).collect::<Vec<_>>(), [7, 1]);
    }
}
