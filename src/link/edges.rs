//! The last pass over the fixpoint: every call becomes edges with a rung and a confidence, or is counted as unresolved.

use super::args::{Passed, argument, pair};
use super::externals::PathId;
use super::methods::MethodNames;
use super::program::{At, CallSite, Cls, Edge, EdgeKind, Func, Receiver, Resolution, Rung, Target};
use super::runs::{Handed, Runs, Taker};
use super::solve::Solver;
use super::types::{Slot, Type};
use crate::catalog::CallbackResult;
use crate::finding::Confidence;
use crate::ir::{Arg, Expr, ExprId, Lit};
use crate::source::FileId;

/// What the pass finds.
#[derive(Default)]
pub struct Found {
    pub edges: Vec<Edge>,
    pub calls: Vec<CallSite>,
    pub planning_nodes: Vec<Func>,
}

pub fn collect(solver: &mut Solver<'_, '_>) -> Found {
    let mut pass = Pass {
        methods: MethodNames::new(solver.index),
        solver,
        found: Found::default(),
        runs: Runs::default(),
    };
    for func in (0..pass.solver.index.functions.len() as u32).map(Func) {
        pass.function(func);
    }
    let Pass { mut found, runs, .. } = pass;
    found.edges.extend(runs.edges());
    found.edges.sort_unstable();
    found.edges.dedup_by(|later, first| {
        (later.from, later.at, later.to, later.kind) == (first.from, first.at, first.to, first.kind)
    });
    found.planning_nodes.sort_unstable();
    found.planning_nodes.dedup();
    found
}

struct Pass<'s, 'i, 'a> {
    solver: &'s mut Solver<'i, 'a>,
    methods: MethodNames,
    found: Found,
    runs: Runs,
}

/// Edges of one call before they are recorded.
#[derive(Default)]
struct Targets {
    list: Vec<Target>,
    builtin: bool,
    parameter: bool,
    /// A class without a constructor of its own: resolved, but nothing runs.
    constructed: bool,
    unbound: bool,
}

/// Why an edge is believed.
#[derive(Clone, Copy)]
struct Why {
    rung: Rung,
    confidence: Confidence,
    receiver: Receiver,
}

impl Why {
    fn new(rung: Rung, confidence: Confidence) -> Self {
        Self { rung, confidence, receiver: Receiver::Unknown }
    }
}

impl<'a> Pass<'_, '_, 'a> {
    fn function(&mut self, func: Func) {
        let index = self.solver.index;
        let file = index.file_of(func);
        let facts = index.units[file].facts;
        for expr in index.ir(func).exprs.iter() {
            match *facts.expr(expr) {
                Expr::Call { callee, args, .. } => self.call(func, expr, callee, facts.list(args)),
                Expr::Field { base, name } => {
                    let name = index.name(file, name);
                    if self.solver.hierarchy.property_names.contains(&name) {
                        self.property(func, expr, base, name);
                    }
                }
                Expr::With { context, .. } => {
                    self.special(func, context, &["__enter__", "__aenter__", "__exit__", "__aexit__"]);
                }
                Expr::Loop(at) => {
                    if let Some((_, iterable)) = facts.arenas.loop_at(at).each {
                        self.special(func, iterable, &["__iter__", "__next__", "__aiter__", "__anext__"]);
                    }
                }
                Expr::Class(id) => {
                    let body = index.class_body(index.class(file, id));
                    self.edge(func, expr, Target::Project(body), Why::new(Rung::Import, Confidence::High));
                }
                _ => {}
            }
        }
    }

    fn at(&self, func: Func, expr: ExprId) -> At {
        At { file: FileId(self.solver.index.file_of(func) as u32), expr }
    }

    fn edge(&mut self, from: Func, expr: ExprId, to: Target, why: Why) {
        let at = self.at(from, expr);
        let Why { rung, confidence, receiver } = why;
        self.found.edges.push(Edge { from, at, to, kind: EdgeKind::Call, rung, confidence, receiver });
    }

