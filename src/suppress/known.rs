//! What a baseline takes away. All findings are compared with it, whatever a run shows of them, so that the entry of a file
//! that nobody asked about is not taken for another's.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use crate::baseline::{Baseline, Entry, assign};
use crate::finding::{Known, Outcome};
use crate::source::Extent;

/// Which findings have an entry.
pub struct Recognised {
    file: String,
    /// By fingerprint of the finding: its entry, and whether it moved.
    entries: BTreeMap<String, (Entry, bool)>,
    fixed: Vec<Entry>,
    unseen: Vec<Entry>,
}

/// Fingerprints of the findings that were asked for.
pub struct Shown(BTreeSet<String>);

impl Shown {
    pub fn of(outcome: &Outcome) -> Self {
        Self(outcome.findings.iter().map(|finding| finding.fingerprint.clone()).collect())
    }
}

impl Recognised {
    pub fn new(baseline: Baseline, outcome: &Outcome, extent: &Extent) -> Self {
        let found: Vec<Entry> = outcome
            .findings
            .iter()
            .map(|finding| Entry::of(finding, &outcome.file(finding.primary.file).path))
            .collect();
        let seen = Seen::new(outcome, extent);
        let (known, mut unseen): (Vec<_>, Vec<_>) =
            baseline.entries().iter().cloned().partition(|entry| seen.speaks_of(entry));
        let matches = assign(&known, &found, |path| seen.is_gone(path));
        let used: BTreeSet<usize> = matches.iter().flatten().map(|matched| matched.entry).collect();
        let unused =
            known.iter().enumerate().filter(|(at, _)| !used.contains(at)).map(|(_, entry)| entry.clone());
        let (fixed, missed): (Vec<_>, Vec<_>) =
            unused.partition(|entry| seen.understands(Utf8Path::new(&entry.path)));
        let entries = found.into_iter().zip(&matches).filter_map(|(found, matched)| {
            let matched = (*matched)?;
            Some((found.fingerprint, (known[matched.entry].clone(), matched.moved)))
        });
        unseen.extend(missed);
        Self { file: baseline.file.clone(), fixed, entries: entries.collect(), unseen }
    }

    /// Moves known findings out of those that count. An entry whose finding is in a file that nobody asked about is kept;
    /// one whose finding was switched off by a level has done its duty.
    pub fn take_away(mut self, outcome: &mut Outcome, asked: &Shown) {
        let mut known = Known { file: self.file, fixed: self.fixed, unseen: self.unseen, ..Known::default() };
        for finding in std::mem::take(&mut outcome.findings) {
            match self.entries.remove(&finding.fingerprint) {
                Some((_, moved)) => {
                    known.moved += usize::from(moved);
                    known.findings.push(finding);
                }
                None => outcome.findings.push(finding),
            }
        }
        for (fingerprint, (entry, _)) in self.entries {
            let list = if asked.0.contains(&fingerprint) { &mut known.fixed } else { &mut known.unseen };
            list.push(entry);
        }
        known.fixed.sort();
        outcome.known = Some(known);
    }
}

/// What a check can tell.
struct Seen<'o> {
    extent: &'o Extent,
    rules: BTreeSet<&'o str>,
    /// Files that were read, or would have been if they mattered, each with whether all of it was understood.
    files: BTreeMap<&'o Utf8Path, bool>,
    skipped: BTreeSet<&'o str>,
    config: &'o Utf8Path,
}

impl<'o> Seen<'o> {
    fn new(outcome: &'o Outcome, extent: &'o Extent) -> Self {
        let coverage = &outcome.coverage;
        let mut files: BTreeMap<_, _> = outcome.files.iter().map(|file| (&*file.path, true)).collect();
        files.extend(outcome.texts.iter().map(|(_, path)| (path, true)));
        files.extend(coverage.partial.iter().map(|file| (&*outcome.file(*file).path, false)));
        Self {
            extent,
            rules: outcome.rules.iter().map(|rule| rule.id.as_str()).collect(),
            files,
            skipped: coverage.skipped.iter().map(|skipped| skipped.path.as_str()).collect(),
            config: &outcome.config.path,
        }
    }

    /// False if a finding may be there all the same: its rule did not run, or its file was not looked at.
    fn speaks_of(&self, entry: &Entry) -> bool {
        let path = Utf8Path::new(&entry.path);
        let is_there = self.files.contains_key(path) || path == self.config;
        self.rules.contains(entry.rule.as_str()) && (is_there || self.is_gone(path))
    }

    /// False if calls may be missing there.
    fn understands(&self, path: &Utf8Path) -> bool {
        self.files.get(path) != Some(&false)
    }

    /// True for a file that was there and is not any more.
    fn is_gone(&self, path: &Utf8Path) -> bool {
        self.extent.holds(path)
            && !self.files.contains_key(path)
            && !self.skipped.contains(path.as_str())
            && path != self.config
    }
}
