//! Which finding comes before which, the same in every format: by what can happen and who decides it, and by how sure that is.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::catalog::EffectKind;
use crate::exit::is_about_code;
use crate::finding::{ACCESS, Finding};
use crate::rule::{Check, Goal, Matcher};

/// What a finding says that can happen, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    /// A way from an agent to what it should not reach.
    Way,
    /// A guard that is missing, broken or loses what it guards.
    Guard,
    /// A call that touches the outside, wherever it stands.
    Effect,
    Import,
    Smell,
    /// Of the code's own state, or of the check itself.
    Other,
}

/// Worst first, and the first of each rule before the second of any; what equals in that keeps its order.
pub fn ranked(mut findings: Vec<&Finding>) -> Vec<&Finding> {
    findings.sort_by_key(|finding| key(finding));
    let mut seen: BTreeMap<(Stage, &str), usize> = BTreeMap::new();
    let mut order: Vec<(Stage, usize, usize)> = Vec::new();
    for (at, finding) in findings.iter().enumerate() {
        let stage = stage(finding).0;
        let nth = seen.entry((stage, finding.rule.id.as_str())).or_default();
        order.push((stage, *nth, at));
        *nth += 1;
    }
    order.sort_unstable();
    order.into_iter().map(|(.., at)| findings[at]).collect()
}

/// True for what is more than a call of an effect: the way there, or the guard that is missing on it.
pub fn tells_a_way(finding: &Finding) -> bool {
    stage(finding).0 < Stage::Effect
}

/// True if it tells what a model chooses.
pub fn is_chosen(finding: &Finding) -> bool {
    finding.rule.matches.iter().any(|matcher| matches!(matcher, Matcher::Trace(trace) if trace.from_model))
}

/// What is touched, of a call of an effect.
pub fn reaches(finding: &Finding) -> Option<EffectKind> {
    finding.rule.matches.iter().find_map(|matcher| match matcher {
        Matcher::Call(Goal::Effects { kinds, .. }) => kinds.first().copied(),
        _ => None,
    })
}

/// True for what is no reason to look at anything by itself.
pub fn is_minor(finding: &Finding) -> bool {
    stage(finding).0 > Stage::Import
}

/// An inferred way never stands before a certain one; elsewhere what is worse comes first.
fn key(finding: &Finding) -> impl Ord + use<> {
    let (stage, within) = stage(finding);
    let (severity, confidence) = (Reverse(finding.severity), Reverse(finding.confidence));
    let is_way = stage == Stage::Way;
    let before = is_way.then_some(confidence);
    (stage, !finding.is_reached(), before, within, severity, gravity(finding), confidence)
}

/// A file that is written or deleted is worse than one that is read.
fn gravity(finding: &Finding) -> u8 {
    match finding.captures.get(ACCESS).map(String::as_str) {
        Some("delete" | "write") => 0,
        Some("read") => 2,
        _ => 1,
    }
}

/// The stage, and what comes first in it.
fn stage(finding: &Finding) -> (Stage, u8) {
    let of = finding.rule.matches.iter().map(|matcher| match matcher {
        Matcher::Trace(trace) if trace.from_model => (Stage::Way, 0),
        Matcher::Trace(_) | Matcher::Reach(_) => (Stage::Way, 1),
        Matcher::Call(Goal::Effects { kinds, .. }) => {
            (Stage::Effect, kinds.iter().map(|kind| weight(*kind)).min().unwrap_or(0))
        }
        Matcher::Call(Goal::Named(_)) => (Stage::Effect, 0),
        Matcher::Import(_) | Matcher::Check(Check::ObscuredIo) => (Stage::Import, 0),
        Matcher::Item(_) | Matcher::Record(_) => (Stage::Guard, 1),
        // What a tool hands back, logs or is not said to be: a smell, and nothing that happens.
        Matcher::Check(Check::Runtime(_) | Check::UnclassifiedTool | Check::UnclassifiedSkill) => {
            (Stage::Smell, 0)
        }
        _ => (Stage::Guard, 0),
    });
    match is_about_code(finding) {
        true => of.min().unwrap_or((Stage::Guard, 0)),
        false => (Stage::Other, 0),
    }
}

fn weight(kind: EffectKind) -> u8 {
    match kind {
        EffectKind::Process => 0,
        EffectKind::Network | EffectKind::Comm => 1,
        EffectKind::Hardware => 2,
        EffectKind::Storage => 3,
        EffectKind::File => 4,
        EffectKind::Llm => 5,
    }
}
