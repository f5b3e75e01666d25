//! GL007: what was not seen, or not analysed to its end, as a finding at its place, so that it can be waived, noted in a baseline
//! and narrowed to the files of a change like any other.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Check, Context, Draft, number_repeats};
use crate::finding::{Finding, Incomplete, Place, Where};
use crate::rule::Rule;

/// The findings for gaps that have a place, in their order, each once; none if the rule does not run. What concerns the run as a
/// whole makes none.
pub fn gaps(rules: &[Arc<Rule>], context: &Context<'_>, gaps: &[Incomplete]) -> Vec<Finding> {
    let Some(rule) = rules.iter().find(|rule| rule.checks(Check::AnalysisGap)) else { return Vec::new() };
    let gaps: BTreeSet<&Incomplete> = gaps.iter().collect();
    let placed = gaps.into_iter().filter_map(|gap| match gap.at {
        Where::Place(at) => Some(finding(rule, context, gap, at)),
        Where::Run | Where::Path(_) => None,
    });
    let mut findings: Vec<Finding> = placed.collect();
    number_repeats(&mut findings);
    findings
}

fn finding(rule: &Arc<Rule>, context: &Context<'_>, gap: &Incomplete, at: Place) -> Finding {
    let program = context.program;
    let module = || &*program.function(program.module(at.file)).path;
    let function = Some(gap.function.as_str()).filter(|function| !function.is_empty());
    // Two gaps of one function differ by their kind, those of a module by what they name.
    let names = vec![function.unwrap_or_else(module), gap.kind.code(), &gap.name];
    let draft = Draft { names, ..Draft::at(at, gap.captures()) };
    context.finding(rule, draft)
}
