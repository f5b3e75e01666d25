//! The ways that a function can take: what a walk can be told not to take, to see what it changes.

use crate::ir::{Expr, ExprId, Facts, Function};

/// One of the ways out of a place where they part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// An arm of this `if`; behind the last one, none of them.
    Arm(ExprId, usize),
    /// An arm of this `match`; behind the last one, none of them.
    Case(ExprId, usize),
    /// The handler with this body.
    Handler(ExprId),
    /// Past this loop, without one round of it.
    NoRound(ExprId),
}

/// All ways of a function, in order.
pub fn ways(facts: &Facts, function: &Function) -> Vec<Way> {
    let of = |expr: ExprId| match *facts.expr(expr) {
        Expr::If { arms, .. } => (0..=arms.len()).map(|nth| Way::Arm(expr, nth)).collect(),
        Expr::Match { arms, .. } => (0..=arms.len()).map(|nth| Way::Case(expr, nth)).collect(),
        Expr::Try(index) => {
            let handlers = facts.list(facts.arenas.try_at(index).handlers).iter();
            handlers.map(|handler| Way::Handler(handler.body)).collect()
        }
        Expr::Loop(_) => vec![Way::NoRound(expr)],
        _ => Vec::new(),
    };
    function.exprs.iter().flat_map(of).collect()
}
