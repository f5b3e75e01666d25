//! Where the items of each number lie in a list that is sorted by number: asked for too often to search the list.

use std::ops::Range;

#[derive(Default)]
pub struct Starts(Vec<u32>);

impl Starts {
    /// `keys` are the numbers of the items, sorted, each below `count`.
    pub fn new(count: usize, keys: impl Iterator<Item = u32>) -> Self {
        let mut starts = vec![0; count + 1];
        keys.for_each(|key| starts[key as usize + 1] += 1);
        for key in 0..count {
            starts[key + 1] += starts[key];
        }
        Self(starts)
    }

    /// The places of the items with this number.
    pub fn of(&self, key: u32) -> Range<usize> {
        match self.0.get(key as usize..key as usize + 2) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => 0..0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_its_places() {
        let starts = Starts::new(4, [0, 0, 2].into_iter());
        assert_eq!([0, 1, 2, 3, 4].map(|key| starts.of(key).len()), [2, 0, 1, 0, 0]);
        assert_eq!(starts.of(2), 2..3);
    }
}
