//! What is put into containers, read from them and copied from one into another.

use super::containers::{Container, Summary};
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
        let id = self.add_container(None);
        self.containers.made_at.insert((file as u32, at, role), id);
        id
    }

    pub(super) fn add_container(&mut self, summary: Option<Box<Summary>>) -> ContainerId {
        let (any, unknown) = (self.new_slot(), self.new_slot());
        self.copy(Value::In(unknown), any);
        let (keys, copies, fields_of) = Default::default();
        let id = ContainerId(self.containers.list.len() as u32);
        self.containers.list.push(Container {
            any,
            unknown,
            keys,
            copies,
            fields_of,
            summary,
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
        for copy in copies {
            let to = self.entry(copy, key);
            self.copy(Value::In(slot), to);
        }
        fields_of.into_iter().for_each(|class| self.become_attribute(key, slot, class));
        slot
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
        self.store_into_members(container, key, given);
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
        self.update_members(from, to);
    }

    /// What one holds, the other holds, too.
    pub(super) fn include(&mut self, from: ContainerId, to: ContainerId) {
        let (from, to) = (self.containers.find(from), self.containers.find(to));
        if from == to {
            return;
        }
        let copies = &mut self.containers.of_mut(from).copies;
        match copies.binary_search(&to) {
            Ok(_) => return,
            Err(place) => copies.insert(place, to),
        }
        self.containers.blurred.insert(to);
        if self.leads_to(to, from) {
            return self.unify(from, to);
        }
        let (unknown, into) = (self.containers.of(from).unknown, self.containers.of(to).unknown);
        self.copy(Value::In(unknown), into);
        for (key, slot) in self.keys_of(from) {
            let into = self.entry(to, key);
            self.copy(Value::In(slot), into);
        }
    }

    pub(super) fn keys_of(&self, container: ContainerId) -> Vec<(Key, Slot)> {
        self.containers.of(container).keys.clone()
    }
}
