//! GL910: a tool by which an agent starts another one that has the same tool.

use std::collections::BTreeMap;

use super::Runtime;
use crate::analysis::spelled;
use crate::finding::{Confidence, Finding};
use crate::ir::{ArgKind, Expr, ExprId, Jump};
use crate::link::{EdgeKind, Func, Target};

/// A check in a helper of a helper.
const MAX_HOPS: u32 = 4;

pub(super) fn run(runtime: &Runtime<'_, '_>, out: &mut Vec<Finding>) {
    let spawning = runtime.production().filter(|&func| {
        spawns(runtime, func)
            && is_offered(runtime, func)
            && within(runtime, func).into_iter().any(|part| hands_tools(runtime, part, func))
            && !is_checked(runtime, func, MAX_HOPS)
            && !within(runtime, func).into_iter().any(|part| is_narrowed(runtime, part, func))
    });
    out.extend(spawning.filter_map(|func| {
        let captures = BTreeMap::from([("tool", runtime.program().short_name(func))]);
        runtime.report_head(func, captures, Confidence::High)
    }));
}

/// It is called so, or its class is.
fn spawns(runtime: &Runtime<'_, '_>, func: Func) -> bool {
    let program = runtime.program();
    let words = &runtime.context.catalog.runtime;
    let class = program.function(func).class.map(|class| program.class_name(class));
    match class {
        Some(class) if runtime.context.catalog.actions.runs_entry(program.name(func)) => {
            words.spawns.has(class)
        }
        _ => words.spawns.has(program.name(func)),
    }
}

/// A tool for a framework, or an entry of a table of tools; the method by which the object of a tool runs.
fn is_offered(runtime: &Runtime<'_, '_>, func: Func) -> bool {
    let program = runtime.program();
    let in_table =
        || program.edges.iter().any(|edge| edge.to == Target::Project(func) && edge.kind != EdgeKind::Call);
    let is_object = || {
        let class = program.function(func).class.map(|class| program.class_name(class));
        class.is_some_and(|class| class.ends_with("Tool"))
    };
    runtime.is_tool(func) || is_object() || in_table()
}

/// A tool, and the helpers that it calls.
fn within(runtime: &Runtime<'_, '_>, func: Func) -> Vec<Func> {
    let edges = runtime.program().edges_from(func).iter();
    let own = edges.filter_map(|edge| match edge.to {
        Target::Project(to) => Some(to),
        Target::External(_) => None,
    });
    [func].into_iter().chain(own).collect()
}

/// The other agent is given tools here: a table, or what has one.
fn hands_tools(runtime: &Runtime<'_, '_>, func: Func, tool: Func) -> bool {
    let facts = runtime.facts(func);
    let is_table = |name: &str| {
        runtime.context.catalog.actions.is_table(name) || runtime.context.catalog.runtime.tables.has(name)
    };
    runtime.program().ir(func).exprs.iter().any(|expr| match *facts.expr(expr) {
        Expr::Call { args, .. } => facts.list(args).iter().any(|arg| {
            let by_keyword = matches!(arg.kind, ArgKind::Named(name) if is_table(facts.str(name)));
            let is_itself =
                |part: ExprId| runtime.name(func, part).as_deref() == Some(runtime.program().name(tool));
            by_keyword
                || runtime.name(func, arg.value).is_some_and(|name| is_table(&name))
                || facts.arenas.below(arg.value).into_iter().any(is_itself)
        }),
        _ => false,
    })
}

/// A test of who asks leads out: by a refusal, an answer, an exception.
fn is_checked(runtime: &Runtime<'_, '_>, func: Func, hops: u32) -> bool {
    let (program, facts) = (runtime.program(), runtime.facts(func));
    let speaks = |test: ExprId| {
        let below = facts.arenas.below(test);
        below.into_iter().any(|part| {
            let named = spelled(program, func, part).or_else(|| runtime.name(func, part));
            named.is_some_and(|name| runtime.context.catalog.runtime.nesting.has(&name))
        })
    };
    let leaves = |body: ExprId| {
        let below = facts.arenas.below(body);
        below
            .into_iter()
            .any(|part| matches!(facts.expr(part), Expr::Jump { kind: Jump::Return | Jump::Raise, .. }))
    };
    let decides = |expr: ExprId| match *facts.expr(expr) {
        Expr::If { arms, .. } => facts.list(arms).iter().any(|arm| speaks(arm.test) && leaves(arm.body)),
        _ => false,
    };
    if program.ir(func).exprs.iter().any(decides) {
        return true;
    }
    let Some(hops) = hops.checked_sub(1) else { return false };
    program.edges_from(func).iter().any(|edge| match edge.to {
        Target::Project(to) => to != func && is_checked(runtime, to, hops),
        Target::External(_) => false,
    })
}

/// What the other agent gets is chosen here: by a list, a filter, by what is not the tool itself.
fn is_narrowed(runtime: &Runtime<'_, '_>, func: Func, tool: Func) -> bool {
    let facts = runtime.facts(func);
    let is_tools = |name: &str| runtime.context.catalog.actions.is_table(name);
    let mut narrowed = runtime.program().ir(func).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
        Expr::Call { args, .. } => Some(facts.list(args)),
        _ => None,
    });
    narrowed.any(|args| {
        args.iter().any(|arg| {
            let speaks = match arg.kind {
                ArgKind::Named(name) => is_tools(facts.str(name)),
                _ => runtime.name(func, arg.value).is_some_and(|name| is_tools(&name)),
            };
            speaks && excludes(runtime, (func, tool), arg.value)
        })
    })
}

/// Made of a list without it, or by leaving it out.
fn excludes(runtime: &Runtime<'_, '_>, (func, tool): (Func, Func), tools: ExprId) -> bool {
    let own = runtime.program().name(tool);
    runtime.contents(func, tools).iter().any(|content| {
        let facts = runtime.facts(content.func);
        match *facts.expr(content.expr) {
            Expr::Collect { body, .. } => {
                let below = facts.arenas.below(body);
                below.into_iter().any(|part| matches!(facts.expr(part), Expr::If { .. }))
            }
            Expr::Seq(items) => {
                let items = facts.list(items);
                !items.iter().any(|&item| runtime.name(content.func, item).as_deref() == Some(own))
            }
            _ => false,
        }
    })
}
