//! Functions that call each other: their summaries are made together.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::known::Known;
use super::leads_to;
use super::visit::{Visit, visit};
use crate::link::Func;

/// A member that keeps changing is given up after so many walks: from then on nothing is known of it.
const MAX_WALKS: u32 = 32;

/// Makes the summaries of a component, whose members come callees first. They begin as functions that never come back,
/// and are walked again whenever something that they call has changed. Until all have settled, what a call says by
/// constants is left out, because nothing that changes can be kept for the next call; then one more walk makes use of it.
pub fn settle(known: &mut Known<'_, '_>, group: &[Func]) {
    group.iter().for_each(|&func| known.assume_never_returns(func));
    known.unsettled.extend(group);
    let callers = callers(known, group);
    let mut walks = vec![0; group.len()];
    let mut work: BTreeSet<usize> = (0..group.len()).collect();
    while let Some(at) = work.pop_first() {
        walks[at] += 1;
        let has_changed = match walks[at] > MAX_WALKS {
            true => known.forget(group[at]),
            false => {
                let (summary, _) = visit(known, group[at], &Visit::default());
                known.summarise(group[at], summary)
            }
        };
        if has_changed {
            work.extend(callers[at].iter().filter(|&&caller| walks[caller] <= MAX_WALKS));
        }
    }
    known.unsettled.clear();
    for &func in group {
        let (summary, _) = visit(known, func, &Visit::default());
        known.summarise(func, summary);
    }
}

/// By member: the members whose summaries need its own.
fn callers(known: &Known<'_, '_>, group: &[Func]) -> Vec<BTreeSet<usize>> {
    let places: FxHashMap<Func, usize> = group.iter().copied().zip(0..).collect();
    let mut callers = vec![BTreeSet::new(); group.len()];
    for (caller, &func) in group.iter().enumerate() {
        for callee in leads_to(known.program, func) {
            if let Some(&callee) = places.get(&Func(callee as u32)) {
                callers[callee].insert(caller);
            }
        }
    }
    callers
}
