//! The end of the human report: totals, what was scanned, what was not understood, and what would make it see more.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::paint::Paint;
use super::rollup::counted;
use super::wrap::Lines;
use crate::finding::{Calls, Coverage, LevelUse, Severity};
use crate::report::escape;
use crate::report::order::View;
use crate::source::FileId;

pub fn write(view: &View, paint: Paint, width: usize, out: &mut dyn Write) -> io::Result<()> {
    gaps(view, paint, out)?;
    hints(view, width, out)?;
    let rules = view.per_rule();
    let names = rules.values().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (rule, (name, count)) in &rules {
        writeln!(out, "{rule}  {name:names$} {count:6}")?;
    }
    if !rules.is_empty() {
        writeln!(out)?;
    }
    for (head, text) in facts(view) {
        writeln!(out, "{}", paint.dim(&wrapped(&format!("{head:8}"), &text, width)))?;
    }
    writeln!(out, "{}", verdict(view, paint))
}

/// What the verdict rests on.
fn facts(view: &View) -> Vec<(&'static str, String)> {
    let coverage = &view.outcome.coverage;
    let mut facts = vec![("files", files(view)), ("calls", calls(coverage.calls))];
    facts.extend(entry_points(coverage).map(|text| ("agent", text)));
    if view.hidden > 0 {
        facts.push((
            "hidden",
            format!("{} of low confidence (`--min-confidence low` shows them)", view.hidden),
        ));
    }
    if !view.outcome.waived.is_empty() {
        facts.push(("waived", counted(view.outcome.waived.len(), "finding")));
    }
    facts.extend(
        view.outcome.levels.iter().filter(|level| !level.is_idle()).map(|level| ("levels", levels(level))),
    );
    if !coverage.inert.is_empty() {
        facts.push(("unread", inert(&coverage.inert)));
    }
    facts
}

/// `3 findings switched off (GL104), 1 changed (GL101): replaced in March`.
fn levels(level: &LevelUse) -> String {
    let part = |counts: &BTreeMap<String, usize>, what: &str| {
        let rules: Vec<_> = counts.keys().map(String::as_str).collect();
        let count = counts.values().sum();
        (count > 0).then(|| format!("{} {what} ({})", counted(count, "finding"), rules.join(", ")))
    };
    let parts = [part(&level.off, "switched off"), part(&level.changed, "given another severity")];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    format!("{}: {}", parts.join(", "), escape::line(&level.reason))
}

fn inert(settings: &[(String, &'static str)]) -> String {
    let keys: Vec<_> = settings.iter().map(|(key, _)| format!("`{key}`")).collect();
    let (verb, pronoun) = if keys.len() == 1 { ("is", "it") } else { ("are", "them") };
    format!("{} {verb} set, but no rule of this version reads {pronoun}", keys.join(", "))
}

/// Everything that was not looked at, or not wholly: silence there proves nothing.
fn gaps(view: &View, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let coverage = &view.outcome.coverage;
    let skipped = coverage.skipped.iter().map(|skipped| {
        let why = skipped.why.to_string();
        format!("{}: {}", escape::line(&skipped.path), escape::line(&why))
    });
    list("not scanned", skipped, paint, out)?;
    let path = |file: &FileId| escape::line(view.outcome.file(*file).path.as_str()).into_owned();
    list("only partly understood, calls may be missing", coverage.partial.iter().map(path), paint, out)
}

/// At most so many lines; the others are counted, and in the other formats.
const MAX_LISTED: usize = 50;

fn list(
    head: &str,
    mut lines: impl ExactSizeIterator<Item = String>,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    if lines.len() == 0 {
        return Ok(());
    }
    writeln!(out, "{}", paint.bold(head))?;
    for line in lines.by_ref().take(MAX_LISTED) {
        writeln!(out, "  {line}")?;
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
    let hints = [
        (scanned && !coverage.configured, NO_LAYER),
        (scanned && !has_entry_points(coverage), NO_ENTRY_POINT),
        (!scanned && coverage.ignored > 0, ALL_IGNORED),
        (!scanned && coverage.ignored == 0 && coverage.skipped.is_empty(), NO_SOURCES),
    ];
    for (_, hint) in hints.into_iter().filter(|(applies, _)| *applies) {
        writeln!(out, "{}\n", wrapped("hint: ", hint, width))?;
    }
    Ok(())
}

const NO_LAYER: &str = "no configuration was found and no file is in a known comm layer, so every file counts as \
    agent code; name yours in the table `[layers]` of `gatelint.toml` (see the README)";
const NO_ENTRY_POINT: &str = "no planning function was seen, so nothing is known to be reachable by an agent; \
    name yours in `functions` of the table `[planning]`";
const ALL_IGNORED: &str = "every source file is hidden by an ignore file; `--no-ignore` scans them";
const NO_SOURCES: &str = "no source file was found; gatelint reads Python (`.py`, `.pyw`)";

fn wrapped(head: &str, text: &str, width: usize) -> String {
    let indent = " ".repeat(head.len());
    let mut lines = Lines::new(head, &indent, width);
    lines.words(text);
    lines.text
}

fn verdict(view: &View, paint: Paint) -> String {
    let totals = view.totals();
    let kinds = [
        (Severity::Error, totals.errors, "error"),
        (Severity::Warning, totals.warnings, "warning"),
        (Severity::Note, totals.notes, "note"),
    ];
    let parts: Vec<_> = kinds
        .into_iter()
        .filter(|(_, count, _)| *count > 0)
        .map(|(severity, count, noun)| paint.severity(severity, &counted(count, noun)))
        .collect();
    let found = if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") };
    if view.outcome.files.is_empty() {
        "nothing was scanned".to_owned()
    } else if view.is_complete() {
        found
    } else {
        format!("{found}, but not everything was understood")
    }
}

fn files(view: &View) -> String {
    let coverage = &view.outcome.coverage;
    let seen = [
        (coverage.ignored, "ignored (`--no-ignore` scans them)"),
        (coverage.skipped.len(), "skipped"),
        (coverage.partial.len(), "partial"),
        (view.lossy(), "with bytes that are no text"),
    ];
    format!("{} scanned", view.outcome.files.len()) + &some(", ", &seen)
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

fn entry_points(coverage: &Coverage) -> Option<String> {
    let seen = coverage.entry_points.iter().filter(|(_, count)| **count > 0);
    let parts: Vec<_> = seen.map(|(kind, count)| counted(*count, kind)).collect();
    (!parts.is_empty()).then(|| format!("acts from {}", parts.join(", ")))
}

pub fn has_entry_points(coverage: &Coverage) -> bool {
    coverage.entry_points.values().any(|count| *count > 0)
}
