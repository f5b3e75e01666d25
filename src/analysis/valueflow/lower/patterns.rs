//! What a value is taken apart into.

use super::Lower;
use crate::analysis::valueflow::graph::{Node, Step};
use crate::analysis::valueflow::paths::Key;
use crate::ir::{Pat, PatField, PatId};

impl Lower<'_, '_> {
    pub(super) fn bind(&mut self, from: Node, pat: PatId) {
        let facts = self.facts;
        match *facts.pat(pat) {
            Pat::Var(var) => self.become_value(from, var),
            Pat::As { pat, var } => {
                self.become_value(from, var);
                self.bind(from, pat);
            }
            Pat::Place(place) => self.put(from, place, Step::Same),
            Pat::Seq { items, rest } => {
                let rest = rest.map_or(usize::MAX, |rest| rest.0 as usize);
                for (at, &item) in facts.list(items).iter().enumerate() {
                    match at.cmp(&rest) {
                        std::cmp::Ordering::Less => self.bind_part(from, Key::At(at as u32), item),
                        std::cmp::Ordering::Equal => self.bind(from, item),
                        std::cmp::Ordering::Greater => self.bind_part(from, Key::Each, item),
                    }
                }
            }
            Pat::Record { items, rest } => {
                self.bind_fields(from, facts.list(items));
                rest.into_iter().for_each(|rest| self.bind(from, rest));
            }
            Pat::Ctor { path, items, named } => {
                let is_wrapper = self.program.library_path(self.func, path).is_some();
                for &item in facts.list(items) {
                    if is_wrapper { self.bind(from, item) } else { self.bind_part(from, Key::Any, item) }
                }
                self.bind_fields(from, facts.list(named));
            }
            Pat::Or(pats) => facts.list(pats).iter().for_each(|&pat| self.bind(from, pat)),
            Pat::Wild | Pat::Value(_) => {}
        }
    }

    fn bind_fields(&mut self, from: Node, fields: &[PatField]) {
        fields.iter().for_each(|field| self.bind_part(from, Key::Name(field.name), field.pat));
    }

    /// A pattern is given a part of a value.
    pub(super) fn bind_part(&mut self, from: Node, key: Key, pat: PatId) {
        if !matches!(self.facts.pat(pat), Pat::Wild | Pat::Value(_)) {
            let part = self.places.between(self.func);
            self.here(from, part, Step::OutOf(key));
            self.bind(part, pat);
        }
    }
}
