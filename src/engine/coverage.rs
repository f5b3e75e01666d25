//! How much of a program a run has understood.

use rustc_hash::FxHashSet;

use crate::analysis::planning_functions;
use crate::catalog::Catalog;
use crate::config::{Config, Planning};
use crate::finding::Calls;
use crate::ir::Facts;
use crate::link::{Program, Resolution};
use crate::source::FileId;

/// Functions that plan but for the configuration.
pub fn not_planning(program: &Program<'_>, catalog: &Catalog, config: &Config) -> Vec<String> {
    if config.planning.not_functions.is_empty() {
        return Vec::new();
    }
    let all = Planning { not_functions: Vec::new(), ..config.planning.clone() };
    let plans = planning_functions(program, catalog, &config.planning);
    let would = planning_functions(program, catalog, &all).into_iter();
    let taken = would.filter(|func| plans.binary_search(func).is_err() && !program.is_test_code(*func));
    taken.map(|func| program.function(func).path.to_string()).collect()
}

/// The files of which some part was not understood.
pub fn partial(facts: &[Facts]) -> Vec<FileId> {
    let files = facts.iter().enumerate().filter(|(_, facts)| facts.is_partial());
    files.map(|(file, _)| FileId(file as u32)).collect()
}

pub fn count_calls(program: &Program<'_>) -> Calls {
    let mut calls = Calls::default();
    let open: FxHashSet<_> = program.open_loads().map(|load| load.at).collect();
    for call in &program.calls {
        match call.resolution {
            // It is known what is called, and not what runs.
            _ if call.is_unseen || open.contains(&call.at) => calls.unresolved += 1,
            Resolution::Resolved(_) | Resolution::Parameter => calls.resolved += 1,
            Resolution::External(_) => calls.external += 1,
            Resolution::Builtin | Resolution::LikelyBuiltin => calls.builtin += 1,
            Resolution::Unresolved => calls.unresolved += 1,
        }
    }
    calls
}
