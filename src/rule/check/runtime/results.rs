//! GL902: a tool that hands back as much as it gets: a whole file, body or output, or as many turns as the model asks for.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::Runtime;
use crate::analysis::{Content, spelled};
use crate::catalog::EffectKind;
use crate::finding::{Confidence, Finding};
use crate::ir::{ArgKind, Expr, ExprId, Jump, Op, ParamKind, Pat, VarId};
use crate::link::{Func, Target};

pub(super) fn run(runtime: &Runtime<'_, '_>, out: &mut Vec<Finding>) {
    let mut found: BTreeSet<(Func, ExprId)> = BTreeSet::new();
    if !caps_all(runtime) {
        let tools = runtime.context.tools.iter().map(|tool| tool.func);
        let mut parts = Parts::default();
        found.extend(tools.clone().filter_map(|func| whole(runtime, &mut parts, func)));
        let told = runtime.handing_on(tools);
        found.extend(told.iter().filter_map(|&func| uncapped(runtime, func, &told)));
    }
    let caps = &runtime.context.catalog.runtime.caps;
    let cutting = runtime.production().filter(|&func| caps.has(runtime.program().name(func)));
    let cutting = runtime.handing_on(cutting).into_iter();
    found.extend(cutting.filter_map(|func| Some((func, gives_up(runtime, func)?))));
    for (func, at) in found {
        let captures = BTreeMap::from([("function", runtime.program().short_name(func))]);
        out.extend(runtime.report(func, at, captures, Confidence::High));
    }
}

/// Whoever runs tools cuts what they hand back.
fn caps_all(runtime: &Runtime<'_, '_>) -> bool {
    let mut runners = runtime.executions.iter().filter(|site| !runtime.is_tool(site.func)).peekable();
    runners.peek().is_some() && runners.all(|site| cuts(runtime, site.func))
}

/// It slices something, or calls what is called so.
fn cuts(runtime: &Runtime<'_, '_>, func: Func) -> bool {
    let facts = runtime.facts(func);
    runtime.program().ir(func).exprs.iter().any(|expr| match *facts.expr(expr) {
        Expr::Op { op: Op::Slice, .. } => true,
        Expr::Call { .. } => spelled(runtime.program(), func, expr)
            .is_some_and(|name| runtime.context.catalog.runtime.caps.has(&name)),
        _ => false,
    })
}

/// The return that hands back the whole of something from outside: in the function that gets it, if it hands that back itself.
fn whole(runtime: &Runtime<'_, '_>, parts: &mut Parts, tool: Func) -> Option<(Func, ExprId)> {
    runtime.returns(tool).into_iter().find_map(|(at, value)| {
        let contents = runtime.contents(tool, value);
        if contents.iter().any(|content| is_cut(runtime, parts, content)) {
            return None;
        }
        let read = contents.iter().find(|content| is_read(runtime, content))?;
        let inner = runtime.returns(read.func).into_iter().find(|&(_, value)| {
            let contents = runtime.contents(read.func, value);
            contents.iter().any(|content| content == read)
        });
        Some(inner.map_or((tool, at), |(at, _)| (read.func, at)))
    })
}

/// By function: the variables of which it keeps or hands back a part, where they are too long.
type Parts = FxHashMap<Func, FxHashSet<VarId>>;

fn is_cut(runtime: &Runtime<'_, '_>, parts: &mut Parts, content: &Content) -> bool {
    let Expr::Var(var) = *runtime.facts(content.func).expr(content.expr) else { return false };
    parts.entry(content.func).or_insert_with(|| parts_of(runtime, content.func)).contains(&var)
}

fn parts_of(runtime: &Runtime<'_, '_>, func: Func) -> FxHashSet<VarId> {
    let (facts, function) = (runtime.facts(func), runtime.program().ir(func));
    let vars = facts.list(function.vars);
    let part = |expr: ExprId| match *facts.expr(expr) {
        Expr::Index { base, key } => match (facts.expr(base), facts.expr(key)) {
            (&Expr::Var(var), Expr::Op { op: Op::Slice, .. }) => Some(var),
            _ => None,
        },
        _ => None,
    };
    let parts = |value: ExprId| facts.arenas.below(value).into_iter().filter_map(part);
    let returned = runtime.returns(func).into_iter().flat_map(|(_, value)| parts(value));
    let mut found: FxHashSet<VarId> = returned.collect();
    for expr in function.exprs.iter() {
        if let Expr::Bind { pat, value } = *facts.expr(expr)
            && let Pat::Var(to) = *facts.pat(pat)
        {
            found.extend(parts(value).filter(|var| vars[var.0 as usize] == vars[to.0 as usize]));
        }
    }
    found
}

