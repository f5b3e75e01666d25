//! Flat numbering of everything link talks about, and what is read off the facts once: which value each variable is
//! defined with, which class a method belongs to, what a class or module exports.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::asked::Asked;
use super::externals::Externals;
use super::ids::{Module, Slot};
use super::memo::SharedMemo;
use super::modules::Modules;
use super::names::Names;
use super::starts::Starts;
use super::tables::{Impls, Imports, Table};
use super::types::Global;
use super::unit::Unit;
use crate::ir::{Cls, Expr, ExprId, FnKind, Func, Function, ImportId, Jump, Pat, PatId, Sym, VarId};
use crate::parallel;

/// What a loop variable runs through; of a loop over tuples, the position in them.
#[derive(Clone, Copy, Debug)]
pub struct Iterated {
    pub func: Func,
    pub iterable: ExprId,
    pub position: Option<u32>,
}

pub struct Index<'a> {
    pub units: &'a [Unit<'a>],
    pub names: Names<'a>,
    pub modules: Modules<'a>,
    pub externals: Externals<'a>,
    /// The file of each function.
    pub functions: Vec<u32>,
    /// The file of each class.
    pub classes: Vec<u32>,
    /// First variable slot of each function.
    var_base: Vec<u32>,
    /// The slot of each variable; a captured variable shares the slot of the one it captures.
    var_slots: Vec<Slot>,
    pub variable_count: u32,
    /// The class of each method, by `Func`.
    pub method_of: Vec<Option<Cls>>,
    /// Exports by function (module or class body) and name.
    pub(super) exports: FxHashMap<(Func, Sym), Slot>,
    /// Values that are bound to a variable as a whole, sorted by slot.
    pub(super) definitions: Vec<(Slot, Func, ExprId)>,
    pub(super) definitions_of: Starts,
    /// What a loop variable runs through.
    iterated: FxHashMap<Slot, Iterated>,
    /// Star imports of each file.
    pub stars: FxHashMap<u32, Vec<ImportId>>,
    /// Those of Rust by the module, inline module or function around, and these of a file but for the module itself.
    pub(super) globs: FxHashMap<Func, Vec<ImportId>>,
    pub(super) glob_scopes: FxHashMap<u32, Vec<Func>>,
    /// What modules with many globs bring.
    pub(super) glob_tables: SharedMemo<Func, Arc<Table>>,
    /// What every import brings is known.
    pub(super) are_imports_known: bool,
    pub(super) impls: Impls,
    /// Values that methods store in attributes of their own object (`self.path = …`).
    pub(super) stored: FxHashMap<(Cls, Sym), Vec<(Func, ExprId)>>,
    /// The parameter that a slot belongs to.
    pub param_of: FxHashMap<Slot, (Func, u32)>,
    /// Answers of `module_attr` and `global`, which are asked for the same names again and again.
    pub(super) module_attrs: SharedMemo<(Module, Sym), Option<Global>>,
    pub(super) globals: SharedMemo<(u32, Sym), Global>,
    /// The same for the first names of paths.
    pub(super) heads: SharedMemo<(u32, Sym), Global>,
    pub(super) imports: Imports,
    pub(super) constants: Asked,
    /// The module that each import names on disk.
    pub(super) import_modules: Vec<Option<Module>>,
}

