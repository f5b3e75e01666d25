//! Declared types narrow what arrives in crowded slots, and remove nothing elsewhere. A value that contradicts the declaration waits
//! until nothing else moves; where few wait, they are let in: what really arrives is there, whatever a signature says. Where many
//! wait, the slot is fed by something that holds all kinds of values, and the declaration is the better witness (Sundaresan et al.,
//! "Practical Virtual Method Call Resolution for Java", OOPSLA 2000). What a compiler has checked is always the better witness.

use super::graph::{Graph, Watcher};
use super::ids::{EMPTY, SetId, Slot};
use super::kinds::{Accepted, Declared, Kinds};

/// So many values that contradict a declaration are no crowd.
const FEW: usize = 3;

impl<W: Watcher> Graph<'_, W> {
    /// From now on values of other kinds wait.
    pub fn declare(&mut self, slot: Slot, accepted: Accepted) {
        if accepted.kinds != Kinds::ANY {
            let declared = Declared { accepted, waiting: EMPTY, admitted: EMPTY };
            self.declared.entry(slot).and_modify(|known| known.accepted = accepted).or_insert(declared);
        }
    }

    /// True if a slot does not take everything at once, so that it is not the same as one that does.
    pub(super) fn is_restricted(&self, slot: Slot) -> bool {
        self.closed.contains(&slot) || self.declared.contains_key(&slot)
    }

    /// What of a set does not have to wait.
    pub(super) fn let_in(&mut self, slot: Slot, set: SetId) -> SetId {
        let Some(&Declared { accepted, waiting, .. }) = self.declared.get(&slot) else { return set };
        let fits = self.sets.of_kinds(set, accepted.kinds);
        let waits = self.sets.without(set, fits);
        let all = self.sets.union(waiting, waits);
        if all != waiting {
            self.declared.entry(slot).and_modify(|declared| declared.waiting = all);
            self.contradicted.push(slot);
        }
        fits
    }

    /// Lets in what waits, where it is little; true if there is any. What a declared class covers brings nothing new and is not
    /// waited for.
    pub fn admit(&mut self) -> bool {
        let mut slots = std::mem::take(&mut self.contradicted);
        slots.sort_unstable();
        slots.dedup();
        let mut is_any = false;
        for slot in slots {
            let Some(declared) = self.declared.get_mut(&slot) else { continue };
            let Declared { accepted, waiting, admitted } = *declared;
            declared.admitted = waiting;
            let held = self.held(slot);
            let contradicts = self.sets.contradicting(waiting, held);
            let new = if accepted.is_checked {
                self.refused.push((slot, self.sets.without(contradicts, admitted)));
                self.sets.values_of(contradicts, held)
            } else if self.sets.members(contradicts).len() <= FEW {
                contradicts
            } else {
                continue;
            };
            let new = self.sets.without(new, admitted);
            let slot = self.find(slot);
            is_any |= new != EMPTY;
            self.bring(slot, new);
        }
        is_any
    }
}
