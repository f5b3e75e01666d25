//! The functions that a value is, or holds beside other things: what a table has under a name, what an object is made of.

use super::decorators::decorated;
use crate::catalog::Handlers;
use crate::ir::{Arg, ArgKind, Entry, EntryKey, Expr, ExprId};
use crate::link::{At, Func, Program};

/// `f`, `(f, schema)`, `{"handler": f}`, `Spec(handler=f)`.
pub(super) fn callables(program: &Program<'_>, words: &Handlers, func: Func, value: ExprId) -> Vec<Func> {
    let file = program.function(func).file;
    let direct = decorated(program, At { file, expr: value });
    if !direct.is_empty() {
        return direct;
    }
    let (func, value) = program.bound(func, value);
    let file = program.function(func).file;
    let facts = program.facts(file);
    let kept = |expr: ExprId| decorated(program, At { file, expr });
    let is_function = |name: &str| words.function.iter().any(|known| known == name);
    match *facts.expr(value) {
        Expr::Seq(items) => facts.list(items).iter().flat_map(|&item| kept(item)).collect(),
        Expr::Record(_) => {
            let entries = constant_entries(program, func, value).into_iter();
            entries.filter(|(_, key, _)| is_function(key)).flat_map(|(.., value)| kept(value)).collect()
        }
        Expr::Call { args, .. } => {
            let named = |arg: &&Arg| matches!(arg.kind, ArgKind::Named(name) if is_function(facts.str(name)));
            facts.list(args).iter().filter(named).flat_map(|arg| kept(arg.value)).collect()
        }
        _ => Vec::new(),
    }
}

/// The entries of a dictionary whose keys are constant: the key, its text and the value.
pub(super) fn constant_entries(
    program: &Program<'_>,
    func: Func,
    record: ExprId,
) -> Vec<(ExprId, String, ExprId)> {
    let facts = program.facts(program.function(func).file);
    let Expr::Record(entries) = *facts.expr(record) else { return Vec::new() };
    let constant = |entry: &Entry| match entry.key {
        EntryKey::Expr(key) => Some((key, program.text(func, key)?, entry.value)),
        EntryKey::Spread => None,
    };
    facts.list(entries).iter().filter_map(constant).collect()
}
