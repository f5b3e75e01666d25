//! Summaries of containers: where more than a handful of them meet in one slot, one that holds all of their entries stands for them.
//! What is read from it is what any of them holds, and what is stored in it every one of them gets, so nothing is lost, and two of
//! them learn nothing of one another. Summaries that meet are one.

use rustc_hash::FxHashSet;

use super::ids::{ContainerId, Slot, TypeId};
use super::solve::Solver;
use super::types::Type;

/// Containers that are told apart in one slot.
const HANDFUL: usize = 8;

impl Solver<'_, '_> {
    /// Puts a summary in the place of the containers among what has arrived in a slot, if they are too many.
    pub(super) fn summarise(&mut self, slot: Slot, new: &mut Vec<TypeId>) {
        if !new.iter().any(|&id| self.as_container(id).is_some()) {
            return;
        }
        if let Some(&summary) = self.containers.summary_of.get(&slot) {
            let arrived: Vec<ContainerId> = new.iter().filter_map(|&id| self.as_container(id)).collect();
            arrived.into_iter().for_each(|container| self.cover(summary, container));
            return new.retain(|&id| self.as_container(id).is_none());
        }
        let members = self.graph.sets.members(self.graph.held(slot));
        let met = members.iter().chain(new.iter()).filter_map(|&id| self.as_container(id));
        let met: FxHashSet<ContainerId> = met.collect();
        let summary = met.iter().copied().filter(|&id| self.is_summary(id)).min();
        let stood_for = |id: &&ContainerId| !summary.is_some_and(|summary| self.covers(summary, **id));
        if summary.is_none() && met.len() <= HANDFUL || met.iter().filter(stood_for).count() <= HANDFUL {
            let held: FxHashSet<ContainerId> =
                members.iter().filter_map(|&id| self.as_container(id)).collect();
            let is_new = |it| !held.contains(&it) && (stood_for(&&it) || summary == Some(it));
            return new.retain(|&id| self.as_container(id).is_none_or(is_new));
        }
        let mut met: Vec<ContainerId> = met.into_iter().collect();
        met.sort_unstable();
        let summary = summary.or_else(|| met.iter().find_map(|&id| self.summary_for(id)));
        let summary = summary.unwrap_or_else(|| self.add_summary());
        self.containers.summary_of.insert(slot, summary);
        met.into_iter().for_each(|container| self.cover(summary, container));
        new.retain(|&id| self.as_container(id).is_none());
        new.push(self.graph.sets.id(Type::Container(summary)));
    }

    /// What stands for a container where too many meet.
    fn summary_for(&self, id: ContainerId) -> Option<ContainerId> {
        self.containers.of(id).stood_for_by.map(|summary| self.containers.find(summary))
    }

    fn as_container(&self, id: TypeId) -> Option<ContainerId> {
        match self.graph.sets.ty(id) {
            Type::Container(container) => Some(self.containers.find(container)),
            _ => None,
        }
    }

    /// True for what stands for many.
    pub(super) fn is_summary(&self, id: ContainerId) -> bool {
        self.containers.of(id).shared.is_some()
    }

    fn add_summary(&mut self) -> ContainerId {
        let (shared, summary) = (self.add_container(), self.add_container());
        self.containers.of_mut(summary).shared = Some(shared);
        self.lead(shared, summary);
        summary
    }

    fn covers(&self, summary: ContainerId, container: ContainerId) -> bool {
        self.summary_for(container) == Some(self.containers.find(summary))
    }

    /// Makes the summary stand for a container, too. What stands for one and the same is one.
    fn cover(&mut self, summary: ContainerId, container: ContainerId) {
        let (summary, container) = (self.containers.find(summary), self.containers.find(container));
        if summary == container || self.covers(summary, container) {
            return;
        }
        if self.is_summary(container) {
            return self.absorb(summary, container);
        }
        if let Some(other) = self.summary_for(container) {
            return self.absorb(summary, other);
        }
        self.containers.of_mut(container).stood_for_by = Some(summary);
        self.include(container, summary);
        for source in self.containers.of(container).sources.clone() {
            self.lead_to_summary(source, container);
        }
        if let Some(shared) = self.containers.shared_with(container) {
            self.lead(shared, container);
        }
    }

    /// What comes into a container comes into what stands for it.
    pub(super) fn lead_to_summary(&mut self, from: ContainerId, container: ContainerId) {
        if let Some(summary) = self.summary_for(container) {
            self.lead(from, summary);
        }
    }

    /// Makes one of two containers that hold the same.
    pub(super) fn unify(&mut self, a: ContainerId, b: ContainerId) {
        match self.is_summary(a) {
            true => self.absorb(a, b),
            false => self.absorb(b, a),
        }
    }

    fn absorb(&mut self, kept: ContainerId, gone: ContainerId) {
        let (kept, gone) = (self.containers.find(kept), self.containers.find(gone));
        if kept == gone {
            return;
        }
        let keys = self.keys_of(gone);
        let it = self.containers.of_mut(gone);
        let (any, unknown, shared) = (it.any, it.unknown, it.shared.take());
        let (stood_for_by, fields_of) = (it.stood_for_by.take(), std::mem::take(&mut it.fields_of));
        let (copies, sources) = (std::mem::take(&mut it.copies), std::mem::take(&mut it.sources));
        self.containers.become_one(gone, kept);
        let (gone, stands) = (Type::Container(gone), Type::Container(kept));
        let (gone, stands) = (self.graph.sets.id(gone), self.graph.sets.id(stands));
        self.graph.sets.become_one(gone, stands);
        self.graph.merge(self.containers.of(kept).any, any);
        self.graph.merge(self.containers.of(kept).unknown, unknown);
        for (key, slot) in keys {
            let own = self.entry(kept, key);
            self.graph.merge(own, slot);
        }
        sources.into_iter().for_each(|from| self.lead(from, kept));
        copies.into_iter().for_each(|to| self.include(kept, to));
        fields_of.into_iter().for_each(|class| self.make_fields_of(kept, class));
        if let Some(other) = stood_for_by.map(|it| self.containers.find(it)).filter(|&it| it != kept) {
            self.cover(other, kept);
        }
        match (shared, self.containers.of(kept).shared) {
            (Some(gone), Some(kept)) => self.unify(kept, gone),
            (Some(_), None) => {
                self.fill(kept);
                self.containers.of_mut(kept).shared = shared;
            }
            (None, _) => {}
        }
    }

    /// True if what one holds comes to be in the other.
    pub(super) fn leads_to(&self, from: ContainerId, to: ContainerId) -> bool {
        let (from, to) = (self.containers.find(from), self.containers.find(to));
        let mut seen = FxHashSet::from_iter([from]);
        let mut work = vec![from];
        while let Some(next) = work.pop() {
            if next == to {
                return true;
            }
            let copies = self.containers.of(next).copies.iter().map(|&copy| self.containers.find(copy));
            work.extend(copies.filter(|&copy| seen.insert(copy)));
        }
        false
    }

    /// Two slots became one.
    pub(super) fn join_summaries(&mut self, kept: Slot, gone: Slot) {
        let Some(other) = self.containers.summary_of.remove(&gone) else { return };
        match self.containers.summary_of.get(&kept) {
            Some(&summary) => self.cover(summary, other),
            None => drop(self.containers.summary_of.insert(kept, other)),
        }
    }
}
