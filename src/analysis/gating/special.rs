//! Functions as one call means them: `check("comm.search", phase)` of a gate that guards some operations only. What the
//! call says by constants, and what it leaves to defaults, is known in the body.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::known::Known;
use super::summary::Summary;
use super::visit::{Visit, visit};
use super::walk::{Seen, Walk};
use crate::analysis::interp::{Course, Way, ways};
use crate::analysis::outcomes::{Outcome, Shape, Value};
use crate::ir::walk::Child;
use crate::ir::{Arg, Expr, ExprId, Lit};
use crate::link::{Edge, Func, Passed, Target};

/// Parameters and what they are, in order.
pub type Constants = Vec<(u32, Shape)>;

/// What has been found out of calls with constants.
#[derive(Clone, Debug, Default)]
pub struct Specials {
    summaries: FxHashMap<(Func, Constants), Arc<Summary>>,
    /// The parameters by which a gate skips its question.
    skips: FxHashMap<(Func, Constants), Arc<[u32]>>,
}

/// A gate that asks another one that asks another one.
const MAX_DEPTH: u32 = 3;
/// So many ways are tried to find the test that lets a call pass.
const MAX_WAYS: usize = 16;

impl Walk<'_, '_> {
    /// What this call of `target` guarantees, if its constants can make a difference.
    pub fn special(
        &mut self,
        target: Func,
        edge: &Edge,
        list: &[Arg],
        args: &[Value],
    ) -> Option<Arc<Summary>> {
        if self.depth >= MAX_DEPTH
            || self.known.unsettled.contains(&target)
            || !(self.known.asks_on_some_way(target) || self.hands_gate(list))
        {
            return None;
        }
        let constants = self.constants(target, edge, list, args);
        if constants.is_empty() {
            return None;
        }
        let found = self.known.special(target, constants, self.depth + 1);
        if found.is_none() {
            self.known.give_up(self.func);
        }
        found
    }

    fn constants(&self, target: Func, edge: &Edge, list: &[Arg], args: &[Value]) -> Constants {
        let program = self.known.program;
        let pairs = program.arguments(edge);
        // Who knows what `*args` holds.
        if pairs.iter().any(|(passed, _)| matches!(passed, Passed::SpreadFrom(_) | Passed::SpreadNamed)) {
            return Vec::new();
        }
        let mut constants: Constants = Vec::new();
        let mut given = Vec::new();
        for (passed, expr) in pairs {
            let Passed::Param(at) = passed else { continue };
            given.push(at);
            let Some(nth) = list.iter().position(|arg| arg.value == expr) else { continue };
            if let Some(gate) = self.handed_gate(expr) {
                constants.push((at, gate));
            } else if let [Outcome { shape, .. }] = self.folded(expr, &args[nth]).outcomes()
                && is_constant(shape)
            {
                constants.push((at, shape.clone()));
            }
        }
        let facts = program.facts(program.function(target).file);
        for (at, param) in (0..).zip(facts.list(program.ir(target).params)) {
            let default = param.default.map(|default| *facts.expr(default));
            if let Some(Expr::Lit(lit)) = default.filter(|_| !given.contains(&at))
                && !matches!(lit, Lit::Bytes(_) | Lit::Other)
            {
                constants.push((at, super::walk::literal(facts, lit)));
            }
        }
        constants.sort();
        constants
    }
}

impl Walk<'_, '_> {
    /// True if a gate that is known by its name skips its question only for some values of parameters of which nothing is
    /// known in this call: `PhaseGate.check(operation, phase)` guards the operations that it was made for.
    pub fn may_be_meant(
        &self,
        target: Func,
        call: ExprId,
        edge: &Edge,
        list: &[Arg],
        args: &[Value],
    ) -> bool {
        let known = self.known;
        if self.depth > 0
            || known.unsettled.contains(&target)
            || !known.learnt_asks(target)
            || !known.is_named_gate(self.func, call, edge)
        {
            return false;
        }
        let constants = self.constants(target, edge, list, args);
        let decides = known.skips_by(target, constants.clone());
        !decides.is_empty() && decides.iter().all(|at| constants.iter().all(|(known, _)| known != at))
    }
}

