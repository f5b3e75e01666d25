//! From every finding to those that are kept and those that a reason takes away: waivers first, so that one which takes
//! nothing away becomes a finding itself, then the levels that the configuration gives to rules in parts of the project, and
//! at last what a baseline knows. The baseline is compared before any of that, waived findings included, so that nothing
//! which silences a finding sets its entry free for another one.

mod covered;
mod known;
mod loosened;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::Utf8Path;

use crate::config::{Level, LevelRule};
use crate::finding::{Finding, LevelUse, Outcome, Pending, Severity, Waived};
use crate::ir::Span;
use crate::rule::{Check, Rule, finding_at, number_repeats};
use crate::source::FileId;
use crate::waiver::{NOT_WAIVABLE, Waiver};
use known::{Recognised, Shown};

pub fn suppress(mut outcome: Outcome) -> Outcome {
    let mut pending = std::mem::take(&mut outcome.pending);
    waive(&mut outcome, &mut pending);
    // Before anything else is left out: what is in a baseline, or was not asked for, covers as well.
    covered::cover(&mut outcome, &pending.levels);
    let mut unused = unused(&outcome, &pending);
    number_repeats(&mut unused);
    outcome.findings.extend(unused);
    let loosened = pending.base.as_ref().map(|base| loosened::findings(&mut outcome, &pending, base));
    let recognised = pending.baseline.take().map(|baseline| Recognised::new(baseline, &outcome, &pending));
    narrow(&mut outcome, pending.asked.as_ref(), recognised.as_ref().filter(|_| pending.new_anywhere));
    covered::uncover(&mut outcome, |by| recognised.as_ref().is_some_and(|known| known.knows_fingerprint(by)));
    let asked = Shown::of(&outcome);
    level(&mut outcome, &pending.levels);
    sort(&mut outcome);
    if let Some(recognised) = recognised {
        recognised.take_away(&mut outcome, &asked);
    }
    // Nothing of this very change may take these away: no waiver, no level, no baseline.
    if let Some(loosened) = loosened {
        outcome.findings.extend(loosened);
        sort(&mut outcome);
    }
    outcome
}

fn waive(outcome: &mut Outcome, pending: &mut Pending) {
    let waivers = &pending.waivers;
    for finding in std::mem::take(&mut outcome.findings) {
        let id = finding.rule.id.as_str();
        let waiver = waivers.covering(id, finding.primary).filter(|_| !NOT_WAIVABLE.contains(&id));
        let Some(waiver) = waiver else {
            outcome.findings.push(finding);
            continue;
        };
        pending.used.insert((waiver, id.to_owned()));
        let waiver = waivers.get(waiver);
        outcome.waived.push(Waived { finding, reason: waiver.reason.clone(), waiver: waiver.place });
    }
}

/// A finding for each waiver that speaks of a rule which ran and has nothing to say there.
fn unused(outcome: &Outcome, pending: &Pending) -> Vec<Finding> {
    let Some(rule) = outcome.rules.iter().find(|rule| rule.checks(Check::UnusedWaiver)) else {
        return Vec::new();
    };
    let ran: BTreeMap<&str, &Arc<Rule>> = outcome.rules.iter().map(|rule| (rule.id.as_str(), rule)).collect();
    let used: BTreeSet<_> = pending.used.iter().map(|(waiver, rule)| (*waiver, rule.as_str())).collect();
    let mut findings = Vec::new();
    for (id, waiver) in pending.waivers.iter() {
        let idle = waiver.rules.iter().map(String::as_str).filter(|named| !used.contains(&(id, named)));
        let idle =
            idle.filter(|named| ran.get(named).is_some_and(|rule| was_tried(rule, waiver, outcome, pending)));
        let idle: Vec<_> = idle.collect();
        if !idle.is_empty() {
            let source = outcome.file(waiver.place.file);
            let captures = BTreeMap::from([("rules", idle.join("`, `"))]);
            findings.push(finding_at(rule, source, waiver.place, captures));
        }
    }
    findings
}

