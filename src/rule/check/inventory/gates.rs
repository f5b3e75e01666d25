//! The names of the gates that hold before an effect. That they hold is known by the analysis of gates; here it is only
//! said which functions they are.

use super::super::Context;
use crate::analysis::{Guarded, Path, is_gate};
use crate::ir::Expr;
use crate::link::{At, EdgeKind, Func, Target};

/// A gate is looked for in what a call leads to, so deep.
const MAX_DEPTH: u32 = 3;

/// The gates on the way of a path that no open way avoids.
pub fn on_path(
    context: &Context<'_>,
    guarded: &Guarded<'_, '_, '_>,
    start: Func,
    path: &Path<'_>,
) -> Vec<String> {
    let program = context.program;
    let mut gates = Vec::new();
    let places =
        path.hops.iter().map(|edge| (edge.from, edge.at)).chain([(path.effect.from, path.effect.at)]);
    for (func, at) in places {
        if guarded.gating.is_decorated(func) {
            let decorators =
                program.decorators(func).map(|decorator| program.function(decorator.func).path.to_string());
            gates.extend(decorators);
        }
        if guarded.gating.is_held(at) {
            gates.extend(before(context, guarded, func, at));
        }
    }
    if gates.is_empty() {
        gates.extend(of_callers(context, guarded, start));
    }
    gates
}

/// Those that the callers of a function have passed, whoever they are.
fn of_callers(context: &Context<'_>, guarded: &Guarded<'_, '_, '_>, func: Func) -> Vec<String> {
    let program = context.program;
    let is_call = |edge: &&crate::link::Edge| {
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
