//! Functions of the language, or of a library, that do to what they are given what an operator does: the catalogue says which.

use super::ids::Func;
use super::solve::Solver;
use super::types::Type;
use crate::catalog::ImpliedBy;
use crate::ir::{Arg, ArgKind, Expr, ExprId, Implied};

impl Solver<'_, '_> {
    /// `len(box)`, `sorted(boxes)`, `box.to_string()`: a function of the language, or of a library, asks.
    pub(super) fn note_library_call(&mut self, func: Func, expr: ExprId, (callee, args): (ExprId, &[Arg])) {
        let facts = self.index.units[self.index.file_of(func)].facts;
        let index = self.index;
        let implied = &index.externals.catalog().operations.implied;
        let known: Vec<&ImpliedBy> = match (&index.statics(func, callee)[..], *facts.expr(callee)) {
            ([Type::External(path) | Type::Unbound(path)], _) => {
                let own = implied.of_function(index.externals.text(*path));
                match *facts.expr(callee) {
                    // `value.name()` of what a library or the language makes.
                    Expr::Field { name, .. } if own.is_empty() && self.has_wrappers(func) => {
                        implied.of_method(facts.lang, facts.str(name)).collect()
                    }
                    _ => own,
                }
            }
            (_, Expr::Field { name, .. }) => implied.of_method(facts.lang, facts.str(name)).collect(),
            _ => return,
        };
        let receiver = match *facts.expr(callee) {
            Expr::Field { base, .. } => Some(base),
            _ => None,
        };
        for does in known {
            if !self.is_spelled(does.does, false) {
                continue;
            }
            self.note_implied_by(func, (expr, callee), does, (receiver, args));
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
        let meant = (0..args.len()).filter(|&at| does.argument.is_none_or(|only| only == at)).filter_map(arg);
        let asked: Vec<ExprId> = if does.receiver { receiver.into_iter().collect() } else { meant.collect() };
        let mut given = does.given.iter().map(|&at| arg(at));
        let given = [given.next().flatten(), given.next().flatten()];
        if does.wanted {
            for ty in self.wanted_at(func, expr) {
                self.note_conversion(func, at, (does.does, ty), receiver.filter(|_| does.receiver));
            }
            return;
        }
        for value in asked {
            let implied = Implied { operator: does.does, asked: value, given, is_reflected: false };
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
}
