//! By which rung of the ladder a call was resolved, how sure that is, and what is counted.

use super::edge::{Resolution, Rung, Target};
use super::edges::{Pass, Targets};
use super::ids::Func;
use super::types::{Global, Type};
use crate::finding::Confidence;
use crate::ir::{Arg, Expr, ExprId};

impl Pass<'_, '_, '_> {
    pub(super) fn resolution(&self, func: Func, callee: ExprId, targets: &Targets, rung: Rung) -> Resolution {
        let project = targets.list.iter().any(|target| matches!(target, Target::Project(_)));
        let is_open = targets.is_open && (project || !self.is_builtin_method(func, callee));
        if is_open {
            Resolution::Unresolved
        } else if project || targets.constructed {
            Resolution::Resolved(rung)
        } else if targets.unbound || targets.of_any_library && !self.is_builtin_method(func, callee) {
            Resolution::Unresolved
        } else if !targets.list.is_empty() && !targets.builtin {
            Resolution::External(rung)
        } else if !targets.handed.is_empty() {
            Resolution::External(Rung::Type)
        } else if targets.builtin {
            Resolution::Builtin
        } else if self.is_builtin_method(func, callee) {
            Resolution::LikelyBuiltin
        } else if targets.parameter || self.is_parameter(func, callee) {
            Resolution::Parameter
        } else {
            Resolution::Unresolved
        }
    }

    pub(super) fn is_builtin_method(&self, func: Func, callee: ExprId) -> bool {
        let index = self.solver.index;
        let facts = index.units[index.file_of(func)].facts;
        match *facts.expr(callee) {
            Expr::Field { name, .. } => index.is_known_method(index.file_of(func), facts.str(name)),
            _ => false,
        }
    }

    pub(super) fn rung(&self, func: Func, callee: ExprId, types: &[Type], targets: &Targets) -> Rung {
        let index = self.solver.index;
        let facts = index.units[index.file_of(func)].facts;
        if targets.unbound {
            return Rung::Unbound;
        }
        match *facts.expr(callee) {
            Expr::Index { .. } => Rung::Table,
            Expr::Field { base, .. } => match *facts.expr(base) {
                Expr::Var(var) => match index.param_of.get(&index.var(func, var)) {
                    Some(&(owner, at)) if index.is_receiver(owner, at) => Rung::Hierarchy,
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
        let slot = match *facts.expr(expr) {
            Expr::Var(var) => index.var(func, var),
            Expr::Free(name) => match index.global(file, name) {
                Global::Slot(slot) => slot,
                Global::Is(_) => return Rung::Import,
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
}

impl Pass<'_, '_, '_> {
    pub(super) fn by_method_name(
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
        let candidates = self.methods.candidates(self.solver, file, name, args);
        let confidence = if candidates.len() == 1 { Confidence::Medium } else { Confidence::Low };
        out.list.extend(candidates.into_iter().map(Target::Project));
        (Rung::MethodName, confidence)
    }
}
