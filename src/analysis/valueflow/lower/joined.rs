//! Variables that are one of several values: what holds of a join holds of each value that reaches it.

use super::proof::{Proof, add, both};
use super::tested::Tests;
use crate::catalog::Purposes;
use crate::ir::{Expr, ExprId, Lit};

impl Tests<'_, '_> {
    /// All values that a variable of this function may be; none if one of them is not seen as a whole.
    pub fn values(&self, variable: ExprId) -> Vec<ExprId> {
        let Expr::Var(var) = *self.facts.expr(variable) else { return Vec::new() };
        let slot = self.program.slot_of(self.func, var);
        let values: Vec<_> = self.program.definitions(slot).collect();
        let is_each_seen = values.iter().all(|&(func, value)| func == self.func && value < variable);
        // A parameter, an element and a part are no definition.
        let is_bound_otherwise = self.program.parameter_of(slot).is_some()
            || self.bindings.get(&var).is_none_or(|&count| count != values.len());
        match is_each_seen && !is_bound_otherwise {
            true => values.into_iter().flat_map(|(_, value)| self.choices(value)).collect(),
            false => Vec::new(),
        }
    }

    /// `a if test else b` is one of two; all else is itself.
    pub fn choices(&self, value: ExprId) -> Vec<ExprId> {
        let mut value = value;
        while let Expr::Ascribe { value: Some(inner), .. } = *self.facts.expr(value) {
            value = inner;
        }
        match *self.facts.expr(value) {
            Expr::If { arms, otherwise: Some(otherwise) } => {
                self.facts.list(arms).iter().map(|arm| arm.body).chain([otherwise]).collect()
            }
            _ => vec![value],
        }
    }

    /// What is proven of all values of a variable, if there are several. No check is passed by nothing.
    pub fn of_each(&self, variable: ExprId, proofs: impl Fn(ExprId) -> Vec<Proof>) -> Vec<Proof> {
        let mut values = self.values(variable);
        values.retain(|&value| *self.facts.expr(value) != Expr::Lit(Lit::None));
        let Some((&first, others)) = values.split_first() else { return Vec::new() };
        others.iter().fold(proofs(first), |known, &value| both(&known, &proofs(value)))
    }

    /// All that an expression reads, and what that is made of. Inside a join, further joins are not followed.
    pub fn origins(&self, expr: ExprId, purposes: Purposes, found: &mut Vec<Proof>) {
        for join in self.followed(expr, purposes, found) {
            let common = self.of_each(join, |value| {
                let mut found = Vec::new();
                self.followed(value, purposes, &mut found);
                found
            });
            add(found, common);
        }
    }
}
