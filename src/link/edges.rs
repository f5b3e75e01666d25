//! The last pass over the fixpoint: every call becomes edges with a rung and a confidence, or is counted as unresolved.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::call::{CALL, ENTERS};
use super::edge::{At, CallSite, Edge, EdgeKind, Found, Load, Receiver, Rung, Target};
use super::ids::{Cls, ContainerId, Func, PathId, SetId};
use super::loads::Paths;
use super::methods::MethodNames;
use super::overloads::Overloads;
use super::ran::Ran;
use super::runs::Runs;
use super::solve::Solver;
use super::started::Started;
use super::types::Type;
use crate::finding::Confidence;
use crate::ir::{Arg, Expr, ExprId, Jump};
use crate::source::FileId;

pub(super) struct Pass<'s, 'i, 'a> {
    pub(super) solver: &'s mut Solver<'i, 'a>,
    pub(super) methods: MethodNames,
    pub(super) overloads: Overloads,
    pub(super) started: Started,
    pub(super) found: Found,
    pub(super) runs: Runs,
    pub(super) ran: Ran,
    pub(super) factories_of: FxHashMap<Cls, Arc<[Target]>>,
    /// The functions that a set of values keeps, this deep.
    pub(super) kept_by: FxHashMap<(SetId, u32), Arc<[Func]>>,
    /// Containers of which nobody says which one is meant.
    pub(super) pooled: FxHashSet<ContainerId>,
    /// Places that run one of several values, each with the value.
    pub(super) choices: Vec<(Func, At, ExprId)>,
    /// What runs of all that is put into tables and lists, once somebody asked.
    pub(super) put: Option<Rc<FxHashSet<Func>>>,
}

/// Edges of one call before they are recorded.
#[derive(Default)]
pub(super) struct Targets {
    pub(super) list: Vec<Target>,
    /// Library functions that somebody else handed over.
    pub(super) handed: Vec<Target>,
    pub(super) builtin: bool,
    pub(super) parameter: bool,
    /// A class without a constructor of its own: resolved, but nothing runs.
    pub(super) constructed: bool,
    pub(super) unbound: bool,
    /// So many things of libraries meet here that nobody tells them apart.
    pub(super) of_any_library: bool,
    /// Too many values of too many kinds meet here: it may call more than is known.
    pub(super) is_open: bool,
}

/// Why an edge is believed.
#[derive(Clone, Copy)]
pub(super) struct Why {
    pub(super) rung: Rung,
    pub(super) confidence: Confidence,
    pub(super) receiver: Receiver,
}

impl Why {
    pub(super) fn new(rung: Rung, confidence: Confidence) -> Self {
        Self { rung, confidence, receiver: Receiver::Unknown }
    }
}

impl<'a> Pass<'_, '_, 'a> {
    pub(super) fn function(&mut self, func: Func) {
        let index = self.solver.index;
        let file = index.file_of(func);
        let facts = index.units[file].facts;
        for expr in index.ir(func).exprs.iter() {
            self.keeps(func, expr);
            self.notes_owners(func, expr);
            match *facts.expr(expr) {
                Expr::Call { callee, args, .. } => self.call(func, expr, callee, facts.list(args)),
                Expr::Field { base, name } if self.solver.hierarchy.property_names.contains(&name) => {
                    self.property(func, expr, base, name);
                }
                Expr::With { context, .. } => {
                    self.special(func, context, &ENTERS);
                    self.held_by_value(func, context);
                }
                Expr::Loop(at) => {
                    if let Some((_, iterable)) = facts.arenas.loop_at(at).each {
                        self.special(func, iterable, &["__aiter__", "__anext__"]);
                        self.held_by_value(func, iterable);
                    }
                }
                Expr::Var(_) | Expr::Free(_) => self.first_use(func, expr),
                Expr::Import(id) => self.run_imported(func, expr, id),
                Expr::Jump { kind: Jump::Return, value: Some(value) } => self.hand_to_copier(func, value),
                Expr::Store { place, op: None, value: Some(value) } => {
                    self.hand_to_interpreter(func, place, value);
                }
                Expr::Class(id) => {
                    self.hand_options(func, id);
                    let body = index.class_body(id);
                    self.edge(func, expr, Target::Project(body), Why::new(Rung::Import, Confidence::High));
                }
                _ => {}
            }
        }
    }

    pub(super) fn at(&self, func: Func, expr: ExprId) -> At {
        At { file: FileId(self.solver.index.file_of(func) as u32), expr }
    }

    pub(super) fn edge(&mut self, from: Func, expr: ExprId, to: Target, why: Why) {
        let at = self.at(from, expr);
        let Why { rung, confidence, receiver } = why;
        self.found.edges.push(Edge { from, at, to, kind: EdgeKind::Call, rung, confidence, receiver });
    }

