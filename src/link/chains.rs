//! Many short lists, one for each slot, in one vector: a slot has one reader more often than not, and a heap block for each
//! would cost more than the solving.

/// Linked lists by number, the newest item first. Items that were taken out make room for others.
#[derive(Debug)]
pub struct Chains<T> {
    heads: Vec<u32>,
    entries: Vec<Entry<T>>,
    /// The first of the entries that hold nothing.
    free: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry<T> {
    item: T,
    next: u32,
}

const END: u32 = u32::MAX;

/// So many of an item, with room for as many more: solving about doubles the slots.
pub fn with_room<T: Clone>(count: usize, item: T) -> Vec<T> {
    let mut list = Vec::with_capacity(2 * count);
    list.resize(count, item);
    list
}

impl<T: Copy> Chains<T> {
    pub fn new(count: usize) -> Self {
        Self { heads: with_room(count, END), entries: Vec::with_capacity(count), free: END }
    }

    /// One more list, which is empty.
    pub fn add_list(&mut self) {
        self.heads.push(END);
    }

    pub fn push(&mut self, list: u32, item: T) {
        let entry = Entry { item, next: self.heads[list as usize] };
        self.heads[list as usize] = match self.free {
            END => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
            free => {
                self.free = self.entries[free as usize].next;
                self.entries[free as usize] = entry;
                free
            }
        };
    }

    pub fn is_empty(&self, list: u32) -> bool {
        self.heads[list as usize] == END
    }

    /// The items of a list as it is now: what is added later is not among them.
    pub fn cursor(&self, list: u32) -> Cursor {
        Cursor(self.heads[list as usize])
    }

    /// The next item, and how to go on.
    pub fn next(&self, cursor: &mut Cursor) -> Option<T> {
        let entry = self.entries.get(cursor.0 as usize)?;
        cursor.0 = entry.next;
        Some(entry.item)
    }

    /// Empties a list into `out`.
    pub fn take(&mut self, list: u32, out: &mut Vec<T>) {
        let mut at = std::mem::replace(&mut self.heads[list as usize], END);
        while let Some(&Entry { item, next }) = self.entries.get(at as usize) {
            out.push(item);
            self.entries[at as usize].next = self.free;
            self.free = at;
            at = next;
        }
    }
}

/// A place in a list.
#[derive(Clone, Copy, Debug)]
pub struct Cursor(u32);

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_keep_what_they_are_given(steps in prop::collection::vec((0..4_u32, 0..100_u32, 0..5), 0..300)) {
            let mut chains = Chains::new(4);
            let mut lists: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for (list, item, step) in steps {
                let known = lists.entry(list).or_default();
                if step == 0 {
                    let mut taken = Vec::new();
                    chains.take(list, &mut taken);
                    known.reverse();
                    prop_assert_eq!(&taken, &*known);
                    known.clear();
                } else {
                    chains.push(list, item);
                    known.push(item);
                }
                prop_assert_eq!(chains.is_empty(list), known.is_empty());
            }
        }
    }

    #[test]
    fn what_is_added_while_a_list_is_read_is_not_read() {
        let mut chains = Chains::new(1);
        chains.push(0, 1);
        let mut cursor = chains.cursor(0);
        chains.push(0, 2);
        assert_eq!(chains.next(&mut cursor), Some(1));
        assert_eq!(chains.next(&mut cursor), None);
    }
}
