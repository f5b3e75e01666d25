//! Whether an expression is an object that a function was given, or a part of it.

use super::{Changes, Key};
use crate::analysis::definitions::Definition;
use crate::catalog::DataOp::{
    self, Attributes, Cast, Entries, Enumerate, Filter, Get, GetAttribute, GetEntry, GetOrInsert, Iterate,
    Next, Pair, Reverse, Take,
};
use crate::ir::{Expr, ExprId, Op};
use crate::link::{EdgeKind, Func, Passed, Target};

/// The objects in question: what a function is given in some of its parameters.
#[derive(Clone, Debug)]
pub struct Roots {
    pub func: Func,
    pub params: Vec<u32>,
    /// The function is the capture function, not one that it asks.
    pub is_own: bool,
}

impl Roots {
    /// What a question about an expression is known by.
    pub(super) fn key(&self, func: Func, expr: ExprId) -> Key {
        (func, expr, self.func, self.params.iter().fold(0, |mask, &at| mask | 1 << (at % 64)))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Alias {
    /// A copy of the object with the same parts.
    Copy,
    /// The object, or a part of it.
    Same,
}

impl Changes<'_, '_, '_> {
    pub(super) fn alias(&self, func: Func, expr: ExprId, roots: &Roots) -> Option<Alias> {
        let key = roots.key(func, expr);
        self.once(&self.aliases, key, None, || self.leads(func, expr, roots))
    }

    /// True for the parameter itself.
    pub(super) fn is_root(&self, func: Func, expr: ExprId, roots: &Roots) -> bool {
        let Expr::Var(_) = *self.values.facts(func).expr(expr) else { return false };
        let program = self.values.program;
        let Some(variable) = program.variable(func, expr) else { return false };
        let parameter = program.parameter_of(program.slot_of(variable.func, variable.var));
        parameter.is_some_and(|(owner, at)| owner == roots.func && roots.params.contains(&at))
    }

    fn leads(&self, func: Func, expr: ExprId, roots: &Roots) -> Option<Alias> {
        let facts = self.values.facts(func);
        let inner = |expr| self.alias(func, expr, roots);
        let any = |parts: &[ExprId]| parts.iter().filter_map(|&part| inner(part)).max();
        match *facts.expr(expr) {
            Expr::Var(_) if self.is_root(func, expr, roots) => Some(Alias::Same),
            Expr::Var(_) => {
                let bound = self.values.bound(func, expr)?;
                let of = |definition: &Definition| {
                    let alias = self.alias(bound.func, definition.value, roots)?;
                    Some(if definition.reads.is_empty() { alias } else { Alias::Same })
                };
                bound.definitions().iter().filter(|it| !it.is_element).filter_map(of).max()
            }
            Expr::Field { base, .. } => inner(base).map(|_| Alias::Same),
            Expr::Index { base, key } => {
                let is_slice = matches!(facts.expr(key), Expr::Op { op: Op::Slice, .. });
                inner(base).map(|_| if is_slice { Alias::Copy } else { Alias::Same })
            }
            Expr::Ascribe { value: Some(value), .. } | Expr::Bind { value, .. } => inner(value),
            Expr::Await(value) | Expr::Spread(value) => inner(value),
            Expr::Any(parts) | Expr::All(parts) => any(facts.list(parts)),
            Expr::If { arms, otherwise } => {
                let bodies = facts.list(arms).iter().map(|arm| arm.body).chain(otherwise);
                any(&bodies.collect::<Vec<_>>())
            }
            Expr::Block(list) => facts.list(list).last().and_then(|&last| inner(last)),
            Expr::Call { .. } => self.handed_back(func, expr, roots),
            _ => None,
        }
    }

    /// What a call hands back of what it is given.
    fn handed_back(&self, func: Func, call: ExprId, roots: &Roots) -> Option<Alias> {
        let values = self.values;
        let facts = values.facts(func);
        let handed_on = &values.catalog.handed_on;
        if let Some(method) = values.method(func, call) {
            if handed_on.is_shallow_method(method.name) {
                return self.alias(func, method.receiver, roots).map(|_| Alias::Copy);
            }
            // `response.as_object_mut()`, `response.get_mut(…).unwrap()`
            let is_view = facts.profile().has_views && handed_on.by_method(method.name);
            let reads =
                matches!(method.does, Some(Get | Entries | DataOp::Values | GetOrInsert | Take | GetEntry));
            if reads || is_view {
                return self.alias(func, method.receiver, roots).map(|_| Alias::Same);
            }
        }
        let Expr::Call { args, .. } = *facts.expr(call) else { return None };
        let args = facts.list(args);
        let any = || args.iter().filter_map(|arg| self.alias(func, arg.value, roots)).max();
        let path = values.path(func, call).unwrap_or_default();
        match values.catalog.operations.of_call(&path) {
            _ if handed_on.is_shallow(&path) => any().map(|_| Alias::Copy),
            Some(Enumerate | Reverse | Iterate | Next | Pair | Filter | GetAttribute | Cast | Attributes) => {
                any()
            }
            _ => self.by_helper(func, call, roots),
        }
    }

    fn by_helper(&self, func: Func, call: ExprId, roots: &Roots) -> Option<Alias> {
        let program = self.values.program;
        let edges = program.edges_at(func, call).iter().filter(|edge| edge.kind == EdgeKind::Call);
        let mut best = None;
        for edge in edges {
            let Target::Project(helper) = edge.to else { continue };
            for (passed, expr) in program.arguments(edge) {
                let Passed::Param(at) = passed else { continue };
                let Some(given) = self.alias(func, expr, roots) else { continue };
                let of = Roots { func: helper, params: vec![at], is_own: false };
                let mut back = program.returns(helper).filter_map(|value| self.alias(helper, value, &of));
                best = best.max(back.next().map(|back| back.min(given)));
            }
        }
        best
    }
}
