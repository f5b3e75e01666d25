//! Tables that a function is given: what it looks up there, under a key that nobody knows, is what its caller put in.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::edges::Pass;
use super::super::picks::Keyed;
use super::super::program::{At, Edge, Func};
use super::keys::{KeyOf, Part};
use super::lookups::Entry;
use super::{Asked, Callers, Said};
use crate::ir::{Expr, ExprId, Lit, Sym};

impl Pass<'_, '_, '_> {
    /// Says of each call which entries the table holds that it gives to a function which runs them.
    pub(super) fn resolve_given(&mut self, choices: &[(Func, At, ExprId)], callers: &Callers) {
        for &(from, at, value) in choices {
            let Some(Entry { scope, table, key, attribute }) = self.entry_of_table(from, value) else {
                continue;
            };
            let KeyOf::Given { parameter, part: Part::Itself } = self.key_of(scope, table, Part::Itself)
            else {
                continue;
            };
            if self.key_of(scope, key, Part::Itself) != KeyOf::Open {
                continue;
            }
            let entries: Vec<(usize, Func)> = self.edges_of(from, at).collect();
            let keyed: FxHashMap<_, _> =
                entries.iter().map(|&(_, func)| (func, FxHashSet::default())).collect();
            let keyed: Keyed = Arc::new(keyed);
            self.pick_edges(entries.into_iter().map(|(id, _)| id));
            let asked = Asked { func: from, parameter, part: Part::Itself };
            self.ask_callers(asked, &keyed, callers, |pass, edge, asked| {
                pass.held_at(edge, asked, attribute)
            });
        }
    }

    /// What the table holds that the caller gives, on the way of `edge`.
    fn held_at(&mut self, edge: &Edge, asked: Asked, attribute: Option<Sym>) -> Said {
        let Asked { func, parameter, part } = asked;
        if func != parameter.0 {
            return if self.sees(edge.from, parameter.0) {
                Said::Given { parameter, part }
            } else {
                Said::Open
            };
        }
        let Some((func, expr)) = self.given_at(edge, func, parameter.1) else { return Said::Open };
        if let KeyOf::Given { parameter, part: Part::Itself } = self.key_of(func, expr, Part::Itself) {
            return Said::Given { parameter, part };
        }
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        if matches!(facts.expr(expr), Expr::Lit(Lit::None)) {
            return Said::Exactly(FxHashSet::default());
        }
        if let Some(written) = self.written_entries(func, expr) {
            return Said::Exactly(self.run_of_types(written, attribute).into_iter().collect());
        }
        let tables = self.tables_at(func, expr);
        if tables.is_empty() || tables.iter().any(|&table| self.solver.containers.is_blurred(table)) {
            return Said::Open;
        }
        let held = tables.into_iter().flat_map(|table| self.solver.held_by(table)).collect();
        Said::Exactly(self.run_of_types(held, attribute).into_iter().collect())
    }
}
