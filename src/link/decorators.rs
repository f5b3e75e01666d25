//! What decorators are, with all that the solver knows: `@mcp.tool()` on an object that another file made; and what they put
//! around a function, which runs with it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::{CALL, ENTERS};
use super::edges::{Found, Pass};
use super::eval::push;
use super::index::Index;
use super::program::{At, Edge, EdgeKind, Func, Program, Target};
use super::solve::Solver;
use super::types::{Type, Types};
use crate::ir::{Expr, ExprId};
use crate::source::FileId;

impl Solver<'_, '_> {
    /// What a decorator of the project puts in the place of the function below it.
    pub fn made_by_decorator(&mut self, scope: Func, decorator: ExprId, out: &mut Types) {
        for ty in self.eval(scope, decorator) {
            match ty {
                Type::Function(decorator) | Type::Bound(decorator) => self.wrappers(decorator, out),
                Type::Class { class, .. } => push(out, Type::Instance { class, exact: true }),
                Type::Instance { .. } => {
                    self.method(ty, CALL).into_iter().for_each(|method| self.wrappers(method, out));
                }
                _ => {}
            }
        }
    }

    pub fn wrappers(&mut self, decorator: Func, out: &mut Types) {
        let mut returned = Types::new();
        self.read(self.returned(decorator), &mut returned);
        for ty in returned {
            if let Type::Function(wrapper) = ty
                && self.is_inside(wrapper, decorator)
            {
                push(out, ty);
            }
        }
    }
}

impl Pass<'_, '_, '_> {
    /// Decorators stand in the scope around the function.
    pub(super) fn decorators(&mut self, func: Func) {
        let index = self.solver.index;
        let (file, function) = (index.file_of(func), index.ir(func));
        let facts = index.units[file].facts;
        let scope = index.func(file, function.parent);
        for &decorator in facts.list(function.decorators) {
            let callee = match *facts.expr(decorator) {
                Expr::Call { callee, .. } => callee,
                _ => decorator,
            };
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
        let mut made = Types::new();
        self.solver.made_by_decorator(scope, decorator, &mut made);
        let mut wrappers = Vec::new();
        for ty in made {
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