    /// What is known of the object whose method is called.
    fn receiver(&mut self, func: Func, base: Option<ExprId>, class: Option<Cls>, targets: usize) -> Receiver {
        if let Some(class) = class {
            return Receiver::Exact(class);
        }
        let Some(base) = base else { return Receiver::Unknown };
        if self.is_own_object(func, base) {
            return if targets > 1 { Receiver::SameDispatched } else { Receiver::Same };
        }
        match self.solver.eval(func, base)[..] {
            [Type::Instance { class, exact: true } | Type::Class { class, exact: true }] => {
                Receiver::Exact(class)
            }
            [Type::Super(_)] => Receiver::Same,
            _ => Receiver::Unknown,
        }
    }

    /// The callee is a method called by its own name, or a constructor; not a function that an attribute holds.
    fn is_member(&self, func: Func, expr: ExprId, callee: Func) -> bool {
        let index = self.solver.index;
        if index.method_of[callee.0 as usize].is_none() {
            return false;
        }
        let facts = index.units[index.file_of(func)].facts;
        let Expr::Call { callee: named, .. } = *facts.expr(expr) else { return false };
        let name = index.name(index.file_of(callee), index.ir(callee).name);
        match *facts.expr(named) {
            Expr::Field { name: called, .. } => {
                index.name(index.file_of(func), called) == name || index.names.text(name).starts_with("__")
            }
            _ => index.names.text(name).starts_with("__"),
        }
    }

    /// `self` or `cls` of the method around.
    fn is_own_object(&self, func: Func, base: ExprId) -> bool {
        let index = self.solver.index;
        matches!(self.parameter(func, base), Some((owner, 0)) if index.method_of[owner.0 as usize].is_some()
            && self.solver.hierarchy.kind(owner) != super::hierarchy::MethodKind::Static)
    }

