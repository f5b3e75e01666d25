//! What is put into containers, read from them and copied from one into another.

use super::containers::Container;
use super::ids::{ContainerId, Key, Role, Slot};
use super::solve::Solver;
use super::types::{Given, Value};
use crate::ir::ExprId;

impl Solver<'_, '_> {
    /// The container that an expression makes.
    pub fn container(&mut self, file: usize, at: ExprId, role: Role) -> ContainerId {
        if let Some(&id) = self.containers.made_at.get(&(file as u32, at, role)) {
            return id;
        }
        let id = self.add_container();
        self.containers.made_at.insert((file as u32, at, role), id);
        id
    }

    pub(super) fn add_container(&mut self) -> ContainerId {
        let (any, unknown) = (self.new_slot(), self.new_slot());
        self.copy(Value::In(unknown), any);
        let (keys, copies, sources, fields_of) = Default::default();
        let id = ContainerId(self.containers.list.len() as u32);
        self.containers.list.push(Container {
            any,
            unknown,
            keys,
            copies,
            sources,
            fields_of,
            shared: None,
            stood_for_by: None,
        });
        self.containers.parents.push(id);
        id
    }

    /// The slot of one key.
    pub(super) fn entry(&mut self, container: ContainerId, key: Key) -> Slot {
        let known = &self.containers.of(container).keys;
        let place = match known.binary_search_by_key(&key, |&(key, _)| key) {
            Ok(place) => return known[place].1,
            Err(place) => place,
        };
        let slot = self.new_slot();
        let Container { any, keys, copies, fields_of, .. } = self.containers.of_mut(container);
        keys.insert(place, (key, slot));
        let (any, copies, fields_of) = (*any, copies.clone(), fields_of.clone());
        self.copy(Value::In(slot), any);
        if self.containers.is_lazy(container) {
            for source in self.containers.of(container).sources.clone() {
                self.copy_entry((source, container), key);
            }
        }
        for copy in copies {
            self.copy_entry((container, copy), key);
        }
        fields_of.into_iter().for_each(|class| self.become_attribute(key, slot, class));
        slot
    }

    fn known_entry(&self, container: ContainerId, key: Key) -> Option<Slot> {
        let keys = &self.containers.of(container).keys;
        let place = keys.binary_search_by_key(&key, |&(key, _)| key).ok()?;
        Some(keys[place].1)
    }

    /// What one container has under a key, its copy has, too, if anybody asks for it.
    fn copy_entry(&mut self, (from, to): (ContainerId, ContainerId), key: Key) {
        let Some(slot) = self.known_entry(from, key) else { return };
        let into = match self.containers.is_lazy(to) {
            true => self.known_entry(to, key),
            false => Some(self.entry(to, key)),
        };
        if let Some(into) = into {
            self.copy(Value::In(slot), into);
        }
    }

    pub fn store_entry(&mut self, container: ContainerId, key: Option<Key>, given: impl Into<Given>) {
        if key.is_none() {
            let container = self.containers.find(container);
            self.containers.blurred.insert(container);
        }
        self.store_noted(container, key, given);
    }

    /// The same where code says under which key, or that it appends.
    pub(super) fn store_noted(&mut self, container: ContainerId, key: Option<Key>, given: impl Into<Given>) {
        let given = given.into();
        let slot = match key {
            Some(key) => self.entry(container, key),
            None => self.containers.of(container).unknown,
        };
        self.give(given, slot);
        // What is stored in a summary is stored in all that it stands for.
        if let Some(shared) = self.containers.shared_by(container) {
            self.store_entry(shared, key, given);
        }
    }

    /// The same where code writes a key.
    pub(super) fn store_under(&mut self, container: ContainerId, key: Option<Key>, value: Value) {
        if key.is_none() {
            self.containers.keyed.insert(container);
        }
        self.store_noted(container, key, value);
    }

    /// What stands under a key, or under any.
    pub fn read_entry(&mut self, container: ContainerId, key: Option<Key>, to: Slot) {
        let Some(key) = key else {
            let any = self.containers.of(container).any;
            return self.copy(Value::In(any), to);
        };
        let (slot, unknown) = (self.entry(container, key), self.containers.of(container).unknown);
        self.copy(Value::In(slot), to);
        self.copy(Value::In(unknown), to);
    }

    /// Everything that a container holds.
    pub fn elements_of(&self, container: ContainerId) -> Slot {
        self.containers.of(container).any
    }

    /// `{**other}`, `update(other)`: now and later.
    pub fn copy_entries(&mut self, from: ContainerId, to: ContainerId) {
        self.include(from, to);
        if let Some(shared) = self.containers.shared_by(to) {
            self.include(from, shared);
        }
    }

    /// What one holds, the other holds, too.
    pub(super) fn include(&mut self, from: ContainerId, to: ContainerId) {
        let (from, to) = (self.containers.find(from), self.containers.find(to));
        if from != to {
            self.containers.blurred.insert(to);
            self.lead(from, to);
        }
    }

    /// The same where nothing comes in that has not been noted.
    pub(super) fn lead(&mut self, from: ContainerId, to: ContainerId) {
        let (from, to) = (self.containers.find(from), self.containers.find(to));
        if from == to {
            return;
        }
        let was_lazy = self.containers.is_lazy(from);
        let copies = &mut self.containers.of_mut(from).copies;
        match copies.binary_search(&to) {
            Ok(_) => return,
            Err(place) => copies.insert(place, to),
        }
        if self.leads_to(to, from) {
            return self.unify(from, to);
        }
        self.containers.of_mut(to).sources.push(from);
        if was_lazy && !self.containers.is_lazy(from) {
            self.take_all_entries(from);
        }
        for part in [|it: &Container| it.any, |it: &Container| it.unknown] {
            let (from, to) = (part(self.containers.of(from)), part(self.containers.of(to)));
            self.copy(Value::In(from), to);
        }
        for (key, _) in self.keys_of(from) {
            self.copy_entry((from, to), key);
        }
        self.lead_to_summary(from, to);
    }

    /// Lets a container have entries for all keys of its sources, as all have that are not lazy.
    pub(super) fn fill(&mut self, container: ContainerId) {
        if self.containers.is_lazy(container) {
            self.take_all_entries(container);
        }
    }

    fn take_all_entries(&mut self, container: ContainerId) {
        for source in self.containers.of(container).sources.clone() {
            for (key, slot) in self.keys_of(source) {
                let into = self.entry(container, key);
                self.copy(Value::In(slot), into);
            }
        }
    }

    /// The keys for which a container has an entry.
    pub(super) fn keys_of(&self, container: ContainerId) -> Vec<(Key, Slot)> {
        self.containers.of(container).keys.clone()
    }

    /// The same, and what it would have an entry for if anybody asked.
    pub(super) fn all_keys_of(&self, container: ContainerId) -> Vec<(Key, Slot)> {
        let mut keys = self.keys_of(container);
        if self.containers.is_lazy(container) {
            let sources = self.containers.of(container).sources.iter();
            keys.extend(sources.flat_map(|&source| self.keys_of(source)));
        }
        keys
    }
}
