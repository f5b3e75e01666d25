//! What acts put in the place of something else: into a module of a library, among the names of a module, into the table of
//! modules, or for what a function is made of. Who calls it there names something harmless.

use super::{Finder, HiddenBy, Obscured};
use crate::catalog::Catalog;
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Facts, When};
use crate::link::{At, Func};

impl Finder<'_, '_> {
    pub(super) fn planted(&mut self) {
        for func in (0..self.program.functions.len() as u32).map(Func) {
            let file = self.program.function(func).file;
            let facts = self.program.facts(file);
            if !imports_acting(facts, self.catalog) {
                continue;
            }
            for expr in self.program.ir(func).exprs.iter() {
                let Expr::Store { place, op: None, value: Some(value) } = *facts.expr(expr) else { continue };
                if let Some(target) = self.acting(func, value).filter(|_| self.is_elsewhere(func, place)) {
                    let (at, confidence) = (At { file, expr: value }, Confidence::High);
                    self.found.push(Obscured {
                        from: func,
                        at,
                        confidence,
                        target,
                        how: HiddenBy::HandedOver,
                    });
                }
            }
        }
    }

    /// The effect that a value is, or holds among others.
    fn acting(&self, func: Func, value: ExprId) -> Option<String> {
        let facts = self.program.facts(self.program.function(func).file);
        match *facts.expr(value) {
            Expr::Seq(items) => facts.list(items).iter().find_map(|&item| self.acting(func, item)),
            Expr::Var(_) | Expr::Free(_) | Expr::Field { .. } | Expr::Import(_) => {
                let path = self.program.library_path(func, value)?;
                self.is_effect(path).then(|| path.to_owned())
            }
            _ => None,
        }
    }

    fn is_elsewhere(&self, func: Func, place: ExprId) -> bool {
        let facts = self.program.facts(self.program.function(func).file);
        match *facts.expr(place) {
            Expr::Field { base, name } => {
                let name = facts.str(name);
                let is_special = name.starts_with("__") && name.ends_with("__");
                self.program.library_path(func, base).is_some() || is_special
            }
            Expr::Index { base, .. } => {
                let setters = &self.catalog.setters;
                let is_table = |path: &str| {
                    setters.is_module_table(path)
                        || setters.is_own_namespace(path)
                        || setters.is_namespace_of(path)
                };
                let table = match *facts.expr(base) {
                    Expr::Call { callee, .. } => callee,
                    _ => base,
                };
                self.program.library_path(func, table).is_some_and(is_table)
            }
            _ => false,
        }
    }
}

/// Most files import nothing that acts.
fn imports_acting(facts: &Facts, catalog: &Catalog) -> bool {
    facts.imports().iter().filter(|import| import.when != When::TypeOnly).any(|import| {
        let path = facts.str(import.path);
        catalog.acts(path) || catalog.module_effect(facts.lang, path, None).is_some()
    })
}
