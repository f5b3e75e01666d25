//! Parallel work: the one module that names rayon, and (in `parallel/lazy.rs`) the one that names `OnceLock`. A thread that
//! waits for parallel work takes up other tasks meanwhile; if it fills a lazy value at that time and such a task asks for the
//! same value, it waits for itself. So nothing goes parallel while it fills a [`Lazy`]: debug builds panic where it begins.

mod lazy;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

pub use lazy::{Lazy, Prepared};
pub use rayon::ThreadPoolBuildError as PoolError;

/// Threads that work together.
pub struct Pool(rayon::ThreadPool);

impl Pool {
    /// 0 threads: as many as there are cores.
    pub fn new(threads: usize, stack_bytes: usize) -> Result<Self, PoolError> {
        rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(stack_bytes).build().map(Self)
    }

    pub fn threads(&self) -> usize {
        self.0.current_num_threads()
    }

    /// Does the work on these threads, and all parallel work that it begins.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        lazy::assert_none_is_filled();
        self.0.install(work)
    }
}

pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    lazy::assert_none_is_filled();
    rayon::join(a, b)
}

/// What each item becomes, in the order of the items.
pub fn map<I: IntoParallelIterator, R: Send>(items: I, to: impl Fn(I::Item) -> R + Sync + Send) -> Vec<R> {
    lazy::assert_none_is_filled();
    items.into_par_iter().map(to).collect()
}

/// The same for items of which each may take long: every one is a task of its own.
pub fn map_each<I, R>(items: I, to: impl Fn(I::Item) -> R + Sync + Send) -> Vec<R>
where
    I: IntoParallelIterator<Iter: IndexedParallelIterator>,
    R: Send,
{
    lazy::assert_none_is_filled();
    items.into_par_iter().with_max_len(1).map(to).collect()
}

/// The same, where what is begun later asks for what was found before: the items are begun in their order.
pub fn map_in_turn<I: Sync, R: Send>(items: &[I], to: impl Fn(&I) -> R + Sync + Send) -> Vec<R> {
    let begun = AtomicUsize::new(0);
    let mut found = map_each(0..items.len(), |_| {
        let at = begun.fetch_add(1, Ordering::Relaxed);
        (at, to(&items[at]))
    });
    found.sort_unstable_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, made)| made).collect()
}

/// All that the items become, in the order of the items.
pub fn flat_map<I, R>(items: I, to: impl Fn(I::Item) -> R + Sync + Send) -> Vec<R::Item>
where
    I: IntoParallelIterator,
    R: IntoIterator<Item: Send>,
{
    lazy::assert_none_is_filled();
    items.into_par_iter().flat_map_iter(to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let expected: Vec<u32> = (1..1001).collect();
        assert_eq!(map(0..1000u32, |it| it + 1), expected);
        assert_eq!(map_each(0..1000u32, |it| it + 1), expected);
        assert_eq!(map_in_turn(&(0..1000u32).collect::<Vec<_>>(), |it| it + 1), expected);
        assert_eq!(map(&expected, |it| *it), expected);
        assert_eq!(flat_map(&expected[..], |it| (*it % 2 == 0).then_some(*it)).len(), 500);
        assert_eq!(join(|| 1, || 2), (1, 2));
    }
}
