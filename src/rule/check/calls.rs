//! The `call` matcher: a call, or a callable handed over to be called, that has an effect or that the rule names.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Context, Draft};
use crate::finding::Finding;
use crate::rule::Rule;
use crate::rule::matcher::Goal;

pub fn run(context: &Context<'_>, rule: &Arc<Rule>, goal: &Goal, out: &mut Vec<Finding>) {
    for site in context.sites(goal).into_iter().filter(|site| site.is_author) {
        let Some(applies) = context.applies(rule, site.at.file, site.from) else { continue };
        let function = &context.program.function(site.from).path;
        out.push(context.finding(
            rule,
            Draft {
                confidence: site.confidence.min(applies),
                primary: context.place(site.at),
                steps: Vec::new(),
                captures: BTreeMap::from([
                    ("place", site.place.unwrap_or_else(|| site.callee.clone())),
                    ("callee", site.callee),
                ]),
                names: vec![function],
                inside: Some(site.from),
            },
        ));
    }
}
