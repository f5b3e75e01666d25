//! Modules that code makes of a file by its path: whatever they are called, the object that it gets is the module of that
//! file, also through specs and loaders. What wrappers are given as a path is what their callers hand to them.

use rustc_hash::FxHashSet;

use super::args::argument;
use super::asked::CallsByName;
use super::ids::{CallId, Func, Module, PathId};
use super::index::Index;
use super::loads::Paths;
use super::react::React;
use super::solve::Solver;
use super::types::{Global, Type, Value};
use crate::catalog::{Loader, Loads};
use crate::ir::{Expr, ExprId, ParamKind, Site, Sym};

impl<'a> Solver<'_, 'a> {
    /// A call of a library function that loads a file, or prepares that.
    pub(super) fn load(&mut self, id: CallId, path: PathId, loader: &Loader) {
        let call = self.call_of(id);
        match loader.of {
            Loads::File if loader.source => {
                let paths = Paths::new(self.index, self.hierarchy);
                let files = paths.loaded(call.func, path, call.args);
                for file in files.iter().filter_map(|path| paths.file_at(path)) {
                    self.insert(call.result, Type::Module(Module::File(file)));
                }
            }
            Loads::File | Loads::Spec => {
                let facts = self.index.units[self.index.file_of(call.func)].facts;
                let test = loader.argument.as_ref();
                let given =
                    test.and_then(|test| argument(facts, call.args, test.index, test.name.as_deref()));
                if let Some(from) = given.or(call.receiver) {
                    self.module_of(id, from);
                }
            }
            Loads::Module | Loads::Attribute | Loads::Code | Loads::Folder | Loads::Data | Loads::Names => {}
        }
    }

    /// The module that a spec, or a loader that hangs on one, was made for.
    fn module_of(&mut self, id: CallId, from: ExprId) {
        let call = self.call_of(id);
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        let mut from = from;
        loop {
            let value = self.value(call.func, from);
            self.on(value, React::Loaded(id));
            let Expr::Field { base, .. } = *facts.expr(from) else { return };
            from = base;
        }
    }

    /// `loader.exec_module(module)`: an empty module becomes that of the file.
    pub(super) fn loaded(&mut self, id: CallId, module: Type) {
        let Type::Module(Module::File(_)) = module else { return };
        let call = self.call_of(id);
        let facts = self.index.units[self.index.file_of(call.func)].facts;
        self.insert(call.result, module);
        for arg in call.args {
            if let Expr::Var(var) = *facts.expr(arg.value) {
                self.insert(self.index.var(call.func, var), module);
            }
        }
    }
}

impl Solver<'_, '_> {
    /// What a file binds that another one runs among its own names: `exec(open("x.txt").read())`.
    pub(super) fn run_here(&mut self, file: usize, name: Sym) -> Option<Global> {
        if !self.run_here.contains_key(&file) {
            let files = self.files_run_in(file);
            self.run_here.insert(file, files.into());
        }
        let index = self.index;
        self.run_here[&file].iter().find_map(|&run| index.module_attr(Module::File(run), name))
    }

    fn files_run_in(&mut self, file: usize) -> Vec<usize> {
        let index = self.index;
        let facts = index.units[file].facts;
        let runners = index.externals.catalog().loader_names(|loader| loader.of == Loads::Code);
        let mut files = Vec::new();
        let may_run = |site: &&Site| index.may_call(file, site.expr, &runners);
        for site in facts.calls().iter().filter(may_run).filter(|_| !index.has_crates(file)) {
            let Expr::Call { callee, args, .. } = *facts.expr(site.expr) else { continue };
            let (func, args) = (site.function, facts.list(args));
            let loader = index.statics(func, callee).into_iter().find_map(|ty| match ty {
                Type::External(path) => Some((path, index.externals.loader(path)?)),
                _ => None,
            });
            let Some((path, _)) = loader.filter(|(_, loader)| loader.of == Loads::Code) else { continue };
            let own = Type::Module(Module::File(file));
            let is_here = match args {
                [_] => site.function == facts.module(),
                [_, names, ..] => self.namespaces(func, names.value) == Some(Value::Is(own)),
                [] => false,
            };
            if is_here {
                let paths = Paths::new(index, self.hierarchy);
                files.extend(paths.loaded(func, path, args).iter().filter_map(|path| paths.file_at(path)));
            }
        }
        files
    }
}

impl Index<'_> {
    /// False for a call whose last name is none of these: cheap, because every call is asked.
    pub(super) fn may_call(&self, file: usize, call: ExprId, last_names: &FxHashSet<&str>) -> bool {
        let facts = self.units[file].facts;
        let Expr::Call { callee, .. } = *facts.expr(call) else { return false };
        facts.written_name(callee).is_none_or(|name| last_names.contains(facts.str(name)))
    }

    /// What the calls of a function by its name hand to one of its parameters, by definitions and imports alone.
    pub(super) fn handed(&self, (owner, position): (Func, u32)) -> Vec<(Func, ExprId)> {
        let file = self.file_of(owner);
        let facts = self.units[file].facts;
        let function = self.ir(owner);
        let Some(param) = facts.list(function.params).get(position as usize) else { return Vec::new() };
        let at = position.checked_sub(u32::from(self.is_receiver(owner, 0)));
        let calls = self.constants.calls.of(|| self.calls_by_name());
        let of_name = calls.get(&function.name).into_iter().flatten();
        let values = of_name.filter_map(|&(func, call)| {
            let caller = self.units[self.file_of(func)].facts;
            let Expr::Call { callee, args, .. } = *caller.expr(call) else { return None };
            let (args, at) = (caller.list(args), at? as usize);
            let given: Vec<ExprId> = match param.kind {
                ParamKind::Rest => args.iter().skip(at).map(|arg| arg.value).collect(),
                _ => argument(caller, args, Some(at), Some(facts.str(param.name))).into_iter().collect(),
            };
            let is_meant = !given.is_empty() && self.is_call_of(func, callee, owner);
            is_meant.then(|| given.into_iter().map(move |value| (func, value)))
        });
        values.flatten().collect()
    }

    fn calls_by_name(&self) -> CallsByName {
        let mut calls = CallsByName::default();
        for unit in self.units {
            for site in unit.facts.calls() {
                let Expr::Call { callee, .. } = *unit.facts.expr(site.expr) else { continue };
                let func = site.function;
                let function = unit.facts.function(site.function);
                let Some(name) = unit.facts.last_name(function, callee) else { continue };
                calls.entry(name).or_default().push((func, site.expr));
            }
        }
        calls
    }

    fn is_call_of(&self, func: Func, callee: ExprId, owner: Func) -> bool {
        if self.statics(func, callee).contains(&Type::Function(owner)) {
            return true;
        }
        let Expr::Field { base, .. } = *self.units[self.file_of(func)].facts.expr(callee) else {
            return false;
        };
        let Expr::Var(var) = *self.units[self.file_of(func)].facts.expr(base) else { return false };
        let own = self.param_of.get(&self.var(func, var)).filter(|&&(of, at)| self.is_receiver(of, at));
        let class = own.and_then(|&(of, _)| self.method_of[of.0 as usize]);
        class.is_some() && class == self.method_of[owner.0 as usize]
    }
}
