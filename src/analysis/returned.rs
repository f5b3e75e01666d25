//! Which calls a function hands back the results of: what a value that it returns or yields may be made of. A read whose result
//! goes nowhere brings nothing to whoever called.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::values::Values;
use crate::ir::{Expr, ExprId, Sym, VarId};
use crate::link::{Func, SharedMemo};

/// Answers for the functions of a program.
pub struct Returned<'v, 'p, 'a> {
    values: &'v Values<'p, 'a>,
    known: SharedMemo<Func, Arc<Parts>>,
}

/// What the values that leave a function are made of.
#[derive(Default)]
struct Parts {
    exprs: FxHashSet<ExprId>,
    variables: FxHashSet<VarId>,
    /// Attributes, by the variable and the name.
    fields: FxHashSet<(VarId, Sym)>,
}

impl<'v, 'p, 'a> Returned<'v, 'p, 'a> {
    pub fn new(values: &'v Values<'p, 'a>) -> Self {
        Self { values, known: SharedMemo::default() }
    }

    /// True if what a call comes out as, or what it does to its object or an argument, may be in what the function hands back.
    pub fn holds(&self, func: Func, call: ExprId) -> bool {
        let facts = self.values.facts(func);
        let parts = self.known.of(func, || Arc::new(self.parts(func)));
        if parts.exprs.contains(&call) {
            return true;
        }
        let Expr::Call { callee, args, .. } = *facts.expr(call) else { return false };
        let object = match *facts.expr(callee) {
            Expr::Field { base, .. } => Some(base),
            _ => None,
        };
        let given = facts.list(args).iter().map(|arg| arg.value);
        object.into_iter().chain(given).any(|value| self.names(func, &parts, value))
    }

    /// True for a variable, or an attribute of one, that is part of what is handed back. The function's own object is part of
    /// everything that a method does.
    fn names(&self, func: Func, parts: &Parts, value: ExprId) -> bool {
        let facts = self.values.facts(func);
        match *facts.expr(value) {
            Expr::Var(var) => {
                parts.variables.contains(&var) && !self.values.program.is_own_object(func, value)
            }
            Expr::Field { base, name } => match *facts.expr(base) {
                Expr::Var(var) => parts.fields.contains(&(var, name)),
                _ => false,
            },
            _ => false,
        }
    }

    fn parts(&self, func: Func) -> Parts {
        let program = self.values.program;
        let facts = self.values.facts(func);
        let yields = program.ir(func).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
            Expr::Yield { value, .. } => value,
            _ => None,
        });
        let mut parts = Parts::default();
        for value in program.returns(func).chain(yields) {
            parts.exprs.extend(self.values.parts(func, value));
        }
        for &expr in &parts.exprs {
            match *facts.expr(expr) {
                Expr::Var(var) => drop(parts.variables.insert(var)),
                Expr::Field { base, name } => {
                    if let Expr::Var(var) = *facts.expr(base) {
                        parts.fields.insert((var, name));
                    }
                }
                _ => {}
            }
        }
        parts
    }
}
