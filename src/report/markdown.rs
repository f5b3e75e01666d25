//! The `markdown` format: the summary of a CI job. The verdict and counts, the worst findings with their paths as small
//! graphs, then tables.

mod page;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use page::Page;

use super::human::facts;
use super::order::View;
use super::paint::Paint;
use super::places::Places;
use super::{confidence, escape, gaps, mermaid, totals, via};
use crate::explain;
use crate::finding::{Finding, Severity};

const MAX_GRAPHS: usize = 5;
/// More rows are no summary.
const MAX_FINDINGS: usize = 200;
const MAX_ROWS: usize = 50;
/// Of one message, reason or path.
const MAX_CHARS: usize = 400;

pub fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let places = Places::new(view.outcome);
    let mut page = Page::default();
    page.line(&format!("## gatelint: {}", text(&totals::verdict(view, Paint { color: false }))));
    counts(view, &mut page);
    let facts = facts(view).into_iter().map(|(what, fact)| format!("- {what}: {}", text(&fact)));
    page.rows("", facts, MAX_ROWS);
    worst(view, &places, &mut page);
    findings(view, &places, &mut page);
    waived(view, &places, &mut page);
    let gaps: Vec<_> = gaps::lines(view.outcome, &places).collect();
    let gaps = gaps.iter().map(|gap| format!("- {}", text(gap)));
    page.rows("\n### Not understood\n", gaps, MAX_ROWS);
    out.write_all(page.text.as_bytes())?;
    out.flush()
}

/// What a family has: the names of its rules, then errors, warnings, notes and what a baseline knows.
type Counts<'a> = (BTreeSet<&'a str>, [usize; 4]);

/// By family, as `--select` names them.
fn counts(view: &View, page: &mut Page) {
    let mut families: BTreeMap<String, Counts> = BTreeMap::new();
    let shown = view.shown.iter().map(|finding| match finding.severity {
        Severity::Error => (finding, 0),
        Severity::Warning => (finding, 1),
        Severity::Note => (finding, 2),
    });
    for (finding, column) in shown.chain(view.known.iter().map(|finding| (finding, 3))) {
        let (names, counts) = families.entry(family(&finding.rule.id)).or_default();
        names.insert(&finding.rule.name);
        counts[column] += 1;
    }
    let (known_head, known_rule) =
        if view.outcome.known.is_some() { (" in the baseline |", "---:|") } else { ("", "") };
    let rows = families.iter().map(|(family, (names, [errors, warnings, notes, known]))| {
        let names = names.iter().copied().collect::<Vec<_>>().join(", ");
        let known = if known_head.is_empty() { String::new() } else { format!(" {known} |") };
        format!("| {} | {} | {errors} | {warnings} | {notes} |{known}", text(family), text(&names))
    });
    let head = format!(
        "\n| | rules | errors | warnings | notes |{known_head}\n|---|---|---:|---:|---:|{known_rule}"
    );
    page.rows(&head, rows, MAX_ROWS);
}

/// `GL2` of `GL201`: the letters and the first digit.
fn family(id: &str) -> String {
    let letters = id.chars().take_while(char::is_ascii_alphabetic).count();
    id.chars().take(letters + 1).collect()
}

fn worst(view: &View, places: &Places, page: &mut Page) {
    for (index, finding) in chosen(view).into_iter().enumerate() {
        if index == 0 {
            page.line("\n### The worst");
        }
        let graph = mermaid::path(finding, places);
        let graph = graph.map(|graph| format!("\n```mermaid\n{graph}```\n")).unwrap_or_default();
        let title = format!("#### {}. {} at {}", index + 1, title(finding), at(finding, places));
        let (message, help) = (text(&finding.message), text(finding.help()));
        let reached = match reached(finding, places) {
            via if via.is_empty() => via,
            via => format!("\nreached via {via}\n"),
        };
        page.block(&format!("\n{title}\n\n{message}\n{reached}{graph}\nhelp: {help}"));
    }
}

/// Those with a path first, and one of each rule before a second: five of a kind say less than five kinds.
fn chosen<'a>(view: &View<'a>) -> Vec<&'a Finding> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ranked = Vec::new();
    for finding in view.shown.iter().copied() {
        let nth = seen.entry(finding.rule.id.as_str()).or_default();
        *nth += 1;
        let badness = Reverse((finding.severity, finding.is_reached(), !finding.steps.is_empty()));
        ranked.push((badness, *nth, finding));
    }
    ranked.sort_by_key(|(badness, nth, _)| (*badness, *nth));
    ranked.into_iter().take(MAX_GRAPHS).map(|(.., finding)| finding).collect()
}

fn findings(view: &View, places: &Places, page: &mut Page) {
    let all = view.shown.clone();
    let head =
        format!("\n### Findings ({})\n\n| rule | at | what | reached via |\n|---|---|---|---|", all.len());
    let rows = all.into_iter().map(|finding| {
        let (at, what) = (at(finding, places), text(&finding.message));
        format!("| {} | {at} | {what} | {} |", title(finding), reached(finding, places))
    });
    page.rows(&head, rows, MAX_FINDINGS);
}

/// A review sees what was taken back, and why.
fn waived(view: &View, places: &Places, page: &mut Page) {
    let waived = &view.outcome.waived;
    let head = format!("\n### Waived ({})\n\n| rule | at | reason |\n|---|---|---|", waived.len());
    let rows = waived.iter().map(|waived| {
        let finding = &waived.finding;
        format!("| {} | {} | {} |", title(finding), at(finding, places), text(&waived.reason))
    });
    page.rows(&head, rows, MAX_ROWS);
}

/// Empty if no agent is known to get there.
fn reached(finding: &Finding, places: &Places) -> String {
    finding.via.as_ref().map(|via| text(&via::line(via, places))).unwrap_or_default()
}

/// `error GL201 planning-phase-io`.
fn title(finding: &Finding) -> String {
    let severity = explain::severity(finding.severity);
    let unsure = confidence(finding.confidence);
    text(&format!("{severity} {} {}{unsure}", finding.rule.id, finding.rule.name))
}

fn at(finding: &Finding, places: &Places) -> String {
    let path = escape::shortened(places.path(finding.primary), MAX_CHARS);
    escape::markdown_code(&format!("{path}:{}", places.line(finding.primary)))
}

fn text(text: &str) -> String {
    escape::markdown(&escape::shortened(text, MAX_CHARS))
}
