//! Folders that code adds to where imports are looked for (`sys.path`). What imports mean depends on them, so they are found
//! by definitions and imports alone, before anything is inferred.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::crates::Crates;
use super::externals::Externals;
use super::hierarchy::Hierarchy;
use super::ids::Func;
use super::index::Index;
use super::loads::Paths;
use super::modules::Modules;
use super::names::Names;
use super::program::Program;
use super::types::Type;
use super::unit::Unit;
use crate::catalog::{Catalog, Loader};
use crate::ir::{Expr, ExprId, Op};
use crate::parallel;

/// The names of all files, with the folders that they add themselves. Where some import leads into one of these, all imports
/// are looked at a second time.
pub fn index<'a>(
    units: &'a [Unit<'a>],
    crates: Crates,
    root_name: Option<&'a str>,
    catalog: &'a Catalog,
) -> (Index<'a>, Hierarchy) {
    let make = |tables| {
        let index = Index::new(units, tables, Externals::new(catalog));
        let hierarchy = Hierarchy::new(&index);
        (index, hierarchy)
    };
    // What no import changes.
    let paths = units.iter().map(|unit| unit.path);
    let tables = parallel::join(|| Names::new(units), || Modules::new(paths, crates, root_name, catalog));
    let (mut index, hierarchy) = make(tables);
    let added = Added { index: &index, hierarchy: &hierarchy, catalog }.find();
    let found = finds_more(&index, &added);
    index.modules.crates.import_roots = added;
    match found {
        true => make((index.names, index.modules)),
        false => (index, hierarchy),
    }
}

/// True if some import leads to a file as soon as it is looked for in `folders`, too.
fn finds_more(index: &Index<'_>, folders: &[String]) -> bool {
    !folders.is_empty()
        && index.units.iter().enumerate().any(|(file, unit)| {
            let mut imports = unit.facts.imports().iter().filter(|import| import.level == 0);
            let finds = |dotted| index.modules.is_found_in(folders, file, dotted);
            !index.modules.crates.holds(file) && imports.any(|import| finds(unit.facts.str(import.path)))
        })
}

struct Added<'i, 'a> {
    index: &'i Index<'a>,
    hierarchy: &'i Hierarchy,
    catalog: &'a Catalog,
}

impl Added<'_, '_> {
    /// The folders below the project root that are no place to look in otherwise.
    fn find(&self) -> Vec<String> {
        let adders = self.catalog.loader_names(Loader::adds_folder);
        let mut found = BTreeSet::new();
        for (file, unit) in
            self.index.units.iter().enumerate().filter(|(file, _)| !self.index.has_crates(*file))
        {
            for site in unit.facts.calls() {
                if self.index.may_call(file, site.expr, &adders) {
                    found.extend(self.of_call(site.function, site.expr));
                }
            }
            for function in unit.facts.function_ids() {
                found.extend(self.of_stores(file, function));
            }
        }
        let is_inside =
            |path: &Utf8Path| !path.is_absolute() && !path.starts_with("..") && !path.starts_with("~");
        let inside = found.into_iter().filter(|path| is_inside(path)).map(Utf8PathBuf::into_string);
        inside.filter(|path| !matches!(path.as_str(), "" | "src")).collect()
    }

    fn of_call(&self, func: Func, call: ExprId) -> Vec<Utf8PathBuf> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let Expr::Call { callee, args, .. } = *facts.expr(call) else { return Vec::new() };
        let paths = Paths::new(self.index, self.hierarchy);
        let types = self.index.statics(func, callee).into_iter();
        let externals = types.filter_map(|ty| match ty {
            Type::External(path) if paths.adds_folder(path) => Some(path),
            _ => None,
        });
        externals.flat_map(|path| paths.loaded(func, path, facts.list(args))).collect()
    }

    /// `sys.path[:0] = ["lib"]`: what is put into the list of folders is added to it, as by its methods.
    fn of_stores(&self, file: usize, func: Func) -> Vec<Utf8PathBuf> {
        let facts = self.index.units[file].facts;
        let mut found = Vec::new();
        for expr in self.index.ir(func).exprs.iter() {
            let (list, value) = match *facts.expr(expr) {
                Expr::Store { place, value: Some(value), .. } => match *facts.expr(place) {
                    Expr::Index { base, .. } => (base, value),
                    _ => (place, value),
                },
                // `from sys import path; path += ["lib"]`
                Expr::Bind { value, .. } => match *facts.expr(value) {
                    Expr::Op { op: Op::Add, args } => match *facts.list(args) {
                        [list, added] => (list, added),
                        _ => continue,
                    },
                    _ => continue,
                },
                _ => continue,
            };
            if self.index.statics(func, list).iter().any(|ty| self.is_list(ty)) {
                found.extend(Paths::new(self.index, self.hierarchy).folders(func, value));
            }
        }
        found
    }

    fn is_list(&self, ty: &Type) -> bool {
        let Type::External(path) = *ty else { return false };
        let adds = format!("{}.extend", self.index.externals.text(path));
        self.catalog.loader(&adds).is_some_and(Loader::adds_folder)
    }
}

impl Program<'_> {
    /// The folders below the project root in which code lets imports be looked for, and none are otherwise.
    pub fn added_roots(&self) -> &[String] {
        &self.index.modules.crates.import_roots
    }
}
