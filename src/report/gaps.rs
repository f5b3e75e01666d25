//! What was not seen, or not analysed to its end, as every format says it: one line that counts, or a line for each.

use std::collections::{BTreeMap, BTreeSet};

use super::escape;
use super::numbers::counted;
use super::places::Places;
use crate::finding::{Finding, Gap, Incomplete, Outcome, Where};

/// A line for everything: files that were not scanned, gaps at their places, what concerns the run. Silence there proves nothing.
pub fn lines(outcome: &Outcome, places: &Places<'_>) -> impl Iterator<Item = String> {
    let gaps = outcome.gaps().map(|(_, finding)| line(finding, places));
    gaps.chain(of_run(outcome))
}

/// The same without the files, which JSON has in a list of their own.
pub fn listed(outcome: &Outcome, places: &Places<'_>) -> impl Iterator<Item = String> {
    let gaps = outcome.gaps().map(|(_, finding)| line(finding, places));
    gaps.chain(outcome.coverage.incomplete.iter().map(run_line))
}

/// What is no finding: files that were not scanned, and what concerns the run.
pub fn of_run(outcome: &Outcome) -> impl Iterator<Item = String> {
    let skipped = outcome.coverage.skipped.iter().map(|skipped| {
        let why = skipped.why.to_string();
        format!("{}: not scanned: {}", escape::line(&skipped.path), escape::line(&why))
    });
    skipped.chain(outcome.coverage.incomplete.iter().map(run_line))
}

/// `agent.py:12: what is not known and what may be missed`.
pub fn line(finding: &Finding, places: &Places<'_>) -> String {
    let at = finding.primary;
    format!("{}:{}: {}", escape::line(places.path(at)), places.line(at), escape::line(&finding.message))
}

/// What concerns the run.
pub fn run_line(gap: &Incomplete) -> String {
    let message = escape::line(&gap.message);
    match &gap.at {
        Where::Run | Where::Place(_) => message.into_owned(),
        Where::Path(path) => format!("{}: {message}", escape::line(path)),
    }
}

/// Gaps by kind, in the order of the kinds.
pub fn by_kind(outcome: &Outcome) -> BTreeMap<Gap, Vec<&Finding>> {
    let mut kinds: BTreeMap<Gap, Vec<&Finding>> = BTreeMap::new();
    for (kind, finding) in outcome.gaps() {
        kinds.entry(kind).or_default().push(finding);
    }
    kinds
}

/// `30 in 12 files: 23 with content not followed, 7 without source`; none if there are none.
pub fn count(outcome: &Outcome) -> Option<String> {
    let kinds = by_kind(outcome);
    let all = kinds.values().flatten();
    let files: BTreeSet<_> = all.clone().map(|finding| finding.primary.file).collect();
    let parts: Vec<String> =
        kinds.iter().map(|(kind, gaps)| format!("{} {}", gaps.len(), kind.counted())).collect();
    let count = all.count();
    (count > 0).then(|| format!("{count} in {}: {}", counted(files.len(), "file"), parts.join(", ")))
}

/// The same with what else stands in the way of a verdict: `2 files skipped, 3 gaps in the analysis`.
pub fn incompleteness(outcome: &Outcome) -> Option<String> {
    let skipped = outcome.coverage.skipped.len();
    let gaps = outcome.gaps().count() + outcome.coverage.incomplete.len();
    let skipped = (skipped > 0).then(|| format!("{} skipped", counted(skipped, "file")));
    let gaps = (gaps > 0).then(|| format!("{} in the analysis", counted(gaps, "gap")));
    let all: Vec<_> = skipped.into_iter().chain(gaps).collect();
    (!all.is_empty()).then(|| all.join(", "))
}
