//! Registered tools of which nothing says whether they bring internal data into a session or reach outside.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::registered::{is_adapter, place};
use super::shared::Shared;
use super::{Context, Draft};
use crate::analysis::Registered;
use crate::finding::Finding;
use crate::inventory::{Class, Reason};
use crate::rule::Rule;

pub fn run<'c>(context: &Context<'c>, shared: &Shared<'c>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let classes = shared.classes(context);
    for (nth, known) in context.registered.iter().enumerate() {
        let class = classes.of(nth);
        let is_tool = known.entry().is_some() && known.is_production(context.program);
        let is_meant = is_tool && !is_adapter(context, known);
        if is_meant && class.is_none_or(|class| !class.reason.is_evidence()) {
            out.extend(finding(context, rule, known, class));
        }
    }
}

fn finding(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    known: &Registered,
    class: Option<&Class>,
) -> Option<Finding> {
    let program = context.program;
    let confidence = context.applies(rule, known.file, known.handler)?;
    let tool = known.name.clone().unwrap_or_else(|| program.short_name(known.handler));
    let captures = BTreeMap::from([("tool", tool), ("why", why(known, class))]);
    Some(context.finding(
        rule,
        Draft {
            confidence: confidence.min(known.confidence),
            names: vec![&program.function(known.handler).path],
            inside: Some(known.handler),
            ..Draft::at(place(context, known), captures)
        },
    ))
}

/// What is known instead.
fn why(known: &Registered, class: Option<&Class>) -> String {
    let written = known.annotation.as_ref().map(|annotation| &annotation.text);
    let written = written.filter(|text| !text.is_empty());
    match (class.map(|class| (&class.reason, class.sensitivity.name())), written) {
        (_, Some(text)) => format!("`{text}` is neither"),
        (Some((Reason::Named, class)), None) => format!("its name alone suggests `{class}`"),
        (Some((Reason::Protocol(framework), class)), None) => {
            format!("without hints {framework} takes it for `{class}`")
        }
        _ => "nothing that it reaches tells".to_owned(),
    }
}
