//! Which variable a name stands for: where in the program the value behind it is bound. It says nothing of the value.

use super::ids::{Func, Slot};
use super::program::Program;
use super::types::{Global, Type};
use crate::ir::{Expr, ExprId, VarId};

/// A variable, and the function (a module or class body, too) that binds it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Variable {
    pub func: Func,
    pub var: VarId,
}

impl Program<'_> {
    /// The variable that `expr`, which stands in `func`, names: its own, a captured one, one of a module or of a class.
    pub fn variable(&self, func: Func, expr: ExprId) -> Option<Variable> {
        let slot = match *self.facts(self.function(func).file).expr(expr) {
            Expr::Field { base, .. } => self.attribute(func, base, expr)?,
            _ => self.named(func, expr)?,
        };
        self.index.owner(slot).map(|(func, var)| Variable { func, var })
    }

    /// The variable that a bare name means.
    pub(super) fn named(&self, func: Func, expr: ExprId) -> Option<Slot> {
        let file = self.index.file_of(func);
        match *self.index.units[file].facts.expr(expr) {
            Expr::Var(var) => Some(self.index.var(func, var)),
            Expr::Free(name) => slot_of(self.index.global(file, name)),
            Expr::Import(id) => slot_of(self.index.imported(file, id)?),
            _ => None,
        }
    }

    /// True for the object of the method around: `self`, `cls`.
    pub fn is_own_object(&self, func: Func, expr: ExprId) -> bool {
        self.index.is_own_object(func, expr)
    }

    /// `keys.ATTRIBUTION`, `ContentFence.MARKER`, `self.marker` where the class body binds it.
    pub(super) fn attribute(&self, func: Func, base: ExprId, field: ExprId) -> Option<Slot> {
        let file = self.index.file_of(func);
        let Expr::Field { name, .. } = *self.index.units[file].facts.expr(field) else { return None };
        let of_class = |class| Some(self.hierarchy.class_attr(&self.index, class, name)?.1);
        if self.is_own_object(func, base) {
            return of_class(self.index.enclosing_class(func)?);
        }
        self.index.statics(func, base).into_iter().find_map(|ty| match ty {
            Type::Class { class, .. } => of_class(class),
            Type::Module(module) => slot_of(self.index.module_attr(module, name)?),
            _ => None,
        })
    }
}

fn slot_of(global: Global) -> Option<Slot> {
    match global {
        Global::Slot(slot) => Some(slot),
        Global::Is(_) => None,
    }
}
