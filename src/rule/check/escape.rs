//! The `escape` matcher: an exception that somebody raised can leave a function with a role. One finding for each `raise`
//! of the function's own, and for each of its calls that leads to one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::reach::starts;
use super::shared::in_production;
use super::{Checked, Context, Draft};
use crate::analysis::{Escape, Escapes};
use crate::finding::{Confidence, Finding, Incomplete, Step};
use crate::link::{At, Func};
use crate::rule::Rule;
use crate::rule::matcher::Role;

pub fn run(context: &Context<'_>, rule: &Arc<Rule>, from: Role, out: &mut Checked) {
    let program = context.program;
    let starts = starts(context, from);
    let applies = starts.into_iter().filter_map(|start| {
        let applies = context.applies(rule, program.function(start.func).file, start.func)?;
        Some((start.func, start.confidence.min(applies)))
    });
    let starts: Vec<(Func, Confidence)> = applies.collect();
    let functions: Vec<Func> = starts.iter().map(|&(func, _)| func).collect();
    let escapes = Escapes::find(program, context.catalog, &functions);
    let given_up = in_production(program, escapes.given_up.iter().copied());
    out.incomplete.extend(given_up.map(Incomplete::given_up));
    for (func, confidence) in starts {
        let found = escapes.of(program, context.catalog, func).into_iter();
        out.findings.extend(found.map(|escape| finding(context, rule, func, confidence, &escape)));
    }
}

fn finding(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    func: Func,
    most: Confidence,
    escape: &Escape,
) -> Finding {
    let program = context.program;
    let exception = match &escape.exception {
        Some(exception) => format!("`{}`", exception.name(program)),
        None => "an exception".to_owned(),
    };
    let at = |func: Func, expr| At { file: program.function(func).file, expr };
    let calls = escape.way.windows(2).map(|hop| {
        let [(caller, expr), (callee, _)] = *hop else { return None };
        let text = format!("`{}` calls `{}`", program.short_name(caller), program.short_name(callee));
        Some(Step::seen(context.place(at(caller, expr)), text))
    });
    let mut steps: Vec<Step> = calls.flatten().collect();
    if let Some(&(last, expr)) = escape.way.last().filter(|_| !steps.is_empty()) {
        let text = format!("`{}` raises {exception}", program.short_name(last));
        steps.push(Step::seen(context.place(at(last, expr)), text));
    }
    let names = escape.way.iter().map(|&(func, _)| &*program.function(func).path).collect();
    context.finding(
        rule,
        Draft {
            confidence: escape.confidence.min(most),
            primary: context.place(at(func, escape.at)),
            steps,
            captures: BTreeMap::from([("function", program.short_name(func)), ("exception", exception)]),
            names,
            inside: Some(func),
        },
    )
}
