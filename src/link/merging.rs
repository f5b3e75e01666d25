//! Slots that become one: those that feed one another in a circle, and crowds.

use rustc_hash::FxHashSet;

use super::graph::{Graph, Watcher};
use super::ids::{EMPTY, SetId, Slot};
use super::types::{Copied, Type};

/// Values of the project of several kinds in one slot, beyond which they say nothing: a table of functions, a list of objects has
/// one kind.
const CROWD: usize = 192;

/// Values that slots take in, on average, beyond which the whole program is crowded.
const ROOM: usize = 8;

/// Copies looked at for one cycle. One that is longer costs time and no result.
const MAX_SEARCH: usize = 200;

impl<W: Watcher> Graph<'_, W> {
    /// What of that which has arrived goes on. Where too many values of several kinds meet, nobody can tell any more what is there:
    /// nothing more is let in. In a crowded program that holds for values of one kind, too.
    pub(super) fn unless_crowd(&mut self, slot: Slot, new: SetId) -> SetId {
        let held = self.held[slot.0 as usize];
        let count = self.sets.members(held).len() + self.sets.members(new).len();
        if count <= CROWD || self.closed.contains(&slot) {
            return new;
        }
        let all = self.sets.union(held, new);
        // What is of libraries says nothing of what else is there.
        let own = self.sets.members(all).iter().filter(|&&id| !self.sets.ty(id).is_of_library());
        let is_crowd = own.count() > CROWD && self.sets.is_mixed(all);
        if !is_crowd && !self.is_crowded() {
            return new;
        }
        self.close(slot);
        let anything = self.sets.id(Type::Anything);
        self.sets.intern(&[anything])
    }

    fn is_crowded(&self) -> bool {
        self.taken > ROOM * self.held.len()
    }

    pub(super) fn merge_due(&mut self) {
        while let Some((a, b)) = self.due.pop() {
            self.merge_two(a, b);
        }
    }

    /// Makes one slot of those on a way from `to` back to `from`, which copies into `to`.
    pub(super) fn collapse(&mut self, from: Slot, to: Slot) {
        let (from, to) = (self.find(from), self.find(to));
        let mut parents: Vec<(Slot, usize)> = vec![(to, usize::MAX)];
        let mut seen = FxHashSet::from_iter([to]);
        let (mut at, mut left) = (0, MAX_SEARCH);
        while at < parents.len() && left > 0 {
            let mut copies = self.copies.cursor(parents[at].0.0);
            while let Some(copied) = self.copies.next(&mut copies) {
                left = left.saturating_sub(1);
                if left == 0 {
                    break;
                }
                let next = self.find(copied.to);
                if copied.is_handed || self.is_restricted(next) || !seen.insert(next) {
                    continue;
                }
                if next == from {
                    let mut on_way = at;
                    while let Some(&(slot, before)) = parents.get(on_way) {
                        self.due.push((from, slot));
                        on_way = before;
                    }
                    return;
                }
                parents.push((next, at));
            }
            at += 1;
        }
    }

    /// Makes one slot of two.
    pub fn merge(&mut self, a: Slot, b: Slot) {
        self.due.push((a, b));
        self.merge_due();
    }

    fn merge_two(&mut self, a: Slot, b: Slot) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let (a, b) = if self.weights[a.0 as usize] < self.weights[b.0 as usize] { (b, a) } else { (a, b) };
        self.weights[a.0 as usize] += self.weights[b.0 as usize];
        self.merged.push((a, b));
        let held = std::mem::replace(&mut self.held[b.0 as usize], EMPTY);
        let only_a = self.sets.without(self.held[a.0 as usize], held);
        self.parents[b.0 as usize] = a.0;
        self.queue.remove(b.0);
        self.move_lists(a, b, only_a);
        self.arrive(a, held);
    }

    /// What `b` gave and told goes on from `a`.
    fn move_lists(&mut self, a: Slot, b: Slot, only_a: SetId) {
        let (mut arrived, mut copies, mut watchers, mut ports) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        self.arrived.take(b.0, &mut arrived);
        arrived.into_iter().for_each(|set| self.arrive(a, set));
        self.watchers.take(b.0, &mut watchers);
        for watcher in watchers {
            self.watchers.push(a.0, watcher);
            self.tell(watcher, only_a);
        }
        self.ports.take(b.0, &mut ports);
        for (port, at) in ports {
            match self.known_ports.get(&(a, port)) {
                Some(&known) => self.due.push((known, at)),
                None => {
                    self.known_ports.insert((a, port), at);
                    self.ports.push(a.0, (port, at));
                    self.tell(W::connect(port, at), only_a);
                }
            }
        }
        self.copies.take(b.0, &mut copies);
        for copied in copies {
            let copied = Copied { to: self.find(copied.to), ..copied };
            if copied.to != a {
                self.add_copy(a, copied);
            }
            self.give(copied, only_a);
        }
    }
}
