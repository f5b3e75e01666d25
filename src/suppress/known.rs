//! What a baseline takes away. All findings are compared with it, whatever a run shows of them, so that the entry of a file
//! that nobody asked about is not taken for another's.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use camino::Utf8Path;

use crate::baseline::{Baseline, Entry, Fate, assign};
use crate::finding::{Finding, Known, Outcome, Pending};
use crate::rule::plain;
use crate::source::Extent;

/// Which findings have an entry.
pub struct Recognised {
    file: String,
    /// By fingerprint of the finding: its entry, and whether it moved.
    entries: BTreeMap<String, (Entry, bool)>,
    fixed: Vec<Entry>,
    unseen: Vec<Entry>,
}

/// Fingerprints of the findings that were asked for, waived ones included: their entries have done their duty.
pub struct Shown(BTreeSet<String>);

impl Shown {
    pub fn of(outcome: &Outcome) -> Self {
        let waived = outcome.waived.iter().map(|waived| &waived.finding);
        Self(outcome.findings.iter().chain(waived).map(|finding| finding.fingerprint.clone()).collect())
    }
}

impl Recognised {
    /// Waived findings keep their entries like all others, so that a waiver sets none free.
    pub fn new(baseline: Baseline, outcome: &Outcome, pending: &Pending) -> Self {
        let waived = outcome.waived.iter().map(|waived| &waived.finding);
        let found: Vec<Entry> = outcome
            .findings
            .iter()
            .chain(waived)
            .map(|finding| Entry::of(finding, &outcome.file(finding.primary.file).path))
            .collect();
        let seen = Seen::new(outcome, pending);
        let (known, mut unseen): (Vec<_>, Vec<_>) =
            baseline.entries().iter().cloned().partition(|entry| seen.speaks_of(entry));
        let matches = assign(&known, &found, |entry| seen.fate(entry));
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

    pub fn knows(&self, finding: &Finding) -> bool {
        self.knows_fingerprint(&finding.fingerprint)
    }

    pub fn knows_fingerprint(&self, fingerprint: &str) -> bool {
        self.entries.contains_key(fingerprint)
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
pub struct Seen<'o> {
    outcome: &'o Outcome,
    pending: &'o Pending,
    extent: &'o Extent,
    /// The texts that entries were looked for in, without layout.
    plain: RefCell<HashMap<&'o Utf8Path, String>>,
    rules: BTreeSet<&'o str>,
    /// Files that were read, or would have been if they mattered, each with whether all of it was understood.
    files: BTreeMap<&'o Utf8Path, bool>,
    skipped: BTreeSet<&'o str>,
    config: &'o Utf8Path,
}

impl<'o> Seen<'o> {
    pub fn new(outcome: &'o Outcome, pending: &'o Pending) -> Self {
        let coverage = &outcome.coverage;
        let all_skipped = coverage.skipped.iter().chain(&coverage.skipped_elsewhere);
        let mut files: BTreeMap<_, _> = outcome.files.iter().map(|file| (&*file.path, true)).collect();
        files.extend(outcome.texts.iter().map(|(_, path)| (path, true)));
        files.extend(coverage.partial.iter().map(|file| (&*outcome.file(*file).path, false)));
        Self {
            outcome,
            pending,
            extent: &pending.extent,
            plain: RefCell::default(),
            rules: outcome.rules.iter().map(|rule| rule.id.as_str()).collect(),
            files,
            skipped: all_skipped.map(|skipped| skipped.path.as_str()).collect(),
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
            && !self.pending.hidden.contains(path)
            && path != self.config
    }

    /// What became of the code that an entry was written for. Settings have no say in it: a function that a layer, a
    /// waiver or a gate silences is still there.
    pub fn fate(&self, entry: &Entry) -> Fate {
        let path = Utf8Path::new(&entry.path);
        if self.is_gone(path) {
            return Fate::FileGone;
        }
        let Some(code) = entry.code.as_ref().filter(|_| self.understands(path)) else { return Fate::There };
        let is_function_there =
            entry.function.as_ref().is_none_or(|function| self.pending.functions.contains(function));
        match is_function_there && self.holds(path, code) {
            true => Fate::There,
            false => Fate::Left,
        }
    }

    /// True for a file that is no source, too: whether it holds the code is not known.
    fn holds(&self, path: &Utf8Path, code: &str) -> bool {
        let files = &self.outcome.files;
        let Ok(at) = files.binary_search_by(|file| file.path.as_path().cmp(path)) else { return true };
        let file = &files[at];
        self.plain.borrow_mut().entry(&file.path).or_insert_with(|| plain(&file.text)).contains(code)
    }
}
