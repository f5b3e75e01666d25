//! The `flow` matcher: content from outside that gets where it must not, or leaves a comm handler without the guard that it
//! has to pass. One finding per return, and one per call that uses it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::shared::Shared;
use super::{Context, Draft};
use crate::analysis::{Aspect, EntryPoint, Hop, Inflow, Reached, Use, UseKind, Witness};
use crate::finding::{Confidence, Finding, Place, Step};
use crate::rule::Rule;
use crate::rule::matcher::{Flow, GuardKind, Outlet};

pub fn run<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    rule: &Arc<Rule>,
    wanted: &Flow,
    out: &mut Vec<Finding>,
) {
    let flows = shared.flows(context);
    let of_handlers = wanted.to == Outlet::Prompt;
    let inside = of_handlers.then(|| {
        let handlers = context.handlers.iter().map(|handler| EntryPoint::at(handler.func));
        Reached::find(context.program, handlers.collect())
    });
    // Another matcher of the rule may have told it.
    let mut told: BTreeSet<Place> =
        out.iter().filter(|told| told.rule.id == rule.id).map(|told| told.primary).collect();
    for used in flows.uses() {
        let Some(taken) = taken(context, wanted, &used, inside.as_ref()) else { continue };
        let leaves =
            |aspect: &&Aspect| used.kind != UseKind::Exit || flows.leaves(used.func, &wanted.from, **aspect);
        let aspects = taken.aspects.iter().filter(leaves);
        let witnesses = aspects.filter_map(|&aspect| flows.witness(&used, &wanted.from, aspect));
        let Some(witness) = witnesses.max_by_key(|witness| witness.confidence) else { continue };
        if flows.is_handed_on(&used, &witness) {
            continue;
        }
        let file = context.program.function(used.func).file;
        let Some(applies) = context.applies(rule, file, used.func) else { continue };
        let confidence = witness.confidence.min(applies).min(taken.confidence);
        let primary = context.place(used.at);
        if told.insert(primary) {
            out.push(finding(context, rule, &used, &witness, confidence));
        }
    }
}

/// What must not be true of a value where it is used.
struct Taken {
    aspects: &'static [Aspect],
    confidence: Confidence,
}

fn taken(
    context: &Context<'_>,
    wanted: &Flow,
    used: &Use<'_>,
    of_handlers: Option<&Reached<'_>>,
) -> Option<Taken> {
    let aspects: &[Aspect] = match wanted.guard {
        GuardKind::Attribution => &[Aspect::Unattributed],
        GuardKind::Fence => &[Aspect::Unfenced],
    };
    match (wanted.to, used.kind) {
        (Outlet::Handler, UseKind::Exit) => {
            let at = context.handlers.binary_search_by_key(&used.func, |handler| handler.func).ok()?;
            Some(Taken { aspects, confidence: context.handlers[at].confidence })
        }
        (Outlet::Prompt, UseKind::Prompt) => {
            let is_inside = of_handlers.is_none_or(|inside| inside.is(used.func));
            is_inside.then_some(Taken { aspects, confidence: Confidence::High })
        }
        _ => None,
    }
}

fn finding(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    used: &Use<'_>,
    witness: &Witness<'_>,
    confidence: Confidence,
) -> Finding {
    let program = context.program;
    let function = program.short_name(used.func);
    let callee = witness.source.callee.clone();
    let captures = BTreeMap::from([
        ("function", function),
        ("callee", callee.clone()),
        ("sink", sink_noun(used.kind).to_owned()),
    ]);
    let names = vec![&*program.function(used.func).path, callee.as_str()];
    context.finding(
        rule,
        Draft {
            confidence,
            primary: context.place(used.at),
            steps: steps(context, used, witness),
            captures,
            names,
            inside: Some(used.func),
        },
    )
}

fn steps(context: &Context<'_>, used: &Use<'_>, witness: &Witness<'_>) -> Vec<Step> {
    let source = witness.source;
    let brings = match source.inflow {
        Inflow::Comm | Inflow::Network => "brings content in",
        Inflow::Process => "hands back what a process printed",
        Inflow::Storage => "reads what was stored",
        Inflow::Fence => "marks content as untrusted",
    };
    let why = format!("known as a source, {} confidence", source.confidence.label());
    let text = format!("`{}` {brings}", source.callee);
    let mut steps = vec![Step { place: context.place(source.at), text, why }];
    steps.extend(witness.hops.iter().map(|hop| handed_on(context, hop)));
    steps.dedup_by_key(|step| step.place);
    if source.at != used.at {
        let function = context.program.short_name(used.func);
        let text = format!("it gets to {} in `{function}`", sink_noun(used.kind));
        steps.push(Step::seen(context.place(used.at), text));
    }
    steps
}

fn handed_on(context: &Context<'_>, hop: &Hop) -> Step {
    let text = match hop.into {
        Some(callee) => format!("`{}` is given it", context.program.short_name(callee)),
        None => "it is kept where others read it".to_owned(),
    };
    Step::seen(context.place(hop.at), text)
}

fn sink_noun(kind: UseKind) -> &'static str {
    match kind {
        UseKind::Exit => "the caller",
        UseKind::Prompt => "a model",
    }
}
