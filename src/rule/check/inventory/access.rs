//! Whether an effect reads, writes or deletes: what the catalogue and a statement say of storage, and the names and modes of calls
//! that are given a path.

use super::super::Context;
use crate::analysis::EffectSite;
use crate::catalog::{self, EffectKind, NameSet};
use crate::inventory::Access;
use crate::ir::{Expr, ExprId};
use crate::link::{At, Func};

/// None if nothing says it.
pub fn access(context: &Context<'_>, site: &EffectSite, values: &[ExprId]) -> Option<Access> {
    match site.kind? {
        EffectKind::Storage => of_storage(context, site, values),
        EffectKind::File => of_file(context, (site.from, site.at), &site.callee, values),
        _ => None,
    }
}

fn of_storage(context: &Context<'_>, site: &EffectSite, values: &[ExprId]) -> Option<Access> {
    match site.access? {
        catalog::Access::Read => Some(Access::Read),
        catalog::Access::Write if deletes(context, site, values) => Some(Access::Delete),
        catalog::Access::Write => Some(Access::Write),
        catalog::Access::Open | catalog::Access::Sql => None,
    }
}

fn deletes(context: &Context<'_>, site: &EffectSite, values: &[ExprId]) -> bool {
    let names = &context.catalog.sets;
    let says = |value: &ExprId| {
        let known = context.program.constant(site.from, *value);
        let first = known.as_ref().and_then(|known| known.text.split_whitespace().next());
        first.is_some_and(|word| names.has(NameSet::DeletingStatement, &word.to_ascii_lowercase()))
    };
    named(context, &site.callee, NameSet::DeletingCall) || values.iter().any(says)
}

/// What a call of `callee` does to the file whose path is one of the values.
pub fn of_file(
    context: &Context<'_>,
    (func, at): (Func, At),
    callee: &str,
    values: &[ExprId],
) -> Option<Access> {
    let is = |set| named(context, callee, set);
    match () {
        () if is(NameSet::DeletingCall) => Some(Access::Delete),
        () if is(NameSet::WritingCall) => Some(Access::Write),
        () if is(NameSet::ReadingCall) => Some(Access::Read),
        () if is(NameSet::OpeningCall) => by_mode(context, (func, at), values),
        () => None,
    }
}

/// The last name of what is called, or the last two, are in a set.
fn named(context: &Context<'_>, callee: &str, set: NameSet) -> bool {
    let mut from_end = callee.rmatch_indices('.').map(|(at, _)| &callee[at + 1..]);
    let last = from_end.next().unwrap_or(callee);
    let two = from_end.next().unwrap_or(callee);
    let names = &context.catalog.sets;
    names.has(set, last) || names.has(set, two)
}

/// `open(path, "w")`; without a mode it reads.
fn by_mode(context: &Context<'_>, (func, at): (Func, At), values: &[ExprId]) -> Option<Access> {
    let facts = context.program.facts(at.file);
    let Expr::Call { args, .. } = *facts.expr(at.expr) else { return None };
    let mut others = facts.list(args).iter().map(|arg| arg.value).filter(|value| !values.contains(value));
    let Some(mode) = others.next() else { return Some(Access::Read) };
    let mode = context.program.constant(func, mode)?;
    let letters = mode.text.split([':', '|']).next().unwrap_or_default();
    // What is no mode is an encoding or the like.
    let is_mode = letters.chars().all(|letter| "rwaxbtU+".contains(letter));
    let writes = is_mode && letters.contains(['w', 'a', 'x', '+']);
    Some(if writes { Access::Write } else { Access::Read })
}
