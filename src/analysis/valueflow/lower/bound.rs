//! What the variables of a function are bound to: how often, by which loops and patterns, which parameters are tables, and which
//! are flags that a call has set.

use rustc_hash::FxHashMap;

use crate::ir::walk::Child;
use crate::ir::{Expr, ExprId, Facts, Function, VarId};

/// Which parameters of a function are tables at a call.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) enum Tables {
    /// None is known to be one.
    #[default]
    None,
    All,
    These(Vec<u32>),
}

/// What a test asks of a flag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Flag {
    None,
    False,
    True,
}

impl Flag {
    pub fn holds(self) -> bool {
        self == Flag::True
    }
}

/// What a function is given at a call, as far as its tests ask.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Given {
    pub tables: Tables,
    /// By parameter, in order.
    pub flags: Vec<(u32, Flag)>,
}

impl Tables {
    pub fn has(&self, at: u32) -> bool {
        match self {
            Tables::None => false,
            Tables::All => true,
            Tables::These(known) => known.contains(&at),
        }
    }
}

/// How often a function binds each of its variables.
pub(super) fn bindings(facts: &Facts, function: &Function) -> FxHashMap<VarId, usize> {
    let mut found = FxHashMap::default();
    for expr in function.exprs.iter() {
        facts.arenas.each_child(expr, |child| {
            if let Child::Pat(pat) = child {
                facts.arenas.vars_of(pat).into_iter().for_each(|var| *found.entry(var).or_default() += 1);
            }
        });
    }
    found
}

/// What variables of loops and patterns are taken from.
pub(super) fn taken_from(facts: &Facts, function: &Function) -> FxHashMap<VarId, ExprId> {
    let mut found = FxHashMap::default();
    for expr in function.exprs.iter() {
        match *facts.expr(expr) {
            Expr::Loop(index) => {
                if let Some((pat, iterable)) = facts.arenas.loop_at(index).each {
                    found.extend(facts.arenas.vars_of(pat).into_iter().map(|var| (var, iterable)));
                }
            }
            Expr::Match { subject, arms } => {
                let vars = facts.list(arms).iter().flat_map(|arm| facts.arenas.vars_of(arm.pat));
                found.extend(vars.map(|var| (var, subject)));
            }
            _ => {}
        }
    }
    found
}
