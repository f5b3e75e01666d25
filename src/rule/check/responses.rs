//! GL512: a capture function that changes the response it looks at, or hands back another one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Context, Draft};
use crate::analysis::{Changed, Values, response_mutations};
use crate::finding::{Finding, Step};
use crate::link::At;
use crate::rule::Rule;

pub fn run(context: &Context<'_>, values: &Values<'_, '_>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let program = context.program;
    for &func in context.capture {
        let file = program.function(func).file;
        let Some(applies) = context.applies(rule, file, func) else { continue };
        for mutation in response_mutations(values, func) {
            let at = At { file, expr: mutation.at };
            let (problem, helper) = match &mutation.how {
                Changed::Assigned => ("assigns into the response".to_owned(), None),
                Changed::Deleted => ("deletes a part of the response".to_owned(), None),
                Changed::By(name) => (format!("changes the response by `{name}`"), None),
                Changed::Helper(helper) => {
                    let name = program.short_name(*helper);
                    (format!("hands the response to `{name}`, which changes it"), Some(*helper))
                }
                Changed::Returned => ("hands back a changed response".to_owned(), None),
            };
            let step = helper.map(|helper| Step {
                place: context
                    .place(At { file: program.function(helper).file, expr: program.ir(helper).body }),
                text: format!("`{}` changes what it is given", program.short_name(helper)),
                why: String::new(),
            });
            let steps = step.into_iter().collect();
            out.push(context.finding(
                rule,
                Draft {
                    confidence: mutation.confidence.min(applies),
                    primary: context.place(at),
                    steps,
                    captures: BTreeMap::from([("function", program.short_name(func)), ("problem", problem)]),
                    names: vec![&program.function(func).path],
                    inside: Some(func),
                },
            ));
        }
    }
}