    /// Reading a property runs its getter.
    fn property(&mut self, func: Func, expr: ExprId, base: ExprId, name: super::names::Name) {
        for ty in self.solver.eval(func, base) {
            let Type::Instance { class, exact } = ty else { continue };
            let hierarchy = self.solver.hierarchy;
            let own = hierarchy.property(class, name);
            let descendants: &[_] = if exact { &[] } else { &hierarchy.descendants[class.0 as usize] };
            let overriding =
                descendants.iter().filter_map(|&d| hierarchy.properties.get(&(d, name)).copied());
            let getters: Vec<Func> =
                own.into_iter().chain(overriding).take(super::types::MAX_TARGETS).collect();
            let confidence = if getters.len() == 1 { Confidence::High } else { Confidence::Medium };
            let class = exact.then_some(class);
            let receiver = self.receiver(func, Some(base), class, getters.len());
            for getter in getters {
                self.edge(
                    func,
                    expr,
                    Target::Project(getter),
                    Why { rung: Rung::Type, confidence, receiver },
                );
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
        let types = self.solver.eval(func, callee);
        let mut targets = Targets::default();
        let is_parameter = self.is_parameter(func, callee);
        for &ty in &types {
            self.target(ty, is_parameter, &mut targets);
        }
        if is_parameter {
            self.default_targets(func, callee, &mut targets);
            self.runs.calls(self.parameter(func, callee));
        }
        let rung = self.rung(func, callee, &types, &targets);
        let (rung, confidence) = if targets.list.is_empty() && !targets.constructed && !targets.builtin {
            self.by_method_name(func, callee, args, &mut targets)
        } else {
            (rung, confidence(rung, targets.list.len()))
        };
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
        for &target in &targets.list {
            let receiver = match target {
                // A nested function shares the object of the method around it.
                Target::Project(to) if base.is_none() && self.solver.is_inside(to, func) => Receiver::Same,
                Target::Project(to) if self.is_member(func, expr, to) => receiver,
                _ => Receiver::Unknown,
            };
            self.edge(func, expr, target, Why { rung, confidence, receiver });
        }
        self.hand_over(func, callee, args, &types, &targets);
        self.planning_node(func, args, &targets);
        let resolution = self.resolution(func, callee, &targets, rung);
        self.found.calls.push(CallSite { at: self.at(func, expr), from: func, resolution });
    }

    fn target(&mut self, ty: Type, is_parameter: bool, out: &mut Targets) {
        match ty {
            Type::Function(_) | Type::Bound(_) | Type::Partial(_) | Type::External(_) if is_parameter => {
                out.parameter = true;
            }
            Type::Function(func) | Type::Bound(func) | Type::Partial(func) => {
                out.list.push(Target::Project(func))
            }
            Type::Class { class, .. } => self.constructor(class, out),
            Type::Instance { .. } => {
                out.list.extend(self.solver.method(ty, "__call__").into_iter().map(Target::Project));
            }
            Type::External(path) => match self.is_builtin(path) {
                true => {
                    out.builtin = true;
                    // Only what the catalogue speaks of (`open`) is worth an edge.
                    let text = self.solver.index.externals.text(path);
                    if self.solver.index.externals.catalog().call_effects(&text).next().is_some() {
                        out.list.push(Target::External(path));
                    }
                }
                false => out.list.push(Target::External(path)),
            },
            Type::Unbound(path) => {
                out.unbound = true;
                out.list.push(Target::External(path));
            }
            _ => {}
        }
    }

    fn is_builtin(&self, path: PathId) -> bool {
        self.solver.index.externals.text(path).starts_with("builtins.")
    }

    fn constructor(&mut self, class: Cls, out: &mut Targets) {
        let (index, hierarchy) = (self.solver.index, self.solver.hierarchy);
        let before = out.list.len();
        for method in ["__new__", "__init__", "__post_init__"] {
            let Some(name) = index.names.get(method) else { continue };
            let Some((_, slot)) = hierarchy.class_attr(index, class, name) else { continue };
            let mut members = Vec::new();
            self.solver.read(slot, &mut members);
            out.list.extend(members.into_iter().filter_map(|ty| match ty {
                Type::Function(func) => Some(Target::Project(func)),
                _ => None,
            }));
        }
        if out.list.len() == before {
            let paths = hierarchy.external_bases[class.0 as usize].iter();
            out.list.extend(paths.map(|&path| Target::External(path)));
        }
        out.constructed = true;
    }

    fn parameter(&self, func: Func, callee: ExprId) -> Option<(Func, u32)> {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        match *facts.expr(callee) {
            Expr::Var(var) => self.solver.index.param_of.get(&self.solver.index.var(func, var)).copied(),
            _ => None,
        }
    }

    fn is_parameter(&self, func: Func, callee: ExprId) -> bool {
        self.parameter(func, callee).is_some()
    }

    /// What a parameter is when the caller gives nothing belongs to the function itself.
    fn default_targets(&mut self, func: Func, callee: ExprId, out: &mut Targets) {
        let Some((owner, position)) = self.parameter(func, callee) else { return };
        let index = self.solver.index;
        let facts = index.units[index.file_of(owner)].facts;
        let function = index.ir(owner);
        let Some(default) = facts.list(function.params)[position as usize].default else { return };
        let scope = index.func(index.file_of(owner), function.parent);
        for ty in self.solver.eval(scope, default) {
            self.target(ty, false, out);
        }
    }

    fn by_method_name(
        &mut self,
        func: Func,
        callee: ExprId,
        args: &[Arg],
        out: &mut Targets,
    ) -> (Rung, Confidence) {
        let index = self.solver.index;
        let file = index.file_of(func);
        let facts = index.units[file].facts;
        let Expr::Field { base, name } = *facts.expr(callee) else {
            return (Rung::MethodName, Confidence::Low);
        };
        // A container's or a library's object is known not to be one of the project's.
        let known = self.solver.eval(func, base);
        if known.iter().any(|ty| !matches!(ty, Type::Unbound(_))) {
            return (Rung::MethodName, Confidence::Low);
        }
        let name = index.name(file, name);
        let candidates = self.methods.candidates(self.solver, file, name, args);
        let confidence = if candidates.len() == 1 { Confidence::Medium } else { Confidence::Low };
        out.list.extend(candidates.into_iter().map(Target::Project));
        (Rung::MethodName, confidence)
    }

    fn resolution(&self, func: Func, callee: ExprId, targets: &Targets, rung: Rung) -> Resolution {
        let project = targets.list.iter().any(|target| matches!(target, Target::Project(_)));
        if project || targets.constructed {
            Resolution::Resolved(rung)
        } else if targets.unbound {
            Resolution::Unresolved
        } else if !targets.list.is_empty() && !targets.builtin {
            Resolution::External(rung)
        } else if targets.builtin || self.is_builtin_method(func, callee) {
            Resolution::Builtin
        } else if targets.parameter || self.is_parameter(func, callee) {
            Resolution::Parameter
        } else {
            Resolution::Unresolved
        }
    }

    fn is_builtin_method(&self, func: Func, callee: ExprId) -> bool {
        let index = self.solver.index;
        let facts = index.units[index.file_of(func)].facts;
        match *facts.expr(callee) {
            Expr::Field { name, .. } => index.externals.catalog().builtin_methods.contains(facts.str(name)),
            _ => false,
        }
    }

    fn rung(&self, func: Func, callee: ExprId, types: &[Type], targets: &Targets) -> Rung {
        let index = self.solver.index;
        let facts = index.units[index.file_of(func)].facts;
        if targets.unbound {
            return Rung::Unbound;
        }
        match *facts.expr(callee) {
            Expr::Index { .. } => Rung::Table,
            Expr::Field { base, .. } => match *facts.expr(base) {
                Expr::Var(var) => match index.param_of.get(&index.var(func, var)) {
                    Some(&(owner, 0)) if index.method_of[owner.0 as usize].is_some() => Rung::Hierarchy,
                    _ => self.root_rung(func, base),
                },
                Expr::Call { .. } if types.iter().any(|ty| matches!(ty, Type::Bound(_))) => Rung::Type,
                _ => self.root_rung(func, base),
            },
            _ => self.root_rung(func, callee),
        }
    }

    /// A name that a definition or an import binds directly, or something reached from it by attributes only.
    fn root_rung(&self, func: Func, expr: ExprId) -> Rung {
        let index = self.solver.index;
        let file = index.file_of(func);
        let facts = index.units[file].facts;
        let mut expr = expr;
        while let Expr::Field { base, .. } = *facts.expr(expr) {
            expr = base;
        }
        let slot: Slot = match *facts.expr(expr) {
            Expr::Var(var) => index.var(func, var),
            Expr::Free(name) => match index.global(file, index.name(file, name)) {
                super::statics::Global::Slot(slot) => slot,
                super::statics::Global::Is(_) => return Rung::Import,
            },
            _ => return Rung::Type,
        };
        let mut rung = Rung::Type;
        for (owner, value) in index.definitions(slot) {
            let facts = index.units[index.file_of(owner)].facts;
            match *facts.expr(value) {
                Expr::Closure(_) | Expr::Class(_) | Expr::Import(_) => return Rung::Import,
                Expr::Index { .. } => rung = Rung::Table,
                Expr::Call { callee, .. } => {
                    if let Expr::Field { name, .. } = *facts.expr(callee)
                        && matches!(facts.str(name), "get" | "pop")
                    {
                        rung = Rung::Table;
                    }
                }
                _ => {}
            }
        }
        rung
    }

    /// Arguments that are callables: their edges belong to this site.
    fn hand_over(&mut self, func: Func, callee: ExprId, args: &'a [Arg], types: &[Type], targets: &Targets) {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        for arg in args {
            if !may_be_callable(facts.expr(arg.value)) {
                continue;
            }
            let handed: Vec<Type> =
                self.solver.eval(func, arg.value).into_iter().filter(|ty| ty.is_callable()).collect();
            let own_parameter = self.parameter(func, arg.value);
            if handed.is_empty() && own_parameter.is_none() {
                continue;
            }
            let takers = self.takers(func, callee, args, arg, types, targets);
            let at = self.at(func, arg.value);
            for ty in handed {
                if own_parameter.is_some() {
                    break;
                }
                let Some((target, is_inline)) = self.handed_target(func, ty) else { continue };
                let receiver = if is_inline { Receiver::Same } else { Receiver::Unknown };
                self.runs.hand(Handed {
                    from: func,
                    at,
                    target,
                    is_inline,
                    takers: takers.clone(),
                    receiver,
                });
            }
            if let Some(parameter) = own_parameter {
                self.runs.passes_on(parameter, &takers);
            }
        }
    }

    fn handed_target(&self, func: Func, ty: Type) -> Option<(Target, bool)> {
        match ty {
            Type::Function(target) | Type::Bound(target) | Type::Partial(target) => {
                Some((Target::Project(target), self.solver.is_inside(target, func)))
            }
            Type::External(path) if !self.is_builtin(path) => Some((Target::External(path), false)),
            _ => None,
        }
    }

    /// Who receives an argument: parameters of the project's functions, a library function that runs it, or somebody unknown.
    fn takers(
        &mut self,
        func: Func,
        callee: ExprId,
        args: &'a [Arg],
        arg: &Arg,
        types: &[Type],
        targets: &Targets,
    ) -> Vec<Taker> {
        let index = self.solver.index;
        let facts = index.units[index.file_of(func)].facts;
        let mut takers = Vec::new();
        for target in &targets.list {
            match *target {
                Target::Project(callee) => {
                    let skip =
                        u32::from(types.iter().any(|&ty| ty == Type::Bound(callee)) || is_constructor(types));
                    for (passed, value) in pair(index, facts, args, callee, skip) {
                        match passed {
                            Passed::Param(at) if value == arg.value => {
                                takers.push(Taker::Parameter(callee, at))
                            }
                            _ => {}
                        }
                    }
                }
                Target::External(path) => takers.push(self.external_taker(path, facts, args, arg)),
            }
        }
        for &ty in types {
            if let Type::External(path) = ty
                && self.is_builtin(path)
            {
                takers.push(self.external_taker(path, facts, args, arg));
            }
        }
        if takers.is_empty() {
            takers.push(self.named_taker(facts, callee, args, arg));
        }
        takers
    }

    fn external_taker(&self, path: PathId, facts: &crate::ir::Facts, args: &[Arg], arg: &Arg) -> Taker {
        let externals = &self.solver.index.externals;
        let Some(callback) = externals.callback(path).map(|id| externals.catalog().callback(id)) else {
            return Taker::Unknown;
        };
        let runs = callback
            .runs
            .iter()
            .any(|runs| argument(facts, args, runs.index, runs.name.as_deref()) == Some(arg.value));
        let hands_back = callback.result == Some(CallbackResult::Argument);
        if runs && !hands_back { Taker::Runs } else { Taker::Keeps }
    }

    /// A method of an unknown object whose name says that it runs what it is given (`loop.run_in_executor`).
    fn named_taker(&self, facts: &crate::ir::Facts, callee: ExprId, args: &[Arg], arg: &Arg) -> Taker {
        let Expr::Field { name, .. } = *facts.expr(callee) else { return Taker::Unknown };
        let catalog = self.solver.index.externals.catalog();
        let Some(callback) = catalog.callback_named(facts.str(name)) else { return Taker::Unknown };
        let runs = catalog
            .callback(callback)
            .runs
            .iter()
            .any(|runs| argument(facts, args, runs.index, runs.name.as_deref()) == Some(arg.value));
        if runs { Taker::Runs } else { Taker::Unknown }
    }

    /// `graph.add_node("plan", function)`.
    fn planning_node(&mut self, func: Func, args: &[Arg], targets: &Targets) {
        let index = self.solver.index;
        let planning = &index.externals.catalog().planning;
        let registers = targets.list.iter().any(|target| match *target {
            Target::External(path) => planning.node_calls.matches(&index.externals.text(path)),
            Target::Project(_) => false,
        });
        let facts = index.units[index.file_of(func)].facts;
        let [name, node, ..] = args else { return };
        let Expr::Lit(Lit::Str(text)) = *facts.expr(name.value) else { return };
        if registers && facts.str(text).starts_with(&planning.node_prefix) {
            let nodes = self.solver.eval(func, node.value).into_iter().filter_map(|ty| match ty {
                Type::Function(func) | Type::Bound(func) => Some(func),
                _ => None,
            });
            self.found.planning_nodes.extend(nodes);
        }
    }
}

fn is_constructor(types: &[Type]) -> bool {
    types.iter().any(|ty| matches!(ty, Type::Class { .. } | Type::Instance { .. }))
}

/// Calls are evaluated where they stand; literals hold no callable.
fn may_be_callable(expr: &Expr) -> bool {
    !matches!(
        expr,
        Expr::Lit(_) | Expr::Text(_) | Expr::Op { .. } | Expr::Not(_) | Expr::Seq(_) | Expr::Record(_)
    )
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
