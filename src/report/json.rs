//! The `json` format, version 1: documented in `docs/json.md`, described by `docs/gatelint-report.schema.json`.
//! Fields may be added within a version; none is renamed, removed or given another meaning.

mod way;

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use way::{JsonStep, JsonVia, steps_of, via_of};

use super::escape;
use super::order::{Totals, View, per_rule};
use super::places::{Places, Region};
use crate::baseline::Entry;
use crate::finding::policy::Policy;
use crate::finding::{
    Calls, Confidence, Covered, Finding, Gap, Incomplete, Known, LevelUse, Outcome, Place, Severity, Waived,
    Where,
};
use crate::source::{LineCol, Unread};

const VERSION: u32 = 1;

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    tool: Tool,
    summary: Summary<'a>,
    findings: Vec<JsonFinding<'a>>,
    waived: Vec<JsonWaived<'a>>,
    skipped: Vec<JsonSkipped<'a>>,
    gates: Vec<JsonGate<'a>>,
    given_up: Vec<JsonGate<'a>>,
    unfollowed: usize,
    incomplete: Vec<JsonIncomplete<'a>>,
    partial: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed: Option<&'a [Entry]>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Summary<'a> {
    findings: SeverityCounts,
    gaps: JsonGaps,
    hidden_low_confidence: usize,
    waived: usize,
    levels: Vec<JsonLevel<'a>>,
    policy: JsonPolicy<'a>,
    unread_settings: [&'static str; 0],
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<JsonBaseline<'a>>,
    rules: BTreeMap<&'a str, usize>,
    files: FileCounts<'a>,
    calls: Calls,
    entry_points: &'a BTreeMap<&'static str, usize>,
    configured: bool,
    complete: bool,
}

#[derive(Serialize)]
struct SeverityCounts {
    error: usize,
    warning: usize,
    note: usize,
}

#[derive(Serialize)]
struct FileCounts<'a> {
    scanned: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    reported: Option<usize>,
    ignored: usize,
    skipped: usize,
    partial: usize,
    lossy: usize,
    unread: &'a Unread,
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    rule: &'a str,
    name: &'a str,
    severity: Severity,
    confidence: Confidence,
    message: String,
    help: &'a str,
    location: JsonPlace<'a>,
    agent_reachable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<JsonVia<'a>>,
    steps: Vec<JsonStep<'a>>,
    captures: &'a BTreeMap<&'static str, String>,
    fingerprint: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    covered_by: Option<&'a str>,
}

/// The finding with what its author says.
#[derive(Serialize)]
struct JsonWaived<'a> {
    #[serde(flatten)]
    finding: JsonFinding<'a>,
    reason: String,
    waiver: JsonPlace<'a>,
}

#[derive(Serialize)]
struct JsonBaseline<'a> {
    file: &'a str,
    known: usize,
    hidden: usize,
    rules: BTreeMap<&'a str, usize>,
    moved: usize,
    fixed: usize,
    unseen: usize,
}

#[derive(Serialize)]
struct JsonLevel<'a> {
    reason: String,
    off: &'a BTreeMap<String, usize>,
    changed: &'a BTreeMap<String, usize>,
}

/// What is exempted from rules.
#[derive(Serialize)]
pub struct JsonPolicy<'a> {
    layers: &'a BTreeMap<&'static str, usize>,
    excluded: usize,
    not_planning: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    selected: &'a [String],
    off: &'a [String],
    off_in: &'a BTreeMap<String, usize>,
}

/// A phase gate of the project.
#[derive(Serialize)]
struct JsonGate<'a> {
    name: String,
    location: JsonPlace<'a>,
}

#[derive(Serialize)]
struct JsonPlace<'a> {
    path: &'a str,
    start: Point,
    end: Point,
}

#[derive(Serialize)]
struct Point {
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct JsonSkipped<'a> {
    path: &'a str,
    reason: &'static str,
    message: String,
}

/// A part of the program that was not seen, or not followed to its end.
#[derive(Serialize)]
struct JsonIncomplete<'a> {
    kind: &'static str,
    name: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<JsonPlace<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<&'a str>,
}

