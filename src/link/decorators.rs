//! What decorators are, with all that the solver knows: `@mcp.tool()` on an object that another file made; and what they put
//! around a function, which runs with it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::call::{CALL, ENTERS, INIT};
use super::edge::{At, Edge, EdgeKind, Found, Rung, Target};
use super::edges::{Pass, Why};
use super::ids::{Func, PathId, Slot};
use super::index::Index;
use super::program::Program;
use super::react::React;
use super::runs::{Handed, Taker};
use super::solve::Solver;
use super::types::{Global, Type, Value};
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId};
use crate::source::FileId;

impl Solver<'_, '_> {
    /// A decorator is called with the function or class below it: a registry's decorator stores it.
    pub(super) fn decorate(&mut self, scope: Func, below: ExprId) {
        let file = self.index.file_of(scope);
        let facts = self.index.units[file].facts;
        let (decorated, decorators) = match *facts.expr(below) {
            Expr::Closure(id) => (Type::Function(id), facts.function(id).decorators),
            Expr::Class(id) => (self.index.class_type(id), facts.class(id).decorators),
            _ => return,
        };
        for &decorator in facts.list(decorators) {
            let decorator = self.value(scope, decorator);
            self.on(decorator, React::Decorate(decorated));
        }
    }

    pub(super) fn decorate_with(&mut self, decorator: Type, decorated: Type) {
        let (object, method) = match decorator {
            Type::Function(decorator) => {
                self.pass_own(decorator, 0, Value::Is(decorated));
                // The wrapper around a method is given the method's object first.
                if let Type::Function(function) = decorated
                    && let Some(class) = self.index.method_of[function.0 as usize]
                {
                    let made = Value::In(self.returned(decorator));
                    self.on(made, React::OwnWrapper { decorator, class });
                }
                return;
            }
            Type::Bound(decorator) => return self.pass_own(decorator, 1, Value::Is(decorated)),
            Type::Partial(decorator) => return self.pass_own(decorator, 0, Value::Is(decorated)),
            Type::Holder(holder) | Type::PartOf(holder) => return self.hold_decorated(holder, decorated),
            Type::Instance { .. } => (decorator, CALL),
            Type::Class { class, .. } => (Type::Instance { class, exact: true }, INIT),
            _ => return,
        };
        if let Some(name) = self.index.names.get(method) {
            let methods = self.attr(object, name);
            self.on(methods, React::DecorateBy(decorated));
        }
    }

    /// What a decorator of the project puts in the place of the function below it.
    pub(super) fn around(&mut self, decorator: Type, to: Slot) {
        match decorator {
            Type::Function(decorator) | Type::Bound(decorator) | Type::Partial(decorator) => {
                self.on(Value::In(self.returned(decorator)), React::Wrapper { decorator, to });
                self.put_in_place(decorator, to);
            }
            Type::Class { class, .. } => self.insert(to, Type::Instance { class, exact: true }),
            Type::Instance { .. } => {
                if let Some(name) = self.index.names.get(CALL) {
                    let methods = self.attr(decorator, name);
                    self.on(methods, React::AroundBy { to });
                }
            }
            _ => {}
        }
    }

    /// What a function around the decorator was given, and the decorator hands back in the place of what is below it.
    fn put_in_place(&mut self, decorator: Func, to: Slot) {
        let facts = self.index.units[self.index.file_of(decorator)].facts;
        for returned in self.index.returns(decorator).collect::<Vec<_>>() {
            let Expr::Var(var) = *facts.expr(returned) else { continue };
            let slot = self.index.var(decorator, var);
            if self.index.param_of.get(&slot).is_some_and(|&(owner, _)| owner != decorator) {
                self.copy(Value::In(slot), to);
            }
        }
    }

