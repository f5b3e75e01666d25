//! Which calls of coroutines are waited for: only those hand their exceptions on to whoever called.

use rustc_hash::FxHashSet;

use crate::analysis::definitions::Definitions;
use crate::catalog::Catalog;
use crate::ir::walk::Child;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Facts, Jump, Lit};
use crate::link::{Func, Program, Target};

/// The calls whose coroutine is awaited, run or handed back, also by way of a variable.
pub fn awaited(program: &Program<'_>, catalog: &Catalog, func: Func) -> FxHashSet<ExprId> {
    let facts = program.facts(program.function(func).file);
    let definitions = Definitions::new(program, catalog, func);
    let mut todo = waited_for(program, catalog, func);
    let (mut seen, mut calls) = (FxHashSet::default(), FxHashSet::default());
    while let Some(expr) = todo.pop() {
        if !seen.insert(expr) {
            continue;
        }
        match *facts.expr(expr) {
            Expr::Var(var) => todo.extend(definitions.of(var).iter().map(|definition| definition.value)),
            Expr::Call { args, .. } => {
                calls.insert(expr);
                if hands_back(catalog, facts, facts.list(args)) {
                    continue;
                }
            }
            _ => {}
        }
        facts.arenas.each_child(expr, |child| {
            if let Child::Expr(child) = child {
                todo.push(child);
            }
        });
    }
    calls
}

/// What stands behind `await`, is returned, or is given to a call that runs coroutines.
fn waited_for(program: &Program<'_>, catalog: &Catalog, func: Func) -> Vec<ExprId> {
    let facts = program.facts(program.function(func).file);
    let runs = |call: ExprId| {
        program.edges_at(func, call).iter().any(|edge| match edge.to {
            Target::External(path) => catalog.phase.runs_coroutine(program.path(path)),
            Target::Project(_) => false,
        })
    };
    let mut found = Vec::new();
    for expr in program.ir(func).exprs.iter() {
        match *facts.expr(expr) {
            Expr::Await(inner) => found.push(inner),
            Expr::Jump { kind: Jump::Return, value: Some(value) } => found.push(value),
            Expr::Call { args, .. } if runs(expr) => {
                found.extend(facts.list(args).iter().map(|arg| arg.value));
            }
            _ => {}
        }
    }
    found
}

/// `gather(..., return_exceptions=True)`: what its arguments raise is a result.
fn hands_back(catalog: &Catalog, facts: &Facts, args: &[Arg]) -> bool {
    args.iter().any(|arg| match arg.kind {
        ArgKind::Named(name) => {
            catalog.exceptions.hands_back(facts.str(name))
                && matches!(facts.expr(arg.value), Expr::Lit(Lit::Bool(true)))
        }
        _ => false,
    })
}
