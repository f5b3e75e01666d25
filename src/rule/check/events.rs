//! GL514: a call that hands the audit trail an event which is not registered there.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Context, Draft};
use crate::analysis::unregistered_events;
use crate::finding::{Finding, Step};
use crate::link::At;
use crate::rule::Rule;

pub fn run(context: &Context<'_>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let program = context.program;
    let mut told = None;
    for found in unregistered_events(program, context.catalog) {
        let file = program.function(found.from).file;
        let Some(applies) = context.applies(rule, file, found.from) else { continue };
        let at = At { file, expr: found.call };
        // One call may name one of several.
        if told.replace(at) == Some(at) {
            continue;
        }
        let writer = program.short_name(found.writer);
        let step = |at, text| Step::seen(context.place(at), text);
        let steps = vec![
            step(at, format!("`{}` calls `{writer}`", program.short_name(found.from))),
            step(found.tested, "the event is tested against those that are registered".to_owned()),
        ];
        out.push(context.finding(
            rule,
            Draft {
                confidence: found.confidence.min(applies),
                primary: context.place(at),
                steps,
                names: vec![&program.function(found.from).path, &program.function(found.writer).path],
                captures: BTreeMap::from([("function", writer), ("event", found.event)]),
                inside: Some(found.from),
            },
        ));
    }
}