    /// What a decorator puts around a function is run with it.
    pub(super) fn run_around(&mut self, func: Func, decorator: ExprId, wrapper: Func) {
        self.edge(func, decorator, Target::Project(wrapper), Why::new(Rung::Hierarchy, Confidence::High));
    }

    /// Calls of library functions that arrived as arguments.
    fn handed_edges(&mut self, from: Func, expr: ExprId, targets: &Targets) {
        let at = self.at(from, expr);
        let confidence = if targets.handed.len() == 1 { Confidence::High } else { Confidence::Medium };
        for &to in &targets.handed {
            let (kind, rung, receiver) = (EdgeKind::CallHanded, Rung::Type, Receiver::Unknown);
            self.found.edges.push(Edge { from, at, to, kind, rung, confidence, receiver });
        }
    }

    /// Reading a property runs its getter.
    fn property(&mut self, func: Func, expr: ExprId, base: ExprId, name: crate::ir::Sym) {
        for ty in self.solver.eval(func, base) {
            let Type::Instance { class, exact } = ty else { continue };
            let hierarchy = self.solver.hierarchy;
            let own = hierarchy.property(class, name);
            let descendants: &[_] = if exact { &[] } else { &hierarchy.descendants[class.0 as usize] };
            let overriding =
                descendants.iter().filter_map(|&d| hierarchy.properties.get(&(d, name)).copied());
            let getters: Vec<Func> = own.into_iter().chain(overriding).collect();
            let confidence = if getters.len() == 1 { Confidence::High } else { Confidence::Medium };
            let class = exact.then_some(class);
            let receiver = self.receiver(func, Some(base), class, getters.len());
            for getter in getters {
                let why = Why { rung: Rung::Type, confidence, receiver };
                self.edge(func, expr, Target::Project(getter), why);
            }
        }
    }

    /// `with` and `for` run special methods of the project's own classes.
    fn special(&mut self, func: Func, value: ExprId, methods: &[&str]) {
        for ty in self.solver.eval(func, value) {
            if !matches!(ty, Type::Instance { .. }) {
                continue;
            }
            for method in methods {
                for target in self.solver.method(ty, method) {
                    self.edge(func, value, Target::Project(target), Why::new(Rung::Type, Confidence::High));
                }
            }
        }
    }

    fn call(&mut self, func: Func, expr: ExprId, callee: ExprId, args: &'a [Arg]) {
        let types = self.solver.callees(func, callee);
        if types.iter().any(|ty| matches!(ty, Type::Partial(_))) {
            self.notes_maker(func, expr, callee);
        }
        let mut targets = Targets::default();
        let parameter = self.called_parameter(func, callee);
        let parameter = parameter.filter(|(owner, _)| !self.solver.operations.unpacked.contains(owner));
        let is_parameter = parameter.is_some();
        for &ty in &types {
            self.target(ty, is_parameter, &mut targets);
        }
        if is_parameter {
            self.default_targets(func, callee, &mut targets);
            self.runs.calls(func, parameter);
        }
        self.add_overloads(&mut targets);
        targets.constructed |= targets.list.is_empty() && self.solver.is_made(func, callee);
        let rung = self.rung(func, callee, &types, &targets);
        let (rung, confidence) = if targets.list.is_empty()
            && targets.handed.is_empty()
            && !targets.constructed
            && !targets.builtin
            && !targets.of_any_library
        {
            self.by_method_name(func, callee, args, &mut targets)
        } else {
            (rung, confidence(rung, targets.list.len()))
        };
        let confidence = if targets.is_open { Confidence::Low } else { confidence };
        if targets.is_open {
            // What of a library is in a crowd is there because everything is.
            let externals = &self.solver.index.externals;
            targets.list.retain(|target| match *target {
                Target::Project(_) => true,
                Target::External(path) => {
                    externals.catalog().asks_for(externals.text(path)) || externals.is_method(path)
                }
            });
        }
        targets.list.sort_unstable();
        targets.list.dedup();
        let class = match types[..] {
            [Type::Class { class, exact: true }] => Some(class),
            _ => None,
        };
        let base = match *self.solver.index.units[self.solver.index.file_of(func)].facts.expr(callee) {
            Expr::Field { base, .. } => Some(base),
            _ => None,
        };
        let receiver = self.receiver(func, base, class, targets.list.len());
        let is_named = matches!(rung, Rung::Import | Rung::Dynamic);
        let is_pooled = !is_named && self.is_one_of_many(func, callee, targets.list.len());
        self.note_choice(func, expr, callee, targets.list.len());
        for &target in &targets.list {
            let receiver = match target {
                // A nested function shares the object of the method around it.
                Target::Project(to) if base.is_none() && self.solver.is_inside(to, func) => Receiver::Same,
                Target::Project(to) if self.is_member(func, expr, to) => self.at_least(receiver, to),
                _ => Receiver::Unknown,
            };
            let is_any = is_pooled && receiver.is_any();
            let confidence = if is_any { Confidence::Low } else { confidence };
            self.edge(func, expr, target, Why { rung, confidence, receiver });
        }
        self.loaded_files(func, expr, args, &targets);
        self.run_factories(func, callee, &types);
        self.handed_edges(func, expr, &targets);
        self.hand_over(func, (expr, callee), args, &types, &targets);
        self.hand_made(func, expr, callee, &types);
        let is_unseen = !self.held(func, expr, callee, args, &types) || is_pooled;
        self.planning_node(func, args, &targets);
        let resolution = self.resolution(func, callee, &targets, rung);
        let lacking = base.filter(|_| targets.list.is_empty()).and_then(|_| self.lacking(func, callee));
        let (at, is_open) = (self.at(func, expr), targets.is_open || is_pooled);
        self.found.calls.push(CallSite { at, from: func, resolution, lacking, is_open, is_unseen });
    }

