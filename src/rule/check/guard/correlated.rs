//! Correlated conditions: `if live: check(phase)` and later `if live: send()`. No way leads past the gate if both tests
//! come out alike, and whether they do is not proven: the finding says so, and is less sure.

use crate::analysis::Way;
use crate::ir::{Expr, ExprId, Facts};
use crate::link::{Func, Program};
use crate::source::SourceFile;

/// A test by its text, and how it comes out.
#[derive(PartialEq, Eq)]
struct Outcome {
    text: String,
    holds: bool,
}

/// The test around `reached` that comes out otherwise on the way on which the gate is missing, if it is written alike.
pub fn same_test(
    program: &Program<'_>,
    files: &[SourceFile],
    func: Func,
    way: Way,
    reached: ExprId,
) -> Option<ExprId> {
    let file = program.function(func).file;
    let facts = program.facts(file);
    let text = &files[file.0 as usize].text;
    let Way::Arm(at, nth) = way else { return None };
    let Expr::If { arms, .. } = *facts.expr(at) else { return None };
    let (test, taken) = match (facts.list(arms).get(nth), facts.list(arms)) {
        (Some(arm), _) => (arm.test, true),
        (None, [only]) => (only.test, false),
        _ => return None,
    };
    let missing = outcome(facts, text, test, taken)?;
    let mut around = program.ir(func).exprs.iter().filter(|&other| other != at);
    around.find_map(|other| {
        let (test, taken) = branch(facts, other, reached)?;
        let here = outcome(facts, text, test, taken)?;
        (here.text == missing.text && here.holds != missing.holds).then_some(test)
    })
}

/// The test that decides whether `reached` runs, and how it comes out if it does.
fn branch(facts: &Facts, expr: ExprId, reached: ExprId) -> Option<(ExprId, bool)> {
    let Expr::If { arms, otherwise } = *facts.expr(expr) else { return None };
    let inside = facts.span(reached);
    let is_in = |body: ExprId| facts.span(body).lo <= inside.lo && inside.hi <= facts.span(body).hi;
    match facts.list(arms) {
        [only] if otherwise.is_some_and(is_in) => Some((only.test, false)),
        arms => arms.iter().find(|arm| is_in(arm.body)).map(|arm| (arm.test, true)),
    }
}

fn outcome(facts: &Facts, text: &str, test: ExprId, taken: bool) -> Option<Outcome> {
    let (test, holds) = match *facts.expr(test) {
        Expr::Not(inner) => (inner, !taken),
        _ => (test, taken),
    };
    let span = facts.span(test);
    let text = text.get(span.lo as usize..span.hi as usize)?;
    Some(Outcome { text: text.split_whitespace().collect::<Vec<_>>().join(" "), holds })
}
