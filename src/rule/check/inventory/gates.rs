//! The names of the gates that hold before an effect. That they hold is known by the analysis of gates; here it is only
//! said which functions they are.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::super::Context;
use crate::analysis::{EffectSite, Guarded, is_gate};
use crate::ir::Expr;
use crate::link::{At, Edge, EdgeKind, Func, Target};

/// A gate is looked for in what a call leads to, so deep.
const MAX_DEPTH: u32 = 3;

/// The gates before the effects of one handler; each place is looked at once.
pub struct Gates<'g, 'c> {
    context: &'g Context<'c>,
    guarded: &'g Guarded<'g, 'c, 'c>,
    names: BTreeSet<String>,
    decorated: FxHashSet<Func>,
    held: FxHashSet<At>,
    entered: FxHashSet<Func>,
}

impl<'g, 'c> Gates<'g, 'c> {
    pub fn new(context: &'g Context<'c>, guarded: &'g Guarded<'g, 'c, 'c>) -> Self {
        let (decorated, held, entered) = Default::default();
        Self { context, guarded, names: BTreeSet::new(), decorated, held, entered }
    }

    /// In order.
    pub fn names(self) -> Vec<String> {
        self.names.into_iter().collect()
    }

    /// The gates on the way to an effect that no open way avoids.
    pub fn note(&mut self, start: Func, hops: &[&Edge], effect: &EffectSite) {
        let (program, gating) = (self.context.program, self.guarded.gating);
        let places = hops.iter().map(|edge| (edge.from, edge.at)).chain([(effect.from, effect.at)]);
        let mut is_found = false;
        for (func, at) in places {
            if gating.is_decorated(func) {
                is_found = true;
                if self.decorated.insert(func) {
                    let decorators = program.decorators(func);
                    let paths = decorators.map(|decorator| program.function(decorator.func).path.to_string());
                    self.names.extend(paths);
                }
            }
            if gating.is_held(at) {
                is_found = true;
                if self.held.insert(at) {
                    self.names.extend(before(self.context, self.guarded, func, at));
                }
            }
        }
        if !is_found && self.entered.insert(start) {
            self.names.extend(of_callers(self.context, self.guarded, start));
        }
    }
}

/// Those that the callers of a function have passed, whoever they are.
fn of_callers(context: &Context<'_>, guarded: &Guarded<'_, '_, '_>, func: Func) -> Vec<String> {
    let program = context.program;
    let is_call = |edge: &&Edge| {
        edge.to == Target::Project(func) && edge.kind != EdgeKind::Stored && guarded.gating.is_held(edge.at)
    };
    let callers = program.edges.iter().filter(is_call);
    callers.flat_map(|edge| before(context, guarded, edge.from, edge.at)).collect()
}

/// The gates that a function calls before a place; without a call it asks for itself.
fn before(context: &Context<'_>, guarded: &Guarded<'_, '_, '_>, func: Func, at: At) -> Vec<String> {
    let program = context.program;
    let start = program.span(at).lo;
    let mut gates = asked(context, guarded, func, Some(start), MAX_DEPTH);
    if gates.is_empty() {
        gates.push(program.function(func).path.to_string());
    }
    gates
}

fn asked(
    context: &Context<'_>,
    guarded: &Guarded<'_, '_, '_>,
    func: Func,
    until: Option<u32>,
    depth: u32,
) -> Vec<String> {
    let (program, words) = (context.program, &context.catalog.phase);
    let facts = program.facts(program.function(func).file);
    let mut gates = Vec::new();
    for expr in program.ir(func).exprs.iter() {
        if !matches!(facts.expr(expr), Expr::Call { .. })
            || until.is_some_and(|until| facts.span(expr).lo >= until)
        {
            continue;
        }
        let mut is_found = false;
        for edge in program.edges_at(func, expr).iter().filter(|edge| edge.kind == EdgeKind::Call) {
            let Target::Project(callee) = edge.to else { continue };
            let gating = guarded.gating;
            if gating.is_gate(program, words, callee) || gating.is_vouched(callee) {
                gates.push(program.function(callee).path.to_string());
                is_found = true;
            } else if depth > 0 && gating.summary(callee).is_some_and(|summary| summary.guarantees()) {
                let inner = asked(context, guarded, callee, None, depth - 1);
                is_found = !inner.is_empty();
                gates.extend(inner);
            }
        }
        // A library's, by its name.
        if !is_found && is_gate(program, words, func, expr).is_some() {
            let edges = program.edges_at(func, expr).iter().filter(|edge| edge.kind == EdgeKind::Call);
            let named = edges.map(|edge| match edge.to {
                Target::Project(callee) => program.function(callee).path.to_string(),
                Target::External(path) => program.path(path).to_owned(),
            });
            gates.extend(named);
        }
    }
    gates
}
