//! What stands around an expression: the tests that it runs behind, and the `try` blocks that see what it throws.

use crate::catalog::Catalog;
use crate::ir::{Expr, ExprId, Try};
use crate::link::{Func, Program};

/// A test that decides whether an expression runs, and how it came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Test {
    pub expr: ExprId,
    pub holds: bool,
}

/// The tests whose arms an expression stands in.
pub fn tests_around(program: &Program<'_>, func: Func, at: ExprId) -> Vec<Test> {
    let facts = program.facts(program.function(func).file);
    let holds = |body: ExprId| facts.arenas.below(body).contains(&at);
    let of = |expr: ExprId| match *facts.expr(expr) {
        Expr::If { arms, otherwise } => {
            let arms = facts.list(arms);
            let taken = arms.iter().find(|arm| holds(arm.body));
            let inside = taken.map(|arm| Test { expr: arm.test, holds: true });
            let past = || {
                let is_past = arms.len() == 1 && otherwise.is_some_and(holds);
                is_past.then(|| Test { expr: arms[0].test, holds: false })
            };
            inside.or_else(past)
        }
        _ => None,
    };
    program.ir(func).exprs.iter().filter_map(of).collect()
}

/// The `try` blocks in whose bodies an expression stands.
pub fn tries_around(program: &Program<'_>, func: Func, at: ExprId) -> Vec<Try> {
    let facts = program.facts(program.function(func).file);
    let of = |expr: ExprId| match *facts.expr(expr) {
        Expr::Try(index) => {
            let found = *facts.arenas.try_at(index);
            facts.arenas.below(found.body).contains(&at).then_some(found)
        }
        _ => None,
    };
    program.ir(func).exprs.iter().filter_map(of).collect()
}

/// Only for whoever has asked to see more, by a setting.
pub fn is_for_debugging(program: &Program<'_>, catalog: &Catalog, func: Func, at: ExprId) -> bool {
    let facts = program.facts(program.function(func).file);
    let is_switch = |part: ExprId| {
        let name = program.receiver_name(func, part).map(|known| known.name.to_owned());
        let mut said = name.into_iter().chain(program.text(func, part));
        said.any(|text| catalog.runtime.debugging.has(&text))
    };
    let tests = tests_around(program, func, at);
    tests.iter().any(|test| test.holds && facts.arenas.below(test.expr).into_iter().any(is_switch))
}