/// Gaps by what became of them; all of them are notes of GL007.
#[derive(Serialize)]
struct JsonGaps {
    new: usize,
    known: usize,
    waived: usize,
}

pub fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let coverage = &view.outcome.coverage;
    let places = Places::new(view.outcome);
    let report = Report {
        version: VERSION,
        tool: Tool { name: "gatelint", version: env!("CARGO_PKG_VERSION") },
        summary: summary(view),
        findings: {
            let counted = view.all().into_iter().map(|finding| finding_of(finding, &places));
            counted.chain(view.covered.iter().map(|covered| covered_of(covered, &places))).collect()
        },
        waived: view.outcome.waived.iter().map(|waived| waived_of(waived, &places)).collect(),
        skipped: coverage
            .skipped
            .iter()
            .map(|skipped| JsonSkipped {
                path: &skipped.path,
                reason: skipped.why.code(),
                message: escape::line(&skipped.why.to_string()).into_owned(),
            })
            .collect(),
        gates: functions(&coverage.gates, &places),
        given_up: given_up(view.outcome, &places),
        unfollowed: view.outcome.gaps().filter(|(kind, _)| *kind == Gap::Unfollowed).count(),
        incomplete: incomplete(view.outcome, &places),
        partial: coverage.partial.iter().map(|file| view.outcome.file(*file).path.as_str()).collect(),
        fixed: view.outcome.known.as_ref().map(|known| &*known.fixed),
    };
    write_value(&report, out)
}

fn functions<'a>(functions: &[(String, Place)], places: &Places<'a>) -> Vec<JsonGate<'a>> {
    let named = functions.iter();
    named
        .map(|(name, at)| JsonGate { name: escape::line(name).into_owned(), location: place(*at, places) })
        .collect()
}

fn given_up<'a>(outcome: &'a Outcome, places: &Places<'a>) -> Vec<JsonGate<'a>> {
    let functions = outcome.gaps().filter(|(kind, _)| *kind == Gap::GivenUp);
    functions.map(|(_, gap)| JsonGate { name: name(gap), location: place(gap.primary, places) }).collect()
}

/// Gaps are findings, too; here they stand beside what concerns the run.
fn incomplete<'a>(outcome: &'a Outcome, places: &Places<'a>) -> Vec<JsonIncomplete<'a>> {
    let placed = outcome.gaps().map(|(kind, gap)| JsonIncomplete {
        kind: kind.code(),
        name: name(gap),
        message: escape::line(&gap.message).into_owned(),
        path: Some(places.path(gap.primary)),
        location: Some(place(gap.primary, places)),
        fingerprint: Some(&gap.fingerprint),
    });
    placed.chain(outcome.coverage.incomplete.iter().map(of_run)).collect()
}

fn of_run(gap: &Incomplete) -> JsonIncomplete<'_> {
    JsonIncomplete {
        kind: gap.kind.code(),
        name: escape::line(&gap.name).into_owned(),
        message: escape::line(&gap.message).into_owned(),
        path: match &gap.at {
            Where::Path(path) => Some(path),
            Where::Run | Where::Place(_) => None,
        },
        location: None,
        fingerprint: None,
    }
}

/// The function or the module that a gap is about.
fn name(gap: &Finding) -> String {
    gap.captures.get("name").map(|name| escape::line(name).into_owned()).unwrap_or_default()
}

