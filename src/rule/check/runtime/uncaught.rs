//! GL909: a tool runs where nobody takes what it throws, so that one failing tool ends the session.

use std::collections::BTreeMap;

use super::Runtime;
use crate::analysis::{Execution, tries_around};
use crate::catalog::BUILTINS;
use crate::finding::Finding;
use crate::ir::{Arg, ArgKind, Expr, ExprId, FnKind, Handler, Jump, Lit, Pat, Try};
use crate::link::{EdgeKind, Func, Target};

/// A tool that is run by whoever is run by whoever takes its errors.
const MAX_HOPS: u32 = 4;

pub(super) fn run(runtime: &Runtime<'_, '_>, out: &mut Vec<Finding>) {
    let sites = runtime.executions.iter().filter(|site| {
        !runtime.is_carrier(site.func)
            && !is_taken_inside(runtime, site, MAX_HOPS)
            && !is_taken(runtime, site.func, site.call, MAX_HOPS)
    });
    out.extend(sites.filter_map(|site| {
        let captures = BTreeMap::from([("callee", site.callee.clone())]);
        runtime.report(site.func, site.call, captures, site.confidence)
    }));
}

/// Whoever runs the tool takes its errors, or whoever calls that, on every way.
fn is_taken(runtime: &Runtime<'_, '_>, func: Func, call: ExprId, hops: u32) -> bool {
    if takes_around(runtime, func, call) || is_gathered(runtime, func, call) {
        return true;
    }
    let Some(hops) = hops.checked_sub(1) else { return false };
    let program = runtime.program();
    let callers = program.edges.iter().filter(|edge| {
        edge.to == Target::Project(func) && edge.kind == EdgeKind::Call && !program.is_test_code(edge.from)
    });
    let mut callers = callers.filter(|edge| edge.from != func).peekable();
    // Whoever it was handed to runs it.
    if callers.peek().is_none() {
        return is_handed_over(runtime, func) || runtime.is_executor(func);
    }
    callers.peek().is_some() && callers.all(|edge| is_taken(runtime, edge.from, edge.at.expr, hops))
}

fn is_handed_over(runtime: &Runtime<'_, '_>, func: Func) -> bool {
    let program = runtime.program();
    let is_lambda = matches!(program.ir(func).kind, FnKind::Lambda);
    is_lambda
        || program.edges.iter().any(|edge| edge.to == Target::Project(func) && edge.kind != EdgeKind::Call)
}

fn takes_around(runtime: &Runtime<'_, '_>, func: Func, at: ExprId) -> bool {
    let tries = tries_around(runtime.program(), func, at);
    tries.iter().any(|found| takes_all(runtime, func, found)) || is_matched(runtime, func, at)
}

fn takes_all(runtime: &Runtime<'_, '_>, func: Func, found: &Try) -> bool {
    let handlers = runtime.facts(func).list(found.handlers);
    handlers
        .iter()
        .any(|handler| takes_every(runtime, func, handler) && !runtime.ends_in_raise(func, handler.body))
}

fn takes_every(runtime: &Runtime<'_, '_>, func: Func, handler: &Handler) -> bool {
    let types = runtime.facts(func).list(handler.types);
    let is_every = |class: &ExprId| {
        let name = runtime.program().receiver_name(func, *class);
        name.is_some_and(|known| {
            runtime.context.catalog.exceptions.is_broad(&format!("{BUILTINS}{}", known.name))
        })
    };
    types.is_empty() || types.iter().any(is_every)
}

/// Where failures are values: somebody looks which one it is.
fn is_matched(runtime: &Runtime<'_, '_>, func: Func, at: ExprId) -> bool {
    let facts = runtime.facts(func);
    if !facts.profile().has_results {
        return false;
    }
    let mut exprs = runtime.program().ir(func).exprs.iter();
    !exprs.any(|expr| hands_failure_on(runtime, func, expr, at))
}

/// `run(call)?`, `run(call).unwrap()`
fn hands_failure_on(runtime: &Runtime<'_, '_>, func: Func, expr: ExprId, at: ExprId) -> bool {
    let facts = runtime.facts(func);
    let is_it =
        |inner: ExprId| inner == at || matches!(*facts.expr(inner), Expr::Await(awaited) if awaited == at);
    match *facts.expr(expr) {
        Expr::Match { subject, arms } if is_it(subject) => facts.list(arms).last().is_some_and(|last| {
            matches!(facts.pat(last.pat), Pat::Var(_))
                && matches!(facts.expr(last.body), Expr::Jump { kind: Jump::Return, .. })
        }),
        Expr::Call { callee, .. } => match *facts.expr(callee) {
            Expr::Field { base, name } => {
                is_it(base) && runtime.context.catalog.runtime.unwraps.has(facts.str(name))
            }
            _ => false,
        },
        _ => false,
    }
}

