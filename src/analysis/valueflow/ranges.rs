//! Ranges of numbers that ask in the time of a search what they hold: a function may have as many tests as it has reads.

/// Sorted, and apart from one another. The last number of each is included.
#[derive(Debug)]
pub(super) struct Ranges<T>(Vec<(T, T)>);

impl<T: Copy + Ord> FromIterator<(T, T)> for Ranges<T> {
    fn from_iter<I: IntoIterator<Item = (T, T)>>(ranges: I) -> Self {
        let mut sorted: Vec<_> = ranges.into_iter().filter(|(first, last)| first <= last).collect();
        sorted.sort_unstable();
        let mut apart: Vec<(T, T)> = Vec::new();
        for (first, last) in sorted {
            match apart.last_mut() {
                Some(before) if first <= before.1 => before.1 = before.1.max(last),
                _ => apart.push((first, last)),
            }
        }
        Self(apart)
    }
}

impl<T: Copy + Ord> Ranges<T> {
    pub fn has(&self, number: T) -> bool {
        let behind = self.0.partition_point(|&(first, _)| first <= number);
        behind.checked_sub(1).is_some_and(|at| number <= self.0[at].1)
    }

    /// The same ranges of other numbers, in the same order.
    pub fn map<U>(&self, to: impl Fn(T) -> U) -> Ranges<U> {
        Ranges(self.0.iter().map(|&(first, last)| (to(first), to(last))).collect())
    }
}
