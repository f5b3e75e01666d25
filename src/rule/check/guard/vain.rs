//! Gates that are asked in vain: a call on the way of what is a phase gate by its name, and what is wrong with what it calls.

use super::missing::MAX_HOPS;
use crate::analysis::{Path, Standing, calls_of};
use crate::finding::{Place, Step};
use crate::ir::ExprId;
use crate::link::{At, Func, Target};
use crate::rule::check::Context;
use crate::source::LineIndex;

/// A gate that is called and asks nothing.
pub struct Vain {
    pub said: String,
    /// Where it is broken or replaced.
    pub step: Step,
}

/// The first such gate before the calls of a path.
pub fn on_path(context: &Context<'_>, standing: &Standing, path: &Path<'_>) -> Option<Vain> {
    let hops = path.hops.iter().map(|edge| (edge.from, edge.at.expr));
    let mut hops = hops.chain([(path.effect.from, path.effect.at.expr)]).take(MAX_HOPS);
    hops.find_map(|(func, next)| {
        let facts = context.program.facts(context.program.function(func).file);
        let before = |&call: &ExprId| call != next && facts.span(call).lo < facts.span(next).lo;
        let mut calls = calls_of(context.program, func).filter(before);
        calls.find_map(|call| called(context, standing, func, call))
    })
}

fn called(context: &Context<'_>, standing: &Standing, func: Func, call: ExprId) -> Option<Vain> {
    let program = context.program;
    program.edges_at(func, call).iter().find_map(|edge| {
        let Target::Project(gate) = edge.to else { return None };
        let (name, place, fault, is_replaced) = broken(context, standing, gate)?;
        let line = shown(context, context.place(At { file: program.function(func).file, expr: call }));
        let there = shown(context, place);
        let (said, text) = match is_replaced {
            true => (
                format!("`{name}`, called at {line}, is replaced at {there} by something that {fault}"),
                format!("`{name}` is replaced here by something that {fault}"),
            ),
            false => (format!("`{name}`, called at {line}, {fault} ({there})"), format!("`{name}` {fault}")),
        };
        Some(Vain { said, step: Step::seen(place, text) })
    })
}

/// A gate's name, where it is broken, how, and whether something else stands in its place there.
fn broken(
    context: &Context<'_>,
    standing: &Standing,
    gate: Func,
) -> Option<(String, Place, &'static str, bool)> {
    let program = context.program;
    if let Some(replaced) = standing.replaced_gate(gate) {
        let file = program.function(replaced.func).file;
        let place = context.place(At { file, expr: replaced.at });
        return Some((replaced.name.clone(), place, replaced.fault?.said(), true));
    }
    let fault = standing.broken_gate(gate)?;
    let place = Place { file: program.function(gate).file, span: program.ir(gate).name_span };
    Some((program.short_name(gate), place, fault.said(), false))
}

/// `policy.py:3`
fn shown(context: &Context<'_>, place: Place) -> String {
    let source = context.source(place.file);
    format!("{}:{}", source.path, LineIndex::new(&source.text).line_col(place.span.lo).line)
}
