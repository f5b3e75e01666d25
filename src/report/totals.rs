//! Counts and the verdict as text, the same in every format that people read.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use super::numbers::{counted, grouped};
use super::order::{self, Totals, View};
use super::paint::Paint;
use super::{escape, gaps};
use crate::finding::policy::Policy;
use crate::finding::{Known, LevelUse, Outcome, Severity};

/// One line per rule that reports.
pub fn per_rule(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let rules = order::per_rule(&view.shown);
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
    let totals = Totals::of(&view.shown);
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
    if let Some(gaps) = gaps::count(view.outcome) {
        let advice = "`--full` lists them; `gatelint baseline write` notes them";
        counts.push(("gaps", format!("{gaps} ({advice})")));
    }
    if view.hidden > 0 {
        let text = format!("{} of low confidence (`--min-confidence low` shows them)", view.hidden);
        counts.push(("hidden", text));
    }
    if let Some(known) = &view.outcome.known {
        counts.extend(baseline(known, view));
    }
    if !view.outcome.waived.is_empty() {
        counts.push(("waived", counted(view.outcome.waived.len(), "finding")));
    }
    let levels_used = view.outcome.levels.iter().filter(|level| !level.is_idle());
    counts.extend(levels_used.map(|level| ("levels", levels(level))));
    counts.extend(unread(view.outcome).map(|text| ("not read", text)));
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
    if !policy.chosen_by.is_empty() {
        facts.push(("rules", format!("selected: {}", escape::line(&policy.chosen_by.join(", ")))));
    }
    let mut off: Vec<String> = policy.switched_off().map(str::to_owned).collect();
    off.extend(policy.off_in.iter().map(|(rule, files)| format!("{rule} in {}", counted(*files, "file"))));
    if !off.is_empty() {
        facts.push(("off", format!("rules switched off: {}", escape::line(&off.join(", ")))));
    }
    facts
}

/// Of functions in one line.
const MAX_NAMED: usize = 5;

/// `412 findings in gatelint-baseline.json, 3 of them moved`, and what is found no more.
fn baseline(known: &Known, view: &View) -> Vec<(&'static str, String)> {
    let file = escape::line(&known.file);
    let moved = if known.moved > 0 { format!(", {} of them moved", known.moved) } else { String::new() };
    let hidden = view.known_hidden;
    let noted = noted(view.known.len() + hidden, hidden, view.known_gaps.len());
    let mut counts = vec![("known", format!("{noted} in {file}{moved}"))];
    if !known.fixed.is_empty() {
        let text = format!(
            "{} of {file} not found any more (`gatelint baseline prune` takes them out)",
            counted(known.fixed.len(), "finding")
        );
        counts.push(("fixed", text));
    }
    if !known.unseen.is_empty() {
        let unseen = counted(known.unseen.len(), "finding");
        let text = format!("{unseen} of {file} in rules that did not run or files that were not looked at");
        counts.push(("unseen", text));
    }
    counts
}

/// `412 findings (15 of low confidence, hidden) and 30 gaps`: what a baseline notes, and what it is found to know.
pub fn noted(findings: usize, hidden: usize, gaps: usize) -> String {
    let hidden = if hidden > 0 { format!(" ({hidden} of low confidence, hidden)") } else { String::new() };
    let gaps = if gaps > 0 { format!(" and {}", counted(gaps, "gap")) } else { String::new() };
    format!("{}{hidden}{gaps}", counted(findings, "finding"))
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
