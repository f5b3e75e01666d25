//! What decorators are, with all that the solver knows: `@mcp.tool()` on an object that another file made; and what they put
//! around a function, which runs with it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::call::{CALL, ENTERS, INIT};
use super::edge::{At, Edge, EdgeKind, Found, Target};
use super::edges::Pass;
use super::ids::{Func, Slot};
use super::index::Index;
use super::program::Program;
use super::react::React;
use super::solve::Solver;
use super::types::{Type, Value};
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
                self.pass(decorator, 0, Value::Is(decorated));
                // The wrapper around a method is given the method's object first.
                if let Type::Function(function) = decorated
                    && let Some(class) = self.index.method_of[function.0 as usize]
                {
                    let made = Value::In(self.returned(decorator));
                    self.on(made, React::OwnWrapper { decorator, class });
                }
                return;
            }
            Type::Bound(decorator) => return self.pass(decorator, 1, Value::Is(decorated)),
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
            Type::Function(decorator) | Type::Bound(decorator) => {
                self.on(Value::In(self.returned(decorator)), React::Wrapper { decorator, to });
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

    /// A function that a decorator defines inside itself, if it is one.
    pub(super) fn wrapper(&self, made: Type, decorator: Func) -> Option<Func> {
        match made {
            Type::Function(wrapper) if self.is_inside(wrapper, decorator) => Some(wrapper),
            _ => None,
        }
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
            }
            self.around(scope, func, decorator);
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
            if matches!(ty, Type::Instance { .. }) && self.solver.method(ty, CALL).is_empty() {
                wrappers.extend(ENTERS.iter().flat_map(|name| self.solver.method(ty, name)));
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
    let decorated: FxHashSet<(At, Func)> = found.decorators.iter().flat_map(given).collect();
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
