//! Constants that switch a guard off: a flag that is false, a list without an entry, a parameter that is never given. What
//! anything else may set is no constant.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::catalog::Catalog;
use crate::ir::{Expr, ExprId, FnKind, Lit};
use crate::link::{EdgeKind, Func, Passed, Program, SharedMemo, Target};

/// What functions are given, found once it is asked for.
#[derive(Default)]
pub(super) struct Constants {
    calls: SharedMemo<(), Arc<Calls>>,
}

/// What functions are given.
#[derive(Default)]
struct Calls {
    called: FxHashSet<Func>,
    given: FxHashSet<(Func, u32)>,
    /// Somebody else calls them, or gives what cannot be told.
    open: FxHashSet<Func>,
}

impl Constants {
    /// Whether a name of a module or a class is true, if nothing else than its definition says so.
    pub fn truth(program: &Program<'_>, catalog: &Catalog, func: Func, name: ExprId) -> Option<bool> {
        let (owner, value) = program.bound(func, name);
        if (owner, value) == (func, name) || program.ir(owner).kind == FnKind::Plain {
            return None;
        }
        let truth = literal_truth(program, catalog, owner, value)?;
        (!program.may_be_altered(func, name)).then_some(truth)
    }

    /// True for a parameter that is off unless it is given, and that no call gives.
    pub fn is_never_given(&self, program: &Program<'_>, func: Func, at: u32) -> bool {
        let facts = program.facts(program.function(func).file);
        let default = facts.list(program.ir(func).params).get(at as usize).and_then(|param| param.default);
        if !default.is_some_and(|default| *facts.expr(default) == Expr::Lit(Lit::Bool(false))) {
            return false;
        }
        let calls = self.calls.of((), || Arc::new(calls(program)));
        calls.called.contains(&func) && !calls.given.contains(&(func, at)) && !calls.open.contains(&func)
    }
}

/// Of a flag, and of what is surely empty.
fn literal_truth(program: &Program<'_>, catalog: &Catalog, func: Func, value: ExprId) -> Option<bool> {
    let facts = program.facts(program.function(func).file);
    match *facts.expr(value) {
        Expr::Lit(Lit::Bool(value)) => Some(value),
        Expr::Lit(Lit::Int(value)) => Some(value != 0),
        Expr::Seq(items) => items.is_empty().then_some(false),
        Expr::Record(entries) => entries.is_empty().then_some(false),
        // `frozenset()`
        Expr::Call { callee, args, .. } => {
            let path = program.library_path(func, callee)?;
            (args.is_empty() && catalog.tells.makes_nothing(path)).then_some(false)
        }
        _ => None,
    }
}

fn calls(program: &Program<'_>) -> Calls {
    let mut found = Calls::default();
    for edge in program.edges.iter().filter(|edge| !program.is_test_code(edge.from)) {
        let Target::Project(to) = edge.to else { continue };
        if edge.kind != EdgeKind::Call {
            found.open.insert(to);
            continue;
        }
        found.called.insert(to);
        for (passed, _) in program.arguments(edge) {
            match passed {
                Passed::Param(at) => drop(found.given.insert((to, at))),
                _ => drop(found.open.insert(to)),
            }
        }
    }
    found
}
