//! GL908: what another agent has done is read by an id that the model gives, and nobody asks whose it is.

use std::collections::BTreeMap;

use super::Runtime;
use crate::analysis::{Content, spelled};
use crate::finding::{Confidence, Finding};
use crate::ir::{ArgKind, Expr, ExprId, FnKind, Jump, Lit, Op};
use crate::link::{Func, Target};

/// A check in a helper of a helper.
const MAX_HOPS: u32 = 2;

pub(super) fn run(runtime: &Runtime<'_, '_>, out: &mut Vec<Finding>) {
    let own = runtime.production().filter(|&func| hands_to_model(runtime, func));
    for func in runtime.handing_on(own) {
        let found = runtime.program().ir(func).exprs.iter().find(|&expr| looks_up(runtime, func, expr));
        let Some(at) = found.filter(|&at| !is_owned(runtime, func, at)) else { continue };
        let captures = BTreeMap::from([("function", runtime.program().short_name(func))]);
        out.extend(runtime.report(func, at, captures, Confidence::High));
    }
}

/// A tool, or the method by which the object of a tool runs.
fn hands_to_model(runtime: &Runtime<'_, '_>, func: Func) -> bool {
    let program = runtime.program();
    let is_run = program.function(func).class.is_some()
        && program.ir(func).kind == FnKind::Plain
        && runtime.context.catalog.actions.runs_entry(program.name(func));
    runtime.is_tool(func) || is_run
}

/// `conversations.find(child_id)`, `RUNS[run_id]`: a table of others' work, by what the function is given.
fn looks_up(runtime: &Runtime<'_, '_>, func: Func, expr: ExprId) -> bool {
    let facts = runtime.facts(func);
    let words = &runtime.context.catalog.runtime;
    let is_store =
        |part: ExprId| runtime.name(func, part).is_some_and(|name| words.work_of_others.has(&name));
    let is_given =
        |key: ExprId| runtime.contents(func, key).iter().any(|content| is_model_given(runtime, content));
    match *facts.expr(expr) {
        Expr::Index { base, key } => is_store(base) && is_given(key),
        Expr::Call { callee, args, .. } => {
            let name = spelled(runtime.program(), func, expr).unwrap_or_default();
            let last = name.rsplit('.').next().unwrap_or_default();
            let by_store = match *facts.expr(callee) {
                Expr::Field { base, .. } => is_store(base),
                _ => false,
            };
            let of_helper = || {
                let mut keys = facts.list(args).iter();
                keys.any(|arg| runtime.speaks_of(func, arg.value, &["child", "subagent", "worker", "helper"]))
            };
            let is_meant =
                words.looks_up.has(last) && (by_store || of_helper()) || words.reads_work.has(last);
            is_meant && facts.list(args).iter().any(|arg| is_given(arg.value))
        }
        _ => false,
    }
}

fn is_model_given(runtime: &Runtime<'_, '_>, content: &Content) -> bool {
    let is_parameter = runtime.shared.values.parameter(content.func, content.expr).is_some();
    let name = runtime.name(content.func, content.expr).unwrap_or_default();
    let is_id = name.ends_with("id") || name.ends_with("ids");
    is_id && (is_parameter || runtime.program().variable(content.func, content.expr).is_some())
}

/// Somebody asks whose it is, and the answer decides; or the store is told for whom it looks.
fn is_owned(runtime: &Runtime<'_, '_>, func: Func, at: ExprId) -> bool {
    let facts = runtime.facts(func);
    let words = &runtime.context.catalog.runtime;
    let tells_owner = match *facts.expr(at) {
        Expr::Call { args, .. } => facts.list(args).iter().any(|arg| {
            let by_keyword = matches!(arg.kind, ArgKind::Named(name) if words.owners.has(facts.str(name)));
            by_keyword
                || facts
                    .arenas
                    .below(arg.value)
                    .into_iter()
                    .any(|part| runtime.name(func, part).is_some_and(|name| words.owners.has(&name)))
        }),
        _ => false,
    };
    tells_owner || decides(runtime, func, MAX_HOPS)
}

