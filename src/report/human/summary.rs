//! The frame of the human report. At its beginning what was scanned and understood; at its end what was not, what would
//! make it see more, and totals.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::wrap::Lines;
use crate::finding::{Calls, Coverage};
use crate::report::ReportOptions;
use crate::report::escape;
use crate::report::gaps;
use crate::report::numbers::counted;
use crate::report::order::View;
use crate::report::paint::Paint;
use crate::report::places::Places;
use crate::report::totals;
use crate::source::{FileType, LANGUAGES};

/// What the verdict rests on.
pub fn facts(view: &View) -> Vec<(&'static str, String)> {
    [scanned(view), totals::unlisted(view)].concat()
}

/// The beginning: what the report speaks of.
pub fn understood(view: &View, paint: Paint, width: usize, out: &mut dyn Write) -> io::Result<()> {
    list_facts(scanned(view), paint, width, out)?;
    writeln!(out)
}

fn scanned(view: &View) -> Vec<(&'static str, String)> {
    let coverage = &view.outcome.coverage;
    let mut facts = vec![("files", files(view)), ("calls", calls(coverage.calls))];
    facts.extend(entry_points(coverage).map(|text| ("agent", text)));
    facts
}

/// The end: what was not understood, what would help, and how much was found.
pub fn write(view: &View, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let (paint, width) = (Paint { color: options.color }, options.width);
    gaps(view, options, out)?;
    hints(view, width, out)?;
    totals::per_rule(view, out)?;
    list_facts(totals::unlisted(view), paint, width, out)?;
    writeln!(out, "{}", totals::verdict(view, paint))
}

fn list_facts(facts: Vec<(&str, String)>, paint: Paint, width: usize, out: &mut dyn Write) -> io::Result<()> {
    for (head, text) in facts {
        writeln!(out, "{}", paint.dim(&wrapped(&format!("{head:7} "), &text, width)))?;
    }
    Ok(())
}

/// What was not looked at, or not wholly: silence there proves nothing. Gaps are counted beside what else is counted; a full
/// report lists them.
fn gaps(view: &View, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let coverage = &view.outcome.coverage;
    let shown = (Paint { color: options.color }, options.width);
    let skipped = coverage.skipped.iter().map(|skipped| {
        let why = skipped.why.to_string();
        format!("{}: {}", escape::line(&skipped.path), escape::line(&why))
    });
    list("not scanned", skipped, shown, out)?;
    for gaps in coverage.incomplete.chunk_by(|a, b| a.kind == b.kind) {
        list(gaps[0].kind.title(), gaps.iter().map(gaps::run_line), shown, out)?;
    }
    let places = Places::new(view.outcome);
    let kinds = if options.full { gaps::by_kind(view.outcome) } else { BTreeMap::new() };
    for (kind, gaps) in kinds {
        list(kind.title(), gaps.into_iter().map(|gap| gaps::line(gap, &places)), shown, out)?;
    }
    Ok(())
}

/// At most so many lines; the others are counted, and in the other formats.
const MAX_LISTED: usize = 50;

fn list(
    head: &str,
    mut lines: impl ExactSizeIterator<Item = String>,
    (paint, width): (Paint, usize),
    out: &mut dyn Write,
) -> io::Result<()> {
    if lines.len() == 0 {
        return Ok(());
    }
    writeln!(out, "{}", paint.bold(head))?;
    for line in lines.by_ref().take(MAX_LISTED) {
        let mut filled = Lines::new("  ", "      ", width);
        filled.words(&line);
        writeln!(out, "{}", filled.text)?;
    }
    if lines.len() > 0 {
        writeln!(out, "  and {} more, all of them in `--format json`", lines.len())?;
    }
    writeln!(out)
}

/// What a user can do to make the scan see more.
fn hints(view: &View, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let coverage = &view.outcome.coverage;
    let scanned = !view.outcome.files.is_empty();
    let no_sources = no_sources();
    let hints = [
        (scanned && !coverage.configured, NO_LAYER),
        (scanned && coverage.configured && !coverage.names_comm, NO_LAYER_NAMED),
        (scanned && !has_entry_points(coverage), NO_ENTRY_POINT),
        (!scanned && coverage.ignored > 0, ALL_IGNORED),
        (!scanned && coverage.ignored == 0 && coverage.skipped.is_empty(), no_sources.as_str()),
    ];
    for (_, hint) in hints.into_iter().filter(|(applies, _)| *applies) {
        writeln!(out, "{}\n", wrapped("hint: ", hint, width))?;
    }
    Ok(())
}

