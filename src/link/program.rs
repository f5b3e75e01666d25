//! The linked program: functions, classes and call edges of all files, by number. What analyses and rules read.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::branches::Branches;
use super::edge::{At, CallSite, Edge, Found, Load, Target};
use super::hierarchy::Hierarchy;
use super::ids::{Cls, Func, Module, PathId, Slot};
use super::index::Index;
use super::picks::Picks;
use super::starts::Starts;
use super::types::{Global, Type};
use super::unit::Unit;
use crate::ir::{self, Expr, ExprId, Facts, ImportId, Imported, Span};
use crate::limits::Run;
use crate::source::FileId;

#[derive(Debug)]
pub struct FunctionInfo {
    pub file: FileId,
    /// The class whose method this is.
    pub class: Option<Cls>,
    /// `atlas.planner.Planner.plan`, as the project spells it.
    pub path: Box<str>,
    pub is_property: bool,
}

/// A receiver that is known by nothing but its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReceiverName<'a> {
    pub name: &'a str,
    /// A parameter that the caller may fill with anything.
    pub is_open_parameter: bool,
}

/// All files joined.
pub struct Program<'a> {
    pub(super) index: Index<'a>,
    pub(super) hierarchy: Hierarchy,
    pub functions: Vec<FunctionInfo>,
    /// Sorted by caller, then place, then callee.
    pub edges: Vec<Edge>,
    edges_of: Starts,
    pub(super) dispatching: Vec<bool>,
    /// Functions that are given to somebody who keeps them, and where, if there is one such place.
    pub(super) given: FxHashMap<Func, Option<Func>>,
    pub calls: Vec<CallSite>,
    pub picks: Picks,
    /// None until somebody looked for them.
    pub branches: Branches,
    /// Functions registered as nodes of a planning graph.
    pub planning_nodes: Vec<Func>,
    /// Sorted by function.
    pub(super) decorators: Vec<(Func, ExprId, Target)>,
    /// Sorted, as are the owners.
    pub(super) kept: Vec<(At, Arc<[Func]>)>,
    pub(super) owners: Vec<(At, Type)>,
    pub(super) makers: Vec<(At, Func, ExprId)>,
    pub loads: Vec<Load>,
    pub(super) inside: Inside,
    pub(super) run: Run,
}

