//! What `gatelint commands` prints: the inventory as a table for people, as Markdown and as JSON (documented in
//! `docs/commands.md`, described by `docs/gatelint-commands.schema.json`).

mod human;
mod json;
mod markdown;

use std::io::{self, Write};

use super::numbers::counted;
use super::places::Places;
use super::totals;
use super::{Listing, ListingOptions, escape, gaps, via};
use crate::catalog::RegistrationKind;
use crate::finding::{EntryKind, Outcome, Place};
use crate::inventory::Listed;

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

fn kind(kind: RegistrationKind) -> &'static str {
    match kind {
        RegistrationKind::Command => "command",
        RegistrationKind::Tool => "tool",
    }
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
    let (commands, tools) = (of(RegistrationKind::Command), of(RegistrationKind::Tool));
    let handlers = listed.iter().filter(|known| known.entry == Some(EntryKind::Handler)).count();
    let handlers = match handlers {
        0 => String::new(),
        count => format!(" ({})", counted(count, "comm handler")),
    };
    let named = outcome.coverage.reported.map(|count| format!(" in {}", counted(count, "named file")));
    let reaching = listed.iter().filter(|known| !known.effects.is_empty()).count();
    let open = listed.iter().filter(|known| known.is_open()).count();
    let classified = listed.iter().filter(|known| known.class.is_some()).count();
    format!(
        "{}{handlers} and {}{}: {reaching} with effects, {open} of them without a gate; {classified} classified",
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
