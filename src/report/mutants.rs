//! What `gatelint mutate` prints: which changes of guards no rule notices, as a list for people, as Markdown and as JSON
//! (documented in `docs/mutation.md`, described by `docs/gatelint-mutate.schema.json`).

mod human;
mod json;
mod markdown;

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::gaps::incompleteness;
use super::numbers::counted;
use super::places::Places;
use super::{Listing, ListingOptions, escape};
use crate::finding::{Outcome, Place, Severity};
use crate::mutation::{Change, Fate, GuardKind, Tried};

pub fn write(
    outcome: &Outcome,
    tried: &Tried,
    options: ListingOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let places = Places::new(outcome);
    match options.format {
        Listing::Human => human::write(outcome, tried, &places, options.width, out),
        Listing::Json => json::write(outcome, tried, &places, out),
        Listing::Markdown => markdown::write(outcome, tried, &places, out),
    }
}

/// `atlas/tools.py:26`, harmless to look at.
fn at(place: Place, places: &Places) -> String {
    format!("{}:{}", escape::line(places.path(place)), places.line(place))
}

/// `71 of 74 changes of 12 guards are noticed; 3 survive`.
fn totals(tried: &Tried) -> String {
    let changes = tried.trials.len();
    let noticed = format!("{} of {}", tried.killed(), counted(changes, "change"));
    let survivors = changes - tried.killed();
    format!("{noticed} of {} killed, {survivors} survived", counted(tried.guards, "guard"))
}

/// What was not checked, and why: one sentence each.
fn gaps(outcome: &Outcome, tried: &Tried) -> Vec<String> {
    let mut gaps = Vec::new();
    for (skip, count) in &tried.skipped {
        gaps.push(format!("skipped {}: the text {}", counted(*count, "change"), skip.name()));
    }
    if tried.outside > 0 {
        let calls = counted(tried.outside, "call");
        gaps.push(format!(
            "left alone {calls} of guards that no handler, tool or planning function runs or is run by"
        ));
    }
    let errors = outcome.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    if errors > 0 {
        let errors = counted(errors, "error");
        let why = "what is reported already notices no change";
        gaps.push(format!("{errors} found without any change: {why}, so repair it first"));
    }
    if tried.untried > 0 {
        gaps.push(format!("incomplete: {} beyond `--limit` not checked", counted(tried.untried, "change")));
    }
    gaps.extend(incompleteness(outcome).map(|what| format!("incomplete: {what}")));
    gaps
}

/// Killed and all changes of each kind of guard, by change.
fn table(tried: &Tried) -> BTreeMap<GuardKind, BTreeMap<Change, (usize, usize)>> {
    let mut table: BTreeMap<GuardKind, BTreeMap<Change, (usize, usize)>> = BTreeMap::new();
    for trial in &tried.trials {
        let cell = table.entry(trial.kind).or_default().entry(trial.change).or_default();
        cell.0 += usize::from(!trial.survived());
        cell.1 += 1;
    }
    table
}

const CHANGES: [Change; 6] =
    [Change::Removed, Change::Emptied, Change::Moved, Change::Flagged, Change::Swallowed, Change::Asserted];

/// Findings that a survivor has although they do not count.
fn uncounted(fate: &Fate) -> Option<String> {
    match fate {
        Fate::Survived(rules) if !rules.is_empty() => Some(rules.join(", ")),
        _ => None,
    }
}
