//! When each rule runs. What is cheap comes first, and beside the analyses that others wait for: at a limit of time, what was
//! finished is reported.

use std::sync::Arc;

use super::shared::{Shared, Stage};
use super::{Checked, Context, check_rule};
use crate::limits::Part;
use crate::link::Func;
use crate::parallel;
use crate::rule::{Matcher, Rule};

/// Each rule by itself, and the results in their order: what is found does not depend on the number of threads. Whatever rules
/// share is made before they run. Where content gets takes one thread a while; the rules that do not ask for it run meanwhile.
pub(super) fn check_all<'c>(rules: &[Arc<Rule>], context: &Context<'c>, shared: &Shared<'c>) -> Vec<Checked> {
    let run = |stage: Stage| -> Vec<(usize, Checked)> {
        let rules: Vec<_> = rules.iter().enumerate().filter(|(_, rule)| Stage::of(rule) == stage).collect();
        parallel::map_each(rules, |(at, rule)| (at, check_rule(rule, context, shared)))
    };
    let (mut found, ()) = parallel::join(|| run(Stage::AtOnce), || shared.begin(rules, context));
    let follows = rules.iter().any(|rule| Stage::of(rule) == Stage::Followed);
    let flows = || (follows && !context.run.is_over()).then(|| shared.follow(rules, context));
    let others = || {
        let (mut found, ()) = parallel::join(|| run(Stage::Begun), || shared.prepare(rules, context));
        found.extend(run(Stage::Prepared));
        found
    };
    let (_, others) = parallel::join(flows, others);
    found.extend(others);
    found.extend(run(Stage::Followed));
    found.sort_unstable_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, checked)| checked).collect()
}

/// A rule that looks at imports alone is cheap, and needs nothing that a limit cuts short once all files are read: it runs all
/// the same.
pub(super) fn is_run_late(rule: &Rule, context: &Context<'_>) -> bool {
    rule.matches.iter().all(|matcher| matches!(matcher, Matcher::Import(_)))
        && !context.run.is_left(Part::File)
}

impl Context<'_> {
    /// What functions give, in their order. At a limit the others are left out.
    pub(super) fn of_functions<R>(
        &self,
        is_meant: impl Fn(&Func) -> bool + Sync + Send,
        make: impl Fn(Func) -> R + Sync + Send,
    ) -> Vec<R::Item>
    where
        R: IntoIterator<Item: Send>,
    {
        parallel::flat_map(0..self.program.functions.len() as u32, |func| {
            let func = Some(Func(func)).filter(|func| !self.run.is_over() && is_meant(func));
            func.into_iter().flat_map(&make)
        })
    }
}
