//! Counts and the verdict as text, the same in every format that people read.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use super::escape;
use super::order::View;
use super::paint::Paint;
use super::places::Places;
use crate::finding::policy::Policy;
use crate::finding::{Coverage, Incomplete, Known, LevelUse, Outcome, Severity, Where};

/// One line per rule that reports.
pub fn per_rule(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let rules = view.per_rule();
    let ids = rules.keys().map(|id| id.len()).max().unwrap_or(0);
    let names = rules.values().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (rule, (name, count)) in &rules {
        writeln!(out, "{rule:ids$}  {name:names$} {count:6}")?;
    }
    if !rules.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

/// `2 errors, 1 warning`, or what stands in the way of a verdict.
pub fn verdict(view: &View, paint: Paint) -> String {
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
    } else if view.outcome.coverage.reported == Some(0) {
        "none of the files that were named is a source file of the project".to_owned()
    } else if view.is_complete() {
        found
    } else {
        format!("{found}, but not everything was understood")
    }
}

/// What is counted but not listed, each with what it is.
pub fn unlisted(view: &View) -> Vec<(&'static str, String)> {
    let mut counts = policy(&view.outcome.coverage.policy);
    if view.hidden > 0 {
        let text = format!("{} of low confidence (`--min-confidence low` shows them)", view.hidden);
        counts.push(("hidden", text));
    }
    if let Some(known) = &view.outcome.known {
        counts.extend(baseline(known, view.known.len()));
    }
    if !view.outcome.waived.is_empty() {
        counts.push(("waived", counted(view.outcome.waived.len(), "finding")));
    }
    let levels_used = view.outcome.levels.iter().filter(|level| !level.is_idle());
    counts.extend(levels_used.map(|level| ("levels", levels(level))));
    counts.extend(unread(view.outcome).map(|text| ("not read", text)));
    if !view.outcome.coverage.inert.is_empty() {
        counts.push(("unread", inert(&view.outcome.coverage.inert)));
    }
    counts
}

/// What is exempted from rules.
fn policy(policy: &Policy) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    let layers = policy.layers.iter().filter(|(_, count)| **count > 0);
    let mut files: Vec<String> = layers.map(|(layer, count)| format!("{count} {layer}")).collect();
    if policy.excluded > 0 {
        files.push(format!("{} excluded", policy.excluded));
    }
    if !files.is_empty() {
        facts.push(("layers", format!("files by layer: {}", files.join(", "))));
    }
    let names: Vec<_> = policy.not_planning.iter().take(MAX_NAMED).map(|name| format!("`{name}`")).collect();
    if !names.is_empty() {
        let count = counted(policy.not_planning.len(), "function");
        let more = if policy.not_planning.len() > MAX_NAMED { ", …" } else { "" };
        let names = names.join(", ");
        facts.push(("plan", format!("{count} taken out of planning ({}{more})", escape::line(&names))));
    }
    let mut off = policy.off.clone();
    off.extend(policy.off_in.iter().map(|(rule, files)| format!("{rule} in {}", counted(*files, "file"))));
    if !off.is_empty() {
        facts.push(("off", format!("rules switched off: {}", escape::line(&off.join(", ")))));
    }
    facts
}

/// Of functions in one line.
const MAX_NAMED: usize = 5;

/// `412 findings in gatelint-baseline.json, 3 of them moved`, and what is found no more.
fn baseline(known: &Known, shown: usize) -> Vec<(&'static str, String)> {
    let file = escape::line(&known.file);
    let moved = if known.moved > 0 { format!(", {} of them moved", known.moved) } else { String::new() };
    let mut counts = vec![("known", format!("{} in {file}{moved}", counted(shown, "finding")))];
    if !known.fixed.is_empty() {
        let text = format!(
            "{} of {file} not found any more (`gatelint baseline prune` takes them out)",
            counted(known.fixed.len(), "finding")
        );
        counts.push(("fixed", text));
    }
    counts
}

/// `1,405 .ts, 894 .js`, the most first, and what to do if those are most of the project.
pub fn unread(outcome: &Outcome) -> Option<String> {
    let unread = &outcome.coverage.unread;
    let mut kinds: Vec<(&String, usize)> =
        unread.iter().map(|(extension, count)| (extension, *count)).collect();
    kinds.sort_by_key(|(extension, count)| (Reverse(*count), *extension));
    let kinds: Vec<_> =
        kinds.iter().map(|(extension, count)| format!("{} .{extension}", grouped(*count))).collect();
    let advice = match outcome.is_mostly_unread() {
        true => "; more than half of the source files: `--strict-coverage` makes such a run incomplete",
        false => "",
    };
    (!kinds.is_empty()).then(|| format!("{}{advice}", kinds.join(", ")))
}

/// `1,405`.
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let first = (digits.len() - 1) % 3 + 1;
    let mut text = digits[..first].to_owned();
    for at in (first..digits.len()).step_by(3) {
        text += &format!(",{}", &digits[at..at + 3]);
    }
    text
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

/// What was not analysed, or not wholly, one line a file: silence there proves nothing.
pub fn gaps(view: &View) -> impl Iterator<Item = String> {
    let coverage = &view.outcome.coverage;
    let skipped = coverage.skipped.iter().map(|skipped| {
        let why = skipped.why.to_string();
        format!("{}: not scanned: {}", escape::line(&skipped.path), escape::line(&why))
    });
    let partial = coverage.partial.iter().map(|file| {
        let path = escape::line(view.outcome.file(*file).path.as_str());
        format!("{path}: only partly understood, calls may be missing")
    });
    let places = Places::new(view.outcome);
    let incomplete = coverage.incomplete.iter().map(move |gap| incomplete(gap, &places));
    skipped.chain(partial).chain(incomplete)
}

/// `2 files skipped or only partly understood, 1 part of the program not followed to its end`.
pub fn incompleteness(coverage: &Coverage) -> Option<String> {
    let files = coverage.skipped.len() + coverage.partial.len();
    let files = (files > 0).then(|| format!("{} skipped or only partly understood", counted(files, "file")));
    let gaps = coverage.incomplete.len();
    let parts = if gaps == 1 { "part" } else { "parts" };
    let gaps =
        (gaps > 0).then(|| format!("{gaps} {parts} of the program not seen or not followed to the end"));
    let all: Vec<_> = files.into_iter().chain(gaps).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// `agent.py:12: what is not known; what to do`.
pub fn incomplete(gap: &Incomplete, places: &Places) -> String {
    let message = escape::line(&gap.message);
    match &gap.at {
        Where::Run => message.into_owned(),
        Where::Place(at) => format!("{}:{}: {message}", escape::line(places.path(*at)), places.line(*at)),
        Where::Path(path) => format!("{}: {message}", escape::line(path)),
    }
}

/// `1 file`, `2 files`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_stand_in_groups_of_three() {
        let all = [0, 7, 999, 1_000, 1_405, 894_000, 12_345_678].map(grouped);
        assert_eq!(all, ["0", "7", "999", "1,000", "1,405", "894,000", "12,345,678"]);
    }
}