    /// A function or a class that a decorator defines inside itself, if it is one.
    pub(super) fn wrapper(&self, made: Type, decorator: Func) -> Option<Type> {
        let is_inside = match made {
            Type::Function(wrapper) => self.is_inside(wrapper, decorator),
            Type::Class { class, .. } => self.is_inside(self.index.class_body(class), decorator),
            _ => false,
        };
        is_inside.then_some(made)
    }
}

impl Solver<'_, '_> {
    /// True for a function below an object of a library: `@impl`, which `impl = HookimplMarker("plan")` made. It is known by its
    /// name from then on.
    pub(super) fn is_marked(&self, func: Func) -> bool {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let scope = self.index.ir(func).parent;
        let externals = &self.index.externals;
        let is_object = |&decorator: &ExprId| {
            let slot = match *facts.expr(facts.decorator(decorator)) {
                Expr::Var(var) => self.index.var(scope, var),
                Expr::Free(name) => match self.index.global(self.index.file_of(func), name) {
                    Global::Slot(slot) => slot,
                    Global::Is(_) => return false,
                },
                _ => return false,
            };
            let types = self.types(Value::In(slot));
            types.iter().any(|ty| matches!(*ty, Type::Object(path) if !externals.is_of_language(path)))
        };
        facts.list(self.index.ir(func).decorators).iter().any(is_object)
    }
}

impl Pass<'_, '_, '_> {
    /// Decorators stand in the scope around the function.
    pub(super) fn decorators(&mut self, func: Func) {
        let index = self.solver.index;
        let (file, function) = (index.file_of(func), index.ir(func));
        let facts = index.units[file].facts;
        let scope = function.parent;
        for &decorator in facts.list(function.decorators) {
            let callee = facts.decorator(decorator);
            for ty in self.solver.eval(scope, callee) {
                let target = match ty {
                    Type::External(path) | Type::Handed(path) => Target::External(path),
                    Type::Function(func) | Type::Bound(func) => Target::Project(func),
                    _ => continue,
                };
                self.found.decorators.push((func, decorator, target));
                // What a call makes is applied where the call stands, which is told of the call.
                if !matches!(facts.expr(decorator), Expr::Call { .. }) {
                    self.apply(scope, (func, decorator), ty);
                }
            }
            self.around(scope, func, decorator);
        }
    }

    /// A decorator is called where it stands, with the function below it, which it may run there and then.
    fn apply(&mut self, scope: Func, (func, decorator): (Func, ExprId), applied: Type) {
        let (target, at) = match applied {
            Type::Function(target) => (target, 0),
            Type::Bound(target) => (target, 1),
            Type::External(path) => return self.hand_to_library(scope, (func, decorator), path),
            _ => return,
        };
        let why = Why::new(Rung::Import, Confidence::High);
        self.edge(scope, decorator, Target::Project(target), why);
        let handed = vec![(Target::Project(func), false)];
        let place = self.at(scope, decorator);
        let handed = Handed::new(scope, place, handed, vec![Taker::Parameter(target, at)]);
        self.runs.hand(Handed { is_now: true, ..handed });
    }

    /// `@atexit.register`: a function that the catalogue knows to run what it is given.
    fn hand_to_library(&mut self, scope: Func, (func, decorator): (Func, ExprId), path: PathId) {
        let externals = &self.solver.index.externals;
        let runs = externals.callback(path).is_some_and(|callback| {
            let callback = externals.catalog().callback(callback);
            callback.result.is_none() && callback.runs.iter().any(|runs| runs.index == Some(0))
        });
        if runs {
            let handed = vec![(Target::Project(func), false)];
            let place = self.at(scope, decorator);
            self.runs.hand(Handed::new(scope, place, handed, vec![Taker::Runs]));
        }
    }

    /// Whoever calls a function by its name runs what the project's decorators put around it, so that an entry point that
    /// nothing calls in the project does, too.
    fn around(&mut self, scope: Func, func: Func, decorator: ExprId) {
        let to = self.solver.new_slot();
        let value = self.solver.value(scope, decorator);
        self.solver.on(value, React::Around { to });
        let mut wrappers = Vec::new();
        for ty in self.solver.settled(Value::In(to)) {
            match ty {
                Type::Function(wrapper) => wrappers.push(wrapper),
                _ => wrappers.extend(self.solver.method(ty, CALL)),
            }
        }
        // An object that is entered and left around every call.
        for ty in self.solver.eval(scope, decorator) {
            match ty {
                Type::Instance { .. } if self.solver.method(ty, CALL).is_empty() => {
                    wrappers.extend(ENTERS.iter().flat_map(|name| self.solver.method(ty, name)));
                }
                Type::Generator(managed) => wrappers.push(managed),
                _ => {}
            }
        }
        wrappers.into_iter().for_each(|wrapper| self.run_around(func, decorator, wrapper));
    }
}

