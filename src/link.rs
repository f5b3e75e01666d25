//! Joins the facts of all files into a program: module names, imports, classes, types-lite, and call edges with their
//! confidence and the reason why each was resolved. Knows the catalogue, but no rule.

mod absent;
mod accesses;
mod accessors;
mod added;
mod aliases;
mod altered;
mod ancestry;
mod annotations;
mod args;
mod asked;
mod attributes;
mod backs;
mod branches;
mod call;
mod callables;
mod calls;
mod cells;
mod chains;
mod classes;
mod collect;
mod collections;
mod constants;
mod constructors;
mod containers;
mod contents;
mod copies;
mod crates;
mod declared;
mod decorators;
mod derived;
mod displaced;
mod domain;
mod dynamic;
mod edge;
mod edges;
mod enumerations;
mod eval;
mod extensions;
mod externals;
mod fields;
mod fillings;
mod flow;
mod folders;
mod generics;
mod given;
mod globs;
mod graph;
mod growing;
mod handover;
mod hands_back;
mod held;
mod hierarchy;
mod holders;
mod holding;
mod hooks;
mod ids;
mod implicit;
mod implied_by;
mod impls;
mod imported;
mod imports;
mod index;
mod infos;
mod joins;
mod kept;
mod keyed;
mod keywords;
mod kinds;
mod lazies;
mod lazy;
mod library;
mod loaded;
mod loads;
mod makings;
mod manifests;
mod meant;
mod members;
mod memo;
mod merging;
mod metaclasses;
mod method_kinds;
mod methods;
mod modules;
mod names;
mod namespaces;
mod narrowing;
mod operands;
mod overloads;
mod overwritten;
mod owners;
mod passing;
mod picks;
mod places;
mod planning;
mod pooled;
mod ports;
mod production;
mod program;
mod ran;
mod react;
mod reactions;
mod receivers;
mod refused;
mod replacing;
mod rungs;
mod runs;
mod seed;
mod sets;
mod sites;
mod solve;
mod started;
mod starts;
mod statics;
mod summaries;
mod tables;
mod types;
mod unexpanded;
mod unit;
mod unseen;
mod uses;
mod values;
mod variables;
mod virtual_bases;
mod wanted;
mod wants;
mod worklist;
mod wrapped;

pub use absent::{Absence, Absent, Compiled};
pub use ancestry::Decorator;
pub use args::{Passed, argument};
pub use branches::{Branches, Mask};
pub use constants::change as changed_text;
pub use crates::Crates;
pub use edge::{At, CallSite, Edge, EdgeKind, Load, Receiver, Resolution, Rung, Target};
pub use ids::{Cls, Func, PathId, Slot};
pub use loads::MAIN;
pub use memo::{Memo, SharedMemo};
pub use names::Meant;
pub use overwritten::{Named, Overwritten, SetAttribute};
pub use picks::Pick;
pub use production::{Candidate, test_files};
pub use program::{FunctionInfo, Program, ReceiverName};
pub use unit::Unit;
pub use values::{Known, Values};
pub use variables::Variable;

use crate::catalog::Catalog;
use crate::limits::Run;
use crate::parallel;

/// Links all files of a project. `units` are sorted by path, so that numbers do not depend on the machine.
/// `root_name` is the name of the project's folder, which is a package's name if the folder is one.
pub fn link<'a>(
    units: &'a [Unit<'a>],
    crates: Crates,
    root_name: Option<&'a str>,
    catalog: &'a Catalog,
) -> Program<'a> {
    link_within(units, crates, root_name, catalog, &Run::default())
}

/// The same within the limits of a run. At one of them inference and the search for edges stop where they are: the program has
/// all files and imports, and not all edges.
pub fn link_within<'a>(
    units: &'a [Unit<'a>],
    crates: Crates,
    root_name: Option<&'a str>,
    catalog: &'a Catalog,
    run: &Run,
) -> Program<'a> {
    let (index, hierarchy) = added::index(units, crates, root_name, catalog);
    // The solver runs alone, and longer than anything else.
    let solve = || {
        let known = domain::Known { index: &index, hierarchy: &hierarchy };
        let mut solver = solve::Solver::new(&index, &hierarchy, &known);
        solver.run = run.clone();
        solver.solve();
        collect::collect(&mut solver)
    };
    let (found, functions) = parallel::join(solve, || infos::function_infos(&index, &hierarchy));
    let mut program = program::assemble(index, hierarchy, functions, found);
    program.dispatching = classes::dispatching(&program.edges, program.functions.len());
    program.run = run.clone();
    program
}

impl Program<'_> {
    /// True once a limit was reached: whoever asks stops where it is, and nobody relies on what it has.
    pub fn is_over(&self) -> bool {
        self.run.is_over()
    }
}
