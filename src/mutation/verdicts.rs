//! Guards that answer: a branch decides whether the effect runs. Which of its arms refuses is told by how the arm ends.

use super::changes::{Edits, moved};
use super::edit::Edit;
use super::statements::{Around, File};
use super::{Change, Guard};
use crate::ir::{Expr, ExprId, IfArm, Pat, PatId, VarId};

/// The changes of a branch whose test, or subject, holds what was asked.
pub fn branch(file: &File<'_>, around: &Around, guard: &Guard, statement: ExprId, asked: ExprId) -> Edits {
    let facts = file.facts;
    let at = facts.span(asked);
    let holds = |expr: ExprId| facts.span(expr).lo <= at.lo && at.hi <= facts.span(expr).hi;
    match *facts.expr(statement) {
        Expr::If { arms, otherwise } => {
            let arms = facts.list(arms);
            let Some(arm) = arms.iter().find(|arm| holds(arm.test)) else { return Vec::new() };
            let is_alone = arms.len() == 1 && otherwise.is_none();
            of_arm(file, around, guard, statement, arm, is_alone)
        }
        Expr::Match { subject, arms } if holds(subject) || subject == asked || statement == asked => {
            let bodies: Vec<ExprId> = facts.list(arms).iter().map(|arm| arm.body).collect();
            of_match(file, guard, statement, &bodies)
        }
        _ => Vec::new(),
    }
}

fn of_arm(
    file: &File<'_>,
    around: &Around,
    guard: &Guard,
    statement: ExprId,
    arm: &IfArm,
    is_alone: bool,
) -> Edits {
    let (spelling, test) = (file.spelling, file.facts.span(arm.test));
    let code = file.code(test);
    let Some(refusal) = file.leaves(arm.body) else {
        // What is behind the gate stands in the arm.
        return vec![
            (Change::Removed, vec![Edit::new(test, spelling.truth(true))]),
            (Change::Flagged, vec![Edit::new(test, spelling.or_no_flag(code))]),
        ];
    };
    let mut edits = vec![
        (Change::Emptied, vec![Edit::new(file.whole(refusal), spelling.nothing())]),
        (Change::Flagged, vec![Edit::new(test, spelling.and_flag(code))]),
    ];
    if !is_alone {
        edits.push((Change::Removed, vec![Edit::new(test, spelling.truth(false))]));
        return edits;
    }
    let span = file.whole(statement);
    edits.push((Change::Removed, vec![Edit::new(span, spelling.nothing())]));
    edits.push((Change::Asserted, vec![Edit::new(span, spelling.asserted_not(code))]));
    edits.extend(moved(file, around, guard, span).map(|edits| (Change::Moved, edits)));
    if file.raises(arm.body) {
        let swallowed = spelling.swallowed(file.code(span), "", file.indent(span.lo));
        edits.extend(swallowed.map(|text| (Change::Swallowed, vec![Edit::new(span, text)])));
    }
    edits
}

/// Every arm that refuses goes on instead; where nothing else is done there, the whole may go.
fn of_match(file: &File<'_>, guard: &Guard, statement: ExprId, bodies: &[ExprId]) -> Edits {
    let refusals: Vec<ExprId> = bodies.iter().filter_map(|&body| file.leaves(body)).collect();
    let span = file.whole(statement);
    let inside = |&effect: &ExprId| {
        let at = file.facts.span(effect);
        span.lo <= at.lo && at.hi <= span.hi
    };
    let mut edits = Vec::new();
    if !refusals.is_empty() {
        let gone = refusals.iter().map(|&refusal| Edit::new(file.whole(refusal), file.spelling.nothing()));
        edits.push((Change::Emptied, gone.collect()));
    }
    if !guard.effects.iter().any(inside) {
        edits.push((Change::Removed, vec![Edit::new(span, file.spelling.nothing())]));
    }
    edits
}

/// `allowed, why = gate.ask(phase)`: the branches that test what was bound.
pub fn tests_of(file: &File<'_>, around: &Around, guard: &Guard, statement: ExprId) -> Edits {
    let facts = file.facts;
    let Expr::Bind { pat, .. } = *facts.expr(statement) else { return Vec::new() };
    let bound = variables(file, pat);
    let reads = |&expr: &ExprId| matches!(*facts.expr(expr), Expr::Var(var) if bound.contains(&var));
    let mut edits = Vec::new();
    for expr in facts.function(guard.function).exprs.iter() {
        let asked: Vec<ExprId> = match *facts.expr(expr) {
            Expr::If { arms, .. } => facts.list(arms).iter().map(|arm| arm.test).collect(),
            Expr::Match { subject, .. } => vec![subject],
            _ => continue,
        };
        let read = asked.into_iter().flat_map(|test| facts.arenas.below(test)).find(reads);
        let Some(read) = read.filter(|_| around.statement(facts, expr) == Some(expr)) else { continue };
        edits.extend(branch(file, around, guard, expr, read));
    }
    edits
}

fn variables(file: &File<'_>, pat: PatId) -> Vec<VarId> {
    let (mut found, mut todo) = (Vec::new(), vec![pat]);
    while let Some(pat) = todo.pop() {
        if let Pat::Var(var) | Pat::As { var, .. } = *file.facts.pat(pat) {
            found.push(var);
        }
        file.facts.arenas.each_child_of_pat(pat, |child| {
            if let crate::ir::walk::Child::Pat(inner) = child {
                todo.push(inner);
            }
        });
    }
    found
}
