//! The item about sandboxes: which bounds reach the calls that start a process or open a connection.

use super::{Judged, Operation, head};
use crate::analysis::{Bounded, Given, bounds};
use crate::catalog::{Bound, EffectKind};
use crate::rule::check::Context;
use crate::rule::check::reach::enters;

pub(super) fn run(
    context: &Context<'_>,
    operation: &Operation,
    wanted: &[(EffectKind, Vec<Bound>)],
    has_default: bool,
) -> Judged {
    let (program, catalog) = (context.program, context.catalog);
    let start = (operation.handler, operation.class);
    let is_entered =
        |func| enters(context, func, true) && !catalog.audit.writes(&program.function(func).path);
    let (found, is_all) = bounds(program, catalog, context.effects, start, (wanted, has_default), is_entered);
    let of = |given: Given| found.iter().filter(move |bounded| bounded.given == given);
    let bad: Vec<&Bounded<'_>> = found.iter().filter(|bounded| bounded.given >= Given::Excessive).collect();
    if let Some(first) = bad.first() {
        return missing(context, first, &bad);
    }
    if !is_all {
        return Judged::given_up(head(context, operation.handler));
    }
    if let Some(first) = of(Given::Unknown).next() {
        let text = format!("it cannot be seen which {} reaches `{}`", first.bound.noun(), first.site.callee);
        return Judged::unknown(context.place(first.site.at), text);
    }
    match found.first() {
        Some(first) => {
            let text = format!("`{}` is given {}", first.site.callee, bounds_of(&found, first));
            Judged::pass(context.place(first.site.at), text)
        }
        None => Judged::unknown(
            head(context, operation.handler),
            "no call was found behind it that starts a process or opens a connection",
        ),
    }
}

/// One sentence for each call.
fn missing(context: &Context<'_>, first: &Bounded<'_>, all: &[&Bounded<'_>]) -> Judged {
    let sentence = |of: &Bounded<'_>| {
        let same = all.iter().filter(|bounded| bounded.site.at == of.site.at);
        let lacks: Vec<String> = same.map(|bounded| lack(context, bounded)).collect();
        format!("{} reaches `{}`", lacks.join(" and "), of.site.callee)
    };
    let mut judged = Judged::fail(context.place(first.site.at), sentence(first));
    for bounded in all {
        let place = context.place(bounded.site.at);
        if judged.evidence.iter().all(|known| known.place != place) {
            judged = judged.and(place, sentence(bounded));
        }
    }
    judged.at_most(first.confidence)
}

fn lack(context: &Context<'_>, bounded: &Bounded<'_>) -> String {
    match bounded.given {
        Given::Excessive => {
            format!("a {} of more than {} seconds", bounded.bound.noun(), context.catalog.limits.longest())
        }
        _ => format!("no {}", bounded.bound.noun()),
    }
}

fn bounds_of(found: &[Bounded<'_>], first: &Bounded<'_>) -> String {
    let same = found.iter().filter(|bounded| bounded.site.at == first.site.at);
    let nouns: Vec<String> = same.map(|bounded| format!("its {}", bounded.bound.noun())).collect();
    nouns.join(", ")
}