/// `gather(*(run(call) for call in calls), return_exceptions=True)`
fn is_gathered(runtime: &Runtime<'_, '_>, func: Func, at: ExprId) -> bool {
    let facts = runtime.facts(func);
    let keeps = &runtime.context.catalog.phase;
    runtime.program().ir(func).exprs.iter().any(|expr| {
        let Expr::Call { args, .. } = *facts.expr(expr) else { return false };
        let is_kept = facts.list(args).iter().any(|arg| match arg.kind {
            ArgKind::Named(name) => {
                keeps.keeps_exceptions(facts.str(name))
                    && *facts.expr(arg.value) == Expr::Lit(Lit::Bool(true))
            }
            _ => false,
        });
        let holds = |arg: &Arg| {
            let contents = runtime.contents(func, arg.value);
            facts.arenas.below(arg.value).contains(&at) || contents.iter().any(|content| content.expr == at)
        };
        is_kept && facts.list(args).iter().any(holds)
    })
}

/// What runs the tool takes its errors itself: the executor, or each tool.
fn is_taken_inside(runtime: &Runtime<'_, '_>, site: &Execution, hops: u32) -> bool {
    let Some(hops) = hops.checked_sub(1) else { return false };
    let own: Vec<Func> = match site.executors.is_empty() {
        true => runtime.targets(site),
        false => site.executors.clone(),
    };
    !own.is_empty() && own.iter().all(|&func| is_safe(runtime, func, hops))
}

/// Nothing that the function runs throws out of it.
fn is_safe(runtime: &Runtime<'_, '_>, func: Func, hops: u32) -> bool {
    let program = runtime.program();
    let mut inside = runtime.executions.iter().filter(|site| site.func == func).peekable();
    if inside.peek().is_some() {
        return inside
            .all(|site| takes_around(runtime, func, site.call) || is_taken_inside(runtime, site, hops));
    }
    // What only hands on to another one that runs tools is as safe as that.
    let next = hops.checked_sub(1).map(|hops| (hops, runners(runtime, func)));
    if let Some((hops, runners)) = next
        && !runners.is_empty()
    {
        return runners.into_iter().all(|next| is_safe(runtime, next, hops));
    }
    let is_decorated = program.decorators(func).any(|decorator| {
        program.nested(decorator.func).any(|wrapper| covers(runtime, wrapper))
            || program
                .nested(decorator.func)
                .flat_map(|inner| program.nested(inner))
                .any(|wrapper| covers(runtime, wrapper))
    });
    is_decorated || covers(runtime, func)
}

/// The functions that it calls and that run tools.
fn runners(runtime: &Runtime<'_, '_>, func: Func) -> Vec<Func> {
    let edges = runtime.program().edges_from(func).iter().filter(|edge| edge.kind == EdgeKind::Call);
    let own = edges.filter_map(|edge| match edge.to {
        Target::Project(to) => Some(to),
        Target::External(_) => None,
    });
    own.filter(|&to| to != func && runtime.executions.iter().any(|site| site.func == to)).collect()
}

/// All that a function does stands in one `try` that takes everything.
fn covers(runtime: &Runtime<'_, '_>, func: Func) -> bool {
    let program = runtime.program();
    let facts = runtime.facts(func);
    let calls = program.ir(func).exprs.iter().filter(|&expr| matches!(facts.expr(expr), Expr::Call { .. }));
    let in_handler: Vec<ExprId> = program
        .ir(func)
        .exprs
        .iter()
        .filter_map(|expr| match *facts.expr(expr) {
            Expr::Try(index) => Some(*facts.arenas.try_at(index)),
            _ => None,
        })
        .flat_map(|found| {
            facts
                .list(found.handlers)
                .iter()
                .flat_map(|handler| facts.arenas.below(handler.body))
                .collect::<Vec<_>>()
        })
        .collect();
    let mut outside =
        calls.filter(|call| !in_handler.contains(call)).filter(|&call| !takes_around(runtime, func, call));
    let has_try = !in_handler.is_empty();
    // What is prepared before, like a clock or a name, throws nothing.
    has_try
        && outside.all(|call| {
            runtime.program().edges_at(func, call).iter().all(|edge| matches!(edge.to, Target::External(_)))
        })
}
