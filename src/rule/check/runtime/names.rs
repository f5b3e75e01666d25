//! GL907: a tool of an MCP server that is registered under the name that the server has given it.

use std::collections::BTreeMap;

use super::Runtime;
use crate::analysis::{Content, spelled};
use crate::catalog::DataOp;
use crate::finding::{Confidence, Finding};
use crate::ir::{ArgKind, EntryKey, Expr, ExprId, Jump};
use crate::link::{Func, Target};

pub(super) fn run(runtime: &Runtime<'_, '_>, out: &mut Vec<Finding>) {
    for func in runtime.production().filter(|&func| is_of_servers(runtime, func)) {
        let names = runtime.program().ir(func).exprs.iter().flat_map(|expr| keys(runtime, func, expr));
        let raw = names.filter(|&(name, _)| is_raw(runtime, func, name)).map(|(_, at)| at);
        let first = raw.min_by_key(|&at| runtime.facts(func).span(at).lo);
        out.extend(first.and_then(|at| {
            let captures = BTreeMap::from([("function", runtime.program().short_name(func))]);
            runtime.report(func, at, captures, Confidence::High)
        }));
    }
}

/// It takes the tools of a server: it lists them, or is about MCP.
fn is_of_servers(runtime: &Runtime<'_, '_>, func: Func) -> bool {
    let lists = |call: ExprId| {
        let name = spelled(runtime.program(), func, call);
        name.is_some_and(|name| runtime.context.catalog.runtime.lists_tools.has(&name))
    };
    runtime.program().ir(func).exprs.iter().any(lists) || runtime.is_named_after(func, "mcp")
}

/// The keys under which something is registered here, each with where that is.
fn keys(runtime: &Runtime<'_, '_>, func: Func, expr: ExprId) -> Vec<(ExprId, ExprId)> {
    let facts = runtime.facts(func);
    match *facts.expr(expr) {
        Expr::Store { place, value: Some(value), .. } => match *facts.expr(place) {
            Expr::Index { base, key } if is_table(runtime, func, base) => vec![(key, expr)],
            Expr::Index { .. } => Vec::new(),
            _ => in_table(runtime, func, value),
        },
        Expr::Jump { kind: Jump::Return, value: Some(value) } => in_table(runtime, func, value),
        Expr::Call { args, .. } => {
            let args = facts.list(args);
            let method = runtime.shared.values.method(func, expr).and_then(|method| method.does);
            let puts = matches!(method, Some(DataOp::SetEntry | DataOp::Insert | DataOp::GetOrInsert));
            let registers = spelled(runtime.program(), func, expr)
                .is_some_and(|name| runtime.context.catalog.runtime.registers.has(&name));
            let named = args.iter().filter_map(|arg| match arg.kind {
                ArgKind::Named(name) if facts.str(name) == "name" => Some((arg.value, expr)),
                _ => None,
            });
            let first = args.first().filter(|arg| arg.kind == ArgKind::Positional && args.len() > 1);
            let first = first.filter(|_| puts || registers).map(|arg| (arg.value, expr));
            named.filter(|_| registers).chain(first).collect()
        }
        _ => Vec::new(),
    }
}

fn is_table(runtime: &Runtime<'_, '_>, func: Func, table: ExprId) -> bool {
    runtime.name(func, table).is_some_and(|name| runtime.context.catalog.runtime.tables.has(&name))
}

/// `{tool.name: tool for tool in tools}` that somebody keeps or gets; what is only looked up here registers nothing.
fn in_table(runtime: &Runtime<'_, '_>, func: Func, value: ExprId) -> Vec<(ExprId, ExprId)> {
    let tables = runtime.contents(func, value).into_iter().filter(|content| content.func == func);
    let items = tables.filter_map(|content| match *runtime.facts(func).expr(content.expr) {
        Expr::Collect { item, .. } => Some((item, content.expr)),
        _ => None,
    });
    let keys = items.filter_map(|(item, at)| match *runtime.facts(func).expr(item) {
        Expr::Record(entries) => match runtime.facts(func).list(entries) {
            [crate::ir::Entry { key: EntryKey::Expr(key), .. }] => Some((*key, at)),
            _ => None,
        },
        _ => None,
    });
    keys.collect()
}

/// The name that a server gave is in it, and nothing has looked at its characters.
fn is_raw(runtime: &Runtime<'_, '_>, func: Func, name: ExprId) -> bool {
    let contents = runtime.contents(func, name);
    let words = &runtime.context.catalog.runtime;
    let cleans = |content: &Content| {
        let path = runtime.shared.values.path(content.func, content.expr);
        let name = spelled(runtime.program(), content.func, content.expr);
        path.into_iter().chain(name).any(|name| words.cleans.has(&name))
    };
    contents.iter().any(|content| is_given(runtime, content)) && !contents.iter().any(cleans)
}

/// `tool.name`, `tool["name"]`
fn is_given(runtime: &Runtime<'_, '_>, content: &Content) -> bool {
    let facts = runtime.facts(content.func);
    match *facts.expr(content.expr) {
        Expr::Field { base, .. } | Expr::Index { base, .. } => {
            let edges = runtime.program().edges_at(content.func, content.expr);
            edges.iter().all(|edge| !matches!(edge.to, Target::Project(_)))
                && runtime.name(content.func, content.expr).as_deref() == Some("name")
                && runtime.speaks_of(
                    content.func,
                    base,
                    &["tool", "remote", "definition", "spec", "descriptor", "t", "item", "entry", "schema"],
                )
        }
        _ => false,
    }
}
