//! Which modules run when the program starts, since a file imports them at its top.

use rustc_hash::FxHashSet;

use super::ids::Module;
use super::index::Index;
use super::names::OWN_NAME;
use super::types::{Global, Type};
use crate::ir::{Expr, ExprId, ImportId, Op, When};

/// The modules that run when the program starts, by their dotted names, and the packages around them.
#[derive(Default)]
pub(super) struct Started(FxHashSet<String>);

impl Started {
    pub fn new(index: &Index<'_>) -> Self {
        let mut found = Self::default();
        for (file, unit) in index.units.iter().enumerate() {
            let body = unit.facts.module();
            if index.has_crates(file) || index.is_test_code(body) {
                continue;
            }
            let at_top = unit.facts.import_ids().filter(|&id| {
                let import = unit.facts.import(id);
                import.scope == body && import.when != When::TypeOnly
            });
            let imported = at_top.flat_map(|id| index.files_of_import(file, id));
            imported.for_each(|imported| found.add(&index.modules.dotted(imported)));
        }
        found
    }

    pub fn holds(&self, dotted: &str) -> bool {
        self.0.contains(dotted)
    }

    fn add(&mut self, dotted: &str) {
        let mut rest = dotted;
        while self.0.insert(rest.to_owned()) {
            let Some((package, _)) = rest.rsplit_once('.') else { return };
            rest = package;
        }
    }
}

impl Index<'_> {
    /// The files that an import names: a module, and one that it takes from a package.
    pub(super) fn files_of_import(&self, file: usize, id: ImportId) -> Vec<usize> {
        let mut found = Vec::new();
        if let Some(Module::File(imported)) = self.import_module(id) {
            found.push(imported);
        }
        if let Some(Global::Is(Type::Module(Module::File(imported)))) = self.imported(file, id) {
            found.push(imported);
        }
        found.dedup();
        found
    }

    /// True for a module that asks what it is called, and does something else if it is run than if it is imported.
    pub(super) fn is_script(&self, file: usize) -> bool {
        let facts = self.units[file].facts;
        let is_own =
            |&part: &ExprId| matches!(*facts.expr(part), Expr::Free(name) if facts.str(name) == OWN_NAME);
        self.ir(self.module_body(file)).exprs.iter().any(|expr| match *facts.expr(expr) {
            Expr::Op { op: Op::Eq, args } => facts.list(args).iter().any(is_own),
            _ => false,
        })
    }
}
