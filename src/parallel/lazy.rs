//! Values that are made when they are first asked for, and shared by all threads: [`Lazy`] under a lock and by serial work
//! alone, [`Prepared`] by any work and outside a lock.

use std::cell::Cell;
use std::sync::OnceLock;

thread_local! {
    /// How many lazy values this thread is filling.
    static FILLING: Cell<u32> = const { Cell::new(0) };
}

/// Made once; whoever asks meanwhile waits. Making it is serial work.
#[derive(Clone, Debug)]
pub struct Lazy<T>(OnceLock<T>);

/// Made by whoever asks first; two that ask at once may both make it, and one of the equal results is kept. Nobody waits, so
/// making it may be parallel work.
#[derive(Clone, Debug)]
pub struct Prepared<T>(OnceLock<T>);

impl<T> Default for Lazy<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Lazy<T> {
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    pub fn of(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(|| {
            let _filling = Filling::begin();
            make()
        })
    }

    /// It is made again when it is next asked for.
    pub fn forget(&mut self) {
        self.0.take();
    }

    /// Keeps what was made elsewhere, unless something is kept already.
    pub fn keep(&self, made: T) -> &T {
        self.0.get_or_init(|| made)
    }

    /// Keeps what was made elsewhere; false if something is kept already.
    pub fn put(&self, made: T) -> bool {
        self.0.set(made).is_ok()
    }
}

impl<T> Default for Prepared<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> Prepared<T> {
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    pub fn of(&self, make: impl FnOnce() -> T) -> &T {
        if let Some(made) = self.0.get() {
            return made;
        }
        let made = make();
        self.0.get_or_init(|| made)
    }
}

/// As long as it lives, its thread fills a lazy value.
struct Filling;

impl Filling {
    fn begin() -> Self {
        FILLING.set(FILLING.get() + 1);
        Self
    }
}

impl Drop for Filling {
    fn drop(&mut self) {
        FILLING.set(FILLING.get() - 1);
    }
}

/// Every parallel operation asks here first.
#[track_caller]
pub(super) fn assert_none_is_filled() {
    debug_assert!(
        FILLING.get() == 0,
        "parallel work inside a lazy value: a thread that waits for the work may take up a task that waits for the value; \
         make it serially, as `Prepared`, or before it is asked for"
    );
}

#[cfg(test)]
mod tests {
    use super::super::{Pool, flat_map, join, map, map_each};
    use super::*;

    /// Every task asks, and making it is parallel work which picks up further tasks.
    #[test]
    fn a_task_that_is_picked_up_meanwhile_may_ask_for_the_same() {
        let pool = Pool::new(4, 1 << 20).unwrap();
        for _ in 0..50 {
            let shared = Prepared::default();
            let make = || map_each(0..1000usize, |it| it).into_iter().sum::<usize>();
            let sum = pool.install(|| map_each(0..64usize, |_| *shared.of(make)).into_iter().sum::<usize>());
            assert_eq!(sum, 64 * 499_500);
        }
    }

    /// The message of the panic, if the work does not come to its end.
    fn panic_of(work: impl FnOnce() + std::panic::UnwindSafe) -> Option<String> {
        let panic = std::panic::catch_unwind(work).err()?;
        panic.downcast_ref::<&str>().map(|said| (*said).to_owned()).or_else(|| panic.downcast_ref().cloned())
    }

    #[cfg(debug_assertions)]
    #[test]
    fn parallel_work_inside_a_lazy_value_panics() {
        let fill = |work: fn()| panic_of(move || *Lazy::new().of(work));
        let works: [fn(); 5] = [
            || _ = join(|| (), || ()),
            || _ = map(0..9, |it| it),
            || _ = map_each(0..9, |it| it),
            || _ = flat_map(0..9, Some),
            || Pool::new(1, 1 << 20).unwrap().install(|| ()),
        ];
        for work in works {
            let said = fill(work).expect("it panics");
            assert!(said.starts_with("parallel work inside a lazy value"), "{said}");
        }
        let nested = panic_of(|| {
            Lazy::new().of(|| {
                Lazy::new().of(|| ());
                join(|| (), || ());
            });
        });
        assert!(nested.is_some(), "the outer one is still being filled");
        join(|| (), || ());
        Prepared::default().of(|| join(|| (), || ()));
    }

    #[test]
    fn it_is_made_once_and_kept() {
        let lazy = Lazy::new();
        assert_eq!((lazy.get(), *lazy.of(|| 1), *lazy.of(|| 2), *lazy.keep(3)), (None, 1, 1, 1));
        assert_eq!((lazy.put(4), lazy.get()), (false, Some(&1)));
        assert!(Lazy::new().put(5));
    }
}
