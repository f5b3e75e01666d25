//! Answers that are kept because the same thing is asked again and again. What an answer means, and that it does not depend
//! on who asks first, is for whoever keeps it.

use std::cell::RefCell;
use std::hash::Hash;

use rustc_hash::FxHashMap;

pub struct Memo<K, V> {
    known: RefCell<FxHashMap<K, V>>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self { known: RefCell::default() }
    }
}

impl<K: Hash + Eq, V: Clone> Memo<K, V> {
    /// The answer that is known, or else found now; finding it may ask for others.
    pub fn of(&self, key: K, find: impl FnOnce() -> V) -> V {
        self.of_some(key, find, |_| true)
    }

    /// The same, with only those answers kept that are worth their place.
    pub fn of_some(&self, key: K, find: impl FnOnce() -> V, is_kept: impl Fn(&V) -> bool) -> V {
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let found = find();
        if is_kept(&found) {
            self.known.borrow_mut().insert(key, found.clone());
        }
        found
    }
}
