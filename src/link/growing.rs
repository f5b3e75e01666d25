//! A list that only grows: what is in it can be read and borrowed by any thread while others add to it.

use crate::parallel::Lazy;

/// Chunk `k` has room for `FIRST << k` items, so that no item is ever moved.
#[derive(Debug)]
pub struct Growing<T> {
    chunks: [Lazy<Box<[Lazy<T>]>>; CHUNKS],
}

const FIRST: u32 = 64;
/// Enough for as many items as `u32` can count.
const CHUNKS: usize = 27;

impl<T> Default for Growing<T> {
    fn default() -> Self {
        Self { chunks: Default::default() }
    }
}

impl<T> Growing<T> {
    /// Puts an item in its place; whoever numbers them gives each place once.
    pub fn put(&self, at: u32, item: T) {
        let (chunk, offset) = place(at);
        let room = || (0..FIRST << chunk).map(|_| Lazy::new()).collect();
        let is_free = self.chunks[chunk].of(room)[offset].put(item);
        debug_assert!(is_free, "place {at} is taken");
    }

    pub fn get(&self, at: u32) -> Option<&T> {
        let (chunk, offset) = place(at);
        self.chunks[chunk].get()?[offset].get()
    }
}

fn place(at: u32) -> (usize, usize) {
    let chunk = (at / FIRST + 1).ilog2();
    (chunk as usize, (at - FIRST * ((1 << chunk) - 1)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_has_a_place_of_its_own() {
        let list = Growing::default();
        (0..10_000).for_each(|at| list.put(at, at));
        assert!((0..10_000).all(|at| list.get(at) == Some(&at)));
        assert_eq!(list.get(10_000), None);
        assert_eq!(place(u32::MAX).0, CHUNKS - 1);
    }
}
