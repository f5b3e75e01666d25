//! The inventory as JSON, version 2. Fields may be added within a version; none is renamed, removed or given another meaning.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::kind;
use crate::catalog::EffectKind;
use crate::finding::{Calls, Confidence, EntryKind, Outcome, Place};
use crate::inventory::{Access, Chosen, Listed, Other, Reached, UnknownLibrary};
use crate::report::places::Places;
use crate::report::{escape, gaps, json};
use crate::source::Unread;

const VERSION: u32 = 2;

#[derive(Serialize)]
struct Inventory<'a> {
    version: u32,
    commands: Vec<Command<'a>>,
    coverage: Coverage<'a>,
}

#[derive(Serialize)]
struct Command<'a> {
    kind: &'static str,
    framework: Option<&'a str>,
    name: Option<&'a str>,
    description: Option<&'a str>,
    handler: Handler<'a>,
    also: Vec<Handler<'a>>,
    registered: Line<'a>,
    confidence: Confidence,
    entry_point: Option<&'static str>,
    via: Option<Via<'a>>,
    effects: Vec<Effect<'a>>,
    gates: &'a [String],
    unresolved_calls: usize,
    unknown_libraries: Vec<Library<'a>>,
    sensitivity: Option<&'static str>,
    class: Option<ClassOf>,
}

/// Calls of a library that the catalogue does not know.
#[derive(Serialize)]
struct Library<'a> {
    name: &'a str,
    callee: &'a str,
    #[serde(flatten)]
    line: Line<'a>,
    calls: usize,
}

/// Which class it is of, and what says so.
#[derive(Serialize)]
struct ClassOf {
    sensitivity: &'static str,
    reason: String,
    confidence: Confidence,
}

/// The entry point by which an agent gets there.
#[derive(Serialize)]
struct Via<'a> {
    kind: &'static str,
    name: String,
    function: &'a str,
    #[serde(flatten)]
    line: Line<'a>,
    confidence: Confidence,
    calls: usize,
}

#[derive(Serialize)]
struct Handler<'a> {
    function: &'a str,
    #[serde(flatten)]
    line: Line<'a>,
}

#[derive(Serialize)]
struct Effect<'a> {
    kind: EffectKind,
    confidence: Confidence,
    gated: bool,
    callee: &'a str,
    access: Option<&'static str>,
    target: Option<&'static str>,
    argument: Option<&'a str>,
    text: Option<&'a str>,
    steps: Vec<Step<'a>>,
}

#[derive(Serialize)]
struct Step<'a> {
    #[serde(flatten)]
    line: Line<'a>,
    text: String,
}

#[derive(Serialize)]
struct Line<'a> {
    path: &'a str,
    line: u32,
}

#[derive(Serialize)]
struct Coverage<'a> {
    files: Files<'a>,
    calls: Calls,
    entry_points: &'a BTreeMap<&'static str, usize>,
    skipped: Vec<&'a str>,
    partial: Vec<&'a str>,
    incomplete: Vec<String>,
    complete: bool,
}

#[derive(Serialize)]
struct Files<'a> {
    scanned: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    reported: Option<usize>,
    ignored: usize,
    skipped: usize,
    partial: usize,
    unread: &'a Unread,
}

pub fn write<'a>(
    outcome: &'a Outcome,
    listed: &'a [Listed],
    places: &Places<'a>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let commands = listed.iter().map(|known| command(known, places)).collect();
    json::write_value(&Inventory { version: VERSION, commands, coverage: coverage(outcome, places) }, out)
}

fn command<'a>(known: &'a Listed, places: &Places<'a>) -> Command<'a> {
    Command {
        kind: kind(known.kind),
        framework: known.framework.as_deref(),
        name: known.name.as_deref(),
        description: known.description.as_deref(),
        handler: Handler { function: &known.function, line: line(known.handler, places) },
        also: known.others.iter().map(|other| also(other, places)).collect(),
        registered: line(known.registered, places),
        confidence: known.confidence,
        entry_point: known.entry.map(EntryKind::noun),
        via: known.via.as_ref().map(|via| Via {
            kind: via.kind.noun(),
            name: escape::line(&via.name).into_owned(),
            function: &via.function,
            line: line(via.at, places),
            confidence: via.confidence,
            calls: via.calls,
        }),
        effects: known.effects.iter().map(|effect| effect_of(effect, places)).collect(),
        gates: &known.gates,
        unresolved_calls: known.unresolved,
        unknown_libraries: known.unknown.iter().map(|library| unknown(library, places)).collect(),
        sensitivity: known.class.as_ref().map(|class| class.sensitivity.name()),
        class: known.class.as_ref().map(|class| ClassOf {
            sensitivity: class.sensitivity.name(),
            reason: escape::line(&class.reason.to_string()).into_owned(),
            confidence: class.confidence,
        }),
    }
}

fn unknown<'a>(library: &'a UnknownLibrary, places: &Places<'a>) -> Library<'a> {
    let UnknownLibrary { name, callee, place, calls } = library;
    Library { name, callee, line: line(*place, places), calls: *calls }
}

fn also<'a>(other: &'a Other, places: &Places<'a>) -> Handler<'a> {
    Handler { function: &other.function, line: line(other.place, places) }
}

fn effect_of<'a>(effect: &'a Reached, places: &Places<'a>) -> Effect<'a> {
    let steps = effect
        .steps
        .iter()
        .map(|step| Step { line: line(step.place, places), text: escape::line(&step.text).into_owned() });
    let target = effect.target.as_ref();
    Effect {
        kind: effect.kind,
        confidence: effect.confidence,
        gated: effect.is_gated,
        callee: &effect.callee,
        access: effect.access.map(Access::name),
        target: target.and_then(|target| target.of).map(Chosen::name),
        argument: target.and_then(|target| target.argument.as_deref()),
        text: target.and_then(|target| target.text.as_deref()),
        steps: steps.collect(),
    }
}

fn line<'a>(at: Place, places: &Places<'a>) -> Line<'a> {
    Line { path: places.path(at), line: places.line(at) }
}

fn coverage<'a>(outcome: &'a Outcome, places: &Places<'a>) -> Coverage<'a> {
    let coverage = &outcome.coverage;
    Coverage {
        files: Files {
            scanned: outcome.files.len(),
            reported: coverage.reported,
            ignored: coverage.ignored,
            skipped: coverage.skipped.len(),
            partial: coverage.partial.len(),
            unread: &coverage.unread,
        },
        calls: coverage.calls,
        entry_points: &coverage.entry_points,
        skipped: coverage.skipped.iter().map(|skipped| skipped.path.as_str()).collect(),
        partial: coverage.partial.iter().map(|file| outcome.file(*file).path.as_str()).collect(),
        incomplete: gaps::listed(outcome, places).collect(),
        complete: outcome.is_complete(),
    }
}
