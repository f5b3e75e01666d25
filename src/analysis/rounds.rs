//! How often a loop runs, as far as what it runs over says: a constant list that holds something has a round.

use super::interp::Rounds;
use crate::ir::{Expr, ExprId};
use crate::link::{Func, Program};

/// `for check in ("a", "b")`, `for name in NAMES`.
pub fn rounds(program: &Program<'_>, func: Func, iterable: ExprId) -> Rounds {
    let (owner, bound) = program.bound(func, iterable);
    let facts = program.facts(program.function(owner).file);
    let Expr::Seq(items) = *facts.expr(bound) else { return Rounds::Unknown };
    if items.is_empty() && (owner, bound) == (func, iterable) {
        return Rounds::None;
    }
    let is_item = |item: &ExprId| !matches!(facts.expr(*item), Expr::Spread(_));
    let is_kept = (owner, bound) == (func, iterable) || !program.is_altered(func, iterable);
    match facts.list(items).iter().any(is_item) && is_kept {
        true => Rounds::Some,
        false => Rounds::Unknown,
    }
}
