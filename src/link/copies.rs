//! Where the values of a slot go as well, each place once.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::graph::{Graph, Watcher};
use super::ids::Slot;
use super::types::Copied;

/// Copies of a slot that are looked through one by one.
const FEW: usize = 8;

/// Where the values of each slot come from.
pub struct Sources {
    /// By slot.
    starts: Vec<u32>,
    /// True for what they are read from.
    flows: Vec<(Slot, bool)>,
}

impl Sources {
    /// Of flows from one slot to another.
    fn new(slots: usize, all: &[(Slot, Slot, bool)]) -> Self {
        let mut starts = vec![0; slots + 1];
        all.iter().for_each(|&(_, to, _)| starts[to.0 as usize + 1] += 1);
        (0..slots).for_each(|slot| starts[slot + 1] += starts[slot]);
        let (mut next, mut flows) = (starts.clone(), vec![(Slot(0), false); all.len()]);
        for &(from, to, is_read) in all {
            flows[next[to.0 as usize] as usize] = (from, is_read);
            next[to.0 as usize] += 1;
        }
        Self { starts, flows }
    }

    /// The slots from which values come into one of these; with `is_read`, also what they are read from.
    pub fn of(&self, slots: impl Iterator<Item = Slot>, is_read: bool) -> FxHashSet<Slot> {
        let mut found: FxHashSet<Slot> = slots.collect();
        let mut work: Vec<Slot> = found.iter().copied().collect();
        while let Some(Slot(slot)) = work.pop() {
            let range = self.starts[slot as usize] as usize..self.starts[slot as usize + 1] as usize;
            let flows = self.flows[range].iter().filter(|&&(_, is_port)| is_read || !is_port);
            work.extend(flows.map(|&(from, _)| from).filter(|&from| found.insert(from)));
        }
        found
    }
}

impl<W: Watcher> Graph<'_, W> {
    /// Where the values of each slot come from.
    pub fn sources(&self) -> Sources {
        let slots = || (0..self.parents.len() as u32).map(Slot).filter(|&slot| self.find(slot) == slot);
        let mut flows = Vec::new();
        for slot in slots() {
            let mut copies = self.copies.cursor(slot.0);
            while let Some(copied) = self.copies.next(&mut copies) {
                flows.push((slot, self.find(copied.to), false));
            }
            let mut ports = self.ports.cursor(slot.0);
            while let Some((port, at)) = self.ports.next(&mut ports) {
                if port.is_read() {
                    flows.push((slot, self.find(at), true));
                }
            }
        }
        Sources::new(self.parents.len(), &flows)
    }

    /// True if the copy is new.
    pub(super) fn add_copy(&mut self, from: Slot, copied: Copied) -> bool {
        let mut few: SmallVec<[Copied; FEW]> = SmallVec::new();
        let mut copies = self.copies.cursor(from.0);
        while let Some(known) = self.copies.next(&mut copies).filter(|_| few.len() <= FEW) {
            if known == copied {
                return false;
            }
            few.push(known);
        }
        if few.len() == FEW {
            self.known.extend(few.iter().map(|&known| (from, known)));
        }
        if few.len() >= FEW && !self.known.insert((from, copied)) {
            return false;
        }
        self.copies.push(from.0, copied);
        true
    }

    /// Those that lead back since slots became one.
    pub(super) fn drop_copies_to_itself(&mut self, slot: Slot) {
        let mut copies = Vec::new();
        self.copies.take(slot.0, &mut copies);
        for copied in
            copies.into_iter().rev().filter(|copied| self.find(copied.to) != slot).collect::<Vec<_>>()
        {
            self.copies.push(slot.0, copied);
        }
    }
}
