//! The last rung: a method name that few project classes define. Never a name of the language's own types, only with
//! fitting arguments, and only where the class can have come from: along the imports of the file.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ids::{Cls, Func, Module};
use super::index::Index;
use super::solve::Solver;
use super::types::Type;
use crate::ir::{Arg, ArgKind, ParamKind, Sym};

/// More classes than this define the name: it says nothing (ARCHITECTURE "Linking").
const MAX_CLASSES: usize = 3;

pub struct MethodNames {
    classes: FxHashMap<Sym, Vec<Cls>>,
    imports: Vec<Vec<usize>>,
    reachable: FxHashMap<usize, FxHashSet<usize>>,
}

impl MethodNames {
    pub fn new(index: &Index<'_>) -> Self {
        let mut classes: FxHashMap<Sym, Vec<Cls>> = FxHashMap::default();
        for (func, class) in index.method_of.iter().enumerate() {
            let Some(class) = *class else { continue };
            let func = Func(func as u32);
            if index.is_test_code(func) {
                continue;
            }
            let of_name = classes.entry(index.ir(func).name).or_default();
            if of_name.last() != Some(&class) {
                of_name.push(class);
            }
        }
        let imports = (0..index.units.len()).map(|file| imports(index, file)).collect();
        Self { classes, imports, reachable: FxHashMap::default() }
    }

    pub fn candidates(
        &mut self,
        solver: &mut Solver<'_, '_>,
        file: usize,
        name: Sym,
        args: &[Arg],
    ) -> Vec<Func> {
        let index = solver.index;
        let text = index.names.text(name);
        if text.starts_with("__") || index.is_known_method(file, text) {
            return Vec::new();
        }
        let Some(classes) = self.classes.get(&name).filter(|classes| classes.len() <= MAX_CLASSES) else {
            return Vec::new();
        };
        let classes = classes.clone();
        let reachable = self.reachable(file);
        let near = classes.into_iter().filter(|&class| reachable.contains(&index.class_ir(class).0));
        let mut found = Vec::new();
        for class in near {
            let members = solver.attr_of(Type::Instance { class, exact: true }, name);
            found.extend(members.into_iter().filter_map(|ty| match ty {
                Type::Bound(func) if fits(index, func, args) => Some(func),
                _ => None,
            }));
        }
        found
    }

    /// The files that `file` imports, directly or not, and itself.
    fn reachable(&mut self, file: usize) -> &FxHashSet<usize> {
        let imports = &self.imports;
        self.reachable.entry(file).or_insert_with(|| {
            let mut seen = FxHashSet::from_iter([file]);
            let mut work = vec![file];
            while let Some(next) = work.pop() {
                work.extend(imports[next].iter().copied().filter(|&import| seen.insert(import)));
            }
            seen
        })
    }
}

fn imports(index: &Index<'_>, file: usize) -> Vec<usize> {
    let facts = index.units[file].facts;
    let mut files = Vec::new();
    for (id, import) in facts.numbered_imports() {
        let module = index.import_module(id);
        if let Some(Module::File(target)) = module {
            files.push(target);
        }
        if let (Some(module), crate::ir::Imported::Name(name)) = (module, import.what)
            && let Some(Module::File(target)) = index.modules.child(module, facts.str(name))
        {
            files.push(target);
        }
    }
    files.sort_unstable();
    files.dedup();
    files
}

/// The call gives no more and no fewer arguments than the method takes.
fn fits(index: &Index<'_>, method: Func, args: &[Arg]) -> bool {
    let facts = index.units[index.file_of(method)].facts;
    let params = facts.list(index.ir(method).params).get(1..).unwrap_or_default();
    if args.iter().any(|arg| matches!(arg.kind, ArgKind::Spread | ArgKind::SpreadNamed)) {
        return true;
    }
    let has = |kind| params.iter().any(|param| param.kind == kind);
    let positional = args.iter().filter(|arg| arg.kind == ArgKind::Positional).count();
    let by_position = |kind| matches!(kind, ParamKind::Normal | ParamKind::PositionalOnly);
    let room = params.iter().filter(|param| by_position(param.kind)).count();
    let collected = |kind| matches!(kind, ParamKind::Rest | ParamKind::KeywordRest);
    let required = params.iter().filter(|p| p.default.is_none() && !collected(p.kind)).count();
    let enough = args.len() >= required;
    enough
        && (positional <= room || has(ParamKind::Rest))
        && (args.len() <= params.len() || has(ParamKind::Rest) || has(ParamKind::KeywordRest))
}
