//! A result that rules share. It is made outside any lock, so it may be made by parallel work: a thread that waited for a lock
//! could be handed a task that asks for the same result, and would wait for itself.

use std::sync::OnceLock;

#[derive(Debug)]
pub struct Prepared<T>(OnceLock<T>);

impl<T> Default for Prepared<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> Prepared<T> {
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// What was made before, or else is made now. Two that ask at once may both make it, and one of the equal results is kept.
    pub fn of(&self, make: impl FnOnce() -> T) -> &T {
        if let Some(made) = self.0.get() {
            return made;
        }
        let made = make();
        self.0.get_or_init(|| made)
    }
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::Prepared;

    /// Every task asks, and making it is parallel work which picks up further tasks.
    #[test]
    fn a_task_that_is_picked_up_meanwhile_may_ask_for_the_same() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        for _ in 0..50 {
            let shared = Prepared::default();
            let make = || (0..1000usize).into_par_iter().with_max_len(1).sum::<usize>();
            let sum = pool.install(|| {
                (0..64usize).into_par_iter().with_max_len(1).map(|_| *shared.of(make)).sum::<usize>()
            });
            assert_eq!(sum, 64 * 499_500);
        }
    }
}
