//! The code beyond a test, as stretches of lists of statements: a function with a thousand tests has it a thousand times, and
//! each is most of the function. Knows no tests.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::ExprId;

/// What runs for each part of a list, and how far one gets from each part on.
#[derive(Debug)]
pub struct Gathered {
    /// The part in which an expression runs.
    part_of: FxHashMap<ExprId, u32>,
    /// By part: the end of the stretch that begins there, and whether something runs ungated after it.
    ends: Vec<(u32, bool)>,
}

impl Gathered {
    /// `gather` collects what runs in one part. It says whether something runs ungated after it, or `None` if that is up to
    /// the next part.
    pub fn new(count: usize, gather: impl Fn(usize, &mut FxHashSet<ExprId>) -> Option<bool>) -> Self {
        let (mut part_of, mut stops) = (FxHashMap::default(), Vec::with_capacity(count));
        for part in 0..count {
            let mut runs = FxHashSet::default();
            stops.push(gather(part, &mut runs));
            part_of.extend(runs.into_iter().map(|expr| (expr, part as u32)));
        }
        let mut ends = vec![(count as u32, true); count + 1];
        for (part, stop) in stops.into_iter().enumerate().rev() {
            ends[part] = stop.map_or(ends[part + 1], |goes_on| (part as u32 + 1, goes_on));
        }
        Self { part_of, ends }
    }
}

/// The expressions that run for any other value.
#[derive(Debug, Default)]
pub struct Beyond {
    own: FxHashSet<ExprId>,
    stretches: Vec<(Arc<Gathered>, Range<u32>)>,
}

impl Beyond {
    pub fn of(own: FxHashSet<ExprId>) -> Self {
        Self { own, stretches: Vec::new() }
    }

    pub fn contains(&self, expr: ExprId) -> bool {
        let is_in = |(list, range): &(Arc<Gathered>, Range<u32>)| {
            list.part_of.get(&expr).is_some_and(|part| range.contains(part))
        };
        self.own.contains(&expr) || self.stretches.iter().any(is_in)
    }

    /// Adds the list from a part on; true if something runs ungated after it.
    pub(super) fn add(&mut self, list: Arc<Gathered>, from: usize) -> bool {
        let (end, goes_on) = list.ends[from];
        self.stretches.push((list, from as u32..end));
        goes_on
    }
}
