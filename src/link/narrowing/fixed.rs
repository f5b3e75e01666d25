//! Which variables of a function keep what they were first given, so that a test of one holds behind its end as well.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::walk::Child;
use crate::ir::{Expr, Facts, FnKind, Function, VarId};
use crate::link::ids::Func;
use crate::link::index::Index;

/// A function with its variables, which are looked through once, and only if some test asks.
pub(super) struct Fixed<'i, 'a> {
    index: &'i Index<'a>,
    pub func: Func,
    pub facts: &'a Facts,
    changing: OnceCell<FxHashSet<VarId>>,
}

impl<'i, 'a> Fixed<'i, 'a> {
    pub fn new(index: &'i Index<'a>, func: Func) -> Self {
        let facts = index.units[index.file_of(func)].facts;
        Self { index, func, facts, changing: OnceCell::new() }
    }

    /// True for a variable that is bound once, and that no other function may set.
    pub fn has(&self, var: VarId) -> bool {
        let is_local = matches!(self.index.ir(self.func).kind, FnKind::Plain | FnKind::Lambda);
        is_local && !self.changing.get_or_init(|| self.changing()).contains(&var)
    }

    fn changing(&self) -> FxHashSet<VarId> {
        let (facts, ir) = (self.facts, self.index.ir(self.func));
        let mut changing: FxHashSet<VarId> =
            facts.list(ir.captures).iter().map(|capture| capture.inner).collect();
        let mut bound = self.bound(ir);
        for expr in ir.exprs.iter() {
            let inner = match *facts.expr(expr) {
                Expr::Closure(inner) => Some(inner),
                Expr::Class(class) => Some(self.index.class_body(class)),
                _ => None,
            };
            let captures = inner.map_or(&[][..], |inner| facts.list(facts.function(inner).captures));
            changing.extend(captures.iter().map(|capture| capture.outer));
            facts.arenas.each_child(expr, |child| {
                if let Child::Pat(pat) = child {
                    let vars = facts.arenas.vars_of(pat);
                    vars.into_iter().for_each(|var| *bound.entry(var).or_default() += 1);
                }
            });
        }
        changing.extend(bound.into_iter().filter(|&(_, times)| times > 1).map(|(var, _)| var));
        changing
    }

    /// A parameter is bound by each call.
    fn bound(&self, ir: &Function) -> FxHashMap<VarId, usize> {
        let vars = (0..ir.vars.len() as u32).map(VarId);
        let is_param = |var: &VarId| self.index.param_of.contains_key(&self.index.var(self.func, *var));
        vars.filter(is_param).map(|var| (var, 1)).collect()
    }
}
