//! The slots in which something has arrived, taken out in ascending order, so that the result does not depend on luck.

/// A set of numbers.
#[derive(Debug, Default)]
pub struct Worklist {
    /// One bit a number.
    words: Vec<u64>,
    /// One bit a word that is not zero.
    groups: Vec<u64>,
    /// No group before this one has a bit set.
    first: usize,
}

impl Worklist {
    pub fn remove(&mut self, number: u32) {
        if let Some(word) = self.words.get_mut(number as usize / 64) {
            *word &= !(1 << (number % 64));
            if *word == 0 {
                self.groups[number as usize / 4096] &= !(1 << (number / 64 % 64));
            }
        }
    }

    pub fn insert(&mut self, number: u32) {
        let word = number as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
            self.groups.resize(word / 64 + 1, 0);
        }
        self.words[word] |= 1 << (number % 64);
        self.groups[word / 64] |= 1 << (word % 64);
        self.first = self.first.min(word / 64);
    }

    pub fn pop_first(&mut self) -> Option<u32> {
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
                    0 => prop_assert_eq!(list.pop_first(), set.pop_first()),
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
            prop_assert_eq!(std::iter::from_fn(|| list.pop_first()).collect::<BTreeSet<_>>(), set);
        }
    }
}
