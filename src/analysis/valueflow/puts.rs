//! Where a value was put into a list of words: what stands before it there says what it decides.

use super::commands::Put;
use super::graph::Node;
use super::paths::{Key, Path};
use super::places::Place;
use crate::ir::{Expr, ExprId};
use crate::link::{Func, Program, Target};

/// The last place on a way where the value was put into a list.
pub fn put(
    program: &Program<'_>,
    place: impl Fn(Node) -> Option<(Func, Place)>,
    way: &[(Node, Path)],
) -> Option<Put> {
    way.windows(2).rev().find_map(|pair| {
        let [(from, _), (to, part)] = *pair else { return None };
        let (Some((func, Place::Expr(word))), Some((own, Place::Expr(list)))) = (place(from), place(to))
        else {
            return None;
        };
        let found = || match (into(program, func, list, word), part.first_step()) {
            (Some(list), _) => Some(Put { func, list, word }),
            (None, Some(Key::At(at))) => handed_back(program, func, list, at),
            (None, _) => None,
        };
        (func == own).then(found)?
    })
}

/// The list that a word is put into by an expression.
fn into(program: &Program<'_>, func: Func, expr: ExprId, word: ExprId) -> Option<ExprId> {
    let facts = program.facts(program.function(func).file);
    let holds =
        |list: ExprId| matches!(*facts.expr(list), Expr::Seq(items) if facts.list(items).contains(&word));
    match *facts.expr(expr) {
        // What is spread stands in a list of its own.
        _ if matches!(facts.expr(word), Expr::Spread(_)) => None,
        Expr::Seq(_) => holds(expr).then_some(expr),
        Expr::Op { args, .. } => facts.list(args).iter().copied().find(|&arg| holds(arg)),
        Expr::Var(_) => adds(program, func, expr, word).then_some(expr),
        _ => None,
    }
}

/// True for `list.append(word)`.
fn adds(program: &Program<'_>, func: Func, list: ExprId, word: ExprId) -> bool {
    let facts = program.facts(program.function(func).file);
    program.ir(func).exprs.iter().any(|expr| match *facts.expr(expr) {
        Expr::Call { callee, args, .. } => {
            matches!(*facts.expr(callee), Expr::Field { base, .. } if base == list)
                && facts.list(args).last().is_some_and(|arg| arg.value == word)
        }
        _ => false,
    })
}

/// The list that a function of the project writes down and hands back, if it is one only.
fn handed_back(program: &Program<'_>, func: Func, call: ExprId, at: u32) -> Option<Put> {
    let callees = program.edges_at(func, call).iter().filter_map(|edge| match edge.to {
        Target::Project(callee) => Some(callee),
        Target::External(_) => None,
    });
    let mut lists = callees.flat_map(|func| {
        let facts = program.facts(program.function(func).file);
        program.ir(func).exprs.iter().filter_map(move |list| match *facts.expr(list) {
            Expr::Seq(items) => Some(Put { func, list, word: *facts.list(items).get(at as usize)? }),
            _ => None,
        })
    });
    lists.next().filter(|_| lists.next().is_none())
}