const NO_LAYER: &str = "nothing says which files may talk to the outside (the comm layer), so every file counts as \
    code of the agent; `gatelint init` proposes a `gatelint.toml` that says so";
const NO_LAYER_NAMED: &str = "the configuration does not say which files may talk to the outside (the comm layer), so every \
    file counts as code of the agent; name them in `comm` of the table `[layers]`";
const NO_ENTRY_POINT: &str = "no tool, comm handler or planning function was seen, so nothing is known to be reachable by an \
    agent. gatelint looked for the decorators, base classes and registrations of agent frameworks, for `tools=[…]`, lists and \
    tables called `tools`, classes called `…Tool`, and functions called `plan…`; name yours by `[[registration]]` and in \
    `functions` of the table `[planning]`";
const ALL_IGNORED: &str = "every source file is hidden by an ignore file; `--no-ignore` scans them";

/// Which files would have been read: those of the languages that there are front ends for.
fn no_sources() -> String {
    let language = |known: &FileType| {
        let extensions: Vec<String> = known.extensions.iter().map(|name| format!("`.{name}`")).collect();
        format!("{} ({})", known.lang.profile().title, extensions.join(", "))
    };
    let languages: Vec<String> = LANGUAGES.iter().map(language).collect();
    format!("no source file was found; gatelint reads {}", languages.join(" and "))
}

pub fn wrapped(head: &str, text: &str, width: usize) -> String {
    let indent = " ".repeat(head.len());
    let mut lines = Lines::new(head, &indent, width);
    lines.words(text);
    lines.text
}

fn files(view: &View) -> String {
    let coverage = &view.outcome.coverage;
    let seen = [
        (coverage.ignored, "ignored (`--no-ignore` scans them)"),
        (coverage.skipped.len(), "skipped"),
        (coverage.partial.len(), "partial"),
        (view.lossy(), "with bytes that are no text"),
    ];
    let reported = coverage.reported.map(|count| format!(", {count} reported on")).unwrap_or_default();
    format!("{} scanned{reported}", view.outcome.files.len()) + &some(", ", &seen)
}

fn calls(calls: Calls) -> String {
    let Calls { resolved, external, builtin, unresolved } = calls;
    let understood = resolved + external + builtin;
    let all = understood + unresolved;
    let kinds = some("", &[(resolved, "in the project"), (external, "external"), (builtin, "built in")]);
    match (all, understood, unresolved) {
        (0, ..) => "none".to_owned(),
        (_, 0, _) => format!("none of {all} calls understood"),
        (_, _, 0) => format!("all {all} calls understood ({kinds})"),
        _ => format!("{} of {all} calls understood ({kinds}), {unresolved} not", percent(understood, all)),
    }
}

/// The counts that are not zero.
fn some(before: &str, counts: &[(usize, &str)]) -> String {
    let seen = counts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<_> = seen.map(|(count, what)| format!("{count} {what}")).collect();
    if parts.is_empty() { String::new() } else { format!("{before}{}", parts.join(", ")) }
}

/// With one decimal, in integers: the same digits on every machine. Cut, not rounded: only all is 100 %.
fn percent(part: usize, all: usize) -> String {
    let tenths = part * 1000 / all;
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// `acts from 3 comm handlers, 12 tools`: for the inventory as for a report.
pub fn entry_points(coverage: &Coverage) -> Option<String> {
    let seen = coverage.entry_points.iter().filter(|(_, count)| **count > 0);
    let parts: Vec<_> = seen.map(|(kind, count)| counted(*count, kind)).collect();
    (!parts.is_empty()).then(|| format!("acts from {}", parts.join(", ")))
}

pub fn has_entry_points(coverage: &Coverage) -> bool {
    coverage.entry_points.values().any(|count| *count > 0)
}
