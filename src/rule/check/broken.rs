//! Guards that guard nothing: functions that promise it by their names and break the promise by their bodies, and what stands
//! in the place of one that would keep it. At the guard, or at the line that replaces it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::shared::Shared;
use super::{Context, Draft};
use crate::finding::{Confidence, Finding, Place};
use crate::link::{At, Func};
use crate::rule::Rule;

/// As a reader reads it behind the name of a fence.
const UNMARKED: &str = "marks content with nothing from here on";

pub fn run<'c>(context: &Context<'c>, shared: &Shared<'c>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let standing = shared.standing(context);
    let mut told: BTreeSet<Place> = BTreeSet::new();
    for &(func, _, fault) in &standing.broken {
        let place =
            Place { file: context.program.function(func).file, span: context.program.ir(func).name_span };
        if told.insert(place) {
            let name = context.program.short_name(func);
            out.extend(finding(context, rule, func, place, (name, fault.said().to_owned())));
        }
    }
    for replaced in standing.replaced.iter().filter(|replaced| !replaced.is_told) {
        let file = context.program.function(replaced.func).file;
        let place = context.place(At { file, expr: replaced.at });
        if told.insert(place) {
            let said =
                replaced.fault.map(|fault| format!("is replaced here by something that {}", fault.said()));
            let said = said.unwrap_or_else(|| UNMARKED.to_owned());
            out.extend(finding(context, rule, replaced.func, place, (replaced.name.clone(), said)));
        }
    }
}

fn finding(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    func: Func,
    primary: Place,
    (guard, fault): (String, String),
) -> Option<Finding> {
    let applies = context.applies(rule, primary.file, func)?;
    let path = context.program.function(func).path.to_string();
    let draft = Draft {
        confidence: Confidence::High.min(applies),
        primary,
        steps: Vec::new(),
        captures: BTreeMap::from([("guard", guard), ("fault", fault)]),
        names: vec![&path],
        inside: Some(func),
    };
    Some(context.finding(rule, draft))
}