    /// What runs a file runs the body of a module.
    fn loaded_files(&mut self, func: Func, expr: ExprId, args: &'a [Arg], targets: &Targets) {
        let (index, hierarchy) = (self.solver.index, self.solver.hierarchy);
        let paths = Paths::new(index, hierarchy);
        for target in &targets.list {
            let Target::External(loader) = *target else { continue };
            let at = self.at(func, expr);
            for path in paths.loaded(func, loader, args).into_iter().filter(|_| !paths.adds_folder(loader)) {
                if let Some(file) = paths.file_at(&path) {
                    let body = Target::Project(index.module_body(file));
                    self.edge(func, expr, body, Why::new(Rung::Dynamic, Confidence::High));
                }
                self.found.loads.push(Load { from: func, at, path: Some(path) });
            }
            self.run_named(func, expr, loader, args);
            for to in self.named_in_texts(func, loader, args) {
                self.edge(func, expr, to, Why::new(Rung::Dynamic, Confidence::Medium));
            }
            if paths.is_open(func, loader, args) {
                self.found.loads.push(Load { from: func, at, path: None });
            }
        }
    }

    pub(super) fn target(&mut self, ty: Type, is_parameter: bool, out: &mut Targets) {
        match ty {
            Type::Function(_)
            | Type::Bound(_)
            | Type::Partial(_)
            | Type::External(_)
            | Type::Handed(_)
            | Type::Object(_)
                if is_parameter =>
            {
                out.parameter = true;
            }
            Type::Function(func) | Type::Bound(func) | Type::Partial(func) => {
                out.list.push(Target::Project(func))
            }
            Type::Class { class, .. } => self.constructor(class, out),
            Type::Instance { .. } => {
                out.list.extend(self.solver.method(ty, CALL).into_iter().map(Target::Project));
            }
            Type::External(path) => match self.is_builtin(path) {
                true => {
                    out.builtin = true;
                    out.list.extend(self.is_worth_an_edge(path).then_some(Target::External(path)));
                }
                false => out.list.push(Target::External(path)),
            },
            Type::Object(path) => {
                let method = self.solver.index.externals.called(path);
                out.list.push(Target::External(method));
            }
            Type::Anything => out.is_open = true,
            Type::Handed(path) if self.is_worth_an_edge(path) => out.handed.push(Target::External(path)),
            Type::Unbound(path) if self.solver.index.externals.is_anything(path) => out.of_any_library = true,
            Type::Unbound(path) => {
                out.unbound = true;
                out.list.push(Target::External(path));
            }
            _ => {}
        }
    }

    /// Of what the language itself has only what the catalogue or a rule speaks of: `open`.
    pub(super) fn is_worth_an_edge(&self, path: PathId) -> bool {
        let externals = &self.solver.index.externals;
        !self.is_builtin(path) || externals.catalog().asks_for(externals.text(path))
    }

    pub(super) fn is_builtin(&self, path: PathId) -> bool {
        self.solver.index.externals.is_of_language(path)
    }
}

impl Pass<'_, '_, '_> {
    pub(super) fn add_overloads(&self, targets: &mut Targets) {
        let taken_in = |target: &Target| match target {
            Target::Project(func) => self.overloads.get(func).cloned().unwrap_or_default(),
            Target::External(_) => Vec::new(),
        };
        let more: Vec<Func> = targets.list.iter().flat_map(taken_in).collect();
        targets.list.extend(more.into_iter().map(Target::Project));
    }
}

/// One target is what the name says; of several, any may be meant.
fn confidence(rung: Rung, targets: usize) -> Confidence {
    match (rung, targets) {
        (Rung::Import | Rung::Dynamic, _) => Confidence::High,
        (Rung::Unbound, _) => Confidence::Medium,
        (_, 0 | 1) => Confidence::High,
        _ => Confidence::Medium,
    }
}
