//! Spans of one file in an order in which what holds a place, begins or ends there is found without a look at the others.
//! Code nests a bounded number of times, so few do.

use std::cmp::Reverse;
use std::iter;

use crate::ir::Span;

/// Spans, each once, with what they stand for.
#[derive(Clone, Debug)]
pub struct Spans<T> {
    /// By where they begin; of those that begin at one place the widest first.
    items: Vec<(Span, T)>,
    /// The same by where they end; of those that end at one place the widest first.
    ends: Vec<u32>,
    /// A heap-like tree over `items`: how far the farthest below a node reaches. The leaves are the second half.
    reach: Vec<u32>,
}

impl<T> Default for Spans<T> {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl<T> Spans<T> {
    /// Of several for one span, the first is kept.
    pub fn new(mut items: Vec<(Span, T)>) -> Self {
        items.sort_by_key(|(span, _)| (span.lo, Reverse(span.hi)));
        items.dedup_by_key(|(span, _)| *span);
        let mut ends: Vec<u32> = (0..items.len() as u32).collect();
        ends.sort_by_key(|&at| (items[at as usize].0.hi, at));
        let leaves = (items.len() + 1).next_power_of_two();
        let mut reach = vec![0; 2 * leaves];
        reach[leaves..].iter_mut().zip(&items).for_each(|(leaf, (span, _))| *leaf = span.hi);
        for node in (1..leaves).rev() {
            reach[node] = reach[2 * node].max(reach[2 * node + 1]);
        }
        Self { items, ends, reach }
    }

    /// Those that hold a span, from the last that begins to the first.
    pub fn holding(&self, span: Span) -> impl Iterator<Item = &(Span, T)> {
        self.around(span.lo + 1, span.hi)
    }

    /// Those that begin before `lo` and do not end before `hi`, from the last that begins to the first.
    pub fn around(&self, lo: u32, hi: u32) -> impl Iterator<Item = &(Span, T)> {
        let mut before = self.items.partition_point(|(span, _)| span.lo < lo);
        iter::from_fn(move || {
            before = self.last_that_reaches(hi, before)?;
            self.items.get(before)
        })
    }

    /// Those that begin there, the widest first.
    pub fn beginning_at(&self, lo: u32) -> impl Iterator<Item = &(Span, T)> {
        let first = self.items.partition_point(|(span, _)| span.lo < lo);
        self.items[first..].iter().take_while(move |(span, _)| span.lo == lo)
    }

    /// Those that end there, the widest first.
    pub fn ending_at(&self, hi: u32) -> impl Iterator<Item = &(Span, T)> {
        let first = self.ends.partition_point(|&at| self.items[at as usize].0.hi < hi);
        let items = self.ends[first..].iter().map(|&at| &self.items[at as usize]);
        items.take_while(move |(span, _)| span.hi == hi)
    }

    fn last_that_reaches(&self, hi: u32, before: usize) -> Option<usize> {
        let leaves = self.reach.len() / 2;
        let mut node = leaves + before;
        // Left of a right child is what stands before it.
        while node.is_multiple_of(2) || self.reach[node - 1] < hi {
            node /= 2;
            if node <= 1 {
                return None;
            }
        }
        node -= 1;
        while node < leaves {
            node = 2 * node + usize::from(self.reach[2 * node + 1] >= hi);
        }
        Some(node - leaves)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spans() -> impl Strategy<Value = Vec<Span>> {
        prop::collection::vec((0u32..20, 0u32..9).prop_map(|(lo, width)| Span { lo, hi: lo + width }), 0..40)
    }

    fn sorted<'s>(spans: impl Iterator<Item = &'s Span>) -> Vec<Span> {
        let mut spans: Vec<Span> = spans.copied().collect();
        spans.sort_unstable();
        spans.dedup();
        spans
    }

    proptest! {
        /// The order changes how soon something is found, not what.
        #[test]
        fn they_are_those_that_a_look_at_all_finds(all in spans(), asked in spans()) {
            let ordered = Spans::new(all.iter().map(|&span| (span, ())).collect());
            for at in asked {
                let holds = |span: &&Span| span.lo <= at.lo && at.hi <= span.hi;
                prop_assert_eq!(sorted(ordered.holding(at).map(|(span, ())| span)), sorted(all.iter().filter(holds)));
                let begins = |span: &&Span| span.lo == at.lo;
                prop_assert_eq!(
                    sorted(ordered.beginning_at(at.lo).map(|(span, ())| span)),
                    sorted(all.iter().filter(begins))
                );
                let ends = |span: &&Span| span.hi == at.hi;
                prop_assert_eq!(
                    sorted(ordered.ending_at(at.hi).map(|(span, ())| span)),
                    sorted(all.iter().filter(ends))
                );
                let widest = |spans: Vec<&(Span, ())>| spans.is_sorted_by_key(|(span, ())| Reverse(span.hi - span.lo));
                prop_assert!(widest(ordered.beginning_at(at.lo).collect()));
                prop_assert!(widest(ordered.ending_at(at.hi).collect()));
                prop_assert!(ordered.holding(at).is_sorted_by_key(|(span, ())| Reverse(span.lo)));
            }
        }
    }
}
