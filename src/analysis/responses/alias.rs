//! Whether an expression is an object that a function was given, or a part of it.

use super::Changes;
use crate::analysis::definitions::Definition;
use crate::ir::{Expr, ExprId, Op};
use crate::link::{EdgeKind, Func, Passed, Target};

/// Names of names, helpers of helpers; more is a cycle.
const MAX_HOPS: u32 = 12;

/// The objects in question: what a function is given in some of its parameters.
#[derive(Clone, Debug)]
pub struct Roots {
    pub func: Func,
    pub params: Vec<u32>,
    /// The function is the capture function, not one that it asks.
    pub is_own: bool,
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
        self.leads(func, expr, roots, MAX_HOPS)
    }

    /// True for the parameter itself.
    pub(super) fn is_root(&self, func: Func, expr: ExprId, roots: &Roots) -> bool {
        let Expr::Var(_) = *self.values.facts(func).expr(expr) else { return false };
        let program = self.values.program;
        let Some(variable) = program.variable(func, expr) else { return false };
        let parameter = program.parameter_of(program.slot_of(variable.func, variable.var));
        parameter.is_some_and(|(owner, at)| owner == roots.func && roots.params.contains(&at))
    }

    fn leads(&self, func: Func, expr: ExprId, roots: &Roots, hops: u32) -> Option<Alias> {
        let hops = hops.checked_sub(1)?;
        let facts = self.values.facts(func);
        let inner = |expr| self.leads(func, expr, roots, hops);
        let any = |parts: &[ExprId]| parts.iter().filter_map(|&part| inner(part)).max();
        match *facts.expr(expr) {
            Expr::Var(_) if self.is_root(func, expr, roots) => Some(Alias::Same),
            Expr::Var(_) => {
                let bound = self.values.bound(func, expr)?;
                let of = |definition: &Definition| {
                    let alias = self.leads(bound.func, definition.value, roots, hops)?;
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
            Expr::Call { .. } => self.handed_back(func, expr, roots, hops),
            _ => None,
        }
    }

    /// What a call hands back of what it is given.
    fn handed_back(&self, func: Func, call: ExprId, roots: &Roots, hops: u32) -> Option<Alias> {
        let values = self.values;
        let facts = values.facts(func);
        let handed_on = &values.catalog.handed_on;
        if let Some(method) = values.method(func, call) {
            if handed_on.is_shallow_method(method.name) {
                return self.leads(func, method.receiver, roots, hops).map(|_| Alias::Copy);
            }
            if matches!(method.name, "get" | "items" | "values" | "setdefault" | "pop" | "__getitem__") {
                return self.leads(func, method.receiver, roots, hops).map(|_| Alias::Same);
            }
        }
        let Expr::Call { args, .. } = *facts.expr(call) else { return None };
        let args = facts.list(args);
        let any = || args.iter().filter_map(|arg| self.leads(func, arg.value, roots, hops)).max();
        match values.path(func, call).unwrap_or_default().as_str() {
            path if handed_on.is_shallow(path) => any().map(|_| Alias::Copy),
            "builtins.enumerate" | "builtins.reversed" | "builtins.iter" | "builtins.next"
            | "builtins.zip" | "builtins.filter" | "builtins.getattr" | "typing.cast" | "builtins.vars" => {
                any()
            }
            _ => self.by_helper(func, call, roots, hops),
        }
    }

    fn by_helper(&self, func: Func, call: ExprId, roots: &Roots, hops: u32) -> Option<Alias> {
        let program = self.values.program;
        let edges = program.edges_at(func, call).iter().filter(|edge| edge.kind == EdgeKind::Call);
        let mut best = None;
        for edge in edges {
            let Target::Project(helper) = edge.to else { continue };
            for (passed, expr) in program.arguments(edge) {
                let Passed::Param(at) = passed else { continue };
                let Some(given) = self.leads(func, expr, roots, hops) else { continue };
                let of = Roots { func: helper, params: vec![at], is_own: false };
                let mut back =
                    program.returns(helper).filter_map(|value| self.leads(helper, value, &of, hops));
                best = best.max(back.next().map(|back| back.min(given)));
            }
        }
        best
    }
}