/// A test that speaks of the owner leads out, here or in a helper that raises or whose answer is tested.
fn decides(runtime: &Runtime<'_, '_>, func: Func, hops: u32) -> bool {
    let program = runtime.program();
    if program.ir(func).exprs.iter().any(|expr| is_decision(runtime, func, expr)) {
        return true;
    }
    let Some(hops) = hops.checked_sub(1) else { return false };
    program.edges_from(func).iter().any(|edge| match edge.to {
        Target::Project(to) => to != func && refuses(runtime, to) && decides(runtime, to, hops),
        Target::External(_) => false,
    })
}

fn is_decision(runtime: &Runtime<'_, '_>, func: Func, expr: ExprId) -> bool {
    let facts = runtime.facts(func);
    let speaks = |test| speaks_of_owner(runtime, func, test);
    // Where the owner is the right one, the work is used.
    let agrees = |test: ExprId| {
        let is_other =
            matches!(*facts.expr(test), Expr::Op { op: Op::Ne | Op::IsNot | Op::NotIn, .. } | Expr::Not(_));
        speaks(test) && !is_other
    };
    let leaves = |body| leaves(runtime, func, body);
    match *facts.expr(expr) {
        Expr::If { arms, otherwise } => facts.list(arms).iter().any(|arm| {
            speaks(arm.test)
                && (leaves(arm.body)
                    || otherwise.is_some_and(leaves)
                    || agrees(arm.test) && holds_use(runtime, func, arm.body))
        }),
        Expr::Match { arms, .. } => facts.list(arms).iter().any(|arm| arm.guard.is_some_and(speaks)),
        Expr::Collect { body, .. } => speaks(body),
        _ => false,
    }
}

fn speaks_of_owner(runtime: &Runtime<'_, '_>, func: Func, test: ExprId) -> bool {
    runtime.facts(func).arenas.below(test).into_iter().any(|part| compares_owner(runtime, func, part))
}

/// `child.parent_id != ctx.conversation_id`, `child.belongs_to(user)`
fn compares_owner(runtime: &Runtime<'_, '_>, func: Func, expr: ExprId) -> bool {
    let (facts, words) = (runtime.facts(func), &runtime.context.catalog.runtime);
    match *facts.expr(expr) {
        Expr::Op { op: Op::Eq | Op::Ne | Op::Is | Op::IsNot | Op::In | Op::NotIn, .. } => {
            let below = facts.arenas.below(expr);
            below.into_iter().any(|part| runtime.name(func, part).is_some_and(|name| words.owners.has(&name)))
        }
        Expr::Call { .. } => {
            let name = spelled(runtime.program(), func, expr).unwrap_or_default();
            words.asks_owner.has(name.rsplit('.').next().unwrap_or_default())
        }
        _ => false,
    }
}

fn leaves(runtime: &Runtime<'_, '_>, func: Func, body: ExprId) -> bool {
    let facts = runtime.facts(func);
    let is_out = |part: &ExprId| match *facts.expr(*part) {
        Expr::Jump { kind, .. } => matches!(kind, Jump::Return | Jump::Raise | Jump::Continue(_)),
        _ => false,
    };
    facts.arenas.below(body).iter().any(is_out)
}

/// A helper that raises, or hands back nothing, where it refuses.
fn refuses(runtime: &Runtime<'_, '_>, func: Func) -> bool {
    let facts = runtime.facts(func);
    runtime.program().ir(func).exprs.iter().any(|expr| match *facts.expr(expr) {
        Expr::Jump { kind: Jump::Raise, .. } => true,
        Expr::Jump { kind: Jump::Return, value } => {
            value.is_none_or(|value| *facts.expr(value) == Expr::Lit(Lit::None))
        }
        _ => false,
    })
}

/// The arm does something: the work is only used where the test holds.
fn holds_use(runtime: &Runtime<'_, '_>, func: Func, body: ExprId) -> bool {
    let facts = runtime.facts(func);
    facts
        .arenas
        .below(body)
        .into_iter()
        .any(|part| matches!(facts.expr(part), Expr::Field { .. } | Expr::Index { .. }))
}
