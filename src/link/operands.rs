//! Operators of objects of libraries: what `prompt | fetch` makes holds what its operands hold, and `first >> second` whose value
//! nobody uses tells the operands of one another.

use super::ids::Func;
use super::react::{Held, React, Taker};
use super::solve::Solver;
use super::types::{Type, Types, Value};
use crate::ir::{Expr, ExprId};

impl Solver<'_, '_> {
    /// What an operator makes of an object of a library holds what its operands hold. True if there are new ones.
    pub(super) fn hold_operands(&mut self, operators: &mut Vec<(Func, ExprId)>) -> bool {
        let before = operators.len();
        let left = std::mem::take(operators);
        for (func, expr) in left {
            let facts = self.index.units[self.index.file_of(func)].facts;
            let Expr::Op { args, .. } = *facts.expr(expr) else { continue };
            let is_library =
                |ty: &Type| ty.is_held_by_library() || matches!(ty, Type::Object(_) | Type::External(_));
            let operands = facts.list(args);
            let types: Vec<Types> = operands.iter().map(|&operand| self.eval(func, operand)).collect();
            let is_function = |ty: &Type| matches!(ty, Type::Function(_) | Type::Bound(_) | Type::Partial(_));
            let is_meant = |types: &Types| types.iter().any(|ty| is_library(ty) || is_function(ty));
            if !types.iter().any(is_meant) {
                operators.push((func, expr));
                continue;
            }
            if self.holders.statements.contains(&expr) {
                self.hold_one_another(func, operands);
            }
            if let Value::In(slot) = self.value(func, expr) {
                for &operand in operands {
                    self.give_one(func, operand, Taker::Made(expr, slot), Held::Overrides);
                }
            }
        }
        operators.len() < before
    }

    fn hold_one_another(&mut self, func: Func, operands: &[ExprId]) {
        for &operand in operands {
            let receiver = self.base_value(func, operand);
            let number = self.add_receiver(receiver);
            for &other in operands.iter().filter(|&&other| other != operand) {
                let given = self.value(func, other);
                self.on(receiver, React::Stores(given));
                self.on(given, React::Hold(Taker::Receiver(number), Held::Overrides));
            }
        }
    }
}
