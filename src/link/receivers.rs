//! Whose method is called, and which parameter a callable comes from.

use super::attributes::DEREF;
use super::edge::Receiver;
use super::edges::{Pass, Targets};
use super::hierarchy::MethodKind;
use super::ids::{Cls, Func};
use super::types::Type;
use crate::ir::{Expr, ExprId};

/// A name of an entry of a name; more is a cycle.
pub(super) const MAX_STEPS: usize = 8;

impl Pass<'_, '_, '_> {
    /// What is known of the object whose method is called.
    pub(super) fn receiver(
        &mut self,
        func: Func,
        base: Option<ExprId>,
        class: Option<Cls>,
        targets: usize,
    ) -> Receiver {
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
            [Type::Instance { class, .. } | Type::Class { class, .. }] => Receiver::Within(class),
            [Type::Super(_)] => Receiver::Same,
            _ => Receiver::Unknown,
        }
    }

    /// Whatever the object is, its class has the method that runs.
    pub(super) fn at_least(&self, receiver: Receiver, method: Func) -> Receiver {
        let owner = self.solver.index.method_of[method.0 as usize];
        match (receiver, owner) {
            (Receiver::Unknown, Some(owner)) => Receiver::Within(owner),
            _ => receiver,
        }
    }

    /// The class of the object that is called if all of it is known and nothing of it has such a method.
    pub(super) fn lacking(&mut self, func: Func, callee: ExprId) -> Option<Cls> {
        let index = self.solver.index;
        let file = index.file_of(func);
        let Expr::Field { base, name } = *index.units[file].facts.expr(callee) else { return None };
        let (Type::Instance { class, exact: true } | Type::Class { class, exact: true }) =
            *self.solver.eval(func, base).first()?
        else {
            return None;
        };
        let hierarchy = self.solver.hierarchy;
        let mut bases = hierarchy.external_bases[class.0 as usize].iter();
        let has = |name| hierarchy.class_attr(index, class, name).is_some();
        let is_whole = bases.all(|&path| index.externals.is_of_language(path));
        let is_set = || index.stored(class, name).next().is_some();
        // What stands for another object has the methods of that one.
        let stands_for = || index.names.get(DEREF).is_some_and(has);
        (is_whole && !has(name) && !is_set() && !stands_for()).then_some(class)
    }

    /// The callee is a method called by its own name, or a constructor; not a function that an attribute holds.
    pub(super) fn is_member(&self, func: Func, expr: ExprId, callee: Func) -> bool {
        let index = self.solver.index;
        if index.method_of[callee.0 as usize].is_none() {
            return false;
        }
        let facts = index.units[index.file_of(func)].facts;
        let Expr::Call { callee: named, .. } = *facts.expr(expr) else { return false };
        let name = index.ir(callee).name;
        match *facts.expr(named) {
            Expr::Field { name: called, .. } => called == name || index.names.text(name).starts_with("__"),
            _ => index.names.text(name).starts_with("__"),
        }
    }

    /// `self` or `cls` of the method around.
    fn is_own_object(&self, func: Func, base: ExprId) -> bool {
        let index = self.solver.index;
        matches!(self.parameter(func, base), Some((owner, 0)) if index.method_of[owner.0 as usize].is_some()
            && self.solver.hierarchy.kind(owner) != MethodKind::Static)
    }

    /// The parameter that an expression names.
    pub(super) fn parameter(&self, func: Func, expr: ExprId) -> Option<(Func, u32)> {
        let facts = self.solver.index.units[self.solver.index.file_of(func)].facts;
        match *facts.expr(expr) {
            Expr::Var(var) => self.solver.index.param_of.get(&self.solver.index.var(func, var)).copied(),
            _ => None,
        }
    }

    /// The parameter that is called: by its name, or as an entry of the table or list that it is.
    pub(super) fn called_parameter(&mut self, func: Func, callee: ExprId) -> Option<(Func, u32)> {
        let index = self.solver.index;
        let (mut func, mut expr) = (func, callee);
        for _ in 0..MAX_STEPS {
            if let Some(parameter) = self.parameter(func, expr) {
                let is_entry = expr != callee;
                let holds = |ty: &Type| matches!(ty, Type::Container(_));
                return (!is_entry || self.solver.eval(func, expr).iter().all(holds)).then_some(parameter);
            }
            let facts = index.units[index.file_of(func)].facts;
            (func, expr) = match *facts.expr(expr) {
                Expr::Var(var) => index.sole_definition(index.var(func, var))?,
                Expr::Index { base, .. } => (func, base),
                Expr::Call { callee, .. } => match *facts.expr(callee) {
                    Expr::Field { base, name } if matches!(facts.str(name), "get" | "pop" | "values") => {
                        (func, base)
                    }
                    _ => return None,
                },
                _ => return None,
            };
        }
        None
    }

    pub(super) fn is_parameter(&self, func: Func, callee: ExprId) -> bool {
        self.parameter(func, callee).is_some()
    }

    /// What a parameter is when the caller gives nothing belongs to the function itself.
    pub(super) fn default_targets(&mut self, func: Func, callee: ExprId, out: &mut Targets) {
        let Some((owner, position)) = self.parameter(func, callee) else { return };
        let index = self.solver.index;
        let facts = index.units[index.file_of(owner)].facts;
        let function = index.ir(owner);
        let Some(default) = facts.list(function.params)[position as usize].default else { return };
        let scope = function.parent;
        for ty in self.solver.eval(scope, default) {
            self.target(ty, false, out);
        }
    }
}
