//! Shapes of tests and assignments: what asks whether there is a value, what a body assigns.

use crate::ir::walk::Child;
use crate::ir::{Expr, ExprId, Facts, Lit, Op, Pat, VarId};

/// What an assignment fills.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Variable(VarId),
    /// An attribute or an entry.
    Stored(ExprId),
}

/// The assignments that stand in a body itself.
pub fn assigned(facts: &Facts, body: ExprId) -> impl Iterator<Item = (Place, ExprId)> + '_ {
    let statements = match *facts.expr(body) {
        Expr::Block(list) => facts.list(list),
        _ => &[],
    };
    statements.iter().filter_map(|&statement| match *facts.expr(statement) {
        Expr::Bind { pat, value } => match *facts.pat(pat) {
            Pat::Var(var) => Some((Place::Variable(var), value)),
            _ => None,
        },
        Expr::Store { place, op: None, value: Some(value) } => Some((Place::Stored(place), value)),
        _ => None,
    })
}

/// A test for whether there is something: truth, `is None`, `in`. A comparison with a value is none.
pub fn is_absence(facts: &Facts, test: ExprId) -> bool {
    match *facts.expr(test) {
        Expr::Var(_) | Expr::Free(_) | Expr::Field { .. } | Expr::Call { .. } | Expr::Index { .. } => true,
        Expr::Not(inner) | Expr::Bind { value: inner, .. } | Expr::Await(inner) => is_absence(facts, inner),
        Expr::All(parts) | Expr::Any(parts) => facts.list(parts).iter().all(|&part| is_absence(facts, part)),
        Expr::Op { op: Op::Is | Op::IsNot | Op::Eq | Op::Ne, args } => {
            facts.list(args).iter().any(|&arg| matches!(facts.expr(arg), Expr::Lit(Lit::None)))
        }
        Expr::Op { op: Op::In | Op::NotIn, args } => {
            let key = |&arg: &ExprId| matches!(facts.expr(arg), Expr::Lit(Lit::Str(_)));
            facts.list(args).first().is_some_and(key)
        }
        _ => false,
    }
}

/// True if both speak of the same name.
pub fn shares(facts: &Facts, one: ExprId, other: ExprId) -> bool {
    let mut names = Vec::new();
    each_name(facts, one, &mut |expr| names.push(*expr));
    let mut found = false;
    each_name(facts, other, &mut |expr| found |= names.contains(expr));
    found
}

/// The variables and free names below an expression.
pub fn each_name(facts: &Facts, expr: ExprId, visit: &mut dyn FnMut(&Expr)) {
    if let name @ (Expr::Var(_) | Expr::Free(_)) = facts.expr(expr) {
        visit(name);
    }
    facts.arenas.each_child(expr, |child| {
        if let Child::Expr(child) = child {
            each_name(facts, child, visit);
        }
    });
}
