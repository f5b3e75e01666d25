//! Says where the gate is missing: the branch, the handler or the loop without which it would have been passed.

use super::correlated::same_test;
use crate::analysis::{Gating, Path, Way};
use crate::ir::{Expr, ExprId, Span};
use crate::link::{Func, Program};
use crate::rule::check::Context;
use crate::source::{LineIndex, SourceFile};

/// A longer test is not repeated in a message.
const MAX_TEST: usize = 60;
/// On a longer path only the first calls are asked about.
pub(super) const MAX_HOPS: usize = 32;

/// The way on which the gate is missing.
pub struct Missing {
    pub said: String,
    /// The line of a test that may rule the way out.
    pub unless: Option<u32>,
}

/// What to say of a path: the way on which the gate is missing, if some function on the path has a gate at all.
pub fn on_path(context: &Context<'_>, gating: &Gating, path: &Path<'_>) -> Option<Missing> {
    let hops = path.hops.iter().map(|edge| (edge.from, edge.at.expr));
    let calls = hops.chain([(path.effect.from, path.effect.at.expr)]);
    let mut ways = calls.take(MAX_HOPS).filter_map(|(func, expr)| {
        let way = gating.missing_way(context.bodies, func, expr)?;
        let said = said(context.program, context.sources, func, way);
        let test = same_test(context.program, context.sources, func, way, expr);
        let unless = test.map(|test| {
            let file = context.program.function(func).file;
            line_at(&context.sources[file.0 as usize].text, context.program.facts(file).span(test).lo)
        });
        Some(Missing { said, unless })
    });
    ways.next()
}

/// "not passed when `fast` is true", "not passed on the way from the `except` at line 40".
pub fn said(program: &Program<'_>, files: &[SourceFile], func: Func, way: Way) -> String {
    let file = program.function(func).file;
    let facts = program.facts(file);
    let text = &files[file.0 as usize].text;
    let line = |expr: ExprId| line_at(text, facts.span(expr).lo);
    match way {
        Way::Arm(at, nth) => {
            let Expr::If { arms, .. } = *facts.expr(at) else { return String::new() };
            let arms = facts.list(arms);
            let when = |test: ExprId, holds: bool| {
                let (test, holds) = match *facts.expr(test) {
                    Expr::Not(inner) => (inner, !holds),
                    _ => (test, holds),
                };
                when(source(text, facts.span(test)), holds, line(test))
            };
            match arms.get(nth) {
                Some(arm) => when(arm.test, true),
                None if arms.len() == 1 => when(arms[0].test, false),
                None => format!("not passed when no branch at line {} is taken", line(at)),
            }
        }
        Way::Case(at, nth) => {
            let Expr::Match { arms, .. } = *facts.expr(at) else { return String::new() };
            match facts.list(arms).get(nth) {
                Some(arm) => format!("not passed in the `case` at line {}", line(arm.body)),
                None => format!("not passed when no `case` at line {} fits", line(at)),
            }
        }
        Way::Handler(body) => {
            format!(
                "not passed on the way from the `except` at line {}",
                line_at(text, head(program, func, body))
            )
        }
        Way::Done(at) => format!("not passed when nothing fails from line {} on", line(at)),
        Way::NoRound(at) => format!("not passed when the loop at line {} runs no round", line(at)),
    }
}

fn when(test: Option<String>, truth: bool, line: u32) -> String {
    match test {
        Some(test) => format!("not passed when `{test}` is {truth}"),
        None => format!("not passed when the test at line {line} is {truth}"),
    }
}

/// The text of a test, if it is short.
fn source(text: &str, span: Span) -> Option<String> {
    let text = text.get(span.lo as usize..span.hi as usize)?;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (text.chars().count() <= MAX_TEST).then_some(text)
}

/// Where the head of a handler begins.
fn head(program: &Program<'_>, func: Func, body: ExprId) -> u32 {
    let facts = program.facts(program.function(func).file);
    let mut handlers = program.ir(func).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
        Expr::Try(index) => {
            let mut handlers = facts.list(facts.arenas.try_at(index).handlers).iter();
            handlers.find(|handler| handler.body == body).map(|handler| handler.span.lo)
        }
        _ => None,
    });
    handlers.next().unwrap_or_else(|| facts.span(body).lo)
}

fn line_at(text: &str, offset: u32) -> u32 {
    LineIndex::new(text).line_col(offset).line
}
