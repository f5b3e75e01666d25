//! Functions of the language, or of a library, that do to what they are given what an operator does: the catalogue says which.

use super::ids::{Func, PathId};
use super::solve::Solver;
use super::types::Type;
use crate::catalog::ImpliedBy;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Implied, Operator};

impl<'a> Solver<'_, 'a> {
    /// `len(box)`, `sorted(boxes)`, `box.to_string()`: a function of the language, or of a library, asks.
    pub(super) fn note_library_call(&mut self, func: Func, expr: ExprId, (callee, args): (ExprId, &[Arg])) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let receiver = match *facts.expr(callee) {
            Expr::Field { base, .. } => Some(base),
            _ => None,
        };
        let named = self.index.statics(func, callee);
        for does in self.does_besides(func, callee, &named) {
            if does.decorates || !self.may_answer(does.does) {
                continue;
            }
            self.note_implied_by(func, (expr, callee), does, (receiver, args));
        }
        match named[..] {
            [Type::Function(called)] => self.note_decorated_call(func, (expr, callee), called, args),
            [Type::External(path)] => self.note_run_on_elements(func, (expr, callee), path, args),
            _ => {}
        }
    }

    /// True if somebody writes a method for an operation, on either side of it.
    fn may_answer(&self, operator: Operator) -> bool {
        self.is_spelled(operator, false) || self.is_spelled(operator, true)
    }

    /// What a callee does besides, by what it is or by its name.
    fn does_besides(&mut self, func: Func, callee: ExprId, named: &[Type]) -> Vec<&'a ImpliedBy> {
        let index = self.index;
        let facts = index.units[index.file_of(func)].facts;
        let implied = &index.externals.catalog().operations.implied;
        let by_name = |name| implied.of_method(facts.lang, facts.str(name)).collect::<Vec<_>>();
        match (named, *facts.expr(callee)) {
            ([Type::External(path) | Type::Unbound(path)], _) => {
                let own = implied.of_function(index.externals.text(*path));
                match *facts.expr(callee) {
                    // `value.name()` of what a library or the language makes.
                    Expr::Field { name, .. } if own.is_empty() && self.has_wrappers(func) => by_name(name),
                    _ => own,
                }
            }
            (_, Expr::Field { name, .. }) => {
                let found = by_name(name);
                if !found.is_empty() || self.has_wrappers(func) || !implied.may_be(facts.str(name)) {
                    return found;
                }
                // A method of what a library made.
                let callees = self.callees(func, callee);
                let paths = callees.iter().filter_map(|ty| match *ty {
                    Type::External(path) => Some(index.externals.text(path)),
                    _ => None,
                });
                paths.take(1).flat_map(|path| implied.of_function(path)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// `@lru_cache` asks what the function below it is given.
    fn note_decorated_call(&mut self, func: Func, at: (ExprId, ExprId), called: Func, args: &[Arg]) {
        if self.index.ir(called).decorators.is_empty() {
            return;
        }
        let implied = &self.index.externals.catalog().operations.implied;
        for path in self.index.decorator_paths(called) {
            for does in implied.of_function(self.index.externals.text(path)) {
                if does.decorates && self.may_answer(does.does) {
                    self.note_implied_by(func, at, does, (None, args));
                }
            }
        }
    }

    /// `map(str, notes)`: a function of the language is run on each element.
    fn note_run_on_elements(&mut self, func: Func, at: (ExprId, ExprId), path: PathId, args: &[Arg]) {
        let externals = &self.index.externals;
        let Some(callback) = externals.callback(path) else { return };
        let runs = externals.catalog().callback(callback).runs.iter().filter_map(|runs| runs.index);
        for run in runs.collect::<Vec<_>>() {
            let Some(run) = args.get(run) else { continue };
            let others: Vec<Arg> = args.iter().filter(|arg| arg.value != run.value).copied().collect();
            let named = self.index.statics(func, run.value);
            if let [Type::External(_)] = named[..] {
                for does in self.does_besides(func, run.value, &named) {
                    if self.may_answer(does.does) {
                        self.note_implied_by(func, at, &does.of_elements(), (None, &others));
                    }
                }
            }
        }
    }

    fn note_implied_by(
        &mut self,
        func: Func,
        // What is called is the library's function, not the method.
        (expr, at): (ExprId, ExprId),
        does: &ImpliedBy,
        (receiver, args): (Option<ExprId>, &[Arg]),
    ) {
        let arg = |at: usize| args.get(at).filter(|arg| arg.kind == ArgKind::Positional).map(|arg| arg.value);
        let asked = self.asked_by(func, does, (receiver, args));
        let mut given = does.given.iter().map(|&at| arg(at));
        let given = [given.next().flatten(), given.next().flatten()];
        if does.wanted {
            for ty in self.wanted_at(func, expr) {
                self.note_conversion(func, at, (does.does, ty), receiver.filter(|_| does.receiver));
            }
            return;
        }
        for value in asked {
            let implied =
                Implied { operator: does.does, asked: value, given, is_reflected: false, is_element: false };
            let asked = if does.element { self.elements(func, value) } else { self.value(func, value) };
            let made = if does.gives { expr } else { at };
            self.note_operation(func, (made, at), (implied, asked));
            let other = if does.element { Some(value) } else { given[0] };
            if let Some(other) = other {
                let reflected =
                    Implied { asked: other, given: [Some(value), None], is_reflected: true, ..implied };
                let asked = if does.element { asked } else { self.value(func, other) };
                self.note_operation(func, (made, at), (reflected, asked));
            }
        }
    }

    /// The values that are asked.
    fn asked_by(
        &self,
        func: Func,
        does: &ImpliedBy,
        (receiver, args): (Option<ExprId>, &[Arg]),
    ) -> Vec<ExprId> {
        let facts = self.index.units[self.index.file_of(func)].facts;
        if does.receiver {
            return receiver.into_iter().collect();
        }
        let is_meant = |(at, arg): &(usize, &Arg)| match (arg.kind, &does.name) {
            (ArgKind::Named(name), Some(meant)) => facts.str(name) == meant,
            (ArgKind::Positional, None) => does.argument.is_none_or(|only| only == *at),
            (ArgKind::Positional, Some(_)) => does.argument == Some(*at),
            _ => false,
        };
        args.iter().enumerate().filter(is_meant).map(|(_, arg)| arg.value).collect()
    }
}