/// In a scan of single files, what a waiver is for may lie in the others.
fn was_tried(rule: &Rule, waiver: &Waiver, outcome: &Outcome, pending: &Pending) -> bool {
    match rule.follows_paths() {
        true => pending.extent.is_whole(),
        false => pending.extent.holds(&outcome.file(waiver.place.file).path),
    }
}

/// Leaves out findings that no step of which lies in a file that was asked about. What `recognised` does not know is kept
/// wherever it stands, since a change of these files may have made it. Waivers were compared with all findings before.
fn narrow(outcome: &mut Outcome, asked: Option<&BTreeSet<FileId>>, recognised: Option<&Recognised>) {
    let Some(asked) = asked else { return };
    let is_asked = |finding: &Finding| {
        let steps = finding.steps.iter().map(|step| step.place);
        steps.chain([finding.primary]).any(|place| asked.contains(&place.file))
    };
    // A change elsewhere may open a path, but a gap says something of the code it stands in.
    let is_new = |finding: &Finding| {
        finding.gap().is_none() && recognised.is_some_and(|recognised| !recognised.knows(finding))
    };
    outcome.findings.retain(|finding| is_asked(finding) || is_new(finding));
    outcome.waived.retain(|waived| is_asked(&waived.finding));
    outcome.covered.retain(|covered| is_asked(&covered.finding));
    for matrix in outcome.checklist.matrices_mut() {
        matrix.rows.retain(|row| [row.registered, row.handler].iter().any(|at| asked.contains(&at.file)));
    }
}

/// Of several levels for one rule and file, the last counts.
fn level(outcome: &mut Outcome, levels: &[LevelRule]) {
    let mut uses: Vec<LevelUse> = levels.iter().map(LevelUse::of).collect();
    for mut finding in std::mem::take(&mut outcome.findings) {
        let path = &outcome.file(finding.primary.file).path;
        let of = levels
            .iter()
            .enumerate()
            .rev()
            .find_map(|(nth, rule)| Some((nth, level_of(rule, path, &finding)?)));
        let id = finding.rule.id.clone();
        match of.map(|(nth, level)| (nth, level.severity())) {
            Some((nth, None)) => {
                *uses[nth].off.entry(id).or_default() += 1;
                continue;
            }
            Some((nth, Some(severity))) if severity != finding.severity => {
                finding.severity = severity;
                *uses[nth].changed.entry(id).or_default() += 1;
            }
            _ => {}
        }
        outcome.findings.push(finding);
    }
    outcome.levels = uses;
}

fn level_of(level: &LevelRule, path: &Utf8Path, finding: &Finding) -> Option<Level> {
    if !level.globs.is_match(path) {
        return None;
    }
    let Rule { id, name, .. } = &*finding.rule;
    let is_meant = |word: &str| word.eq_ignore_ascii_case(id) || word == name;
    level.rules.iter().find(|(word, ..)| is_meant(word)).map(|(.., level)| *level)
}

/// What the configuration makes of a finding where it stands; none if it is switched off.
fn severity_of(levels: &[LevelRule], path: &Utf8Path, finding: &Finding) -> Option<Severity> {
    let level = levels.iter().rev().find_map(|rule| level_of(rule, path, finding));
    level.map_or(Some(finding.severity), Level::severity)
}

/// By path, position and rule; the configuration has its place among the files.
fn sort(outcome: &mut Outcome) {
    let (mut findings, mut waived) =
        (std::mem::take(&mut outcome.findings), std::mem::take(&mut outcome.waived));
    findings.sort_by(|a, b| key(outcome, a).cmp(&key(outcome, b)));
    waived.sort_by(|a, b| (key(outcome, &a.finding), a.waiver).cmp(&(key(outcome, &b.finding), b.waiver)));
    (outcome.findings, outcome.waived) = (findings, waived);
}

fn key<'o>(outcome: &'o Outcome, finding: &'o Finding) -> (&'o Utf8Path, Span, &'o str, &'o str) {
    let place = finding.primary;
    (&outcome.file(place.file).path, place.span, &finding.rule.id, &finding.message)
}