fn summary<'a>(view: &View<'a>) -> Summary<'a> {
    let all = view.all();
    let totals = Totals::of(&all);
    let coverage = &view.outcome.coverage;
    Summary {
        findings: SeverityCounts { error: totals.errors, warning: totals.warnings, note: totals.notes },
        gaps: JsonGaps {
            new: view.gaps.len(),
            known: view.known_gaps.len(),
            waived: view.outcome.waived.iter().filter(|waived| waived.finding.gap().is_some()).count(),
        },
        hidden_low_confidence: view.hidden,
        waived: view.outcome.waived.len(),
        levels: view.outcome.levels.iter().map(level_of).collect(),
        policy: policy_of(&coverage.policy),
        unread_settings: [],
        baseline: view.outcome.known.as_ref().map(|known| baseline_of(known, view)),
        rules: per_rule(&all).into_iter().map(|(rule, (_, count))| (rule, count)).collect(),
        files: FileCounts {
            scanned: view.outcome.files.len(),
            reported: coverage.reported,
            ignored: coverage.ignored,
            skipped: coverage.skipped.len(),
            partial: coverage.partial.len(),
            lossy: view.lossy(),
            unread: &coverage.unread,
        },
        calls: coverage.calls,
        entry_points: &coverage.entry_points,
        configured: coverage.configured,
        complete: view.is_complete(),
    }
}

fn baseline_of<'a>(known: &'a Known, view: &View<'a>) -> JsonBaseline<'a> {
    let mut rules = BTreeMap::new();
    for finding in &view.known {
        *rules.entry(finding.rule.id.as_str()).or_default() += 1;
    }
    JsonBaseline {
        file: &known.file,
        known: view.known.len(),
        hidden: view.known_hidden,
        rules,
        moved: known.moved,
        fixed: known.fixed.len(),
        unseen: known.unseen.len(),
    }
}

fn level_of(level: &LevelUse) -> JsonLevel<'_> {
    let LevelUse { reason, off, changed } = level;
    JsonLevel { reason: escape::line(reason).into_owned(), off, changed }
}

pub fn policy_of(policy: &Policy) -> JsonPolicy<'_> {
    let Policy { layers, excluded, not_planning, chosen_by, off, off_in } = policy;
    JsonPolicy { layers, excluded: *excluded, not_planning, selected: chosen_by, off, off_in }
}

fn waived_of<'a>(waived: &'a Waived, places: &Places<'a>) -> JsonWaived<'a> {
    JsonWaived {
        finding: finding_of(&waived.finding, places),
        reason: escape::line(&waived.reason).into_owned(),
        waiver: place(waived.waiver, places),
    }
}

fn covered_of<'a>(covered: &'a Covered, places: &Places<'a>) -> JsonFinding<'a> {
    let finding = finding_of(&covered.finding, places);
    JsonFinding { severity: Severity::Note, covered_by: Some(&covered.by), ..finding }
}

fn finding_of<'a>(finding: &'a Finding, places: &Places<'a>) -> JsonFinding<'a> {
    JsonFinding {
        rule: &finding.rule.id,
        name: &finding.rule.name,
        severity: finding.severity,
        confidence: finding.confidence,
        message: escape::line(&finding.message).into_owned(),
        help: finding.help(),
        location: place(finding.primary, places),
        agent_reachable: finding.is_reached(),
        via: finding.via.as_ref().map(|via| via_of(via, places)),
        steps: steps_of(&finding.steps, 1, places),
        captures: &finding.captures,
        fingerprint: &finding.fingerprint,
        covered_by: None,
    }
}

fn place<'a>(at: Place, places: &Places<'a>) -> JsonPlace<'a> {
    let Region { start, end } = places.region(at);
    JsonPlace { path: places.path(at), start: point(start), end: point(end) }
}

fn point(LineCol { line, column }: LineCol) -> Point {
    Point { line, column }
}

/// Writes JSON that is safe to look at: what a terminal would obey is written as `\u....`, so paths stay exact for
/// a program and harmless for a reader. Outside strings JSON has no such character but the line feed.
pub fn write_value(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_safe(&serde_json::to_string_pretty(value)?, out)
}

/// The same in one line, for readers that take line by line.
pub fn write_line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_safe(&serde_json::to_string(value)?, out)
}

fn write_safe(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut plain = 0;
    for (at, c) in text.char_indices().filter(|(_, c)| *c != '\n' && escape::is_hostile(*c)) {
        out.write_all(&text.as_bytes()[plain..at])?;
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}")?;
        }
        plain = at + c.len_utf8();
    }
    out.write_all(&text.as_bytes()[plain..])?;
    out.write_all(b"\n")?;
    out.flush()
}
