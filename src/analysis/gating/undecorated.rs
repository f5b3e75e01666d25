//! Functions that are taken from behind their decorators: `announce.__wrapped__`. What a decorator asks is not asked of them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::registrations::Registered;
use crate::catalog::Catalog;
use crate::ir::{Expr, ExprId, Facts};
use crate::link::{Func, Named, Program};

/// The functions that production code calls or hands over without what decorates them.
pub fn undecorated(program: &Program<'_>, catalog: &Catalog) -> FxHashSet<Func> {
    let words = &catalog.boundaries;
    let files = program.files_with(|text| words.may_undecorate(text));
    let mut found = FxHashSet::default();
    for func in (0..program.functions.len() as u32).map(Func) {
        let file = program.function(func).file;
        if !files[file.0 as usize] || program.is_test_code(func) {
            continue;
        }
        let facts = program.facts(file);
        let looked_at = looked_at(facts, program.ir(func).exprs.iter());
        for expr in program.ir(func).exprs.iter().filter(|expr| !looked_at.contains(expr)) {
            if let Some(inner) = inner(program, catalog, func, expr) {
                let named = program.meanings(func, inner).into_iter();
                found.extend(named.filter_map(|named| match named {
                    Named::Function(func) => Some(func),
                    Named::Class(_) => None,
                }));
            }
        }
    }
    found
}

/// By function, the lowest of its decorators that registers it.
pub fn registered_by(program: &Program<'_>, registered: &[Registered]) -> FxHashMap<Func, ExprId> {
    let mut found: FxHashMap<Func, ExprId> = FxHashMap::default();
    for Registered { handler, file, span, .. } in registered {
        if program.function(*handler).file != *file {
            continue;
        }
        let facts = program.facts(*file);
        let decorators = facts.list(program.ir(*handler).decorators).iter();
        let says = |decorator: &&ExprId| {
            let whole = facts.span(**decorator);
            whole.lo <= span.lo && span.hi <= whole.hi
        };
        for &decorator in decorators.filter(says) {
            let lowest = found.entry(*handler).or_insert(decorator);
            *lowest = decorator.max(*lowest);
        }
    }
    found
}

/// What only has an attribute read: `announce.__wrapped__.__name__`.
fn looked_at(facts: &Facts, exprs: impl Iterator<Item = ExprId>) -> FxHashSet<ExprId> {
    let bases = exprs.filter_map(|expr| match *facts.expr(expr) {
        Expr::Field { base, .. } => Some(base),
        _ => None,
    });
    bases.collect()
}

/// The decorated function whose inside an expression is.
fn inner(program: &Program<'_>, catalog: &Catalog, func: Func, expr: ExprId) -> Option<ExprId> {
    let facts = program.facts(program.function(func).file);
    match *facts.expr(expr) {
        Expr::Field { base, name } if catalog.boundaries.is_undecorated(facts.str(name)) => {
            Some(inner(program, catalog, func, base).unwrap_or(base))
        }
        Expr::Call { callee, args, .. } => {
            let path = program.library_path(func, callee)?;
            let first = facts.list(args).first()?;
            catalog.boundaries.undecorates(path).then_some(first.value)
        }
        _ => None,
    }
}