impl<'a> Program<'a> {
    pub fn units(&self) -> &'a [Unit<'a>] {
        self.index.units
    }

    pub(super) fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    pub fn function(&self, func: Func) -> &FunctionInfo {
        &self.functions[func.0 as usize]
    }

    pub fn facts(&self, file: FileId) -> &'a Facts {
        self.index.units[file.0 as usize].facts
    }

    pub fn ir(&self, func: Func) -> &'a ir::Function {
        let info = self.function(func);
        self.facts(info.file).function(func)
    }

    /// The name in the source: `plan_trip`.
    pub fn name(&self, func: Func) -> &'a str {
        self.facts(self.function(func).file).str(self.ir(func).name)
    }

    /// `Planner.plan_trip` for a method, the bare name otherwise.
    pub fn short_name(&self, func: Func) -> String {
        match self.function(func).class {
            Some(class) => format!("{}.{}", self.class_name(class), self.name(func)),
            None => self.name(func).to_owned(),
        }
    }

    pub fn class_name(&self, class: Cls) -> &'a str {
        let (file, class) = self.index.class_ir(class);
        self.index.units[file].facts.str(class.name)
    }

    pub fn path(&self, path: PathId) -> &str {
        self.index.externals.text(path)
    }

    pub fn span(&self, at: At) -> Span {
        self.facts(at.file).span(at.expr)
    }

    /// The module body of a file.
    pub fn module(&self, file: FileId) -> Func {
        self.index.module_body(file.0 as usize)
    }

    /// The library module that an import names: its dotted path and the name taken from it. `None` for the project's own.
    pub fn library_import(&self, file: FileId, id: ImportId) -> Option<(&'a str, Option<&'a str>)> {
        let facts = self.facts(file);
        let import = facts.import(id);
        let dotted = facts.str(import.path);
        // A file of a crate may hand on what is its own.
        let is_slot = || matches!(self.index.imported(file.0 as usize, id), Some(Global::Slot(_)));
        let is_own = self.index.import_module(id).is_some() || facts.profile().has_crates && is_slot();
        let name = match import.what {
            Imported::Name(name) => Some(facts.str(name)),
            _ => None,
        };
        (import.level == 0 && !is_own).then_some((dotted, name))
    }

    /// The library path that an expression names by definitions and imports alone, if it is one only.
    pub fn library_path(&self, func: Func, expr: ExprId) -> Option<&str> {
        match self.index.statics(func, expr)[..] {
            [Type::External(path)] => Some(self.index.externals.text(path)),
            _ => None,
        }
    }

    /// True if an absolute import in `file` finds a module of the project under this name.
    pub fn is_own_module(&self, file: FileId, dotted: &str) -> bool {
        matches!(self.index.modules.resolve(file.0 as usize, 0, dotted), Some(Module::File(_)))
    }

    /// The name of a receiver or a callee: the variable or attribute as written.
    pub fn receiver_name(&self, func: Func, receiver: ExprId) -> Option<ReceiverName<'a>> {
        let file = self.function(func).file;
        let facts = self.facts(file);
        let name = facts.str(facts.last_name(self.ir(func), receiver)?);
        let is_open_parameter = match *facts.expr(receiver) {
            Expr::Var(var) => self.is_open_parameter(self.index.var(func, var)),
            _ => false,
        };
        Some(ReceiverName { name, is_open_parameter })
    }

    /// A parameter of which nobody says what it is, and without another binding.
    fn is_open_parameter(&self, slot: Slot) -> bool {
        let Some(&(owner, position)) = self.index.param_of.get(&slot) else { return false };
        let facts = self.facts(self.function(owner).file);
        let param = facts.list(self.ir(owner).params)[position as usize];
        // Annotations belong to the function around.
        let around = self.ir(owner).parent;
        let is_any = |ty| matches!(self.library_path(around, ty), Some("builtins.object" | "typing.Any"));
        param.ty.is_none_or(is_any) && self.index.definitions(slot).next().is_none()
    }

    /// The function in which alone `func` is given to somebody who keeps it.
    pub fn given_in(&self, func: Func) -> Option<Func> {
        self.given.get(&func).copied().flatten()
    }

    /// The edges that leave `func`.
    pub fn edges_from(&self, func: Func) -> &[Edge] {
        &self.edges[self.edges_of.of(func.0)]
    }

    /// The name of the target as a reader knows it.
    pub fn target_name(&self, target: Target) -> String {
        match target {
            Target::Project(func) => self.short_name(func),
            Target::External(path) => self.path(path).to_string(),
        }
    }
}

/// Joins what the steps found; class and function numbers are those of the index.
pub(super) fn assemble<'a>(
    index: Index<'a>,
    hierarchy: Hierarchy,
    functions: Vec<FunctionInfo>,
    found: Found,
) -> Program<'a> {
    Program {
        edges_of: Starts::new(functions.len(), found.edges.iter().map(|edge| edge.from.0)),
        dispatching: Vec::new(),
        given: found.given,
        functions,
        hierarchy,
        edges: found.edges,
        calls: found.calls,
        picks: found.picks,
        branches: Branches::default(),
        planning_nodes: found.planning_nodes,
        decorators: found.decorators,
        kept: found.kept,
        owners: found.owners,
        makers: found.makers,
        loads: found.loads,
        inside: Inside::of(&index),
        run: Run::default(),
        index,
    }
}

/// What is defined in what.
pub(super) struct Inside {
    /// Sorted by the function around, then by number.
    pub(super) functions: Vec<Func>,
    pub(super) starts: Starts,
}

impl Inside {
    pub fn of(index: &Index<'_>) -> Self {
        let count = index.functions.len();
        let around = |func: Func| index.ir(func).parent;
        let all = (0..count as u32).map(Func);
        let mut functions: Vec<(Func, Func)> =
            all.map(|func| (around(func), func)).filter(|(around, func)| around != func).collect();
        functions.sort_unstable();
        let starts = Starts::new(count, functions.iter().map(|(around, _)| around.0));
        Self { functions: functions.into_iter().map(|(_, func)| func).collect(), starts }
    }
}
