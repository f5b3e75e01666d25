//! What a decorator checks before it calls the function that it is given.

use super::harmless::Harmless;
use super::proof::Spot;
use super::tested::{Helpers, Tests};
use crate::analysis::decorators::{Wrapper, wrappers};
use crate::catalog::{Catalog, Purposes};
use crate::ir::{Arg, ArgKind, Expr, ExprId, Pat, Sym};
use crate::link::{Func, Program};

/// For what a parameter of a function is harmless, whoever calls it, because of what its decorators check.
pub(in super::super) fn checked_around(
    (program, catalog): (&Program<'_>, &Catalog),
    helpers: &Helpers,
    (func, at): (Func, u32),
) -> Purposes {
    let facts = program.facts(program.function(func).file);
    let Some(param) = facts.list(program.ir(func).params).get(at as usize) else {
        return Purposes::default();
    };
    let around = wrappers(program, func);
    let tests = |inner| Tests::new(program, catalog, helpers, inner);
    let checked = around.iter().map(|wrapper| by_wrapper(&tests, wrapper, (at, param.name)));
    checked.fold(Purposes::default(), Purposes::with)
}

/// What holds at every call of the function.
fn by_wrapper<'l, 'p: 'l>(
    tests: &impl Fn(Func) -> Tests<'l, 'p>,
    wrapper: &Wrapper,
    param: (u32, Sym),
) -> Purposes {
    let inside = wrapper.inside.iter().flat_map(|&inner| {
        let tests = tests(inner);
        let proven = Harmless::new(&tests.proofs());
        let given = given(&tests, wrapper, param);
        let clean = |read: ExprId| {
            let spot = tests.spot(read).filter(|spot: &Spot| spot.part.is_none());
            spot.map_or(Purposes::default(), |spot| proven.at(spot, read))
        };
        given.into_iter().map(|read| read.map_or(Purposes::default(), clean)).collect::<Vec<_>>()
    });
    inside.reduce(Purposes::and).unwrap_or_default()
}

/// What calls of the function that is wrapped give for a parameter; none where that is not to be seen.
fn given(tests: &Tests<'_, '_>, wrapper: &Wrapper, (at, name): (u32, Sym)) -> Vec<Option<ExprId>> {
    let maker = tests.program.facts(tests.program.function(wrapper.maker).file);
    let first = maker.list(tests.program.ir(wrapper.maker).params).first();
    let Some(&Pat::Var(function)) = first.map(|param| maker.pat(param.pat)) else { return Vec::new() };
    let captures = tests.facts.list(tests.program.ir(tests.func).captures).iter();
    let own = captures.filter(|captured| captured.outer == function).map(|captured| captured.inner).next();
    let is_function =
        |callee: ExprId| matches!(*tests.facts.expr(callee), Expr::Var(var) if Some(var) == own);
    let arg = |args: &[Arg]| {
        let named = args.iter().find(|arg| matches!(arg.kind, ArgKind::Named(own) if own == name));
        let plain = || args.iter().take_while(|arg| arg.kind == ArgKind::Positional).nth(at as usize);
        named.or_else(plain).map(|arg| arg.value)
    };
    let calls = tests.program.ir(tests.func).exprs.iter().filter_map(|expr| match *tests.facts.expr(expr) {
        Expr::Call { callee, args, .. } if is_function(callee) => Some(arg(tests.facts.list(args))),
        _ => None,
    });
    calls.collect()
}
