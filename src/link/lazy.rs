//! Names that a package hands out by its `__getattr__` (PEP 562): what the function imports under that name, what one of
//! the modules it imports has under it, or what a table of the package says where it is.

use super::ids::Module;
use super::index::Index;
use super::statics::Reexports;
use super::types::{Global, Type};
use crate::ir::{EntryKey, Expr, ExprId, Func, ImportId, Imported, Lit, Sym};

impl Index<'_> {
    /// Part of the question `asked`.
    pub(super) fn lazy_attr(&self, file: usize, name: Sym, asked: &mut Reexports) -> Option<Global> {
        let getter = self.getter(file)?;
        let imports: Vec<ImportId> = self.imports_inside(file, getter).collect();
        let named = |&id: &ImportId| match self.units[file].facts.import(id).what {
            Imported::Name(imported) if imported == name => self.imported(file, id),
            _ => None,
        };
        let inside = |&id: &ImportId| match self.imported(file, id)? {
            Global::Is(Type::Module(module)) => self.reexported(module, name, asked),
            _ => None,
        };
        imports
            .iter()
            .find_map(named)
            .or_else(|| imports.iter().find_map(inside))
            .or_else(|| self.listed(file, name, asked))
    }

    fn getter(&self, file: usize) -> Option<Func> {
        let slot = self.export(self.module_body(file), self.names.get("__getattr__")?)?;
        let (_, value) = self.definitions(slot).next()?;
        match *self.units[file].facts.expr(value) {
            Expr::Closure(id) => Some(id),
            _ => None,
        }
    }

    fn imports_inside(&self, file: usize, function: Func) -> impl Iterator<Item = ImportId> + '_ {
        let imports = self.units[file].facts.numbered_imports();
        imports.filter(move |(_, import)| import.scope == function).map(|(id, _)| id)
    }

    /// `{"Client": "atlas.net"}`, `{"Client": (".net", "HttpClient")}` in the package's own body.
    fn listed(&self, file: usize, name: Sym, asked: &mut Reexports) -> Option<Global> {
        let facts = self.units[file].facts;
        let wanted = self.names.text(name);
        self.ir(self.module_body(file)).exprs.iter().find_map(|expr| {
            let Expr::Record(entries) = *facts.expr(expr) else { return None };
            facts.list(entries).iter().find_map(|entry| {
                let EntryKey::Expr(key) = entry.key else { return None };
                let is_wanted = self.text_at(file, key) == Some(wanted);
                is_wanted.then(|| self.at_address(file, entry.value, name, asked)).flatten()
            })
        })
    }

    fn at_address(&self, file: usize, address: ExprId, name: Sym, asked: &mut Reexports) -> Option<Global> {
        let facts = self.units[file].facts;
        let (module, attribute) = match *facts.expr(address) {
            Expr::Seq(parts) => match *facts.list(parts) {
                [module, attribute] => (module, self.text_at(file, attribute)),
                [module] => (module, None),
                _ => return None,
            },
            _ => (address, None),
        };
        let text = self.text_at(file, module)?;
        let (module, attribute) = match text.split_once(':') {
            Some((module, attribute)) => (module, Some(attribute)),
            None => (text, attribute),
        };
        let name = attribute.map_or(Some(name), |attribute| self.names.get(attribute))?;
        self.reexported(self.addressed(file, module)?, name, asked)
    }

    /// Relative to the package, or from the top.
    fn addressed(&self, file: usize, module: &str) -> Option<Module> {
        let level = module.bytes().take_while(|&byte| byte == b'.').count().min(8) as u8;
        let child = || self.modules.child(Module::File(file), module);
        match level {
            0 => self.modules.resolve(file, 0, module).or_else(child),
            _ => self.modules.resolve(file, level, module.trim_start_matches('.')),
        }
    }

    fn text_at(&self, file: usize, expr: ExprId) -> Option<&str> {
        let facts = self.units[file].facts;
        match *facts.expr(expr) {
            Expr::Lit(Lit::Str(text)) => Some(facts.str(text)),
            _ => None,
        }
    }
}
