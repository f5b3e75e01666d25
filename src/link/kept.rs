//! Which of the project's functions stand where a table or a registration keeps them: values of dictionaries, elements of
//! lists and tuples, what is stored under a key, arguments. Nothing shows that they are called, so they are no edges; who
//! reads registrations asks for them. An object or a class stands for the methods that a registry would run.

use std::sync::Arc;

use super::cuts::CutIds;
use super::edges::Pass;
use super::program::{At, Func, Program};
use super::types::{Type, Types};
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
        let mut found = Vec::new();
        self.solver.cuts.begin();
        let types = self.solver.eval(func, value);
        let cut = self.solver.cuts.taken();
        types.into_iter().for_each(|ty| self.kept(ty, nesting, &mut found));
        if !cut.is_empty() {
            found.extend(self.kept_of_cut(cut, nesting).iter());
        }
        let at = self.at(func, value);
        self.found.kept.extend(found.into_iter().map(|func| (at, func)));
    }

    /// The functions among what was let go; many values share one set of it.
    fn kept_of_cut(&mut self, cut: CutIds, nesting: u32) -> Arc<[Func]> {
        if let Some(known) = self.kept_of_cut.get(&(cut.clone(), nesting)) {
            return Arc::clone(known);
        }
        let mut found = Vec::new();
        for ty in self.cut_values(cut.clone()) {
            self.kept(ty, nesting, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        let found: Arc<[Func]> = found.into();
        self.kept_of_cut.insert((cut, nesting), Arc::clone(&found));
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
                let mut entries = Types::new();
                self.solver.read_entry(container, None, &mut entries);
                entries.into_iter().for_each(|entry| self.kept(entry, nesting - 1, out));
            }
            _ => {}
        }
    }
}

impl Program<'_> {
    /// The project's functions that stand at a place where something keeps them.
    pub fn kept(&self, at: At) -> impl Iterator<Item = Func> + '_ {
        let start = self.kept.partition_point(|(place, _)| *place < at);
        self.kept[start..].iter().take_while(move |(place, _)| *place == at).map(|&(_, func)| func)
    }
}
