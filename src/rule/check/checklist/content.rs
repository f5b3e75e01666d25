//! Items about what an operation hands back: whether content from outside carries what the guards leave at it.

use super::{Judged, Operation, head};
use crate::analysis::{Aspect, EntryPoint, Flows, Inflow, Reached, Use, UseKind, Witness};
use crate::finding::{Confidence, Place};
use crate::link::Func;
use crate::rule::check::Context;
use crate::rule::check::mutations::lost_keys;
use crate::rule::check::shared::Shared;
use crate::rule::matcher::{Label, LostKeys, Mutate, Source};

const SOURCES: [Inflow; 3] = [Inflow::Comm, Inflow::Network, Inflow::Process];

pub(super) fn run<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    operation: &Operation,
    label: Label,
) -> Judged {
    let flows = shared.flows(context);
    let handler = operation.handler;
    let exits: Vec<Use<'_>> =
        flows.uses().filter(|used| used.kind == UseKind::Exit && used.func == handler).collect();
    let lacks = match label {
        Label::Attribution => Aspect::Unattributed,
        Label::Fence => Aspect::Unfenced,
        Label::Warning => Aspect::Unwarned,
    };
    if label == Label::Warning
        && let Some((used, witness)) = bare(flows, &exits)
    {
        let text = "what leaves here was taken out of the fenced record, and the warning stays behind";
        return Judged::fail(context.place(used.at), text).at_most(witness.confidence);
    }
    let lacking = exits.iter().filter_map(|used| {
        let witness = flows.witness(used, &SOURCES, lacks)?;
        flows.leaves(handler, &SOURCES, lacks).then_some((used, witness))
    });
    if let Some((used, witness)) = lacking.max_by_key(|(_, witness)| witness.confidence) {
        return missing(context, flows, used, &witness, label);
    }
    let carrying = exits.iter().find(|used| flows.witness(used, &SOURCES, Aspect::Content).is_some());
    if let Some((place, confidence)) = carrying.and_then(|_| taken_out(context, shared, operation, label)) {
        return Judged::fail(place, "the warning of the content fence is taken out here").at_most(confidence);
    }
    match carrying {
        Some(used) => {
            let text = format!("what leaves here {}", carries(label));
            Judged::pass(context.place(used.at), text)
        }
        None => {
            let text = "no content from outside was seen to leave it";
            Judged::unknown(head(context, handler), text)
        }
    }
}

/// The exit that lets out the content of a fenced record without the record.
fn bare<'f>(flows: &'f Flows<'_, '_>, exits: &[Use<'f>]) -> Option<(Use<'f>, Witness<'f>)> {
    let taken = |used: &Use<'f>| Some((*used, flows.witness(used, &[Inflow::Fence], Aspect::Unwarned)?));
    exits.iter().filter_map(taken).max_by_key(|(_, witness)| witness.confidence)
}

/// Where a helper takes the warning out of what it is given.
fn taken_out<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    operation: &Operation,
    label: Label,
) -> Option<(Place, Confidence)> {
    let (program, fence) = (context.program, &context.catalog.fence);
    if label != Label::Warning {
        return None;
    }
    let by = Mutate::WAYS.iter().map(|&(_, how)| how).collect();
    let wanted = LostKeys { keys: fence.warning.clone(), by, of: vec![Source::Fence], keeps: Vec::new() };
    let flows = shared.flows(context);
    let names = program.files_that_name(|text| fence.warning.iter().any(|key| key == text));
    let runs = Reached::find(program, vec![EntryPoint::at(operation.handler)]);
    let functions = (0..program.functions.len() as u32).map(Func);
    let functions = functions.filter(|func| {
        runs.is(*func) && names[program.function(*func).file.0 as usize] && flows.is_walked(*func)
    });
    let lost = functions.flat_map(|func| lost_keys(context, shared, &wanted, func));
    lost.filter(|(_, confidence)| *confidence > Confidence::Low).max_by_key(|(_, confidence)| *confidence)
}

fn carries(label: Label) -> &'static str {
    match label {
        Label::Attribution => "says where it comes from, by the attribution guard",
        Label::Fence => "has passed the content fence",
        Label::Warning => "carries the warning of the content fence",
    }
}

fn missing(
    context: &Context<'_>,
    flows: &Flows<'_, '_>,
    used: &Use<'_>,
    witness: &Witness<'_>,
    label: Label,
) -> Judged {
    let at = context.place(used.at);
    let source = context.place(witness.source.at);
    // Without a fence there is nothing that could carry the warning: that is told once.
    if label == Label::Warning && flows.witness(used, &SOURCES, Aspect::Unfenced).is_some() {
        return Judged::unknown(at, "what leaves here has not passed the fence that would carry the warning");
    }
    let text = match label {
        Label::Attribution => "what leaves here has not passed the attribution guard",
        Label::Fence => "what leaves here has not passed the content fence",
        Label::Warning => "what leaves here has lost the warning of the content fence",
    };
    let judged = Judged::fail(at, text).at_most(witness.confidence);
    if source == at {
        judged
    } else {
        judged.and(source, format!("`{}` brings it in", witness.source.callee))
    }
}
