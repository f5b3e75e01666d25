//! The summaries of all functions, callees first. Functions that call each other are solved together: they begin as functions that
//! never come back, and what is known of them only grows.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::state::{Known, Summary};
use super::walk::Walk;
use super::{Found, Order};
use crate::analysis::interp::interpret;
use crate::ir::Sym;
use crate::link::{Func, Target};

/// Walks all functions. `marks` are names that tell whether internal data was read.
pub fn settle(order: &Order<'_, '_, '_>, marks: &BTreeSet<Sym>) -> Found {
    let mut found = Found::default();
    let mut known = Known::default();
    for group in &order.groups {
        let called = Callers::of(order, group);
        match group[..] {
            [func] if called.by[0].is_empty() => {
                let summary = walk(order, func, &known, marks, &mut found);
                known.summaries.insert(func, summary);
            }
            _ => together(order, &called, &mut known, marks, &mut found),
        }
    }
    found
}

/// Who refuses is found first: a call that is found to be refused later would have been reported before.
fn together(
    order: &Order<'_, '_, '_>,
    group: &Callers<'_>,
    known: &mut Known,
    marks: &BTreeSet<Sym>,
    found: &mut Found,
) {
    known.unsettled.extend(group.members);
    let mut first = Found::default();
    solve(order, group, known, marks, &mut first);
    let mut summaries = group.members.iter().filter_map(|func| known.summaries.get(func));
    if summaries.any(|summary| !summary.refusals.is_empty()) {
        for func in group.members {
            let summary = known.summaries.entry(*func).or_default();
            *summary =
                Summary { refusals: summary.refusals.clone(), tells: summary.tells, ..Summary::default() };
        }
        known.are_refusals_known = true;
        first = Found::default();
        solve(order, group, known, marks, &mut first);
        known.are_refusals_known = false;
    }
    found.merge(first);
    known.unsettled.clear();
}

/// Walks members until none changes, again those whose callees have changed.
fn solve(
    order: &Order<'_, '_, '_>,
    group: &Callers<'_>,
    known: &mut Known,
    marks: &BTreeSet<Sym>,
    found: &mut Found,
) {
    let mut work: BTreeSet<usize> = (0..group.members.len()).collect();
    let mut next = 0;
    // One after the other and then from the beginning: whoever is asked again has mostly several answers to hear.
    while let Some(&at) = work.range(next..).next().or(work.first())
        && !order.program.is_over()
    {
        work.remove(&at);
        next = at + 1;
        let func = group.members[at];
        let mut summary = walk(order, func, known, marks, found);
        let before = known.summaries.get(&func);
        if let Some(before) = before {
            summary.grow_from(before, known.are_refusals_known);
        }
        if before != Some(&summary) {
            known.summaries.insert(func, summary);
            work.extend(&group.by[at]);
        }
    }
}

fn walk(
    order: &Order<'_, '_, '_>,
    func: Func,
    known: &Known,
    marks: &BTreeSet<Sym>,
    found: &mut Found,
) -> Summary {
    let mut walk = Walk::new(order, func, known, marks, found);
    let facts = order.program.facts(order.program.function(func).file);
    let entry = walk.entry();
    interpret(&mut walk, facts, order.program.ir(func), &entry);
    let summary = walk.finish();
    if !summary.refusals.is_empty() {
        found.blocks.insert(func);
    }
    summary
}

/// A group, and by member the members that call it.
struct Callers<'g> {
    members: &'g [Func],
    by: Vec<BTreeSet<usize>>,
}

impl<'g> Callers<'g> {
    fn of(order: &Order<'_, '_, '_>, members: &'g [Func]) -> Self {
        let places: FxHashMap<Func, usize> = members.iter().copied().zip(0..).collect();
        let mut by = vec![BTreeSet::new(); members.len()];
        for (caller, &func) in members.iter().enumerate() {
            for edge in order.program.edges_from(func) {
                if let Target::Project(target) = edge.to
                    && let Some(&callee) = places.get(&target)
                {
                    by[callee].insert(caller);
                }
            }
        }
        Self { members, by }
    }
}
