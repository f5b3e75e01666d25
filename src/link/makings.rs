//! Callables that were given to what made a callee: `work = with_retry(send)` runs `send` where `work()` stands, by the closure that
//! the call made. Which parameters run, the summaries of `runs` say.

use rustc_hash::FxHashSet;

use super::args::{Passed, pair};
use super::edge::{At, Target};
use super::edges::Pass;
use super::ids::{Func, PathId};
use super::runs::{Handed, Taker};
use super::types::{Type, Types};
use crate::catalog::CallbackResult;
use crate::ir::{Arg, Expr, ExprId, FnKind};

/// Where a callee is called.
#[derive(Clone, Copy)]
struct Place {
    from: Func,
    at: At,
}

impl Pass<'_, '_, '_> {
    /// Hands over what the closures that a call runs were made of.
    pub(super) fn hand_made(&mut self, func: Func, expr: ExprId, callee: ExprId, types: &[Type]) {
        if types.iter().any(|ty| self.is_made_inside(*ty)) {
            let place = Place { from: func, at: self.at(func, expr) };
            self.hand_made_of(place, (func, callee));
        }
    }

    /// A closure that a function makes inside itself, or a function that is given some of its arguments.
    fn is_made_inside(&self, ty: Type) -> bool {
        match ty {
            Type::Partial(_) => true,
            Type::Function(func) => {
                let index = self.solver.index;
                !matches!(index.ir(index.ir(func).parent).kind, FnKind::Module | FnKind::ClassBody(_))
            }
            _ => false,
        }
    }

    /// Each call that made it, and what that was given, once: closures of closures share what they are made of.
    fn hand_made_of(&mut self, place: Place, made: (Func, ExprId)) {
        let (mut known, mut open) = (FxHashSet::default(), self.makers_of(made.0, made.1));
        while let Some((scope, maker)) = open.pop() {
            if !known.insert((scope, maker)) {
                continue;
            }
            let facts = self.solver.index.units[self.solver.index.file_of(scope)].facts;
            let Expr::Call { callee, args, .. } = *facts.expr(maker) else { continue };
            let args = facts.list(args);
            for ty in self.solver.callees(scope, callee) {
                match ty {
                    Type::Function(target) => self.hand_arguments(place, scope, (target, 0), args),
                    Type::Bound(target) => self.hand_arguments(place, scope, (target, 1), args),
                    Type::External(path) if self.prepares(path) => {
                        self.hand_prepared(place, scope, args);
                    }
                    _ => {}
                }
            }
            for arg in args {
                open.extend(self.makers_of(scope, arg.value));
            }
        }
    }

    /// `partial(run, send)`: what the first argument is given.
    fn hand_prepared(&mut self, place: Place, scope: Func, args: &[Arg]) {
        let Some((callable, args)) = args.split_first() else { return };
        for ty in self.solver.eval(scope, callable.value) {
            match ty {
                Type::Function(target) | Type::Partial(target) => {
                    self.hand_arguments(place, scope, (target, 0), args);
                }
                Type::Bound(target) => self.hand_arguments(place, scope, (target, 1), args),
                _ => {}
            }
        }
    }

    fn hand_arguments(&mut self, place: Place, scope: Func, (target, skip): (Func, u32), args: &[Arg]) {
        let facts = self.solver.index.units[self.solver.index.file_of(scope)].facts;
        for (passed, value) in pair(self.solver.index, facts, args, target, skip) {
            let (Passed::Param(at) | Passed::Rest(at) | Passed::KeywordRest(at, _)) = passed else {
                continue;
            };
            if self.parameter(scope, value).is_some() {
                continue;
            }
            let handed: Types = self.callables(scope, value);
            let targets: Vec<(Target, bool)> =
                handed.into_iter().filter_map(|ty| self.handed_target(place.from, ty)).collect();
            if !targets.is_empty() {
                let takers = vec![Taker::Parameter(target, at)];
                let handed = Handed { is_made: true, ..Handed::new(place.from, place.at, targets, takers) };
                self.runs.hand(handed);
            }
        }
    }

    fn prepares(&self, path: PathId) -> bool {
        let externals = &self.solver.index.externals;
        externals.callback(path).is_some_and(|callback| {
            let callback = externals.catalog().callback(callback);
            callback.forwards && callback.result == Some(CallbackResult::Callable)
        })
    }

    /// The calls that made a value.
    fn makers_of(&mut self, func: Func, value: ExprId) -> Vec<(Func, ExprId)> {
        let index = self.solver.index;
        let facts = index.units[index.file_of(func)].facts;
        if let Expr::Call { .. } = *facts.expr(value) {
            return vec![(func, value)];
        }
        let Some(slot) = self.named_slot(func, value) else { return Vec::new() };
        let is_call = |&(scope, value): &(Func, ExprId)| {
            let facts = index.units[index.file_of(scope)].facts;
            matches!(facts.expr(value), Expr::Call { .. })
        };
        index.definitions(slot).filter(is_call).collect()
    }
}
