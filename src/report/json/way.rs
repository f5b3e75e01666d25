//! Ways in JSON: the steps of a path, and the calls by which an agent gets to a finding.

use serde::Serialize;

use super::{JsonPlace, place};
use crate::finding::{Confidence, Step, Via};
use crate::report::escape;
use crate::report::places::Places;

/// The way of an agent to a finding.
#[derive(Serialize)]
pub struct JsonVia<'a> {
    kind: &'static str,
    name: String,
    function: &'a str,
    location: JsonPlace<'a>,
    confidence: Confidence,
    calls: usize,
    steps: Vec<JsonStep<'a>>,
}

#[derive(Serialize)]
pub struct JsonStep<'a> {
    number: usize,
    text: String,
    why: String,
    location: JsonPlace<'a>,
}

/// Of a long way the first calls are left out; the numbers say so.
pub fn via_of<'a>(via: &'a Via, places: &Places<'a>) -> JsonVia<'a> {
    JsonVia {
        kind: via.kind.noun(),
        name: escape::line(&via.name).into_owned(),
        function: &via.function,
        location: place(via.at, places),
        confidence: via.confidence,
        calls: via.calls,
        steps: steps_of(&via.steps, 1 + via.calls - via.steps.len(), places),
    }
}

pub fn steps_of<'a>(steps: &[Step], first: usize, places: &Places<'a>) -> Vec<JsonStep<'a>> {
    let step = |(step, number): (&Step, usize)| JsonStep {
        number,
        text: escape::line(&step.text).into_owned(),
        why: escape::line(&step.why).into_owned(),
        location: place(step.place, places),
    };
    steps.iter().zip(first..).map(step).collect()
}
