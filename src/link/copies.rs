//! Where the values of a slot go as well, each place once.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::graph::{Graph, Watcher};
use super::types::Slot;

/// Copies of a slot that are looked through one by one.
const FEW: usize = 8;

/// Where the values of a slot go as well.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Copied {
    pub to: Slot,
    /// As an argument: whoever calls it is not the one who reached for the library.
    pub is_handed: bool,
}

impl<W: Watcher> Graph<'_, W> {
    /// The slots from which values come into one of these; with `is_read`, also what they are read from.
    pub fn sources(&self, of: impl Iterator<Item = Slot>, is_read: bool) -> FxHashSet<Slot> {
        let mut found: FxHashSet<Slot> = of.map(|slot| self.find(slot)).collect();
        if found.is_empty() {
            return found;
        }
        let mut from: FxHashMap<Slot, Vec<Slot>> = FxHashMap::default();
        for slot in (0..self.parents.len() as u32).map(Slot).filter(|&slot| self.find(slot) == slot) {
            let mut copies = self.copies.cursor(slot.0);
            while let Some(copied) = self.copies.next(&mut copies) {
                from.entry(self.find(copied.to)).or_default().push(slot);
            }
            let mut ports = self.ports.cursor(slot.0);
            while let Some((port, at)) = self.ports.next(&mut ports) {
                if is_read && port.is_read() {
                    from.entry(self.find(at)).or_default().push(slot);
                }
            }
        }
        let mut work: Vec<Slot> = found.iter().copied().collect();
        while let Some(slot) = work.pop() {
            let sources = from.get(&slot).into_iter().flatten();
            work.extend(sources.filter(|&&source| found.insert(source)));
        }
        found
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
