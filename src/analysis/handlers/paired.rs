//! Tables that are made of lists: `dict(zip(names, functions))`, `dict.fromkeys(names, function)`.

use super::Finder;
use crate::catalog::DataOp;
use crate::ir::{Arg, ArgKind, Expr, ExprId, ListOf};
use crate::link::Func;

impl Finder<'_, '_> {
    /// What such a call puts beside one another, as the entries of a table.
    pub(super) fn paired(&mut self, func: Func, callee: ExprId, args: ListOf<Arg>) {
        let facts = self.program.facts(self.program.function(func).file);
        let [names, values] = facts.list(args) else { return };
        if [names, values].iter().any(|arg| arg.kind != ArgKind::Positional) {
            return;
        }
        let spelled = match *facts.expr(callee) {
            Expr::Free(name) | Expr::Field { name, .. } => facts.str(name),
            _ => return,
        };
        let operations = self.operations;
        let is_listed = operations.may_be(spelled, &[DataOp::Pair, DataOp::MakeUniform]);
        let path = is_listed.then(|| self.program.library_path(func, callee)).flatten();
        match path.and_then(|path| operations.of_call(path)) {
            Some(DataOp::Pair) => {
                let names = self.items(func, names.value);
                let values = self.items(func, values.value);
                for ((owner, name), (_, value)) in names.into_iter().zip(values) {
                    self.put(owner, name, value);
                }
            }
            Some(DataOp::MakeUniform) => {
                let value = values.value;
                for (owner, name) in self.items(func, names.value) {
                    self.put(owner, name, value);
                }
            }
            _ => {}
        }
    }

    fn put(&mut self, func: Func, name: ExprId, value: ExprId) {
        self.stands_at(func, name);
        self.keyed(func, name, value);
    }

    /// The elements of a list of the same file, and the function that they stand in.
    fn items(&self, func: Func, list: ExprId) -> Vec<(Func, ExprId)> {
        let (owner, list) = self.program.bound(func, list);
        let file = self.program.function(owner).file;
        if file != self.program.function(func).file {
            return Vec::new();
        }
        let facts = self.program.facts(file);
        match *facts.expr(list) {
            Expr::Seq(items) => facts.list(items).iter().map(|&item| (owner, item)).collect(),
            _ => Vec::new(),
        }
    }
}
