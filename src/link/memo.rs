//! Answers that are kept because the same thing is asked again and again. What an answer means, and that it does not depend
//! on who asks first, is for whoever keeps it.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hash};
use std::sync::{PoisonError, RwLock};

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The answers of one thread.
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
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let found = find();
        self.known.borrow_mut().insert(key, found.clone());
        found
    }
}

/// The answers of all threads. Two that ask for the same thing at once may both look for it, and find the same.
pub struct SharedMemo<K, V> {
    shards: [RwLock<HashTable<(K, V)>>; SHARDS],
}

/// Threads that ask for different things should seldom wait for one another.
const SHARDS: usize = 16;

impl<K, V> Default for SharedMemo<K, V> {
    fn default() -> Self {
        Self { shards: Default::default() }
    }
}

impl<K: Hash + Eq, V: Clone> SharedMemo<K, V> {
    /// The answer that is known, or else found now; finding it may ask for others.
    pub fn of(&self, key: K, find: impl FnOnce() -> V) -> V {
        self.of_some(key, find, |_| true)
    }

    /// The same, with only those answers kept that are worth their place.
    pub fn of_some(&self, key: K, find: impl FnOnce() -> V, is_kept: impl Fn(&V) -> bool) -> V {
        if let Some(known) = self.known(&key) {
            return known;
        }
        let found = find();
        if is_kept(&found) {
            self.keep(key, found.clone());
        }
        found
    }

    fn keep(&self, key: K, answer: V) {
        let hash = FxBuildHasher.hash_one(&key);
        let mut table = self.shard(hash).write().unwrap_or_else(PoisonError::into_inner);
        if table.find(hash, |(known, _)| *known == key).is_none() {
            table.insert_unique(hash, (key, answer), |(known, _)| FxBuildHasher.hash_one(known));
        }
    }

    /// The answer, if somebody asked before.
    pub fn known(&self, key: &K) -> Option<V> {
        let hash = FxBuildHasher.hash_one(key);
        // Nobody panics while holding the lock, and a table is whole at any time.
        let table = self.shard(hash).read().unwrap_or_else(PoisonError::into_inner);
        table.find(hash, |(known, _)| known == key).map(|(_, answer)| answer.clone())
    }

    fn shard(&self, hash: u64) -> &RwLock<HashTable<(K, V)>> {
        &self.shards[(hash >> 32) as usize % SHARDS]
    }
}
