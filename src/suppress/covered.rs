//! Findings in whose place another one stands: what a rule says of its own findings (`[[covered]]`) decides. They stay in the
//! reports for programs, and count nowhere.

use std::collections::BTreeMap;

use camino::Utf8Path;

use super::is_off;
use crate::config::LevelRule;
use crate::finding::{Covered, Finding, Outcome};
use crate::rule::{Cover, Same};

/// Takes out of the findings of an outcome what others of them cover, or waived ones.
pub fn cover(outcome: &mut Outcome, levels: &[LevelRule]) {
    let findings = std::mem::take(&mut outcome.findings);
    let stands = |finding: &&Finding| !is_off(levels, &outcome.file(finding.primary.file).path, finding);
    let waived = outcome.waived.iter().map(|waived| &waived.finding);
    let mut by_rule: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in findings.iter().chain(waived).filter(stands) {
        by_rule.entry(finding.rule.id.as_str()).or_default().push(finding);
    }
    let names = own_names(outcome);
    let covering = findings.iter().map(|finding| {
        if !stands(&finding) {
            return None;
        }
        let mut rules = finding.rule.covered.iter();
        rules.find_map(|cover| covers(cover, finding, &by_rule, &names)).map(|by| by.fingerprint.clone())
    });
    let covering: Vec<Option<String>> = covering.collect();
    for (finding, by) in findings.into_iter().zip(covering) {
        match by {
            Some(by) => outcome.covered.push(Covered { finding, by }),
            None => outcome.findings.push(finding),
        }
    }
}

/// The finding that stands in the place of this one.
fn covers<'f>(
    cover: &Cover,
    finding: &Finding,
    by_rule: &BTreeMap<&str, Vec<&'f Finding>>,
    names: &[String],
) -> Option<&'f Finding> {
    let others = cover.by.iter().filter_map(|id| by_rule.get(id.as_str())).flatten().copied();
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
            others.filter(is_here).find(|other| capture(other, "callee").is_some_and(uses))
        }
        Same::Function => {
            let function = own("function")?;
            others.filter(is_here).find(|other| capture(other, "function") == Some(function))
        }
        Same::Folder => {
            let folder = own_folder(own("place")?, names)?;
            let is_same = |place: &str| own_folder(place, names) == Some(folder);
            let first = others
                .filter(|other| capture(other, "place").is_some_and(is_same))
                .min_by_key(|other| other.primary)?;
            (first.fingerprint != finding.fingerprint).then_some(first)
        }
    }
}

/// `~/.atlas` of `~/.atlas/preferences.json`, if a package of the project is called so.
fn own_folder<'p>(place: &'p str, names: &[String]) -> Option<&'p str> {
    let mut end = 0;
    for part in place.split_inclusive('/') {
        end += part.len();
        let name = plain(part.trim_end_matches('/'));
        if names.contains(&name) {
            return Some(place[..end].trim_end_matches('/'));
        }
    }
    None
}

/// The names of the project and of its packages.
fn own_names(outcome: &Outcome) -> Vec<String> {
    let top = |path: &Utf8Path| path.components().next().map(|part| plain(part.as_str()));
    let mut names: Vec<String> = outcome.files.iter().filter_map(|file| top(&file.path)).collect();
    names.extend(outcome.root.file_name().map(plain));
    names.sort_unstable();
    names.dedup();
    names.retain(|name| !name.is_empty() && !GENERIC.contains(&name.as_str()));
    names
}

/// Folders that say nothing of the project.
const GENERIC: [&str; 6] = ["src", "lib", "app", "tests", "scripts", "packages"];

fn plain(name: &str) -> String {
    name.trim_start_matches('.').replace('-', "_").to_lowercase()
}
