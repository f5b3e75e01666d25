//! Keys that are moved: what a function puts under the same key elsewhere is not lost.

use rustc_hash::FxHashSet;

use super::{Change, Finder, How};
use crate::analysis::values::Values;
use crate::ir::{Expr, ExprId, Span};
use crate::link::{Func, Variable};

/// Values that a function puts under the same key elsewhere: what is moved is not lost.
pub(super) struct Moves {
    parts: FxHashSet<Span>,
    roots: FxHashSet<Variable>,
}

pub(super) fn moves(values: &Values<'_, '_>, func: Func, keys: &[String]) -> Moves {
    let facts = values.facts(func);
    let mut finder = Finder::new(values, func, keys);
    let mut parts: FxHashSet<ExprId> = FxHashSet::default();
    for id in values.program.ir(func).exprs.iter() {
        match *facts.expr(id) {
            Expr::Store { .. } | Expr::Call { .. } => finder.expr(id),
            Expr::Record(entries) => {
                for entry in facts.list(entries) {
                    finder.entry(id, entry);
                }
            }
            _ => {}
        }
    }
    for value in finder.out.into_iter().filter_map(|change| change.value) {
        parts.extend(values.parts(func, value));
    }
    let mut roots = FxHashSet::default();
    for &part in &parts {
        if let Expr::Index { base, key } = *facts.expr(part)
            && values.texts(func, key).iter().any(|key| keys.contains(key))
        {
            roots.extend(values.root(func, base));
        }
    }
    Moves { parts: parts.into_iter().map(|part| facts.span(part)).collect(), roots }
}

impl Moves {
    pub(super) fn contains(&self, values: &Values<'_, '_>, func: Func, change: &Change) -> bool {
        let is_stored = change.how == How::Pop && self.parts.contains(&change.span);
        let is_read =
            || values.root(func, change.subject.expr()).is_some_and(|root| self.roots.contains(&root));
        is_stored || (matches!(change.how, How::Delete | How::Pop) && is_read())
    }
}