/// What decorators are given besides the function, and run around it: `@fallback(other)`.
pub(super) fn handed_around(found: &Found, index: &Index<'_>) -> Vec<Edge> {
    let given = |&(func, decorator, _): &(Func, ExprId, Target)| {
        let file = FileId(index.file_of(func) as u32);
        let facts = index.units[index.file_of(func)].facts;
        let args = match *facts.expr(decorator) {
            Expr::Call { args, .. } => facts.list(args),
            _ => &[],
        };
        args.iter().map(move |arg| (At { file, expr: arg.value }, func))
    };
    let mut decorated: FxHashSet<(At, Func)> = found.decorators.iter().flat_map(given).collect();
    decorated.extend(provided(index));
    let mut around: FxHashMap<At, Vec<Func>> = FxHashMap::default();
    decorated.into_iter().for_each(|(at, func)| around.entry(at).or_default().push(func));
    let passed = found.edges.iter().filter(|edge| edge.kind == EdgeKind::Passed);
    let of_function = |edge: &Edge| {
        let functions = around.get(&edge.at).into_iter().flatten().copied();
        let others = functions.filter(|&func| edge.to != Target::Project(func) && edge.from != func);
        others.map(|from| Edge { from, ..*edge }).collect::<Vec<_>>()
    };
    passed.flat_map(of_function).collect()
}

/// What the calls are given that stand for parameters, each with the function whose parameter it is: `client=Depends(get_client)`,
/// `client: Annotated[Client, Depends(get_client)]`.
fn provided(index: &Index<'_>) -> Vec<(At, Func)> {
    let mut found = Vec::new();
    for func in (0..index.functions.len() as u32).map(Func) {
        let file = index.file_of(func);
        let facts = index.units[file].facts;
        for param in facts.list(index.ir(func).params) {
            let noted = match param.ty.map(|ty| *facts.expr(ty)) {
                Some(Expr::Index { key, .. }) => match *facts.expr(key) {
                    Expr::Seq(items) => facts.list(items),
                    _ => &[],
                },
                _ => &[],
            };
            for &stands_for in noted.iter().chain(param.default.as_slice()) {
                let Expr::Call { args, .. } = *facts.expr(stands_for) else { continue };
                let at = |expr| At { file: FileId(file as u32), expr };
                found.extend(facts.list(args).iter().map(|arg| (at(arg.value), func)));
            }
        }
    }
    found
}

impl Program<'_> {
    /// What the decorators of `func` resolved to.
    pub fn decorator_targets(&self, func: Func) -> impl Iterator<Item = (ExprId, Target)> + '_ {
        let start = self.decorators.partition_point(|(decorated, ..)| *decorated < func);
        let own = self.decorators[start..].iter().take_while(move |(decorated, ..)| *decorated == func);
        own.map(|&(_, decorator, target)| (decorator, target))
    }

    /// The library paths among them.
    pub fn decorator_paths(&self, func: Func) -> Vec<&str> {
        let library = self.decorator_targets(func).filter_map(|(_, target)| match target {
            Target::External(path) => Some(self.path(path)),
            Target::Project(_) => None,
        });
        library.collect()
    }
}
