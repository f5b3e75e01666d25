//! Findings in whose place another one stands: what a rule says of its own findings (`[[covered]]`) decides. They stay in the
//! reports for programs, and count nowhere.

use std::collections::{BTreeMap, BTreeSet};

use super::severity_of;
use crate::catalog::{own_folder, plain_name};
use crate::config::LevelRule;
use crate::finding::{Covered, Finding, Outcome};
use crate::rule::{Cover, Same};

/// Takes out of the findings of an outcome what others of them cover, or waived ones.
pub fn cover(outcome: &mut Outcome, levels: &[LevelRule]) {
    let findings = std::mem::take(&mut outcome.findings);
    let severity = |finding: &Finding| severity_of(levels, &outcome.file(finding.primary.file).path, finding);
    let waived = outcome.waived.iter().map(|waived| &waived.finding);
    let mut by_rule: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in findings.iter().chain(waived) {
        by_rule.entry(finding.rule.id.as_str()).or_default().push(finding);
    }
    let names = own_names(outcome);
    let covering = findings.iter().map(|finding| {
        // What is milder, less sure or switched off would hide this one.
        let own = severity(finding)?;
        let is_enough = |by: &&Finding| by.confidence >= finding.confidence && severity(by) >= Some(own);
        let mut rules = finding.rule.covered.iter();
        rules
            .find_map(|cover| covers(cover, finding, &by_rule, &names, is_enough))
            .map(|by| by.fingerprint.clone())
    });
    let covering: Vec<Option<String>> = covering.collect();
    for (finding, by) in findings.into_iter().zip(covering) {
        match by {
            Some(by) => outcome.covered.push(Covered { finding, by }),
            None => outcome.findings.push(finding),
        }
    }
}

/// Gives back what is covered by a finding that is not shown: one of a file that nobody asked about, and that no baseline knows.
pub fn uncover(outcome: &mut Outcome, is_known: impl Fn(&str) -> bool) {
    let waived = outcome.waived.iter().map(|waived| &waived.finding);
    let shown: BTreeSet<&str> =
        outcome.findings.iter().chain(waived).map(|finding| finding.fingerprint.as_str()).collect();
    let stands = |covered: &Covered| shown.contains(covered.by.as_str()) || is_known(&covered.by);
    let (covered, open): (Vec<_>, Vec<_>) =
        std::mem::take(&mut outcome.covered).into_iter().partition(stands);
    outcome.covered = covered;
    outcome.findings.extend(open.into_iter().map(|covered| covered.finding));
}

/// The finding that stands in the place of this one.
fn covers<'f>(
    cover: &Cover,
    finding: &Finding,
    by_rule: &BTreeMap<&str, Vec<&'f Finding>>,
    names: &BTreeSet<String>,
    is_enough: impl Fn(&&Finding) -> bool,
) -> Option<&'f Finding> {
    let others = cover.by.iter().filter_map(|id| by_rule.get(id.as_str())).flatten().copied();
    let mut others = others.filter(|other| is_enough(other));
    let capture = |finding: &'f Finding, name: &str| finding.captures.get(name).map(String::as_str);
    let own = |name: &str| finding.captures.get(name).map(String::as_str);
    let is_here = |other: &&'f Finding| other.primary.file == finding.primary.file;
    match cover.same {
        Same::Module => {
            let module = own("module")?;
            let uses = |callee: &str| {
                let rest = callee.strip_prefix(module);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            others.find(|other| is_here(other) && capture(other, "callee").is_some_and(uses))
        }
        Same::Function => {
            let function = own("function")?;
            others.find(|other| is_here(other) && capture(other, "function") == Some(function))
        }
        Same::Folder => {
            let folder = own_folder(own("place")?, names).filter(|(_, is_named)| *is_named)?;
            let is_same = |place: &str| own_folder(place, names).as_ref() == Some(&folder);
            let first = others
                .filter(|other| capture(other, "place").is_some_and(is_same))
                .min_by_key(|other| other.primary)?;
            (first.fingerprint != finding.fingerprint).then_some(first)
        }
    }
}

/// The names of the project: that of its folder, and of the one in it that holds most of its files.
fn own_names(outcome: &Outcome) -> BTreeSet<String> {
    let mut tops: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &outcome.files {
        let mut parts = file.path.components();
        if let (Some(top), Some(_)) = (parts.next(), parts.next()) {
            *tops.entry(top.as_str()).or_default() += 1;
        }
    }
    let most = tops.into_iter().max_by_key(|(_, files)| *files).map(|(top, _)| top);
    outcome.root.file_name().into_iter().chain(most).map(plain_name).collect()
}
