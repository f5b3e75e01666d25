//! What a use of an object of a library runs: what it holds. A call of its methods or of itself, iterating over it, entering it,
//! and a function of a library that is given it may run any of that; nothing shows that it does, so these edges are at most of
//! medium confidence, and of more than a few members nobody says which one is meant.

use rustc_hash::{FxHashMap, FxHashSet};

use super::call::CALL;
use super::containers::{Holding, Takes};
use super::edge::{At, Edge, EdgeKind, Receiver, Rung, Target};
use super::edges::{Pass, Targets};
use super::holders::is_data;
use super::ids::{Cls, ContainerId, Func, HolderId, PathId};
use super::react::Held;
use super::types::{Type, Value};
use crate::catalog::{HolderOp, ModelOp};
use crate::finding::Confidence;
use crate::ir::{Arg, Expr, ExprId};

impl Pass<'_, '_, '_> {
    /// Edges from a call to what it may run because a library holds it or is given it. False if that is too much to follow.
    pub(super) fn held(
        &mut self,
        func: Func,
        call: ExprId,
        callee: ExprId,
        args: &[Arg],
        types: &[Type],
    ) -> bool {
        if self.solver.index.is_test_code(func) {
            return true;
        }
        let mut members = Vec::new();
        let is_told = types.iter().filter(|ty| ty.sort() != 2).count() * 2 <= types.len();
        for &ty in types {
            match ty {
                Type::Holder(holder) | Type::PartOf(holder)
                    if is_told
                        && (self.runs_held(func, call, holder)
                            || self.holds_marked(holder, callee, func)) =>
                {
                    self.members_of(holder, &mut members);
                    self.run_arguments(func, args, Held::Overrides, true);
                }
                Type::External(path) | Type::Handed(path) if !self.is_builtin(path) => {
                    self.held_by_library(func, callee, path, &mut members);
                    let is_method = self.is_method(func, callee);
                    self.given(func, path, args, is_method);
                }
                // What a class inherits is called by the object itself.
                Type::Instance { class, .. } if self.inherits_call(ty, class) => {
                    self.held_by_objects(class, &mut members);
                }
                Type::Class { class, .. } if self.solver.has_fields(class) => {
                    self.held_by_model(class, ModelOp::Reads, &mut members);
                }
                _ => {}
            }
        }
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        let verb = facts.written_name(callee).map_or("", |name| facts.str(name));
        let is_crowd = types.iter().filter(|ty| ty.is_held_by_library()).nth(1).is_some();
        let is_full = types.iter().any(|ty| match *ty {
            Type::Holder(holder) | Type::PartOf(holder) => is_told && self.solver.is_crowd(holder),
            _ => false,
        });
        self.run_members(func, callee, verb, members, is_crowd) && !is_full
    }

    /// What so many places may run is data that is handed around: of each of them, that is next to nothing to say.
    pub(super) fn lower_crowds(&mut self) {
        let most = self.solver.index.externals.catalog().holders.places;
        let mut places: FxHashMap<Target, FxHashSet<At>> = FxHashMap::default();
        for edge in self.found.edges.iter().filter(|edge| edge.kind == EdgeKind::Held) {
            places.entry(edge.to).or_default().insert(edge.at);
        }
        for edge in self.found.edges.iter_mut().filter(|edge| edge.kind == EdgeKind::Held) {
            if places[&edge.to].len() > most {
                edge.confidence = Confidence::Low;
            }
        }
    }

    fn inherits_call(&mut self, object: Type, class: Cls) -> bool {
        self.solver.has_library_base(class)
            && !self.solver.is_model(class)
            && self.solver.method(object, CALL).is_empty()
    }

    /// What runs what it goes through: `for step in holder`, `with holder`.
    pub(super) fn held_by_value(&mut self, func: Func, value: ExprId) {
        if self.solver.index.is_test_code(func) {
            return;
        }
        let mut members = Vec::new();
        let types = self.solver.eval(func, value);
        for &ty in &types {
            if let Type::Holder(holder) | Type::PartOf(holder) = ty {
                self.members_of(holder, &mut members);
            }
        }
        self.run_members(func, value, "", members, types.len() > 1);
    }

    fn members_of(&mut self, holder: HolderId, out: &mut Vec<Type>) {
        self.solver.settle();
        if !self.solver.is_crowd(holder) {
            let held = self.solver.held_in(holder);
            out.extend(self.solver.types(Value::In(held)));
        }
    }

    /// A function of a module that holds something, or a method that a class inherits from a library.
    fn held_by_library(&mut self, func: Func, callee: ExprId, path: PathId, out: &mut Vec<Type>) {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        let takes = self.solver.takes(path);
        if !takes.is_some_and(|takes| takes.operation == Some(HolderOp::Uses)) {
            return;
        }
        let externals = &self.solver.index.externals;
        let path = externals.text(path);
        let is_made = externals.catalog().holders.is_shared(path);
        if let Some((owner, _)) = path.rsplit_once('.').filter(|_| !is_made) {
            let owner = self.solver.index.externals.path(owner);
            if let Some(&holder) = self.solver.holders.ids.get(&Holding::Named(owner)) {
                self.members_of(holder, out);
            }
        }
        let Expr::Field { base, .. } = *facts.expr(callee) else { return };
        let (owner, method) = path.rsplit_once('.').unwrap_or(("", path));
        for ty in self.solver.eval_base(func, base) {
            let (Type::Instance { class, .. } | Type::Class { class, .. }) = ty else { continue };
            // An attribute may be a function of a library that knows nothing of the object.
            if !self.inherits_from(class, owner) {
                continue;
            }
            if !self.solver.is_model(class) {
                self.held_by_objects(class, out);
            }
            if let Some(done) = self.solver.index.externals.catalog().holders.of_data(method) {
                self.held_by_model(class, done, out);
            }
        }
    }

    fn inherits_from(&self, class: Cls, path: &str) -> bool {
        let index = self.solver.index;
        let mut bases = self.solver.hierarchy.external_bases[class.0 as usize].iter();
        bases.any(|&base| index.externals.text(base) == path)
    }

    /// What making, reading or writing an object of a class of data runs.
    fn held_by_model(&mut self, class: Cls, done: ModelOp, out: &mut Vec<Type>) {
        self.held_by(class, |ancestor| Holding::Fields(ancestor, done), out);
        out.extend(self.solver.model_methods(class, done).into_iter().map(Type::Function));
    }

    /// What objects of a class of the project hold for its bases in libraries, and their own methods that only a library calls.
    fn held_by_objects(&mut self, class: Cls, out: &mut Vec<Type>) {
        self.held_by(class, Holding::Objects, out);
        out.push(Type::Instance { class, exact: true });
    }

    fn held_by(&mut self, class: Cls, what: impl Fn(Cls) -> Holding, out: &mut Vec<Type>) {
        let ancestors = self.solver.hierarchy.ancestors[class.0 as usize].clone();
        for ancestor in ancestors {
            if let Some(&holder) = self.solver.holders.ids.get(&what(ancestor)) {
                self.members_of(holder, out);
            }
        }
    }

    /// A function of a library may run what it is given there and then, unless the catalogue knows better.
    fn given(&mut self, func: Func, path: PathId, args: &[Arg], is_method: bool) {
        match self.solver.takes(path) {
            Some(Takes { is_deaf: true, .. }) => {}
            // What the catalogue does not name among its callbacks may still be an object that the library calls.
            Some(Takes { operation: Some(_), is_known: true, .. }) => {
                self.run_arguments(func, args, Held::Overrides, false);
            }
            Some(Takes { operation: Some(HolderOp::Uses), held, .. }) => {
                self.run_arguments(func, args, held, true);
            }
            Some(Takes { operation: Some(HolderOp::Builds), held, .. }) if !is_method => {
                self.run_arguments(func, args, held, true);
            }
            _ => {}
        }
    }

    /// True for a method of an object, and not a function of a module.
    fn is_method(&mut self, func: Func, callee: ExprId) -> bool {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        let Expr::Field { base, .. } = *facts.expr(callee) else { return false };
        !self.solver.eval_base(func, base).iter().all(|ty| matches!(ty, Type::External(_)))
    }

    /// Runs what arguments are and contain; `is_any` for functions, too.
    fn run_arguments(&mut self, func: Func, args: &[Arg], held: Held, is_any: bool) {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        for arg in args {
            if matches!(facts.expr(arg.value), Expr::Lit(_) | Expr::Text(_) | Expr::Not(_)) {
                continue;
            }
            let mut members = Vec::new();
            let types = self.solver.eval(func, arg.value);
            for &ty in &types {
                match ty {
                    Type::Container(container) => self.members_in(container, &mut members),
                    Type::Holder(holder) => self.members_of(holder, &mut members),
                    _ => members.push(ty),
                }
            }
            if is_data(members.iter().copied()) {
                continue;
            }
            let is_object = |ty: &Type| matches!(ty, Type::Instance { .. } | Type::Class { .. });
            // Where many kinds of values meet, it is data that the library is given.
            let few = self.solver.index.externals.catalog().holders.few;
            let is_data = members.len() > few || !members.iter().all(is_object);
            members.retain(|&ty| match is_object(&ty) {
                true => !is_data && self.solver.may_be_run(ty, held),
                false => is_any && self.solver.may_be_run(ty, held),
            });
            self.run_members(func, arg.value, "", members, types.len() > 1);
        }
    }

    /// What a container holds, and objects in containers in it: `{"callbacks": [Watcher()]}`. Deep in data, a function stands by the
    /// way.
    fn members_in(&self, container: ContainerId, out: &mut Vec<Type>) {
        let (mut open, mut known) = (vec![container], FxHashSet::default());
        while let Some(next) = open.pop() {
            if !known.insert(next) || self.solver.is_summary(next) {
                continue;
            }
            for ty in self.solver.held_by(next) {
                match ty {
                    Type::Container(inner) => open.push(inner),
                    Type::Instance { .. } | Type::Class { .. } => out.push(ty),
                    _ if next == container => out.push(ty),
                    _ => {}
                }
            }
        }
    }

    /// Of the members of one object, any may be meant; where objects meet that nobody tells apart, too many say nothing.
    /// False if nothing is said.
    fn run_members(
        &mut self,
        func: Func,
        at: ExprId,
        verb: &str,
        members: Vec<Type>,
        is_crowd: bool,
    ) -> bool {
        let mut targets = Vec::new();
        for member in members {
            self.run_by_library(member, verb, &mut targets);
        }
        targets.sort_unstable();
        targets.dedup();
        let holders = &self.solver.index.externals.catalog().holders;
        let is_pooled = targets.len() > holders.pooled;
        if targets.len() > holders.crowd || is_pooled && is_crowd {
            return false;
        }
        // What a library runs does not have the library run its like: it uses the object for something else.
        let is_around = |target: &Target| match *target {
            Target::Project(held) => held == func || self.solver.is_inside(func, held),
            Target::External(_) => false,
        };
        let is_guess = is_pooled || targets.iter().any(is_around);
        let confidence = if is_guess { Confidence::Low } else { Confidence::Medium };
        let at = self.at(func, at);
        for to in targets {
            let (kind, rung, receiver) = (EdgeKind::Held, Rung::Held, Receiver::Unknown);
            self.found.edges.push(Edge { from: func, at, to, kind, rung, confidence, receiver });
        }
        true
    }

    fn runs_held(&mut self, func: Func, call: ExprId, holder: HolderId) -> bool {
        matches!(self.solver.operation_on(func, call, holder), HolderOp::Uses | HolderOp::Makes)
    }

    /// True if the object holds a method that is marked for the library and called by its name here: `manager.hook.on_plan()`.
    fn holds_marked(&mut self, holder: HolderId, callee: ExprId, func: Func) -> bool {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        let Expr::Field { name, .. } = *facts.expr(callee) else { return false };
        let mut members = Vec::new();
        self.members_of(holder, &mut members);
        members.into_iter().any(|member| match member {
            Type::Instance { class, .. } => {
                let hooks = self.solver.hooks(class);
                hooks
                    .iter()
                    .any(|&hook| self.solver.index.ir(hook).name == name && self.solver.is_marked(hook))
            }
            _ => false,
        })
    }

    /// What a library runs of one thing that it holds or is given.
    fn run_by_library(&mut self, member: Type, verb: &str, out: &mut Vec<Target>) {
        match member {
            Type::Function(target) | Type::Bound(target) | Type::Partial(target) => {
                out.push(Target::Project(target));
            }
            Type::Instance { class, .. } => self.hooks_but(class, verb, out),
            Type::Class { class, .. } => {
                let mut made = Targets::default();
                self.constructor(class, &mut made);
                out.extend(made.list.into_iter().filter(|to| matches!(to, Target::Project(_))));
                self.hooks_but(class, verb, out);
            }
            _ => {}
        }
    }

    /// `invoke` does not run what is there for `ainvoke`.
    fn hooks_but(&mut self, class: Cls, verb: &str, out: &mut Vec<Target>) {
        let is_twin = |name: &str| {
            let name = name.trim_start_matches('_');
            !verb.is_empty() && name.strip_prefix('a') == Some(verb.trim_start_matches('_'))
        };
        for &hook in self.solver.hooks(class).iter() {
            let facts = self.solver.index.units[self.solver.index.file_of(hook)].facts;
            let name = facts.str(self.solver.index.ir(hook).name);
            let is_another = name != verb && self.solver.is_marked(hook);
            if !is_twin(name) && !is_another {
                out.push(Target::Project(hook));
            }
        }
    }
}
