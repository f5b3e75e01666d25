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
    /// Behind the body of this `try`, without an exception.
    Done(ExprId),
}

/// The ways that a walk keeps to.
#[derive(Clone, Default, Debug)]
pub struct Course {
    /// Nobody goes there.
    closed: Vec<Way>,
    /// What leaves the function counts from there on.
    from: Option<Way>,
}

impl Course {
    /// All ways but this one.
    pub fn without(way: Way) -> Self {
        Self { closed: vec![way], from: None }
    }

    /// The ways that go through this one, from there on.
    pub fn along(facts: &Facts, function: &Function, way: Way) -> Self {
        let all = ways(facts, function);
        let holds = |outer: &Way, at: ExprId| {
            let body = outer.body(facts);
            body.is_some_and(|body| facts.arenas.below(body).contains(&at))
        };
        let around = way.at(facts, function).into_iter().flat_map(|at| {
            let outer: Vec<Way> =
                all.iter().copied().filter(|outer| *outer != way && holds(outer, at)).collect();
            outer
        });
        let kept: Vec<Way> = around.chain([way]).collect();
        let done = kept.iter().filter(|kept| matches!(kept, Way::Handler(_)));
        let done = done.filter_map(|kept| kept.at(facts, function).map(Way::Done));
        let all: Vec<Way> = all.iter().copied().chain(done).collect();
        let is_other = |other: &Way| {
            !kept.contains(other) && kept.iter().any(|kept| kept.parts_from(*other, facts, function))
        };
        Self { closed: all.into_iter().filter(is_other).collect(), from: Some(way) }
    }

    pub(super) fn is_closed(&self, way: Way) -> bool {
        self.closed.contains(&way)
    }

    pub(super) fn begins_at(&self, way: Way) -> bool {
        self.from == Some(way)
    }

    pub(super) fn has_begun(&self) -> bool {
        self.from.is_none()
    }
}

impl Way {
    /// What runs on it alone.
    pub fn body(self, facts: &Facts) -> Option<ExprId> {
        match (self, self.node().map(|at| *facts.expr(at))) {
            (Way::Arm(_, nth), Some(Expr::If { arms, otherwise })) => {
                facts.list(arms).get(nth).map_or(otherwise, |arm| Some(arm.body))
            }
            (Way::Case(_, nth), Some(Expr::Match { arms, .. })) => {
                facts.list(arms).get(nth).map(|arm| arm.body)
            }
            (Way::Handler(body), _) => Some(body),
            _ => None,
        }
    }

    /// Where the ways part; of a handler nothing says which `try` it belongs to.
    fn node(self) -> Option<ExprId> {
        match self {
            Way::Arm(at, _) | Way::Case(at, _) | Way::NoRound(at) | Way::Done(at) => Some(at),
            Way::Handler(_) => None,
        }
    }

    /// Where the ways part.
    fn at(self, facts: &Facts, function: &Function) -> Option<ExprId> {
        let is_own = |at: &ExprId| match *facts.expr(*at) {
            Expr::Try(index) => {
                let handlers = facts.list(facts.arenas.try_at(index).handlers);
                handlers.iter().any(|handler| Way::Handler(handler.body) == self)
            }
            _ => false,
        };
        self.node().or_else(|| function.exprs.iter().find(is_own))
    }

    /// True if whoever takes this one does not take the other one.
    fn parts_from(self, other: Way, facts: &Facts, function: &Function) -> bool {
        let is_alike = !matches!(self, Way::NoRound(_)) && !matches!(other, Way::NoRound(_));
        self != other && is_alike && self.at(facts, function) == other.at(facts, function)
    }
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
