//! What gets another meaning though nobody sets its name: a module in the table of all modules, the code of a function, a
//! method that is deleted so that an inherited one stands in its place.

use super::ids::{Func, Module};
use super::overwritten::{Named, Overwritten};
use super::program::Program;
use super::types::{Type, Types};
use crate::ir::{Expr, ExprId};

impl Program<'_> {
    pub(super) fn displaced(&self, func: Func, expr: ExprId) -> Vec<Overwritten> {
        let facts = self.facts(self.function(func).file);
        let setters = &self.index.externals.catalog().setters;
        let Expr::Store { place, op: None, value } = *facts.expr(expr) else { return Vec::new() };
        match (*facts.expr(place), value) {
            (Expr::Index { base, key }, Some(value)) if self.is_module_table(func, base) => {
                self.module_exchanged(func, (base, key), value)
            }
            (Expr::Field { base, name }, Some(value)) if setters.is_code(facts.str(name)) => {
                self.code_exchanged(func, base, value)
            }
            (Expr::Field { base, name }, None) => self.uncovered(func, base, facts.str(name)),
            _ => Vec::new(),
        }
    }

    /// `sys.modules["app.guards"] = other`: all that the module means by its names.
    fn module_exchanged(
        &self,
        func: Func,
        (table, key): (ExprId, ExprId),
        value: ExprId,
    ) -> Vec<Overwritten> {
        let own = Module::File(self.index.file_of(func));
        let was = self.module_in(func, table, key, 1);
        let files = was.iter().filter_map(|ty| match *ty {
            // A module that makes something else of itself says what it is.
            Type::Module(module @ Module::File(file)) if module != own => Some((module, file)),
            _ => None,
        });
        let now: Types = self.index.statics(func, value);
        let mut found = Vec::new();
        for (module, file) in files {
            let body = self.index.module_body(file);
            let names = self.index.exports.keys().filter(|(owner, _)| *owner == body);
            for &(_, name) in names {
                let name = self.index.names.text(name);
                let was = self.named_at(Type::Module(module), name);
                let is: Vec<Named> = now.iter().flat_map(|&now| self.named_at(now, name)).collect();
                if !was.is_empty() && is != was {
                    found.push(Overwritten {
                        name: name.to_owned(),
                        was,
                        is,
                        library: None,
                        value: Some(value),
                    });
                }
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    /// `PhaseGate.check.__code__ = other.__code__`.
    fn code_exchanged(&self, func: Func, function: ExprId, value: ExprId) -> Vec<Overwritten> {
        let facts = self.facts(self.function(func).file);
        let was = self.meanings(func, function);
        let is = match *facts.expr(value) {
            Expr::Field { base, .. } => self.meanings(func, base),
            _ => Vec::new(),
        };
        let is_other = !was.is_empty() && was != is;
        let name = self.receiver_name(func, function).map_or("", |known| known.name).to_owned();
        let found = Overwritten { name, was, is, library: None, value: Some(value) };
        if is_other { vec![found] } else { Vec::new() }
    }

    /// `del Gate.check`: the method of a class above stands there then. Without one, a call of it raises.
    fn uncovered(&self, func: Func, class: ExprId, name: &str) -> Vec<Overwritten> {
        let Some(class) = self.class_named(func, class) else { return Vec::new() };
        let mut methods = self.lineage(class).iter().filter_map(|&class| self.own_method(class, name));
        let (Some(was), Some(is)) = (methods.next(), methods.next()) else { return Vec::new() };
        let (was, is) = (vec![Named::Function(was)], vec![Named::Function(is)]);
        vec![Overwritten { name: name.to_owned(), was, is, library: None, value: None }]
    }
}
