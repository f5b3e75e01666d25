//! Which of the project's functions stand where a table or a registration keeps them: values of dictionaries, elements of
//! lists and tuples, what is stored under a key, arguments. Nothing shows that they are called, so they are no edges; who
//! reads registrations asks for them. An object or a class stands for the methods that a registry would run.

use std::sync::Arc;

use super::edge::At;
use super::edges::Pass;
use super::ids::Func;
use super::program::Program;
use super::types::{Type, Value};
use crate::ir::{Arg, Expr, ExprId, ListOf};

/// Lists in lists: `tools=[(self.search, "search")]`.
const MAX_NESTING: u32 = 2;

impl Pass<'_, '_, '_> {
    /// Notes what `expr` keeps.
    pub(super) fn keeps(&mut self, func: Func, expr: ExprId) {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        match *facts.expr(expr) {
            Expr::Record(entries) => {
                facts.list(entries).iter().for_each(|entry| self.keep(func, entry.value, 0));
            }
            Expr::Seq(items) => facts.list(items).iter().for_each(|&item| self.keep(func, item, 0)),
            Expr::Store { place, op: None, value: Some(value) }
                if matches!(facts.expr(place), Expr::Index { .. }) =>
            {
                self.keep(func, value, 0);
            }
            Expr::Call { args, .. } => self.keep_arguments(func, args),
            _ => {}
        }
    }

    fn keep_arguments(&mut self, func: Func, args: ListOf<Arg>) {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        facts.list(args).iter().for_each(|arg| self.keep(func, arg.value, MAX_NESTING));
    }

    fn keep(&mut self, func: Func, value: ExprId, nesting: u32) {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        if matches!(facts.expr(value), Expr::Lit(_) | Expr::Text(_) | Expr::Not(_)) {
            return;
        }
        let value_at = self.at(func, value);
        let value = self.solver.value(func, value);
        self.solver.settle();
        let found = self.kept_in(value, nesting);
        if !found.is_empty() {
            self.found.kept.push((value_at, found));
        }
    }

    /// The functions that a value keeps, in order. What is the same set of values is asked once.
    fn kept_in(&mut self, value: Value, nesting: u32) -> Arc<[Func]> {
        let key = match value {
            Value::In(slot) => Some((self.solver.graph.held(slot), nesting)),
            _ => None,
        };
        if let Some(known) = key.and_then(|key| self.kept_by.get(&key)) {
            return Arc::clone(known);
        }
        let mut found = Vec::new();
        self.solver.types(value).into_iter().for_each(|ty| self.kept(ty, nesting, &mut found));
        found.sort_unstable();
        found.dedup();
        let found: Arc<[Func]> = found.into();
        key.into_iter().for_each(|key| drop(self.kept_by.insert(key, Arc::clone(&found))));
        found
    }

    fn kept(&mut self, ty: Type, nesting: u32, out: &mut Vec<Func>) {
        match ty {
            Type::Function(func) | Type::Bound(func) | Type::Partial(func) => out.push(func),
            Type::Class { class, exact: true } | Type::Instance { class, exact: true } => {
                let object = Type::Instance { class, exact: true };
                let methods = self.solver.index.externals.catalog().handlers.methods.iter();
                out.extend(methods.flat_map(|method| self.solver.method(object, method)));
            }
            Type::Container(container) if nesting > 0 => {
                let entries = Value::In(self.solver.elements_of(container));
                out.extend_from_slice(&self.kept_in(entries, nesting - 1));
            }
            _ => {}
        }
    }
}

/// In order, each place once.
pub(super) fn by_place(mut kept: Vec<(At, Arc<[Func]>)>) -> Vec<(At, Arc<[Func]>)> {
    kept.sort();
    kept.dedup();
    kept.dedup_by(|later, first| {
        let is_same = later.0 == first.0;
        if is_same {
            let mut both: Vec<Func> = first.1.iter().chain(&*later.1).copied().collect();
            both.sort_unstable();
            both.dedup();
            first.1 = both.into();
        }
        is_same
    });
    kept
}

impl Program<'_> {
    /// The project's functions that stand at a place where something keeps them.
    pub fn kept(&self, at: At) -> impl Iterator<Item = Func> + '_ {
        let found = self.kept.binary_search_by_key(&at, |(place, _)| *place);
        let found = found.map_or(&[][..], |index| &*self.kept[index].1);
        found.iter().copied()
    }
}
