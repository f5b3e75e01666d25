//! The warning that comes with a content fence: whether a fence gives one, and who takes it away again.

use super::calls::Call;
use super::data::{Key, Marks};
use super::labels::{Aspect, Labels};
use super::records::changed;
use super::state::{Path, State};
use super::walk::Walk;
use crate::ir::{EntryKey, Expr, ExprId, Lit};
use crate::link::{Func, Target};

impl Walk<'_, '_, '_> {
    /// False for a fence of the project whose record has a marker and no warning.
    pub(super) fn warns(&self, call: &Call<'_, '_>) -> bool {
        call.edges.iter().all(|edge| match edge.to {
            Target::Project(wrap) => !self.marks_only(wrap),
            Target::External(_) => true,
        })
    }

    fn marks_only(&self, wrap: Func) -> bool {
        let program = self.model.program;
        let facts = program.facts(program.function(wrap).file);
        let fence = &self.model.catalog.fence;
        program.ir(wrap).exprs.iter().any(|expr| {
            let Expr::Record(entries) = *facts.expr(expr) else { return false };
            let keys = facts.list(entries).iter().filter_map(|entry| match entry.key {
                EntryKey::Expr(key) => program.text(wrap, key),
                EntryKey::Spread => None,
            });
            let keys: Vec<String> = keys.collect();
            let has = |words: &[String]| words.iter().any(|word| keys.contains(word));
            has(&fence.shape) && !has(&fence.warning) && !self.adds_warning(wrap)
        })
    }

    /// `record["warning"] = …`, further down.
    fn adds_warning(&self, wrap: Func) -> bool {
        let program = self.model.program;
        let facts = program.facts(program.function(wrap).file);
        let is_warning = |key: ExprId| {
            program.text(wrap, key).is_some_and(|key| self.model.catalog.fence.warning.contains(&key))
        };
        program.ir(wrap).exprs.iter().any(|expr| match *facts.expr(expr) {
            Expr::Store { place, value: Some(_), .. } => {
                matches!(*facts.expr(place), Expr::Index { key, .. } if is_warning(key))
            }
            _ => false,
        })
    }

    /// The label of the content that a fence keeps in its record: whoever takes it out leaves the warning behind.
    pub(super) fn bare(&self, call: ExprId) -> Labels {
        let fenced = self.model.fenced(self.at(call));
        let mut bare = fenced.clone();
        for (origin, _, word) in fenced.iter().filter(|(_, aspect, _)| *aspect == Aspect::Content) {
            bare.add(origin, Aspect::Unwarned, word);
        }
        bare
    }

    /// True if nothing is put where the warning stands.
    pub(super) fn blanks_warning(&self, key: Option<Key>, value: Option<ExprId>) -> bool {
        let is_warning = key.is_some_and(|key| self.is_one_of(key, &self.model.catalog.fence.warning));
        is_warning
            && value.is_none_or(|value| match *self.facts.expr(value) {
                Expr::Lit(Lit::None | Lit::Bool(false)) => true,
                Expr::Lit(Lit::Str(text)) => self.facts.str(text).trim().is_empty(),
                _ => false,
            })
    }

    /// Something is put, or nothing any more, where the path leads.
    pub(super) fn unwarn(&self, state: &mut State, path: Path, value: Option<ExprId>) {
        let Some((last, _)) = path.keys().split_last() else { return };
        if self.blanks_warning(*last, value) {
            state.change(path, &mut |data, keys| {
                let around = keys.split_last().map_or(keys, |(_, around)| around);
                changed(data, around, &|record| record.without_marks(Marks::WARNED))
            });
        }
    }
}
