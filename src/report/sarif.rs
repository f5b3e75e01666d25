//! The `sarif` format, 2.1.0, as GitHub code scanning wants it: one run, at most 5,000 results, one location each, the
//! path as a code flow. A run that wrote this file counts as successful even if some files were skipped, since code
//! scanning drops every result of one that does not; what was skipped is told by notifications and by the exit code.

mod fingerprint;
mod rules;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::json::{policy_of, write_value};
use super::order::View;
use super::places::{Places, Region};
use super::{escape, via};
use crate::finding::{Covered, Finding, Gap, Incomplete, LevelUse, Place, Severity, Step, Where};
use crate::source::FileId;
use fingerprint::LineHashes;
use rules::RuleTable;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Code scanning shows no more and rejects a file with many more.
const MAX_RESULTS: usize = 5_000;
/// Of a path; the middle of a longer one is left out.
const MAX_STEPS: usize = 100;

pub fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let places = Places::new(view.outcome);
    // A known finding that were left out would count as repaired, and be opened again with the baseline's end.
    let covered: Vec<&Finding> = view.covered.iter().map(|covered| &covered.finding).collect();
    let counted = [&view.all()[..], &view.known, &view.known_gaps].concat();
    let all = [&counted[..], &covered].concat();
    let rules = RuleTable::new(&view.outcome.rules, &all);
    let results = results(view, &rules, &places);
    let run = json!({
        "tool": { "driver": {
            "name": "gatelint",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "informationUri": env!("CARGO_PKG_REPOSITORY"),
            "rules": rules.descriptors(),
            "notifications": notification_kinds(),
        }},
        "automationDetails": { "id": "gatelint/" },
        "originalUriBaseIds": { "%SRCROOT%": { "description": { "text": "the project root" } } },
        "columnKind": "unicodeCodePoints",
        "invocations": [{
            "executionSuccessful": true,
            "toolExecutionNotifications": notifications(view, all.len(), all.len() - results.len()),
        }],
        "properties": properties(view),
        "results": results,
    });
    write_value(&json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] }), out)
}

/// As many as that, in their order: no error is left out for a warning that comes before it.
fn most_severe(findings: Vec<&Finding>, most: usize) -> Vec<&Finding> {
    let mut kept: Vec<usize> = (0..findings.len()).collect();
    kept.sort_by_key(|&at| Reverse(findings[at].severity));
    kept.truncate(most);
    kept.sort_unstable();
    kept.into_iter().map(|at| findings[at]).collect()
}

/// As many findings as GitHub takes, new ones first; with a baseline each says whether it is known.
fn results(view: &View, rules: &RuleTable, places: &Places) -> Vec<Value> {
    let kept = most_severe(view.all(), MAX_RESULTS);
    let known = [&view.known[..], &view.known_gaps].concat();
    let known = most_severe(known, MAX_RESULTS - kept.len());
    let left = MAX_RESULTS - kept.len() - known.len();
    let states = view.outcome.known.as_ref().map(|_| ["new", "unchanged"]);
    let lists = [(kept, states.map(|[new, _]| new)), (known, states.map(|[_, unchanged]| unchanged))];
    let mut hashes = Hashes::default();
    let findings =
        lists.iter().flat_map(|(findings, state)| findings.iter().map(move |finding| (finding, state)));
    let mut results: Vec<Value> =
        findings.map(|(finding, state)| result(finding, *state, rules, places, &mut hashes)).collect();
    for Covered { finding, by } in view.covered.iter().copied().take(left) {
        let mut covered = result(finding, None, rules, places, &mut hashes);
        covered["level"] = json!(Severity::Note);
        covered["properties"]["coveredBy"] = json!(by);
        results.push(covered);
    }
    results
}

/// `state` is what a baseline says of it, if there is one.
fn result(
    finding: &Finding,
    state: Option<&str>,
    rules: &RuleTable,
    places: &Places,
    hashes: &mut Hashes,
) -> Value {
    let mut result = json!({
        "ruleId": finding.rule.id,
        "ruleIndex": rules.index(&finding.rule.id),
        "level": finding.severity,
        "message": { "text": escape::sarif(&finding.message) },
        "locations": [location(finding.primary, None, places)],
        "partialFingerprints": fingerprints(finding, places, hashes),
        "properties": {
            "confidence": finding.confidence,
            "agentReachable": finding.is_reached(),
        },
    });
    if let Some(via) = &finding.via {
        result["properties"]["reachedVia"] = json!(escape::sarif(&via::line(via, places)));
    }
    if let Some(state) = state {
        result["baselineState"] = json!(state);
    }
    if !finding.steps.is_empty() {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow(&finding.steps, places) }] }]);
    }
    result
}

/// The steps with the numbers they have in every format.
fn flow(steps: &[Step], places: &Places) -> Vec<Value> {
    let elided = steps.len().saturating_sub(MAX_STEPS);
    let gap = MAX_STEPS / 2..MAX_STEPS / 2 + elided;
    let numbered = (1..).zip(steps).enumerate();
    numbered
        .filter(|(at, _)| !gap.contains(at))
        .map(|(at, (number, step))| {
            let mut text = format!("{number}. {}", escape::sarif(&step.text));
            if elided > 0 && at + 1 == gap.start {
                text += &format!(" ({elided} steps left out)");
            }
            json!({ "location": location(step.place, Some(text), places), "executionOrder": number })
        })
        .collect()
}

