//! Keys that are moved: what a function puts under the same key elsewhere is not lost.

use rustc_hash::FxHashSet;

use super::{Change, Finder, How};
use crate::analysis::values::Values;
use crate::ir::{Expr, ExprId};
use crate::link::{Func, Variable};

/// Values that a function puts under the same key elsewhere: what is moved is not lost.
pub(super) struct Moves {
    parts: FxHashSet<ExprId>,
    roots: Vec<Variable>,
}

pub(super) fn moves(values: &Values<'_, '_>, func: Func, keys: &[String]) -> Moves {
    let facts = values.facts(func);
    let mut finder = Finder { values, func, facts, keys, out: Vec::new() };
    let mut found = Moves { parts: Default::default(), roots: Vec::new() };
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
        found.parts.extend(values.parts(func, value));
    }
    for &part in &found.parts {
        if let Expr::Index { base, key } = *facts.expr(part)
            && values.texts(func, key).iter().any(|key| keys.contains(key))
        {
            found.roots.extend(values.root(func, base));
        }
    }
    found
}

impl Moves {
    pub(super) fn contains(&self, values: &Values<'_, '_>, func: Func, change: &Change) -> bool {
        if !matches!(change.how, How::Delete | How::Pop) {
            return false;
        }
        let facts = values.facts(func);
        let is_stored = |&part: &ExprId| change.how == How::Pop && facts.span(part) == change.span;
        let root = values.root(func, change.subject.expr());
        self.parts.iter().any(is_stored) || root.is_some_and(|root| self.roots.contains(&root))
    }
}
