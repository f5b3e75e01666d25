//! A download that is piped into an interpreter, in one constant shell line: `curl … | sh`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Context, Draft};
use crate::analysis::piped_downloads;
use crate::finding::{Confidence, Finding};
use crate::rule::Rule;

pub fn run(context: &Context<'_>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    for piped in piped_downloads(context.program, context.catalog, context.effects) {
        let Some(applies) = context.applies(rule, piped.at.file, piped.from) else { continue };
        let primary = context.place(piped.at);
        if out.iter().any(|told| told.rule.id == rule.id && told.primary == primary) {
            continue;
        }
        let program = context.program;
        let names = vec![&*program.function(piped.from).path, piped.download.as_str()];
        let captures = BTreeMap::from([
            ("function", program.short_name(piped.from)),
            ("callee", piped.download.clone()),
            ("source", format!("what `{}` downloads", piped.download)),
            ("what", format!("a script that `{}` runs", piped.interpreter)),
        ]);
        out.push(context.finding(
            rule,
            Draft {
                confidence: Confidence::Medium.min(applies),
                primary,
                steps: Vec::new(),
                captures,
                names,
                inside: Some(piped.from),
            },
        ));
    }
}
