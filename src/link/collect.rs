//! All edges of a program: a pass over every body, and what only all of them together show.

use rustc_hash::{FxHashMap, FxHashSet};

use super::decorators::handed_around;
use super::edge::Found;
use super::edges::Pass;
use super::ids::Func;
use super::kept;
use super::methods::MethodNames;
use super::overloads::overloads;
use super::runs::Runs;
use super::solve::Solver;
use super::started::Started;

pub fn collect(solver: &mut Solver<'_, '_>) -> Found {
    let (index, run) = (solver.index, solver.run.clone());
    let mut pass = Pass {
        methods: MethodNames::new(solver.index),
        found: Found::default(),
        overloads: overloads(solver.index),
        started: Started::new(solver.index),
        solver,
        runs: Runs::default(),
        pooled: FxHashSet::default(),
        choices: Vec::new(),
        ran: Default::default(),
        put: None,
        factories_of: FxHashMap::default(),
        kept_by: FxHashMap::default(),
    };
    pass.pooled = pass.solver.pooled();
    for func in (0..index.functions.len() as u32).map(Func).take_while(|_| !run.is_over()) {
        pass.function(func);
        pass.decorators(func);
    }
    pass.operations();
    pass.lower_crowds();
    let mut runs = std::mem::take(&mut pass.runs);
    runs.name_keywords(|runs, parameter, name| pass.named_behind(runs, parameter, name));
    pass.found.edges.extend(runs.edges(index.externals.catalog().holders.crowd));
    pass.note_unseen();
    let around = handed_around(&pass.found, index);
    pass.found.edges.extend(around);
    // Nearly sorted already, which the stable sort makes use of.
    pass.found.edges.sort();
    pass.found.edges.dedup_by(|later, first| {
        (later.from, later.at, later.to, later.kind) == (first.from, first.at, first.to, first.kind)
    });
    pass.resolve_keys();
    let Pass { mut found, .. } = pass;
    found.planning_nodes.sort_unstable();
    found.planning_nodes.dedup();
    found.kept = kept::by_place(found.kept);
    found.owners.sort_unstable();
    found.owners.dedup();
    found.makers.sort_unstable();
    found.loads.sort_unstable();
    found.loads.dedup();
    found
}
