//! Findings in whose place another one stands: what a rule says of its own findings (`[[covered]]`) decides. They stay in the
//! reports for programs, and count nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::severity_of;
use crate::catalog::{own_folder, plain_name};
use crate::config::LevelRule;
use crate::finding::{Covered, Finding, Outcome};
use crate::rule::{Cover, Rule, Same};
use crate::source::FileId;

/// Takes out of the findings of an outcome what others of them cover, or waived ones.
pub fn cover(outcome: &mut Outcome, levels: &[LevelRule]) {
    let findings = std::mem::take(&mut outcome.findings);
    let severity = |finding: &Finding| severity_of(levels, &outcome.file(finding.primary.file).path, finding);
    let waived = outcome.waived.iter().map(|waived| &waived.finding);
    let names = own_names(outcome);
    let others = Others::new(findings.iter().chain(waived), &findings, &names);
    let covering = findings.iter().map(|finding| {
        // What is milder, less sure or switched off would hide this one.
        let own = severity(finding)?;
        let is_enough = |by: &&Finding| by.confidence >= finding.confidence && severity(by) >= Some(own);
        let mut rules = finding.rule.covered.iter();
        rules.find_map(|cover| others.covering(cover, finding, is_enough)).map(|by| by.fingerprint.clone())
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

/// What a finding and the one in whose place it stands have in common.
#[derive(PartialEq, Eq, Hash)]
enum Common {
    /// One of them uses what the other one speaks of.
    Module(FileId, String),
    Function(FileId, String),
    /// A folder that has a name of its own.
    Folder(String),
}

/// The findings that may stand in the place of others, by rule and by what both have in common.
struct Others<'f> {
    names: &'f BTreeSet<String>,
    by_rule: FxHashMap<&'f str, FxHashMap<Common, Vec<&'f Finding>>>,
}

impl<'f> Others<'f> {
    /// All findings, as far as rules of `findings` name theirs.
    fn new(
        all: impl Iterator<Item = &'f Finding>,
        findings: &'f [Finding],
        names: &'f BTreeSet<String>,
    ) -> Self {
        let rules: BTreeMap<&str, &Arc<Rule>> =
            findings.iter().map(|finding| (finding.rule.id.as_str(), &finding.rule)).collect();
        let mut wanted: BTreeMap<&str, Vec<Same>> = BTreeMap::new();
        for cover in rules.values().flat_map(|rule| &rule.covered) {
            cover.by.iter().for_each(|id| wanted.entry(id.as_str()).or_default().push(cover.same));
        }
        let mut others = Self { names, by_rule: FxHashMap::default() };
        for finding in all {
            let Some(kinds) = wanted.get(finding.rule.id.as_str()) else { continue };
            let of_rule = others.by_rule.entry(finding.rule.id.as_str()).or_default();
            let common: FxHashSet<Common> =
                kinds.iter().flat_map(|&same| offered(same, finding, names)).collect();
            for common in common {
                of_rule.entry(common).or_default().push(finding);
            }
        }
        // Of a folder the first finding counts, wherever it was found.
        let lists = others.by_rule.values_mut().flatten();
        let of_folders = lists.filter(|(common, _)| matches!(common, Common::Folder(_)));
        of_folders.for_each(|(_, list)| list.sort_by_key(|finding| finding.primary));
        others
    }

    /// The finding that stands in the place of this one.
    fn covering(
        &self,
        cover: &Cover,
        finding: &Finding,
        is_enough: impl Fn(&&Finding) -> bool,
    ) -> Option<&'f Finding> {
        let common = self.wanted(cover.same, finding)?;
        let of_rules = cover.by.iter().filter_map(|id| self.by_rule.get(id.as_str())?.get(&common));
        let mut first = of_rules.filter_map(|others| others.iter().copied().find(&is_enough));
        match cover.same {
            Same::Module | Same::Function => first.next(),
            Same::Folder => {
                let first = first.min_by_key(|other| other.primary)?;
                (first.fingerprint != finding.fingerprint).then_some(first)
            }
        }
    }

    /// What another finding must offer.
    fn wanted(&self, same: Same, finding: &Finding) -> Option<Common> {
        let file = finding.primary.file;
        Some(match same {
            Same::Module => Common::Module(file, finding.captures.get("module")?.clone()),
            Same::Function => Common::Function(file, finding.captures.get("function")?.clone()),
            Same::Folder => Common::Folder(named_folder(finding, self.names)?),
        })
    }
}

fn offered(same: Same, finding: &Finding, names: &BTreeSet<String>) -> Vec<Common> {
    let file = finding.primary.file;
    let capture = |name: &str| finding.captures.get(name).map(String::as_str);
    match same {
        // `requests.get` uses `requests`, and itself.
        Same::Module => capture("callee").map_or_else(Vec::new, |callee| {
            let ends = callee.match_indices('.').map(|(at, _)| at).chain([callee.len()]);
            ends.map(|end| Common::Module(file, callee[..end].to_owned())).collect()
        }),
        Same::Function => {
            capture("function").map(|it| Common::Function(file, it.to_owned())).into_iter().collect()
        }
        Same::Folder => named_folder(finding, names).map(Common::Folder).into_iter().collect(),
    }
}

fn named_folder(finding: &Finding, names: &BTreeSet<String>) -> Option<String> {
    let (folder, is_named) = own_folder(finding.captures.get("place")?, names)?;
    is_named.then_some(folder)
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
