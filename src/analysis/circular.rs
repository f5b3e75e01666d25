//! Answers that hang on one another, in circles too: each is the least that fits all, so it does not depend on who asks first.

use std::cell::RefCell;
use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::link::SharedMemo;

/// The answers that one thread looks for; what is settled, all threads share.
pub struct Circular<K, V> {
    settled: Arc<SharedMemo<K, V>>,
    open: RefCell<Open<K, V>>,
}

/// Questions whose answers are being looked for.
struct Open<K, V> {
    /// In the order in which they were asked, each with what is known so far.
    list: Vec<(K, V)>,
    at: FxHashMap<K, usize>,
    /// What was found in the round before.
    before: FxHashMap<K, V>,
    since: Since,
}

/// What the answers hang on that were looked for since the last question was begun.
#[derive(Clone, Copy, Debug)]
struct Since {
    /// The first question that is open.
    first: usize,
    /// Somebody has found more than was known before.
    is_news: bool,
}

impl Since {
    const NOTHING: Self = Self { first: usize::MAX, is_news: false };

    fn with(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), is_news: self.is_news || other.is_news }
    }
}

impl<K, V> Default for Circular<K, V> {
    fn default() -> Self {
        Self::sharing(&Arc::default())
    }
}

impl<K, V> Circular<K, V> {
    /// With those that look for answers in other threads, and find the same.
    pub fn sharing(settled: &Arc<SharedMemo<K, V>>) -> Self {
        let (at, before) = (FxHashMap::default(), FxHashMap::default());
        let open = Open { list: Vec::new(), at, before, since: Since::NOTHING };
        Self { settled: Arc::clone(settled), open: RefCell::new(open) }
    }
}

impl<K: Clone + Eq + Hash, V: Clone + Default + Eq> Circular<K, V> {
    /// The answer. `find` may ask for others; who asks what is open hears what is known so far. In a circle what is found joins what
    /// was known, so it grows from round to round, and ends if there is no more than so much to know.
    pub fn of(&self, key: K, find: impl Fn() -> V, join: impl Fn(V, &V) -> V) -> V {
        if let Some(known) = self.settled.known(&key).or_else(|| self.so_far(&key)) {
            return known;
        }
        let (own, outer) = self.begin(key);
        loop {
            let found = find();
            if let Some(answer) = self.end_round(own, found, outer, &join) {
                return answer;
            }
        }
    }

    fn so_far(&self, key: &K) -> Option<V> {
        let mut open = self.open.borrow_mut();
        let at = *open.at.get(key)?;
        open.since.first = open.since.first.min(at);
        Some(open.list[at].1.clone())
    }

    /// The number of the question, and on what the one hangs that asks.
    fn begin(&self, key: K) -> (usize, Since) {
        let mut open = self.open.borrow_mut();
        let (own, outer) = (open.list.len(), open.since);
        let known = open.before.remove(&key).unwrap_or_default();
        open.at.insert(key.clone(), own);
        open.list.push((key, known));
        open.since = Since::NOTHING;
        (own, outer)
    }

    /// The answer, unless another round is needed.
    fn end_round(&self, own: usize, found: V, outer: Since, join: &impl Fn(V, &V) -> V) -> Option<V> {
        let mut open = self.open.borrow_mut();
        let is_circle = open.since.first <= own;
        let found = if is_circle { join(found, &open.list[own].1) } else { found };
        let is_news = is_circle && (open.since.is_news || open.list[own].1 != found);
        if open.since.first < own {
            // It belongs to a circle that began before.
            open.list[own].1 = found.clone();
            open.since = outer.with(Since { is_news, ..open.since });
            return Some(found);
        }
        if !is_news {
            drop(open);
            return Some(self.settle(own, found, outer));
        }
        open.list[own].1 = found;
        open.since = Since::NOTHING;
        for (key, known) in open.list.split_off(own + 1) {
            open.at.remove(&key);
            open.before.insert(key, known);
        }
        None
    }

    fn settle(&self, own: usize, found: V, outer: Since) -> V {
        let mut open = self.open.borrow_mut();
        open.list[own].1 = found.clone();
        for (key, answer) in open.list.split_off(own) {
            open.at.remove(&key);
            self.settled.of(key, || answer);
        }
        open.since = outer;
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEYS: usize = 6;

    /// Each answer is its own bits and, of every other one that it asks, those that a mask lets through.
    type System = Vec<(u8, Vec<(usize, u8)>)>;

    fn systems() -> impl Strategy<Value = System> {
        let asked = prop::collection::vec((0..KEYS, any::<u8>()), 0..4);
        prop::collection::vec((any::<u8>().prop_map(|own| own & 0b1001), asked), KEYS)
    }

    fn answer(system: &System, memo: &Circular<usize, u8>, key: usize) -> u8 {
        let find = || {
            let (own, asked) = &system[key];
            asked.iter().fold(*own, |found, &(other, mask)| {
                found | (answer(system, memo, other).rotate_left(1) & mask)
            })
        };
        memo.of(key, find, |found, known| found | known)
    }

    fn least(system: &System) -> Vec<u8> {
        let mut found = vec![0u8; KEYS];
        for _ in 0..KEYS * 8 + 1 {
            for (key, (own, asked)) in system.iter().enumerate() {
                let of = |&(other, mask): &(usize, u8)| found[other].rotate_left(1) & mask;
                found[key] |= asked.iter().map(of).fold(*own, |all, bits| all | bits);
            }
        }
        found
    }

    proptest! {
        #[test]
        fn whoever_asks_first_gets_the_least_that_fits(
            system in systems(),
            order in Just((0..KEYS).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let wanted = least(&system);
            let memo = Circular::default();
            for &key in &order {
                prop_assert_eq!(answer(&system, &memo, key), wanted[key]);
                prop_assert_eq!(answer(&system, &Circular::sharing(&memo.settled), key), wanted[key]);
            }
        }
    }
}
