//! GL904: the arguments and results of tools that are logged as they are.

use std::collections::BTreeMap;

use super::Runtime;
use crate::analysis::{Content, spelled};
use crate::finding::{Confidence, Finding};
use crate::ir::{Expr, ExprId, ParamKind};
use crate::link::Func;

/// What of a tool is logged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Payload {
    Arguments,
    Result,
}

pub(super) fn run(runtime: &Runtime<'_, '_>, out: &mut Vec<Finding>) {
    for func in runtime.production() {
        let logs = runtime.program().ir(func).exprs.iter().filter(|&call| is_log(runtime, func, call));
        out.extend(logs.filter_map(|call| finding(runtime, func, call)));
    }
}

fn is_log(runtime: &Runtime<'_, '_>, func: Func, call: ExprId) -> bool {
    let (program, logs) = (runtime.program(), &runtime.context.catalog.logs);
    let by_name = spelled(program, func, call).is_some_and(|name| logs.writes(&name));
    let library = || {
        let Expr::Call { callee, .. } = *runtime.facts(func).expr(call) else { return false };
        program.library_path(func, callee).is_some_and(|path| logs.writes(path))
    };
    by_name || library()
}

fn finding(runtime: &Runtime<'_, '_>, func: Func, call: ExprId) -> Option<Finding> {
    let Expr::Call { args, .. } = *runtime.facts(func).expr(call) else { return None };
    let given = runtime.facts(func).list(args).iter();
    let mut contents = given.flat_map(|arg| runtime.contents(func, arg.value));
    let payload = contents.find_map(|content| payload(runtime, &content))?;
    if runtime.is_for_debugging(func, call) {
        return None;
    }
    let callee = spelled(runtime.program(), func, call).unwrap_or_default();
    let what = match payload {
        Payload::Arguments => "the arguments of a tool",
        Payload::Result => "the result of a tool",
    };
    let captures = BTreeMap::from([("callee", callee), ("what", what.to_owned())]);
    runtime.report(func, call, captures, Confidence::High)
}

fn payload(runtime: &Runtime<'_, '_>, content: &Content) -> Option<Payload> {
    let Content { func, expr } = *content;
    match *runtime.facts(func).expr(expr) {
        Expr::Call { .. } => {
            let is_result = runtime.is_execution(func, expr) || runs_wrapped(runtime, func, expr);
            is_result.then_some(Payload::Result)
        }
        Expr::Var(_) if is_result(runtime, func, expr) => Some(Payload::Result),
        Expr::Var(_) | Expr::Free(_) | Expr::Field { .. } | Expr::Index { .. } => {
            are_arguments(runtime, func, expr).then_some(Payload::Arguments)
        }
        _ => None,
    }
}

/// A parameter called like a result, of what is about tools.
fn is_result(runtime: &Runtime<'_, '_>, func: Func, variable: ExprId) -> bool {
    runtime.shared.values.parameter(func, variable).is_some()
        && runtime.speaks_of(func, variable, &["result", "results", "outcome", "output"])
        && runtime.is_about(func, &["tool", "tools"])
}

/// `call.arguments`, `tool_input`, what an execution is given under such a name.
fn are_arguments(runtime: &Runtime<'_, '_>, func: Func, expr: ExprId) -> bool {
    let facts = runtime.facts(func);
    let words = &runtime.context.catalog.actions;
    let Some(name) = runtime.name(func, expr).filter(|name| words.is_arguments(name)) else { return false };
    match *facts.expr(expr) {
        Expr::Field { base, .. } | Expr::Index { base, .. } => runtime.speaks_of(
            func,
            base,
            &["tool", "call", "function", "params", "block", "invocation", "action", "skill", "request"],
        ),
        _ => runtime.context.catalog.runtime.of_tool.has(&name) || is_handed_on(runtime, func, expr),
    }
}

/// The variable is what a tool runs with here, or what a decorator of tools was called with.
fn is_handed_on(runtime: &Runtime<'_, '_>, func: Func, variable: ExprId) -> bool {
    let facts = runtime.facts(func);
    let is_wrapper = runtime.wrappers.contains(&func)
        && matches!(
            runtime.shared.values.parameter(func, variable),
            Some(ParamKind::Rest | ParamKind::KeywordRest)
        );
    let is_same = |other: ExprId| facts.expr(other) == facts.expr(variable);
    let runs_with = |call: ExprId| {
        let Expr::Call { args, .. } = *facts.expr(call) else { return false };
        facts.list(args).iter().any(|arg| facts.arenas.below(arg.value).into_iter().any(is_same))
    };
    let mut own = runtime.executions.iter().filter(|site| site.func == func);
    is_wrapper || own.any(|site| runs_with(site.call))
}

/// In a decorator of tools: the call of what it decorates.
fn runs_wrapped(runtime: &Runtime<'_, '_>, func: Func, call: ExprId) -> bool {
    let Expr::Call { callee, .. } = *runtime.facts(func).expr(call) else { return false };
    let variable = runtime.program().variable(func, callee);
    runtime.wrappers.contains(&func)
        && variable.is_some_and(|known| {
            known.func != func && runtime.shared.values.definitions(known.func).parameter(known.var).is_some()
        })
}