/// The first line of the place: a pull request shows an alert only if all of its lines changed.
fn location(place: Place, message: Option<String>, places: &Places) -> Value {
    let Region { start, end } = places.first_line(place);
    let mut location = json!({ "physicalLocation": {
        "artifactLocation": artifact(places.path(place)),
        "region": {
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        },
    }});
    if let Some(text) = message {
        location["message"] = json!({ "text": text });
    }
    location
}

fn artifact(path: &str) -> Value {
    json!({ "uri": uri(path), "uriBaseId": "%SRCROOT%" })
}

/// A relative reference: everything that is not unreserved is encoded, `:` included, so no name looks like a scheme.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri
}

/// None for a file whose bytes are not known.
type Hashes = BTreeMap<FileId, Option<LineHashes>>;

/// `primaryLocationLineHash` is what code scanning tracks alerts by. It hashes the bytes on disk, so for a file that
/// was transcoded it is left to the uploader.
fn fingerprints(finding: &Finding, places: &Places, hashes: &mut Hashes) -> Value {
    let mut fingerprints = json!({ "gatelint/v1": finding.fingerprint });
    let file = places.file(finding.primary);
    let hashes = hashes.entry(finding.primary.file).or_insert_with(|| LineHashes::of_file(file));
    if let Some(hash) = hashes.as_ref().and_then(|hashes| hashes.of_line(places.line(finding.primary))) {
        fingerprints["primaryLocationLineHash"] = json!(hash);
    }
    fingerprints
}

fn notification_kinds() -> Value {
    let of_gaps = Gap::ALL.map(|kind| (kind.code(), kind.title()));
    let kinds =
        [("skipped-file", "a file was not analysed"), ("partial-file", "a file was only partly understood")]
            .into_iter()
            .chain(of_gaps)
            .chain([("results-dropped", "more results than the format allows")]);
    kinds.map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } })).collect()
}

fn notifications(view: &View, all: usize, dropped: usize) -> Vec<Value> {
    let coverage = &view.outcome.coverage;
    let skipped = coverage.skipped.iter().map(|skipped| {
        let text = format!("not analysed: {}", escape::sarif(&skipped.why.to_string()));
        about("skipped-file", "error", text, &skipped.path)
    });
    let partial = coverage.partial.iter().map(|file| {
        let text = "only partly understood, calls may be missing".to_owned();
        about("partial-file", "warning", text, view.outcome.file(*file).path.as_str())
    });
    let incomplete = coverage.incomplete.iter().map(incomplete);
    let dropped = (dropped > 0).then(|| {
        let text = format!("{dropped} of {all} results were left out, the least severe first");
        json!({ "descriptor": { "id": "results-dropped" }, "level": "warning", "message": { "text": text } })
    });
    skipped.chain(partial).chain(incomplete).chain(dropped).collect()
}

fn incomplete(gap: &Incomplete) -> Value {
    let text = escape::sarif(&gap.message).to_string();
    let level = "warning";
    match &gap.at {
        Where::Run | Where::Place(_) => json!({
            "descriptor": { "id": gap.kind.code() },
            "level": level,
            "message": { "text": text },
        }),
        Where::Path(path) => about(gap.kind.code(), level, text, path),
    }
}

fn about(id: &str, level: &str, text: String, path: &str) -> Value {
    json!({
        "descriptor": { "id": id },
        "level": level,
        "message": { "text": text },
        "locations": [{ "physicalLocation": { "artifactLocation": artifact(path) } }],
    })
}

/// Coverage and what is only counted, for readers who ask how much silence is worth.
fn properties(view: &View) -> Value {
    let coverage = &view.outcome.coverage;
    let total = |counts: fn(&LevelUse) -> &BTreeMap<String, usize>| -> usize {
        view.outcome.levels.iter().flat_map(|level| counts(level).values()).sum()
    };
    json!({
        "filesScanned": view.outcome.files.len(),
        "filesIgnored": coverage.ignored,
        "filesSkipped": coverage.skipped.len(),
        "filesPartial": coverage.partial.len(),
        "filesUnread": coverage.unread,
        "calls": coverage.calls,
        "hiddenLowConfidence": view.hidden,
        "waived": view.outcome.waived.len(),
        "known": view.known.len(),
        "gaps": view.gaps.len(),
        "knownGaps": view.known_gaps.len(),
        "switchedOff": total(|level| &level.off),
        "severityChanged": total(|level| &level.changed),
        "policy": policy_of(&coverage.policy),
        "complete": view.is_complete(),
    })
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn a_path_becomes_a_relative_reference() {
        assert_eq!(uri("a/b c.py"), "a/b%20c.py");
        assert_eq!(uri("c:/x#y?z%.py"), "c%3A/x%23y%3Fz%25.py");
        assert_eq!(uri("ä/\u{1b}.py"), "%C3%A4/%1B.py");
    }
}