/// A file, a body, an output, without a number of characters, rows or items; but no word of what has been changed.
fn is_read(runtime: &Runtime<'_, '_>, content: &Content) -> bool {
    let Content { func, expr } = *content;
    let facts = runtime.facts(func);
    let Expr::Call { args, .. } = *facts.expr(expr) else { return false };
    let words = &runtime.context.catalog.runtime;
    let name = spelled(runtime.program(), func, expr).unwrap_or_default();
    if words.reads.has(&name) {
        return facts.list(args).is_empty();
    }
    let at = runtime.shared.values.at(func, expr);
    let site = runtime.context.effects.of_call(func, at).first();
    let is_outside =
        site.is_some_and(|site| matches!(site.kind, Some(EffectKind::Network | EffectKind::Process)));
    let is_limited = || {
        facts.list(args).iter().flat_map(|arg| facts.arenas.below(arg.value)).any(|part| {
            let text = runtime.program().text(func, part).or_else(|| runtime.name(func, part));
            text.is_some_and(|text| words.limits.has(&text))
        }) || facts.list(args).iter().any(|arg| match arg.kind {
            ArgKind::Named(name) => words.limits.has(facts.str(name)),
            _ => false,
        })
    };
    is_outside && !is_limited() && !is_acknowledged(runtime, func, expr)
}

/// What was asked to change something says what it did: `requests.delete(url)`, `service.events().move(…).execute()`.
fn is_acknowledged(runtime: &Runtime<'_, '_>, func: Func, call: ExprId) -> bool {
    let (facts, words) = (runtime.facts(func), &runtime.context.catalog.runtime);
    let Expr::Call { callee, args, .. } = *facts.expr(call) else { return false };
    // `client.get(url).send()`: what is given nothing only runs what is before it.
    let is_meant = |part: &ExprId| *part != callee || !args.is_empty();
    facts.arenas.below(callee).into_iter().filter(is_meant).any(|part| match *facts.expr(part) {
        Expr::Field { name, .. } => words.changes.has(facts.str(name)),
        _ => false,
    })
}

/// A number of items that the model says, and that nothing bounds from above: here, or where the function is called.
fn uncapped(runtime: &Runtime<'_, '_>, func: Func, told: &BTreeSet<Func>) -> Option<(Func, ExprId)> {
    let facts = runtime.facts(func);
    let mut exprs = runtime.program().ir(func).exprs.iter();
    let cuts = |expr: ExprId| matches!(facts.expr(expr), Expr::Op { op: Op::Slice, .. });
    let slices = exprs.find(|&expr| cuts(expr) && speaks_of_limit(runtime, func, expr))?;
    let calls = |caller: Func| {
        runtime.program().edges_from(caller).iter().any(|edge| edge.to == Target::Project(func))
    };
    let mut all = told.iter().copied().filter(|&caller| calls(caller)).chain([func]);
    if all.any(|func| bounds_limit(runtime, func)) {
        return None;
    }
    let span = facts.span(slices);
    let is_later = |at: ExprId| facts.span(at).lo >= span.lo || facts.span(at).hi >= span.hi;
    let (at, _) = runtime.returns(func).into_iter().find(|&(at, _)| is_later(at))?;
    Some((func, at))
}

fn speaks_of_limit(runtime: &Runtime<'_, '_>, func: Func, expr: ExprId) -> bool {
    runtime.facts(func).arenas.below(expr).into_iter().any(|part| is_limit(runtime, func, part))
}

/// A parameter that is called as a number of items is.
fn is_limit(runtime: &Runtime<'_, '_>, func: Func, part: ExprId) -> bool {
    let is_parameter = || {
        let variable = runtime.program().variable(func, part);
        variable.is_some_and(|known| {
            let definitions = runtime.shared.values.definitions(known.func);
            let kind = definitions.parameter(known.var);
            known.func == func && (kind == Some(ParamKind::Normal) || !definitions.of(known.var).is_empty())
        })
    };
    matches!(runtime.facts(func).expr(part), Expr::Var(_))
        && runtime.name(func, part).is_some_and(|name| runtime.context.catalog.runtime.limits.has(&name))
        && is_parameter()
}

/// A comparison, or what is called as a bound is, speaks of it.
fn bounds_limit(runtime: &Runtime<'_, '_>, func: Func) -> bool {
    let facts = runtime.facts(func);
    runtime.program().ir(func).exprs.iter().any(|expr| match *facts.expr(expr) {
        Expr::Op { op: Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::In, .. } => {
            speaks_of_limit(runtime, func, expr)
        }
        Expr::Call { .. } => {
            let name = spelled(runtime.program(), func, expr).unwrap_or_default();
            runtime.context.catalog.runtime.bounds.has(&name) && speaks_of_limit(runtime, func, expr)
        }
        _ => false,
    })
}

/// What cuts, and hands the whole back where it fails.
fn gives_up(runtime: &Runtime<'_, '_>, func: Func) -> Option<ExprId> {
    let program = runtime.program();
    if !cuts(runtime, func) {
        return None;
    }
    let facts = runtime.facts(func);
    let handlers = program.ir(func).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
        Expr::Try(index) => Some(*facts.arenas.try_at(index)),
        _ => None,
    });
    let bodies = handlers.flat_map(|found| facts.list(found.handlers).iter().map(|handler| handler.body));
    let mut below = bodies.flat_map(|body| facts.arenas.below(body));
    below.find(|&expr| match *facts.expr(expr) {
        Expr::Jump { kind: Jump::Return, value: Some(value) } => {
            runtime.shared.values.parameter(func, value).is_some()
        }
        _ => false,
    })
}
