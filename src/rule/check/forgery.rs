//! GL302: an attribution written by hand. One finding per function, at the first place; the others are its steps.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Context, Draft};
use crate::analysis::{Forged, Values, forged};
use crate::finding::{Confidence, Finding, Place, Step};
use crate::link::Func;
use crate::rule::Rule;

pub fn run(context: &Context<'_>, values: &Values<'_, '_>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let program = context.program;
    let files = program.files_that_name(|text| context.catalog.attribution.is_key(text));
    let found = |func: Func| {
        let file = program.function(func).file;
        let applies = files[file.0 as usize].then(|| context.applies(rule, file, func))??;
        let found = forged(values, func);
        (!found.is_empty()).then(|| finding(context, rule, func, applies, &found))
    };
    out.extend(context.of_functions(|_| true, found));
}

fn finding(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    func: Func,
    confidence: Confidence,
    found: &[Forged],
) -> Finding {
    let file = context.program.function(func).file;
    let place = |forged: &Forged| Place { file, span: forged.span };
    let first = &found[0];
    let told = |forged: &Forged| match &forged.text {
        Some(text) => format!("`{text}`"),
        None => "a text".to_owned(),
    };
    let step = |forged: &Forged| Step {
        place: place(forged),
        text: format!("{} is stored under `{}`", told(forged), forged.key),
        why: String::new(),
    };
    let steps = if found.len() > 1 { found.iter().map(step).collect() } else { Vec::new() };
    context.finding(
        rule,
        Draft {
            confidence,
            primary: place(first),
            steps,
            captures: BTreeMap::from([("key", first.key.clone()), ("value", told(first))]),
            names: vec![&context.program.function(func).path],
            inside: Some(func),
        },
    )
}
