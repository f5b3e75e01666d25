//! Which parameters of a callee get which arguments of a call, and what was given before: the object of a method, the first
//! arguments of `partial(setattr, PhaseGate)("check", f)`.

use super::args::{Passed, pair};
use super::edge::{At, Edge, Target};
use super::edges::Pass;
use super::hierarchy::MethodKind;
use super::ids::{Func, Slot};
use super::program::Program;
use super::types::{Global, Type};
use crate::ir::{Arg, ArgKind, Expr, ExprId};

impl Pass<'_, '_, '_> {
    /// Notes the call that made what is called here of a callable and its first arguments.
    pub(super) fn notes_maker(&mut self, func: Func, call: ExprId, callee: ExprId) {
        let index = self.solver.index;
        if let Some((owner, made)) =
            self.named_slot(func, callee).and_then(|slot| index.sole_definition(slot))
        {
            let at = self.at(func, call);
            self.found.makers.push((at, owner, made));
        }
    }

    /// The variable that a name, or an attribute of a class or an object, stands for.
    pub(super) fn named_slot(&mut self, func: Func, named: ExprId) -> Option<Slot> {
        let index = self.solver.index;
        let file = index.file_of(func);
        match *index.units[file].facts.expr(named) {
            Expr::Field { base, name } => {
                let hierarchy = self.solver.hierarchy;
                self.solver.eval(func, base).into_iter().find_map(|ty| match ty {
                    Type::Instance { class, .. } | Type::Class { class, .. } => {
                        Some(hierarchy.class_attr(index, class, name)?.1)
                    }
                    _ => None,
                })
            }
            Expr::Var(var) => Some(index.var(func, var)),
            Expr::Free(name) => match index.global(file, name) {
                Global::Slot(slot) => Some(slot),
                Global::Is(_) => None,
            },
            _ => None,
        }
    }
}

impl Program<'_> {
    /// The arguments of a call of a project function, each with the parameter it becomes.
    pub fn arguments(&self, edge: &Edge) -> Vec<(Passed, ExprId)> {
        let Target::Project(callee) = edge.to else { return Vec::new() };
        let facts = self.facts(edge.at.file);
        let Expr::Call { callee: called, args, .. } = *facts.expr(edge.at.expr) else { return Vec::new() };
        let before = self.given_before(edge.at).map_or(&[][..], |(_, before)| before);
        let before = before.iter().filter(|arg| arg.kind == ArgKind::Positional).count() as u32;
        let skip = self.given(edge.from, called, callee) + before;
        pair(&self.index, facts, facts.list(args), callee, skip)
    }

    /// The parameters that were given before the call itself, each with the argument and the function in which that stands.
    pub fn arguments_before(&self, edge: &Edge) -> Vec<(Passed, Func, ExprId)> {
        let (Target::Project(callee), Some((owner, before))) = (edge.to, self.given_before(edge.at)) else {
            return Vec::new();
        };
        let Expr::Call { callee: called, .. } = *self.facts(edge.at.file).expr(edge.at.expr) else {
            return Vec::new();
        };
        let skip = self.given(edge.from, called, callee);
        let pairs = pair(&self.index, self.facts(self.function(owner).file), before, callee, skip);
        pairs.into_iter().map(|(passed, expr)| (passed, owner, expr)).collect()
    }

    /// The same for a callable that is handed over and then called with other arguments, which stand in `func`.
    pub fn handed_arguments(
        &self,
        func: Func,
        args: &[Arg],
        (callee, skip): (Func, u32),
    ) -> Vec<(Passed, ExprId)> {
        pair(&self.index, self.facts(self.function(func).file), args, callee, skip)
    }

    /// How many leading parameters of a callable are filled where it is handed over as this expression.
    pub fn filled(&self, func: Func, callable: ExprId, callee: Func) -> u32 {
        self.given(func, callable, callee)
    }

    /// How many leading parameters the call itself fills: the object of a method.
    pub(super) fn given(&self, caller: Func, called: ExprId, callee: Func) -> u32 {
        let kind = self.hierarchy.kind(callee);
        if self.function(callee).class.is_none() || kind == MethodKind::Static {
            return 0;
        }
        let facts = self.facts(self.function(caller).file);
        let is_of_class =
            |base| self.index.statics(caller, base).iter().any(|ty| matches!(ty, Type::Class { .. }));
        match *facts.expr(called) {
            // `Outer.Inner()` makes an object, `Class.method(object)` is given one.
            Expr::Field { base, name } if kind == MethodKind::Plain && is_of_class(base) => {
                u32::from(facts.str(name) != self.name(callee))
            }
            _ => 1,
        }
    }

    /// The arguments that were given before a call itself, by the function in which they stand.
    pub(super) fn given_before(&self, call: At) -> Option<(Func, &[Arg])> {
        let found = self.makers.binary_search_by_key(&call, |&(at, ..)| at).ok()?;
        let (_, owner, made) = self.makers[found];
        let facts = self.facts(self.function(owner).file);
        let Expr::Call { callee, args, .. } = *facts.expr(made) else { return None };
        let prepares = |path: &str| self.index.externals.catalog().boundaries.prepares(path);
        self.library_path(owner, callee).filter(|path| prepares(path))?;
        Some((owner, facts.list(args).split_first()?.1))
    }

    /// What a call calls and gives, with what was given before the call itself.
    pub(super) fn prepared(&self, func: Func, callee: ExprId, args: &[Arg]) -> (ExprId, Vec<Arg>) {
        let facts = self.facts(self.function(func).file);
        let (owner, made) = self.bound(func, callee);
        if owner == func
            && let Expr::Call { callee: maker, args: first, .. } = *facts.expr(made)
            && let Some(path) = self.library_path(func, maker)
            && self.index.externals.catalog().boundaries.prepares(path)
            && let [called, first @ ..] = facts.list(first)
        {
            return (called.value, first.iter().chain(args).copied().collect());
        }
        (callee, args.to_vec())
    }
}
