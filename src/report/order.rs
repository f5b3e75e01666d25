//! What is shown, by its confidence, and totals that are always true.
//! Every format reads the outcome through this view, so that none counts differently.

use std::collections::BTreeMap;

use super::rank::ranked;
use crate::finding::{Confidence, Covered, Finding, Outcome, Severity};

pub struct View<'a> {
    pub outcome: &'a Outcome,
    /// Confident enough, the worst first; without gaps.
    pub shown: Vec<&'a Finding>,
    /// Likewise, and others stand in their place.
    pub covered: Vec<&'a Covered>,
    /// What was not seen, or not analysed to its end.
    pub gaps: Vec<&'a Finding>,
    /// Left out for their low confidence.
    pub hidden: usize,
    /// Likewise confident enough, but known to a baseline.
    pub known: Vec<&'a Finding>,
    pub known_gaps: Vec<&'a Finding>,
    /// Known, and left out for their low confidence.
    pub known_hidden: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Totals {
    pub errors: usize,
    pub warnings: usize,
    pub notes: usize,
}

impl Totals {
    pub fn of(findings: &[&Finding]) -> Self {
        let mut totals = Totals::default();
        for finding in findings {
            match finding.severity {
                Severity::Error => totals.errors += 1,
                Severity::Warning => totals.warnings += 1,
                Severity::Note => totals.notes += 1,
            }
        }
        totals
    }
}

/// By rule id, with the rule's name.
pub fn per_rule<'a>(findings: &[&'a Finding]) -> BTreeMap<&'a str, (&'a str, usize)> {
    let mut counts = BTreeMap::new();
    for finding in findings {
        counts.entry(finding.rule.id.as_str()).or_insert((finding.rule.name.as_str(), 0)).1 += 1;
    }
    counts
}

impl<'a> View<'a> {
    pub fn new(outcome: &'a Outcome, min_confidence: Confidence) -> Self {
        let sure = |finding: &&Finding| finding.confidence >= min_confidence;
        let is_gap = |finding: &&Finding| finding.gap().is_some();
        let (gaps, shown): (Vec<_>, Vec<_>) = outcome.findings.iter().filter(sure).partition(is_gap);
        let shown = ranked(shown);
        let covered =
            outcome.covered.iter().filter(|covered| covered.finding.confidence >= min_confidence).collect();
        let known = outcome.known.iter().flat_map(|known| &known.findings).filter(sure);
        let (known_gaps, known): (Vec<_>, Vec<_>) = known.partition(is_gap);
        let known = ranked(known);
        let hidden = outcome.findings.len() - shown.len() - gaps.len();
        let all_known = outcome.known.as_ref().map_or(0, |known| known.findings.len());
        let known_hidden = all_known - known.len() - known_gaps.len();
        Self { outcome, covered, hidden, shown, gaps, known, known_gaps, known_hidden }
    }

    /// Findings, worst first, and gaps.
    pub fn all(&self) -> Vec<&'a Finding> {
        [&self.shown[..], &self.gaps].concat()
    }

    /// Files in which bytes were replaced, since they meant nothing.
    pub fn lossy(&self) -> usize {
        let outcome = self.outcome;
        let texts = outcome.texts.iter().filter_map(|(text, _)| outcome.texts.decoded(text));
        outcome.files.iter().chain(texts).filter(|file| file.lossy).count()
    }

    /// False if silence proves less than it seems to.
    pub fn is_complete(&self) -> bool {
        self.outcome.is_complete()
    }
}
