//! GL905: a tool that answers with the text of an exception, or with a traceback.

use std::collections::{BTreeMap, BTreeSet};

use super::Runtime;
use crate::analysis::{Content, spelled};
use crate::finding::{Confidence, Finding, Step};
use crate::ir::{Expr, ExprId, Handler, Jump, Pat};
use crate::link::{At, EdgeKind, Func, Target};

pub(super) fn run(runtime: &Runtime<'_, '_>, out: &mut Vec<Finding>) {
    // The tools of one class answer alike: that is told once.
    let mut told: BTreeMap<_, Vec<(Func, ExprId)>> = BTreeMap::new();
    for func in answering(runtime) {
        let class = runtime.program().function(func).class;
        let key = (class, if class.is_some() { Func(0) } else { func });
        told.entry(key).or_default().extend(answers(runtime, func));
    }
    for places in told.into_values() {
        let Some((&(func, at), others)) = places.split_first() else { continue };
        let captures = BTreeMap::from([("function", runtime.program().short_name(func))]);
        let Some(mut finding) = runtime.report(func, at, captures, Confidence::High) else { continue };
        finding.steps.extend(others.iter().map(|&(func, at)| {
            let file = runtime.program().function(func).file;
            Step::seen(runtime.context.place(At { file, expr: at }), "does so, too".to_owned())
        }));
        out.push(finding);
    }
}

/// Where a function lets the text of an exception out, once for each handler.
fn answers(runtime: &Runtime<'_, '_>, func: Func) -> Vec<(Func, ExprId)> {
    let exprs = runtime.program().ir(func).exprs.iter();
    let handlers = exprs.flat_map(|expr| handlers(runtime, func, expr));
    let told = handlers.filter_map(|caught| told(runtime, func, &caught));
    told.filter(|&at| !runtime.is_for_debugging(func, at)).map(|at| (func, at)).collect()
}

/// What these hand back is told to a model: tools, what stands in their place, what runs tools, and whose results they hand on.
fn answering(runtime: &Runtime<'_, '_>) -> BTreeSet<Func> {
    let own = runtime.executions.iter().flat_map(|site| site.executors.iter().copied().chain([site.func]));
    let tools = runtime.context.tools.iter().map(|tool| tool.func);
    runtime.handing_on(own.chain(tools).chain(runtime.wrappers.iter().copied()))
}

/// What is caught somewhere: the variable, and what runs then.
struct CaughtError {
    variable: Option<Pat>,
    body: ExprId,
}

fn handlers(runtime: &Runtime<'_, '_>, func: Func, expr: ExprId) -> Vec<CaughtError> {
    let facts = runtime.facts(func);
    let pattern = |pat| *facts.pat(pat);
    match *facts.expr(expr) {
        Expr::Try(index) => {
            let handlers = facts.list(facts.arenas.try_at(index).handlers).iter();
            let others = handlers.filter(|handler| !is_own(runtime, func, handler));
            others
                .map(|handler| CaughtError { variable: handler.pat.map(pattern), body: handler.body })
                .collect()
        }
        Expr::Match { arms, .. } => {
            let failed = facts.list(arms).iter().filter_map(|arm| match pattern(arm.pat) {
                Pat::Ctor { path, items, .. } if is_failure(runtime, func, path) => {
                    let variable = facts.list(items).first().map(|&inner| pattern(inner));
                    Some(CaughtError { variable, body: arm.body })
                }
                _ => None,
            });
            failed.collect()
        }
        _ => Vec::new(),
    }
}

fn is_failure(runtime: &Runtime<'_, '_>, func: Func, path: ExprId) -> bool {
    runtime.program().receiver_name(func, path).is_some_and(|known| known.name == "Err")
}

/// Only exceptions of the project: their texts are written for whoever reads them.
fn is_own(runtime: &Runtime<'_, '_>, func: Func, handler: &Handler) -> bool {
    let types = runtime.facts(func).list(handler.types);
    !types.is_empty() && types.iter().all(|&class| runtime.program().class_named(func, class).is_some())
}

/// The statement of a handler by which the text gets out.
fn told(runtime: &Runtime<'_, '_>, func: Func, caught: &CaughtError) -> Option<ExprId> {
    let facts = runtime.facts(func);
    let below = facts.arenas.below(caught.body);
    let raised =
        below.iter().filter(|&&expr| matches!(facts.expr(expr), Expr::Jump { kind: Jump::Raise, .. }));
    let raised: Vec<ExprId> = raised.flat_map(|&expr| facts.arenas.below(expr)).collect();
    // What goes on with the exception answers nothing by what it calls before.
    let raises = runtime.ends_in_raise(func, caught.body);
    let is_answer =
        |expr: ExprId| matches!(facts.expr(expr), Expr::Jump { kind: Jump::Return, .. } | Expr::Yield { .. });
    let is_out = |expr: &ExprId| {
        !raised.contains(expr)
            && (!raises || is_answer(*expr))
            && outlets(runtime, func, *expr).into_iter().any(|value| {
                runtime.uncut(func, value).iter().any(|content| is_text(runtime, func, caught, content))
            })
    };
    below
        .iter()
        .copied()
        .chain([caught.body])
        .filter(is_out)
        .min_by_key(|&expr| (facts.span(expr).lo, std::cmp::Reverse(facts.span(expr).hi)))
}

/// The values that a statement lets out.
fn outlets(runtime: &Runtime<'_, '_>, func: Func, expr: ExprId) -> Vec<ExprId> {
    let facts = runtime.facts(func);
    match *facts.expr(expr) {
        Expr::Jump { kind: Jump::Return, value: Some(value) } | Expr::Yield { value: Some(value), .. } => {
            vec![value]
        }
        Expr::Bind { value, .. } | Expr::Store { value: Some(value), .. } => vec![value],
        Expr::Call { args, .. } => {
            let name = spelled(runtime.program(), func, expr).unwrap_or_default();
            let (logs, tells) = (&runtime.context.catalog.logs, &runtime.context.catalog.tells);
            let path = runtime.shared.values.path(func, expr);
            let is_quiet = path.is_some_and(|path| tells.is_silent(&path));
            let edges = runtime.program().edges_at(func, expr).iter();
            let is_own = edges
                .filter(|edge| edge.kind == EdgeKind::Call)
                .any(|edge| matches!(edge.to, Target::Project(_)));
            // What a function of the project makes of it counts where that gets out.
            match logs.writes(&name) || logs.level(&name).is_some() || is_quiet || is_own {
                true => Vec::new(),
                false => facts.list(args).iter().map(|arg| arg.value).collect(),
            }
        }
        _ => Vec::new(),
    }
}

/// The exception as a whole, or a traceback.
fn is_text(runtime: &Runtime<'_, '_>, func: Func, caught: &CaughtError, content: &Content) -> bool {
    match *runtime.facts(content.func).expr(content.expr) {
        Expr::Var(var) => content.func == func && caught.variable == Some(Pat::Var(var)),
        Expr::Call { .. } => {
            let path = runtime.shared.values.path(content.func, content.expr);
            path.is_some_and(|path| runtime.context.catalog.runtime.tracebacks.has(&path))
        }
        _ => false,
    }
}
