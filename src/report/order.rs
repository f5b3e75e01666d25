//! What is shown and in which order: confidence, what an agent reaches first, totals that are always true.
//! Every format reads the outcome through this view, so that none counts differently.

use std::collections::BTreeMap;

use crate::finding::{Confidence, Finding, Outcome, Severity};
use crate::source::FileId;

/// So few findings are worth their space, reachable or not.
const FEW: usize = 5;

pub struct View<'a> {
    pub outcome: &'a Outcome,
    /// Confident enough, in the outcome's order.
    pub shown: Vec<&'a Finding>,
    /// Left out for their low confidence.
    pub hidden: usize,
}

/// The human report: some findings whole, the others one line per file.
pub struct Split<'a> {
    pub whole: Vec<&'a Finding>,
    /// By file, then by rule.
    pub rolled_up: BTreeMap<FileId, BTreeMap<&'a str, Vec<&'a Finding>>>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Totals {
    pub errors: usize,
    pub warnings: usize,
    pub notes: usize,
}

impl<'a> View<'a> {
    pub fn new(outcome: &'a Outcome, min_confidence: Confidence) -> Self {
        let shown: Vec<_> =
            outcome.findings.iter().filter(|finding| finding.confidence >= min_confidence).collect();
        Self { outcome, hidden: outcome.findings.len() - shown.len(), shown }
    }

    /// What an agent reaches comes first and whole, worst first; the rest is rolled up unless there is little of it.
    pub fn split(&self) -> Split<'a> {
        let (mut whole, mut rest): (Vec<_>, Vec<_>) =
            self.shown.iter().partition(|finding| finding.agent_reachable);
        worst_first(&mut whole);
        if rest.len() <= FEW {
            worst_first(&mut rest);
            whole.append(&mut rest);
        }
        let mut rolled_up: BTreeMap<_, BTreeMap<_, Vec<_>>> = BTreeMap::new();
        for finding in rest {
            let rules = rolled_up.entry(finding.primary.file).or_default();
            rules.entry(finding.rule.id.as_str()).or_default().push(finding);
        }
        Split { whole, rolled_up }
    }

    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for finding in &self.shown {
            match finding.severity {
                Severity::Error => totals.errors += 1,
                Severity::Warning => totals.warnings += 1,
                Severity::Note => totals.notes += 1,
            }
        }
        totals
    }

    /// By rule id, with the rule's name.
    pub fn per_rule(&self) -> BTreeMap<&'a str, (&'a str, usize)> {
        let mut counts = BTreeMap::new();
        for finding in &self.shown {
            counts.entry(finding.rule.id.as_str()).or_insert((finding.rule.name.as_str(), 0)).1 += 1;
        }
        counts
    }

    /// Files in which bytes were replaced, since they meant nothing.
    pub fn lossy(&self) -> usize {
        self.outcome.files.iter().filter(|file| file.lossy).count()
    }

    /// False if silence proves less than it seems to.
    pub fn is_complete(&self) -> bool {
        self.outcome.coverage.skipped.is_empty() && self.outcome.coverage.partial.is_empty()
    }
}

/// Of equal severity, paths come first: they tell most. Stable, so that equals keep the order of the outcome.
fn worst_first(findings: &mut [&Finding]) {
    let weight = |finding: &&Finding| (finding.severity, !finding.steps.is_empty(), finding.confidence);
    findings.sort_by_key(|finding| std::cmp::Reverse(weight(finding)));
}
