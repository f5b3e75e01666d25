//! GL906: a file of a skill that is opened or run by a path that somebody else chose, and that may lead out of the skill's folder.

use std::collections::BTreeMap;

use super::Runtime;
use crate::analysis::{Content, spelled};
use crate::catalog::EffectKind;
use crate::finding::{Confidence, Finding};
use crate::ir::{Expr, ExprId, Lit, Op};
use crate::link::{Func, Target};

/// A check in a helper of a helper.
const MAX_HOPS: u32 = 2;
/// Whose files are meant.
const STORES: [&str; 4] = ["skill", "skills", "plugin", "plugins"];

pub(super) fn run(runtime: &Runtime<'_, '_>, out: &mut Vec<Finding>) {
    let functions = runtime.production().filter(|&func| runtime.is_about(func, &STORES));
    let opened = functions.flat_map(|func| {
        let calls = runtime.program().ir(func).exprs.iter().filter(move |&call| opens(runtime, func, call));
        calls.map(move |call| (func, call))
    });
    let started = runtime.context.effects.sites.iter().filter(|site| site.kind == Some(EffectKind::Process));
    let started = started.map(|site| (site.from, site.at.expr));
    let mut sites: Vec<(Func, ExprId)> = opened.chain(started).collect();
    sites.sort_unstable();
    sites.dedup();
    let mut told: Vec<Func> = Vec::new();
    for (func, call) in sites {
        let is_meant = !runtime.program().is_test_code(func)
            && runtime.is_about(func, &STORES)
            && !told.contains(&func)
            && is_chosen(runtime, func, call)
            && !is_contained(runtime, func, MAX_HOPS);
        if is_meant {
            told.push(func);
            let callee = spelled(runtime.program(), func, call).unwrap_or_default();
            let captures = BTreeMap::from([("callee", callee.trim_start_matches('.').to_owned())]);
            out.extend(runtime.report(func, call, captures, Confidence::High));
        }
    }
}

fn opens(runtime: &Runtime<'_, '_>, func: Func, call: ExprId) -> bool {
    let name = spelled(runtime.program(), func, call);
    name.is_some_and(|name| runtime.context.catalog.runtime.opens.has(&name))
}

/// A part of the path comes from a parameter or a manifest.
fn is_chosen(runtime: &Runtime<'_, '_>, func: Func, call: ExprId) -> bool {
    let facts = runtime.facts(func);
    let Expr::Call { callee, args, .. } = *facts.expr(call) else { return false };
    let receiver = match *facts.expr(callee) {
        Expr::Field { base, .. } => Some(base),
        _ => None,
    };
    let given = facts.list(args).iter().map(|arg| arg.value);
    let is_put_together = |path: ExprId| {
        let contents = runtime.contents(func, path);
        contents.iter().any(|content| joins(runtime, content))
            && contents.iter().any(|content| is_foreign(runtime, func, content))
    };
    receiver.into_iter().chain(given).any(is_put_together)
}

/// `root / name`, `os.path.join(root, name)`, `f"{root}/{name}"`
fn joins(runtime: &Runtime<'_, '_>, content: &Content) -> bool {
    let facts = runtime.facts(content.func);
    match *facts.expr(content.expr) {
        Expr::Op { op: Op::Div, .. } => true,
        Expr::Text(parts) => facts.list(parts).iter().any(
            |&part| matches!(*facts.expr(part), Expr::Lit(Lit::Str(text)) if facts.str(text).contains('/')),
        ),
        Expr::Call { .. } => spelled(runtime.program(), content.func, content.expr)
            .is_some_and(|name| runtime.context.catalog.runtime.joins.has(&name)),
        _ => false,
    }
}

fn is_foreign(runtime: &Runtime<'_, '_>, func: Func, content: &Content) -> bool {
    let facts = runtime.facts(content.func);
    match *facts.expr(content.expr) {
        Expr::Var(_) => {
            // What a helper is given was looked at where it is given.
            let is_parameter =
                content.func == func && runtime.shared.values.parameter(content.func, content.expr).is_some();
            // A whole path is the business of whoever gives it.
            let name = runtime.name(content.func, content.expr).unwrap_or_default();
            is_parameter && !runtime.context.catalog.runtime.whole_paths.has(&name)
        }
        Expr::Index { key, .. } => matches!(facts.expr(key), Expr::Lit(Lit::Str(_))),
        Expr::Field { base, .. } => {
            runtime.speaks_of(content.func, base, &["manifest", "entry", "args", "arguments", "request"])
        }
        Expr::Call { .. } => {
            let method = runtime.shared.values.method(content.func, content.expr);
            method.is_some_and(|method| {
                runtime.speaks_of(
                    content.func,
                    method.receiver,
                    &["manifest", "entry", "args", "arguments", "meta", "metadata"],
                )
            })
        }
        _ => false,
    }
}

/// The path is resolved and then compared with the folder, here or in a helper.
fn is_contained(runtime: &Runtime<'_, '_>, func: Func, hops: u32) -> bool {
    let program = runtime.program();
    let words = &runtime.context.catalog.runtime;
    let names = |func: Func| {
        let exprs = program.ir(func).exprs.iter();
        exprs.filter_map(move |call| spelled(program, func, call)).collect::<Vec<String>>()
    };
    let own = names(func);
    let resolves = own.iter().any(|name| words.resolves.has(name));
    let compares = own.iter().any(|name| words.contains.has(name)) || has_parents(runtime, func);
    if resolves && compares {
        return true;
    }
    let Some(hops) = hops.checked_sub(1) else { return false };
    program.edges_from(func).iter().any(|edge| match edge.to {
        Target::Project(to) => to != func && is_contained(runtime, to, hops),
        Target::External(_) => false,
    })
}

/// `root in path.parents`
fn has_parents(runtime: &Runtime<'_, '_>, func: Func) -> bool {
    let facts = runtime.facts(func);
    let mut exprs = runtime.program().ir(func).exprs.iter();
    exprs.any(|expr| matches!(*facts.expr(expr), Expr::Field { name, .. } if facts.str(name) == "parents"))
}
