//! Names that tell that internal data was read, as far as the project sets them: one that nothing ever sets tells nothing.

use std::collections::BTreeSet;

use super::Order;
use crate::catalog::DataOp;
use crate::ir::{Expr, ExprId, Facts, Lit, Sym};
use crate::link::Func;

/// Names that are called like a mark, and that are only ever stored as not set.
pub fn never_set(order: &Order<'_, '_, '_>) -> BTreeSet<Sym> {
    let program = order.program;
    let files = program.files_that_hold(&order.marks);
    let (mut stored, mut set) = (BTreeSet::new(), BTreeSet::new());
    let functions = (0..program.functions.len() as u32).map(Func);
    for func in functions.filter(|func| files[program.function(*func).file.0 as usize]) {
        let facts = program.facts(program.function(func).file);
        for expr in program.ir(func).exprs.iter() {
            let Some((place, is_set)) = written(order, func, expr) else { continue };
            let name = last_name(facts, place).filter(|&name| order.marks.has(name));
            let Some(name) = name else { continue };
            stored.insert(name);
            is_set.then(|| set.insert(name));
        }
    }
    stored.retain(|name| !set.contains(name));
    stored
}

/// A place that is written here, and whether that may set it.
fn written(order: &Order<'_, '_, '_>, func: Func, expr: ExprId) -> Option<(ExprId, bool)> {
    let facts = order.values.facts(func);
    match *facts.expr(expr) {
        Expr::Store { place, op, value: Some(value) } => {
            Some((place, op.is_some() || !is_empty(facts, value)))
        }
        Expr::Call { .. } => {
            let method = order.values.method(func, expr)?;
            let grows = matches!(method.does, Some(DataOp::Append | DataOp::Add | DataOp::Insert));
            grows.then_some((method.receiver, true))
        }
        _ => None,
    }
}

fn last_name(facts: &Facts, place: ExprId) -> Option<Sym> {
    match *facts.expr(place) {
        Expr::Field { name, .. } | Expr::Free(name) => Some(name),
        _ => None,
    }
}

fn is_empty(facts: &Facts, value: ExprId) -> bool {
    match *facts.expr(value) {
        Expr::Lit(Lit::None | Lit::Bool(false) | Lit::Int(0)) => true,
        Expr::Seq(items) => items.is_empty(),
        Expr::Record(entries) => entries.is_empty(),
        // `set()`, `Vec::new()`
        Expr::Call { args, .. } => args.is_empty(),
        _ => false,
    }
}
