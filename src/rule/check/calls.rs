//! The `call` matcher: a call, or a callable handed over to be called, with an effect.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Context, Draft};
use crate::finding::Finding;
use crate::rule::Rule;
use crate::rule::matcher::Effectful;

pub fn run(context: &Context<'_>, rule: &Arc<Rule>, wanted: &Effectful, out: &mut Vec<Finding>) {
    for site in context.effects.of_kinds(&wanted.effects) {
        if !site.is_author || !context.applies(rule, site.at.file) {
            continue;
        }
        let function = &context.program.function(site.from).path;
        out.push(context.finding(
            rule,
            Draft {
                confidence: site.confidence,
                primary: context.place(site.at),
                steps: Vec::new(),
                captures: BTreeMap::from([("callee", site.callee.clone())]),
                names: vec![function],
                agent_reachable: context.is_reachable(site.from),
            },
        ));
    }
}