/// What each import of a file names in the project.
fn imports(units: &[Unit<'_>], modules: &Modules<'_>, file: usize) -> Vec<Option<Module>> {
    let facts = units[file].facts;
    facts.imports().iter().map(|import| modules.resolve(file, import.level, facts.str(import.path))).collect()
}

impl<'a> Index<'a> {
    pub fn new(
        units: &'a [Unit<'a>],
        (names, modules): (Names<'a>, Modules<'a>),
        externals: Externals<'a>,
    ) -> Self {
        let import_modules = parallel::flat_map(0..units.len(), |file| imports(units, &modules, file));
        let mut index = Index {
            units,
            names,
            modules,
            externals,
            functions: Vec::new(),
            classes: Vec::new(),
            var_base: Vec::new(),
            var_slots: Vec::new(),
            variable_count: 0,
            method_of: Vec::new(),
            exports: FxHashMap::default(),
            definitions: Vec::new(),
            definitions_of: Starts::default(),
            iterated: FxHashMap::default(),
            stars: FxHashMap::default(),
            globs: FxHashMap::default(),
            glob_scopes: FxHashMap::default(),
            glob_tables: SharedMemo::default(),
            are_imports_known: false,
            impls: Impls::default(),
            stored: FxHashMap::default(),
            param_of: FxHashMap::default(),
            module_attrs: SharedMemo::default(),
            globals: SharedMemo::default(),
            heads: SharedMemo::default(),
            imports: Imports::new(units),
            constants: Default::default(),
            import_modules,
        };
        for file in 0..units.len() {
            index.add_file(file);
        }
        index.sort_definitions();
        index.fill_imports();
        index.are_imports_known = true;
        index.fill_import_modules();
        index.join_impls();
        index
    }

    fn add_file(&mut self, file: usize) {
        let facts = self.units[file].facts;
        self.functions.extend(facts.functions().iter().map(|_| file as u32));
        self.classes.extend(facts.classes().iter().map(|_| file as u32));
        for function in facts.functions() {
            self.add_variables(file, function);
        }
        for (func, function) in facts.function_ids().zip(facts.functions()) {
            self.add_function(file, func, function);
        }
        for (id, import) in facts.numbered_imports() {
            if import.what == crate::ir::Imported::Star {
                self.add_star(file, import.scope, id);
            }
        }
    }

    fn add_star(&mut self, file: usize, scope: Func, id: ImportId) {
        if self.has_crates(file) {
            self.globs.entry(scope).or_default().push(id);
            let module = self.module_body(file);
            let scopes = self.glob_scopes.entry(file as u32).or_default();
            if scope != module && !scopes.contains(&scope) {
                scopes.push(scope);
            }
        } else if scope == self.module_body(file) {
            self.stars.entry(file as u32).or_default().push(id);
        }
    }

    /// Parents come before the functions defined in them, so a captured variable already has its slot.
    fn add_variables(&mut self, file: usize, function: &Function) {
        let base = self.var_slots.len() as u32;
        self.var_base.push(base);
        let facts = self.units[file].facts;
        let parent = function.parent;
        let count = function.vars.len();
        for _ in 0..count {
            self.var_slots.push(Slot(self.variable_count));
            self.variable_count += 1;
        }
        for capture in facts.list(function.captures) {
            let outer = self.var_slots[(self.var_base[parent.0 as usize] + capture.outer.0) as usize];
            self.var_slots[(base + capture.inner.0) as usize] = outer;
        }
    }

    fn add_function(&mut self, file: usize, func: Func, function: &Function) {
        let facts = self.units[file].facts;
        let parent = facts.function(function.parent);
        self.method_of.push(self.class_around(file, function.kind, parent.kind));
        for export in facts.list(function.exports) {
            let key = (func, export.name);
            let slot = self.var(func, export.var);
            self.exports.insert(key, slot);
        }
        for (position, param) in facts.list(function.params).iter().enumerate() {
            if let Pat::Var(var) = *facts.pat(param.pat) {
                self.param_of.insert(self.var(func, var), (func, position as u32));
            }
        }
        for id in function.exprs.iter() {
            match *facts.expr(id) {
                Expr::Bind { pat, value } => self.add_definition(file, func, pat, value),
                Expr::Store { place, op: None, value: Some(value) } => {
                    self.add_stored(file, func, place, value);
                }
                // `if let Some(home) = home_dir()`
                Expr::Match { subject, arms } if facts.profile().match_is_exhaustive => {
                    for arm in facts.list(arms) {
                        self.add_taken(file, func, arm.pat, subject);
                    }
                }
                Expr::Loop(at) => {
                    if let Some((pat, iterable)) = facts.arenas.loop_at(at).each {
                        self.add_iterated(file, func, pat, iterable);
                    }
                }
                _ => {}
            }
        }
    }

    /// What a pattern takes out of what only wraps it.
    fn add_taken(&mut self, file: usize, func: Func, pat: PatId, value: ExprId) {
        let facts = self.units[file].facts;
        let Pat::Ctor { path, items, .. } = *facts.pat(pat) else { return };
        let is_good =
            matches!(*facts.expr(path), Expr::Free(name) if matches!(facts.str(name), "Ok" | "Some"));
        if let ([only], true) = (facts.list(items), is_good) {
            self.add_definition(file, func, *only, value);
        }
    }

    /// `a, b = x, y` defines pairwise.
    fn add_definition(&mut self, file: usize, func: Func, pat: PatId, value: ExprId) {
        let facts = self.units[file].facts;
        match (*facts.pat(pat), *facts.expr(value)) {
            (Pat::Var(var), _) => self.definitions.push((self.var(func, var), func, value)),
            (Pat::Seq { items, rest: None }, Expr::Seq(values)) if items.len() == values.len() => {
                let pairs = facts.list(items).iter().zip(facts.list(values));
                pairs.for_each(|(&pat, &value)| self.add_definition(file, func, pat, value));
            }
            _ => {}
        }
    }

    fn add_iterated(&mut self, file: usize, func: Func, pat: PatId, iterable: ExprId) {
        let facts = self.units[file].facts;
        let mut add = |pat: PatId, position| {
            if let Pat::Var(var) = *facts.pat(pat) {
                self.iterated.insert(self.var(func, var), Iterated { func, iterable, position });
            }
        };
        match *facts.pat(pat) {
            Pat::Seq { items, rest: None } => {
                let items = facts.list(items).iter().enumerate();
                items.for_each(|(at, &item)| add(item, Some(at as u32)));
            }
            _ => add(pat, None),
        }
    }

    fn add_stored(&mut self, file: usize, func: Func, place: ExprId, value: ExprId) {
        let facts = self.units[file].facts;
        let Expr::Field { base, name } = *facts.expr(place) else { return };
        let Expr::Var(var) = *facts.expr(base) else { return };
        if let Some(&(owner, position)) = self.param_of.get(&self.var(func, var))
            && self.is_receiver(owner, position)
            && let Some(class) = self.method_of[owner.0 as usize]
        {
            self.stored.entry((class, name)).or_default().push((func, value));
        }
    }

    /// What methods of the class itself store in an attribute of their own object.
    pub fn stored(&self, class: Cls, name: Sym) -> impl Iterator<Item = (Func, ExprId)> + '_ {
        self.stored.get(&(class, name)).into_iter().flatten().copied()
    }

    /// What a loop variable runs through.
    pub fn iterated(&self, slot: Slot) -> Option<Iterated> {
        self.iterated.get(&slot).copied()
    }

    /// The project's own module that an import names.
    pub fn import_module(&self, id: ImportId) -> Option<Module> {
        self.import_modules[id.0 as usize]
    }

    pub fn var(&self, func: Func, var: VarId) -> Slot {
        self.var_slots[(self.var_base[func.0 as usize] + var.0) as usize]
    }

    pub(super) fn set_var(&mut self, func: Func, var: VarId, slot: Slot) {
        self.var_slots[(self.var_base[func.0 as usize] + var.0) as usize] = slot;
    }

    /// The variable behind a slot, and the function that binds it.
    pub fn owner(&self, slot: Slot) -> Option<(Func, VarId)> {
        let func = self.var_base.partition_point(|&base| base <= slot.0).checked_sub(1)?;
        (slot.0 < self.variable_count).then(|| (Func(func as u32), VarId(slot.0 - self.var_base[func])))
    }

    pub fn is_test_code(&self, func: Func) -> bool {
        self.units[self.file_of(func)].is_test || self.ir(func).is_test
    }

    pub fn file_of(&self, func: Func) -> usize {
        self.functions[func.0 as usize] as usize
    }

    pub fn ir(&self, func: Func) -> &'a Function {
        self.units[self.file_of(func)].facts.function(func)
    }

    pub fn class_ir(&self, class: Cls) -> (usize, &'a crate::ir::Class) {
        let file = self.classes[class.0 as usize] as usize;
        (file, self.units[file].facts.class(class))
    }

    pub fn class_body(&self, class: Cls) -> Func {
        self.class_ir(class).1.body
    }

    pub fn module_body(&self, file: usize) -> Func {
        self.units[file].facts.module()
    }

    /// The variable that `name` is bound to when the body of `func` (a module or a class) has run.
    pub fn export(&self, func: Func, name: Sym) -> Option<Slot> {
        self.exports.get(&(func, name)).copied()
    }

    /// The values a variable is bound to as a whole, each with the function in which it is bound.
    pub fn definitions(&self, slot: Slot) -> impl Iterator<Item = (Func, ExprId)> + '_ {
        self.definitions[self.definitions_of.of(slot.0)].iter().map(|&(_, func, expr)| (func, expr))
    }

    /// The only value a variable is bound to, or the only thing it runs through.
    pub fn sole_definition(&self, slot: Slot) -> Option<(Func, ExprId)> {
        let mut definitions = self.definitions(slot);
        match (definitions.next(), definitions.next(), self.iterated.get(&slot)) {
            (Some(only), None, None) => Some(only),
            (None, None, Some(&Iterated { func, iterable, position: None })) => Some((func, iterable)),
            _ => None,
        }
    }

    /// The values that a function hands back.
    pub fn returns(&self, func: Func) -> impl Iterator<Item = ExprId> + 'a {
        let facts = self.units[self.file_of(func)].facts;
        self.ir(func).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
            Expr::Jump { kind: Jump::Return, value: Some(value) } => Some(value),
            _ => None,
        })
    }

    /// The class around a function: its own, or that of the method it is nested in.
    pub fn enclosing_class(&self, func: Func) -> Option<Cls> {
        let mut func = func;
        loop {
            if let Some(class) = self.method_of[func.0 as usize] {
                return Some(class);
            }
            let function = self.ir(func);
            if matches!(function.kind, FnKind::Module) {
                return None;
            }
            func = function.parent;
        }
    }
}
