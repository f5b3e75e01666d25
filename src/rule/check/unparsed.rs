//! GL001: a file, or a part of it, was not understood. One finding per file, at the first such place.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Context, Draft};
use crate::finding::{Finding, Incomplete, Place};
use crate::ir::{Problem, ProblemKind};
use crate::rule::Rule;
use crate::source::FileId;

pub fn run(context: &Context<'_>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    for file in (0..context.sources.len() as u32).map(FileId) {
        let problems = &context.program.facts(file).problems;
        let first = problems.iter().min_by_key(|problem| problem.span);
        let Some(first) =
            first.filter(|_| context.applies(rule, file, context.program.module(file)).is_some())
        else {
            continue;
        };
        let place = Place { file, span: first_line(context, file, first) };
        let captures = BTreeMap::from([("problem", describe(first.kind).to_owned())]);
        out.push(context.finding(rule, Draft::at(place, captures)));
    }
}

/// The files of production code in which a call may be missing.
pub fn partial<'c>(context: &'c Context<'_>) -> impl Iterator<Item = Incomplete> + use<'c> {
    let program = context.program;
    let files = (0..context.sources.len() as u32).map(FileId).filter(|&file| !program.is_test(file));
    files.filter_map(|file| {
        let first = program.facts(file).problems.iter().min_by_key(|problem| problem.span)?;
        let place = Place { file, span: first_line(context, file, first) };
        Some(Incomplete::partial(place, describe(first.kind)))
    })
}

fn describe(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::HidesCode => "a syntax error; the file is read coarsely, and calls may be missed",
        ProblemKind::TooDeep => "nesting too deep to follow; calls inside may be missed",
        ProblemKind::Budget => "too much work for the parser; the rest of the file was not read",
    }
}

/// An error can swallow the rest of the file; its first line is what a reader needs.
fn first_line(context: &Context<'_>, file: FileId, problem: &Problem) -> crate::ir::Span {
    let text = &context.source(file).text;
    let lo = problem.span.lo as usize;
    let rest = text.get(lo..).unwrap_or_default();
    let len = rest.find(['\n', '\r']).unwrap_or(rest.len());
    crate::ir::Span { lo: problem.span.lo, hi: problem.span.hi.min((lo + len) as u32) }
}