impl Known<'_, '_> {
    /// The parameters that the test speaks of by which a function comes back without having asked. A flag is none: a gate
    /// that can be switched off is switched off.
    pub(super) fn decides_on(&self, func: Func, constants: &[(u32, Shape)]) -> Vec<u32> {
        let program = self.program;
        let facts = program.facts(program.function(func).file);
        if self.effort.is_special_spent() {
            return Vec::new();
        }
        let asked =
            |seen: &Seen| !seen.exits.is_empty() && seen.exits.iter().all(|left| left.ungated.is_empty());
        let closes = |way: &Way| {
            asked(&visit(self, func, &Visit { course: Course::without(*way), depth: 1, constants }).1)
        };
        let Some(Way::Arm(at, nth)) = ways(facts, program.ir(func)).into_iter().take(MAX_WAYS).find(closes)
        else {
            return Vec::new();
        };
        let Expr::If { arms, .. } = *facts.expr(at) else { return Vec::new() };
        let arms = facts.list(arms);
        let test = arms.get(nth).unwrap_or(&arms[arms.len() - 1]).test;
        let is_flag = |expr: ExprId| matches!(facts.expr(expr), Expr::Var(_) | Expr::Field { .. });
        if is_flag(test) || matches!(*facts.expr(test), Expr::Not(inner) if is_flag(inner)) {
            return Vec::new();
        }
        let (mut found, mut work) = (Vec::new(), vec![test]);
        while let Some(expr) = work.pop() {
            // The question itself, whose answer only decides what is logged.
            if self.asks_in(func, expr) {
                return Vec::new();
            }
            if let Expr::Var(var) = *facts.expr(expr)
                && let Some((owner, at)) = program.parameter_of(program.slot_of(func, var))
                && owner == func
            {
                found.push(at);
            }
            facts.arenas.each_child(expr, |child| {
                if let Child::Expr(child) = child {
                    work.push(child);
                }
            });
        }
        found
    }
}

impl Known<'_, '_> {
    /// The word that opens the gate, or a call of what tells whether it is open.
    fn asks_in(&self, func: Func, expr: ExprId) -> bool {
        let tells = |edge: &Edge| match edge.to {
            Target::Project(to) => self.summary(to).is_some_and(Summary::tells),
            Target::External(_) => false,
        };
        self.constant(func, expr).is_some_and(|text| self.is_open(&text))
            || self.program.edges_at(func, expr).iter().any(tells)
    }
}

fn is_constant(shape: &Shape) -> bool {
    matches!(shape, Shape::Text(_) | Shape::Begins(_) | Shape::Bool(_) | Shape::Int(_) | Shape::None)
}

impl Known<'_, '_> {
    fn skips_by(&self, func: Func, constants: Constants) -> Arc<[u32]> {
        let key = (func, constants);
        let known = self
            .learnt
            .specials
            .skips
            .get(&key)
            .cloned()
            .or_else(|| self.specials.borrow().skips.get(&key).cloned());
        known.unwrap_or_else(|| {
            let found: Arc<[u32]> = self.decides_on(func, &key.1).into();
            self.specials.borrow_mut().skips.insert(key, Arc::clone(&found));
            found
        })
    }

    /// Nothing if too much has been walked for such calls.
    pub(super) fn special(&self, func: Func, constants: Constants, depth: u32) -> Option<Arc<Summary>> {
        let key = (func, constants);
        let learnt = self.learnt.specials.summaries.get(&key).cloned();
        let known = learnt.or_else(|| self.specials.borrow().summaries.get(&key).cloned());
        if known.is_some() || self.effort.is_special_spent() {
            return known;
        }
        let how = Visit { constants: &key.1, depth, ..Visit::default() };
        let summary = Arc::new(visit(self, func, &how).0);
        self.specials.borrow_mut().summaries.insert(key, Arc::clone(&summary));
        Some(summary)
    }
}
