//! GL006: where a project allows more than at the merge base, each at the line that loosens. What the two configurations
//! say is compared by `config` key by key and by `files` file by file; here are baseline entries and waivers as well.

mod files;

use std::collections::BTreeMap;

use crate::baseline::{Baseline, Entry, assign};
use crate::config::{Loosening, named_baseline};
use crate::finding::base::{Base, Waiving};
use crate::finding::{Finding, Outcome, Pending, Place};
use crate::ir::Span;
use crate::rule::{Check, finding_at, number_repeats};
use crate::source::{FileId, SourceFile};

use super::known::Seen;

/// A place of the project, and what it allows.
type Found = (Place, String);

/// Empty if the rule does not run.
pub fn findings(outcome: &mut Outcome, pending: &Pending, base: &Base) -> Vec<Finding> {
    let Some(rule) = outcome.rules.iter().find(|rule| rule.checks(Check::LoosenedPolicy)).cloned() else {
        return Vec::new();
    };
    if outcome.config.path.as_str().is_empty() {
        // What was removed is reported where it was.
        outcome.config = SourceFile::new(base.was.origin.path(), "");
    }
    let config = FileId::of_config(outcome.files.len());
    let removed = (base.was.is_configured() && !base.is.is_configured()).then(|| Loosening {
        span: 0..0,
        what: format!("the configuration `{}` was removed", base.was.origin.path()),
    });
    let of_files = files::loosened(outcome, pending, base);
    let settings = removed.iter().chain(&base.keys).chain(&of_files);
    let mut found: Vec<Found> =
        settings.map(|found| (place(config, found.span.clone()), found.what.clone())).collect();
    let entries = entries(outcome, pending, base, config);
    if entries.is_empty() {
        // What it holds later is taken for known without a word.
        let named = named_baseline(&base.was, &base.is);
        found.extend(named.map(|named| (place(config, named.span), named.what)));
    }
    found.extend(entries);
    found.extend(waivers(outcome, pending, base));
    found.sort();
    let made = found.into_iter().map(|(place, what)| {
        finding_at(&rule, outcome.file(place.file), place, BTreeMap::from([("what", what)]))
    });
    let mut made: Vec<Finding> = made.collect();
    number_repeats(&mut made);
    made.retain_mut(|finding| judge(finding, outcome, base));
    made
}

/// What the merge base says of the rule itself holds: that was agreed on before. False if it is off.
fn judge(finding: &mut Finding, outcome: &Outcome, base: &Base) -> bool {
    let path = &outcome.file(finding.primary.file).path;
    let path = base.path(path).unwrap_or_else(|| path.clone());
    match base.severity(&base.was, &finding.rule.id, &path) {
        Some(severity) => finding.severity = severity,
        None => return false,
    }
    true
}

fn place(file: FileId, span: std::ops::Range<usize>) -> Place {
    Place { file, span: Span { lo: span.start as u32, hi: span.end as u32 } }
}

/// Entries that speak of no finding that was known before, wherever its code was then.
fn entries(outcome: &Outcome, pending: &Pending, base: &Base, config: FileId) -> Vec<Found> {
    let (Some(tree), Some(now)) = (&base.tree, &pending.baseline) else { return Vec::new() };
    let text = baseline_text(outcome, now);
    let at = |word: Option<&str>| match text {
        Some((file, text)) => {
            let start = word.and_then(|word| text.find(word)).unwrap_or_default();
            place(file, start..start + word.map_or(0, str::len))
        }
        None => place(config, 0..0),
    };
    let Some(before) = &tree.baseline else {
        let count = now.entries().len();
        return match count {
            0 => Vec::new(),
            _ => vec![(
                at(None),
                format!("the baseline `{}` is new and takes {count} findings for known", now.file),
            )],
        };
    };
    let seen = Seen::new(outcome, pending);
    let matched = assign(before.entries(), now.entries(), |entry| seen.fate(entry));
    let new = now.entries().iter().zip(matched).filter(|(_, matched)| matched.is_none());
    let told = |entry: &Entry| format!("the baseline takes `{}` in `{}` for known", entry.rule, entry.path);
    new.map(|(entry, _)| (at(Some(&entry.fingerprint)), told(entry))).collect()
}

/// The file as a text of the project, if it is one.
fn baseline_text<'o>(outcome: &'o Outcome, baseline: &Baseline) -> Option<(FileId, &'o str)> {
    let (id, _) = outcome.texts.iter().find(|(_, path)| path.as_str() == baseline.file)?;
    let file = outcome.texts.read(id)?;
    Some((FileId::of_text(outcome.files.len(), id), &file.text))
}

/// Each waiver of now needs one of then: in the same function of the same file, or of one that is gone.
fn waivers(outcome: &Outcome, pending: &Pending, base: &Base) -> Vec<Found> {
    let Some(tree) = &base.tree else { return Vec::new() };
    let mut then: Vec<&Waiving> = tree.waivers.iter().collect();
    let mut now: Vec<(Waiving, Place)> = Vec::new();
    for (_, waiver) in pending.waivers.iter() {
        let path = &outcome.file(waiver.place.file).path;
        let path = base.path(path).unwrap_or_else(|| path.clone());
        now.extend(waiver.waivings(&path).map(|waiving| (waiving, waiver.place)));
    }
    let mut take = |now: &mut Vec<(Waiving, Place)>, is_same: &dyn Fn(&Waiving, &Waiving) -> bool| {
        now.retain(|(new, _)| {
            let at = then.iter().position(|old| is_same(old, new));
            at.map(|at| then.swap_remove(at)).is_none()
        });
    };
    take(&mut now, &|old, new| old == new);
    let paths = outcome.files.iter().map(|file| base.path(&file.path).unwrap_or_default());
    let paths: std::collections::BTreeSet<_> = paths.collect();
    take(&mut now, &|old, new| {
        let is_alike = (&old.rule, &old.function, &old.reason) == (&new.rule, &new.function, &new.reason);
        is_alike && !paths.contains(&old.path) && !pending.hidden.contains(&old.path)
    });
    now.into_iter().map(|(new, place)| (place, format!("a waiver takes back `{}` here", new.rule))).collect()
}
