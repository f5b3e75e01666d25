//! Calls that may run more than was followed, where that matters: an agent reaches them, and what was let go, or what their
//! callee is made of, acts.

use std::collections::BTreeMap;

use crate::analysis::{Effects, acting, agent_reachable};
use crate::catalog::{Catalog, EffectKind};
use crate::finding::{Incomplete, Place};
use crate::link::{At, Cut, Func, Origin, PathId, Program, Provenance, Target};

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
    if !reachable.contains(&true) {
        return Vec::new();
    }
    let acting = acting(program, effects, &KINDS);
    let search = Search { program, catalog, acting, provenance: Provenance::new(program) };
    let found = search.reached(reachable).into_iter().map(|cut| (cut.from, cut.at));
    // The first of each function.
    let first: BTreeMap<Func, At> = found.rev().collect();
    let gap = |(func, At { file, expr }): (Func, At)| {
        let span = program.facts(file).span(expr);
        Incomplete::cut((program.short_name(func), Place { file, span }))
    };
    first.into_iter().map(gap).collect()
}

struct Search<'p, 'a> {
    program: &'p Program<'a>,
    catalog: &'p Catalog,
    acting: Vec<bool>,
    provenance: Provenance<'p, 'a>,
}

impl Search<'_, '_> {
    /// Those that an agent reaches, by way of others as well, in order.
    fn reached(&self, reachable: &[bool]) -> Vec<Cut> {
        let mut reached = reachable.to_vec();
        let mut seen = vec![false; reached.len()];
        let let_go = self.program.cuts().iter().filter(|cut| !self.program.is_test_code(cut.from));
        let (mut open, mut found): (Vec<Cut>, Vec<_>) = (let_go.cloned().collect(), Vec::new());
        loop {
            for func in (0..reached.len() as u32).map(Func).filter(|func| reached[func.0 as usize]) {
                if !std::mem::replace(&mut seen[func.0 as usize], true) {
                    open.extend(self.unresolved(func));
                }
            }
            let (now, later): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|cut| reached[cut.from.0 as usize]);
            if now.is_empty() {
                break;
            }
            let runs = now.iter().flat_map(|cut| &cut.targets).filter_map(|target| match *target {
                Target::Project(func) => Some(func),
                Target::External(_) => None,
            });
            let further = agent_reachable(self.program, &runs.collect::<Vec<_>>());
            reached.iter_mut().zip(further).for_each(|(reached, further)| *reached |= further);
            found.extend(
                now.into_iter().filter(|cut| cut.is_open || cut.targets.iter().any(|to| self.acts(*to))),
            );
            open = later;
        }
        found.sort_unstable_by_key(|cut| (cut.from, cut.at));
        found
    }

    fn acts(&self, target: Target) -> bool {
        match target {
            Target::Project(func) => self.acting[func.0 as usize],
            Target::External(path) => self.library_acts(path),
        }
    }

    fn library_acts(&self, path: PathId) -> bool {
        let path = self.program.path(path);
        let mut effects = self.catalog.call_effects(path).map(|id| self.catalog.effect(id));
        effects.any(|effect| KINDS.contains(&effect.kind))
    }

    /// The calls of a function that nothing resolves, or that run what a library's object was made of, and that may act.
    fn unresolved(&self, func: Func) -> Vec<Cut> {
        if self.program.is_test_code(func) {
            return Vec::new();
        }
        let calls = self.program.calls_of(func).iter().filter(|call| self.program.is_unknown(call));
        let cuts = calls.filter_map(|call| {
            let origins = self.provenance.of_callee(func, call.at.expr);
            let targets = origins.iter().filter_map(|&origin| match origin {
                Origin::Function(func) => Some(Target::Project(func)),
                Origin::Library(path) => Some(Target::External(path)),
                Origin::At(_) => None,
            });
            let targets: Vec<Target> = targets.filter(|&to| self.acts(to)).collect();
            let is_made_of_acts = !targets.is_empty();
            is_made_of_acts.then_some(Cut { from: func, at: call.at, targets, is_open: false })
        });
        cuts.collect()
    }
}
