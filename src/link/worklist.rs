//! The slots in which something has arrived, taken out in ascending order and then from the start again, so that the result
//! does not depend on luck. A slot that many others feed is taken out once for all that have fed it since, not once for each.

/// A set of numbers.
#[derive(Debug, Default)]
pub struct Worklist {
    /// One bit a number.
    words: Vec<u64>,
    /// One bit a word that is not zero.
    groups: Vec<u64>,
    /// What was taken out last; what comes next stands behind it, if something does.
    last: u32,
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
    }

    /// The next one, in a circle.
    pub fn pop_next(&mut self) -> Option<u32> {
        let number = self.from(self.last + 1).or_else(|| self.from(0))?;
        self.last = number;
        self.remove(number);
        Some(number)
    }

    /// The first that is not below `start`.
    fn from(&self, start: u32) -> Option<u32> {
        let (word, bit) = (start as usize / 64, start % 64);
        let in_word = self.words.get(word)? & (u64::MAX << bit);
        if in_word != 0 {
            return Some(word as u32 * 64 + in_word.trailing_zeros());
        }
        let next = word + 1;
        let in_group = self.groups.get(next / 64)? & (u64::MAX << (next % 64));
        let word = match in_group {
            0 => {
                let group = next / 64 + 1;
                let ahead = self.groups.get(group..)?;
                let group = group + ahead.iter().position(|&group| group != 0)?;
                group * 64 + self.groups[group].trailing_zeros() as usize
            }
            _ => next / 64 * 64 + in_group.trailing_zeros() as usize,
        };
        Some(word as u32 * 64 + self.words[word].trailing_zeros())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_behaves_like_a_sorted_set_read_in_a_circle(steps in prop::collection::vec((0..9_000_u32, 0..4), 0..200)) {
            let mut list = Worklist::default();
            let mut set = BTreeSet::new();
            let mut last = 0;
            for (number, step) in steps {
                match step {
                    0 => {
                        let next = set.range(last + 1..).next().or(set.first()).copied();
                        prop_assert_eq!(list.pop_next(), next);
                        next.iter().for_each(|next| assert!(set.remove(next)));
                        last = next.unwrap_or(last);
                    }
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
}
