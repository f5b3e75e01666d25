//! What an import inside a function runs: the body of a module that no import at the top of a file has run before.

use super::args::argument;
use super::edge::{Rung, Target};
use super::edges::{Pass, Why};
use super::ids::{Func, Module, PathId};
use super::types::Type;
use crate::catalog::Loads;
use crate::finding::Confidence;
use crate::ir::{Arg, ExprId, FnKind, ImportId, When};

impl Pass<'_, '_, '_> {
    /// `import effects` in a function.
    pub(super) fn run_imported(&mut self, func: Func, expr: ExprId, id: ImportId) {
        let index = self.solver.index;
        let file = index.file_of(func);
        let is_function = matches!(index.ir(func).kind, FnKind::Plain | FnKind::Lambda);
        let is_run = index.units[file].facts.import(id).when != When::TypeOnly;
        if is_run && is_function && !index.has_crates(file) && !index.is_test_code(func) {
            for imported in index.files_of_import(file, id) {
                self.run_body(func, expr, imported);
            }
        }
    }

    /// `run_module("script")`, and `import_module("effects")` in a function.
    pub(super) fn run_named(&mut self, func: Func, expr: ExprId, path: PathId, args: &[Arg]) {
        let index = self.solver.index;
        let Some(loader) = index.externals.loader(path).filter(|loader| loader.of == Loads::Module) else {
            return;
        };
        let facts = index.units[index.file_of(func)].facts;
        let named = loader.argument.as_ref();
        let named = named.and_then(|test| argument(facts, args, test.index, test.name.as_deref()));
        for module in named.map(|name| self.solver.modules_named(func, name)).unwrap_or_default() {
            let Type::Module(Module::File(file)) = module else { continue };
            if loader.source {
                let why = Why::new(Rung::Dynamic, Confidence::High);
                self.edge(func, expr, Target::Project(index.module_body(file)), why);
            } else if !matches!(index.ir(func).kind, FnKind::Module | FnKind::ClassBody(_)) {
                self.run_body(func, expr, file);
            }
        }
    }

    fn run_body(&mut self, func: Func, expr: ExprId, imported: usize) {
        let index = self.solver.index;
        let dotted = index.modules.dotted(imported);
        let own = index.modules.dotted(index.file_of(func));
        let is_around =
            own.strip_prefix(&dotted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if !is_around && !self.started.holds(&dotted) && !index.is_script(imported) {
            let why = Why::new(Rung::Import, Confidence::Medium);
            self.edge(func, expr, Target::Project(index.module_body(imported)), why);
        }
    }
}
