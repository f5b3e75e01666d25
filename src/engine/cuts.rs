//! Calls that may run more than was followed, where that matters: an agent reaches them, and what was let go acts.

use std::collections::BTreeMap;

use crate::analysis::{Effects, acting, agent_reachable};
use crate::catalog::{Catalog, EffectKind};
use crate::finding::{Incomplete, Place};
use crate::link::{At, Cut, Func, Program, Target};

/// What a gate is asked about; a file or a model is read all over a program.
const KINDS: [EffectKind; 4] =
    [EffectKind::Network, EffectKind::Process, EffectKind::Hardware, EffectKind::Comm];

/// One entry for each function of production code that makes such a call.
pub fn cuts(
    program: &Program<'_>,
    catalog: &Catalog,
    effects: &Effects,
    reachable: &[bool],
) -> Vec<Incomplete> {
    if !program.cuts().iter().any(|cut| reachable[cut.from.0 as usize]) {
        return Vec::new();
    }
    let acting = acting(program, effects, &KINDS);
    let acts = |target: &Target| match *target {
        Target::Project(func) => acting[func.0 as usize],
        Target::External(path) => {
            let mut effects = catalog.call_effects(program.path(path)).map(|id| catalog.effect(id));
            effects.any(|effect| KINDS.contains(&effect.kind))
        }
    };
    let may_act = |cut: &&Cut| cut.is_open || cut.targets.iter().any(acts);
    let reached = reached(program, reachable);
    let found = reached.into_iter().filter(may_act).map(|cut| (cut.from, cut.at));
    // The first of each function.
    let first: BTreeMap<Func, At> = found.rev().collect();
    let gap = |(func, At { file, expr }): (Func, At)| {
        let span = program.facts(file).span(expr);
        Incomplete::cut((program.short_name(func), Place { file, span }))
    };
    first.into_iter().map(gap).collect()
}

/// Those that an agent reaches, by way of others as well, in order.
fn reached<'p>(program: &'p Program<'_>, reachable: &[bool]) -> Vec<&'p Cut> {
    let mut reached = reachable.to_vec();
    let cuts = program.cuts().iter().filter(|cut| !program.is_test_code(cut.from));
    let (mut open, mut found): (Vec<_>, Vec<_>) = (cuts.collect(), Vec::new());
    loop {
        let (now, later): (Vec<_>, Vec<_>) = open.into_iter().partition(|cut| reached[cut.from.0 as usize]);
        if now.is_empty() {
            break;
        }
        let runs = now.iter().flat_map(|cut| &cut.targets).filter_map(|target| match *target {
            Target::Project(func) => Some(func),
            Target::External(_) => None,
        });
        let further = agent_reachable(program, &runs.collect::<Vec<_>>());
        reached.iter_mut().zip(further).for_each(|(reached, further)| *reached |= further);
        found.extend(now);
        open = later;
    }
    found.sort_unstable_by_key(|cut| (cut.from, cut.at));
    found
}
