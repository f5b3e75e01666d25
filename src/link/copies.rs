//! Where the values of a slot go as well, each place once.

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
