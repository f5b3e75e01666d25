//! What `gatelint commands` prints: the inventory as a table for people, as Markdown, as JSON (documented in
//! `docs/commands.md`, described by `docs/gatelint-commands.schema.json`) and as a bill of materials.

mod cyclonedx;
mod human;
mod json;
mod markdown;

use std::io::{self, Write};

use super::numbers::counted;
use super::places::Places;
use super::totals;
use super::{Listing, ListingOptions, escape, gaps, via};
use crate::finding::{EntryKind, Outcome, Place};
use crate::inventory::{Kind, Listed, Reached};

pub fn write(
    outcome: &Outcome,
    listed: &[Listed],
    options: ListingOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let places = Places::new(outcome);
    match options.format {
        Listing::Human => human::write(outcome, listed, &places, options.width, out),
        Listing::Json => json::write(outcome, listed, &places, out),
        Listing::Markdown => markdown::write(outcome, listed, &places, out),
    }
}

pub fn materials(outcome: &Outcome, listed: &[Listed], out: &mut dyn Write) -> io::Result<()> {
    cyclonedx::write(outcome, listed, &Places::new(outcome), out)
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Command => "command",
        Kind::Tool => "tool",
        Kind::Planner => "planner",
    }
}

/// So many effects of a kind are told to people.
const TOLD: usize = 3;

/// The effects by kind, each kind with those that are told and how many are not; guesses come last.
fn told(effects: &[Reached]) -> impl Iterator<Item = (&[Reached], usize)> {
    let kinds = effects.chunk_by(|a, b| (a.kind, a.counts()) == (b.kind, b.counts()));
    kinds.map(|kind| (&kind[..kind.len().min(TOLD)], kind.len().saturating_sub(TOLD)))
}

/// `atlas/tools.py:26`, harmless to look at.
fn at(place: Place, places: &Places) -> String {
    format!("{}:{}", escape::line(places.path(place)), places.line(place))
}

/// What an agent has to do with it, where it is no entry point itself.
fn reached(known: &Listed, places: &Places) -> Option<String> {
    known.entry.is_none().then(|| match &known.via {
        Some(via) => format!("reaches it via {}", via::line(via, places)),
        None => "is not known to reach it".to_owned(),
    })
}

/// `5 commands (3 comm handlers) and 12 tools: 9 with effects, 4 of them without a gate; 2 classified`. Tools and comm
/// handlers are what an agent acts from, and as many as a check says.
fn totals(outcome: &Outcome, listed: &[Listed]) -> String {
    let of = |wanted| listed.iter().filter(|known| known.kind == wanted).count();
    let (commands, tools) = (of(Kind::Command), of(Kind::Tool));
    let handlers = listed.iter().filter(|known| known.entry == Some(EntryKind::Handler)).count();
    let handlers = match handlers {
        0 => String::new(),
        count => format!(" ({})", counted(count, "comm handler")),
    };
    let planners = match of(Kind::Planner) {
        0 => String::new(),
        count => format!(" and {}", counted(count, "planning function")),
    };
    let named = outcome.coverage.reported.map(|count| format!(" in {}", counted(count, "named file")));
    let reaching = listed.iter().filter(|known| known.has_effects()).count();
    let open = listed.iter().filter(|known| known.is_open()).count();
    let classified = listed.iter().filter(|known| known.class.is_some()).count();
    format!(
        "{}{handlers} and {}{planners}{}: {reaching} with effects, {open} of them without a gate; {classified} classified",
        counted(commands, "command"),
        counted(tools, "tool"),
        named.unwrap_or_default(),
    )
}

/// What was not looked at: what is missing there is missing here.
fn gaps(outcome: &Outcome) -> Option<String> {
    let incomplete = gaps::incompleteness(outcome).map(|what| format!("incomplete: {what}"));
    let unread = totals::unread(outcome).map(|what| format!("not read: {what}"));
    let all: Vec<_> = incomplete.into_iter().chain(unread).collect();
    (!all.is_empty()).then(|| all.join("; "))
}
