//! Whose attributes code sets where definitions and imports alone do not tell: the class that a helper is given, each class
//! that a loop runs over.

use super::edge::At;
use super::edges::Pass;
use super::ids::{Func, Module};
use super::overwritten::MAX_HOPS;
use super::program::Program;
use super::types::{Type, Types};
use crate::ir::{Expr, ExprId};
use crate::source::FileId;

impl Pass<'_, '_, '_> {
    /// Notes the classes and modules whose attributes an expression may set, as far as inference knows them.
    pub(super) fn notes_owners(&mut self, func: Func, expr: ExprId) {
        let index = self.solver.index;
        let facts = index.units[index.file_of(func)].facts;
        match *facts.expr(expr) {
            Expr::Store { place, value: Some(value), .. } => {
                if !matches!(facts.expr(place), Expr::Field { .. }) {
                    return;
                }
                // What is put there may be made of what stood there.
                let parts = std::iter::once(place).chain(facts.arenas.below(value));
                self.notes_bases(func, parts);
            }
            Expr::Call { callee, args, .. } => {
                let setters = &index.externals.catalog().setters;
                let may_set = |ty: &Type| match *ty {
                    Type::External(path) => setters.of_call(index.externals.text(path)).is_some(),
                    _ => false,
                };
                if index.statics(func, callee).iter().any(may_set) {
                    facts.list(args).iter().for_each(|arg| {
                        self.notes_owner(func, arg.value);
                        self.notes_bases(func, facts.arenas.below(arg.value).into_iter());
                    });
                }
            }
            _ => {}
        }
    }

    fn notes_bases(&mut self, func: Func, parts: impl Iterator<Item = ExprId>) {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        for part in parts {
            if let Expr::Field { base, .. } = *facts.expr(part) {
                self.notes_owner(func, base);
            }
        }
    }

    fn notes_owner(&mut self, func: Func, object: ExprId) {
        let is_owner = |ty: &Type| matches!(ty, Type::Module(Module::File(_)) | Type::Class { .. });
        if self.solver.index.statics(func, object).iter().any(is_owner) {
            return;
        }
        let at = self.at(func, object);
        let types = self.solver.eval(func, object);
        self.found.owners.extend(types.into_iter().filter(is_owner).map(|ty| (at, ty)));
    }
}

impl Program<'_> {
    /// The classes and modules that an expression is known to be by inference.
    pub(super) fn inferred_owners(&self, func: Func, object: ExprId) -> Types {
        let at = At { file: FileId(self.index.file_of(func) as u32), expr: object };
        let start = self.owners.partition_point(|(place, _)| *place < at);
        self.owners[start..].iter().take_while(|(place, _)| *place == at).map(|&(_, ty)| ty).collect()
    }

    /// The objects and the names of an attribute that is set by its name, together as the calls of a helper give them.
    pub(super) fn named_owners(&self, func: Func, object: ExprId, name: ExprId) -> Vec<(Types, String)> {
        let owners = |func, object| self.owners(func, object, MAX_HOPS);
        if let Some(name) = self.text(func, name) {
            return vec![(owners(func, object), name)];
        }
        let given =
            |expr| self.parameter_of(self.named(func, expr)?).map(|parameter| self.index.handed(parameter));
        let Some(names) = given(name) else { return Vec::new() };
        let objects = given(object).unwrap_or_else(|| vec![(func, object); names.len()]);
        if objects.len() != names.len() {
            return Vec::new();
        }
        let calls = objects.into_iter().zip(names);
        calls
            .filter_map(|((at, object), (from, name))| Some((owners(at, object), self.text(from, name)?)))
            .collect()
    }
}
