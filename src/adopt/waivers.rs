//! `gatelint check --add-waivers REASON`: takes back in the code itself what a check shows. Waivers are tried on the texts
//! in memory, and the check is run again on them, until it has nothing more to say that a waiver could take back: where a
//! path is closed, another one may open. Only then are files written, and only those in which every comment holds.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::AdoptError;
use crate::cli::{self, output};
use crate::config::RuleNames;
use crate::finding::{Confidence, Finding, Outcome};
use crate::ir::Span;
use crate::source::{self, SourceFile};
use crate::waiver::{self, NOT_WAIVABLE, Placed};
use crate::{Failure, Task, report};

/// So many times a check is run again; each time something was waived, so few trees need more than three.
const MAX_ROUNDS: usize = 16;

/// What is asked for.
pub(crate) struct Adding<'a> {
    pub reason: &'a str,
    /// What is not shown is not waived.
    pub min_confidence: Confidence,
    pub names: RuleNames,
}

/// Waives what `first` shows, and comes back with what a check of the new texts says. `run` runs one.
pub(crate) fn add_waivers(
    first: Outcome,
    task: &mut Task,
    adding: &Adding,
    mut run: impl FnMut(&Task) -> Result<Outcome, Failure>,
) -> Result<Outcome, Failure> {
    let mut edits = Edits::of(&first, adding);
    let slips = slips(&first);
    let mut outcome = first;
    for _ in 0..MAX_ROUNDS {
        if !edits.extend(&outcome, adding) {
            break;
        }
        task.texts = edits.texts();
        outcome = run(task)?;
        if edits.withdraw(&outcome, &slips) {
            task.texts = edits.texts();
            outcome = run(task)?;
        }
    }
    edits.write(&outcome.root)?;
    say(&edits, &outcome, adding);
    Ok(outcome)
}

/// The new texts, by path.
struct Edits {
    files: BTreeMap<Utf8PathBuf, Edit>,
    /// Files that stay as they are, and why.
    left: BTreeMap<Utf8PathBuf, &'static str>,
    /// Waived before, by fingerprint.
    before: BTreeSet<String>,
}

struct Edit {
    old: String,
    new: SourceFile,
}

impl Edits {
    fn of(first: &Outcome, adding: &Adding) -> Self {
        let before = first.waived.iter().map(|waived| waived.finding.fingerprint.clone()).collect();
        let left =
            first.files.iter().filter_map(|file| Some((file.path.clone(), refusal(first, file, adding)?)));
        Self { files: BTreeMap::new(), left: left.collect(), before }
    }

    /// Adds waivers for what is shown; false if there is no place for any.
    fn extend(&mut self, outcome: &Outcome, adding: &Adding) -> bool {
        let mut is_more = false;
        for (path, wanted) in wanted(outcome, adding) {
            let Some(file) = outcome.files.iter().find(|file| file.path == path) else { continue };
            if self.left.contains_key(&path) {
                continue;
            }
            let Placed { text, is_waived } = waiver::place(file, &wanted, adding.reason, &adding.names);
            if is_waived.contains(&true) {
                is_more = true;
                let edit = self.files.entry(path);
                edit.or_insert_with(|| Edit { old: file.text.clone(), new: file.clone() }).new.text = text;
            }
        }
        is_more
    }

    /// Takes files back in which a comment turned out to be of no use; false if there is none.
    fn withdraw(&mut self, outcome: &Outcome, before: &BTreeMap<Utf8PathBuf, usize>) -> bool {
        let is_worse = |(path, count): &(Utf8PathBuf, usize)| before.get(path).is_none_or(|old| old < count);
        let worse: Vec<Utf8PathBuf> =
            slips(outcome).into_iter().filter(is_worse).map(|(path, _)| path).collect();
        let mut is_any = false;
        for path in worse {
            if self.files.remove(&path).is_some() {
                is_any = true;
                self.left.insert(path, "a waiver there would say more than it should");
            }
        }
        is_any
    }

    fn texts(&self) -> BTreeMap<Utf8PathBuf, String> {
        self.files.iter().map(|(path, edit)| (path.clone(), edit.new.text.clone())).collect()
    }

    fn write(&self, root: &Utf8Path) -> Result<(), AdoptError> {
        for (path, edit) in &self.files {
            write(&root.join(path), edit)
                .map_err(|error| AdoptError::Waivers { path: path.clone(), error })?;
        }
        Ok(())
    }
}

/// Why nothing is written into a file, if so.
fn refusal(outcome: &Outcome, file: &SourceFile, adding: &Adding) -> Option<&'static str> {
    let path = outcome.root.join(&file.path);
    // The text with the reason at its end stands for every text with it.
    let with_reason = format!("{}\n# {}\n", file.text, adding.reason);
    if source::disk::real_utf8(&path).is_some_and(|real| real != path) {
        Some("it is a link")
    } else if file.lossy || source::encode(&with_reason, file.encoding, true).is_none() {
        Some("its encoding cannot hold the comment")
    } else {
        None
    }
}

/// What is shown and stands in a file, by file.
fn wanted<'o>(outcome: &'o Outcome, adding: &Adding) -> BTreeMap<Utf8PathBuf, Vec<(&'o str, Span)>> {
    let mut wanted: BTreeMap<Utf8PathBuf, Vec<(&str, Span)>> = BTreeMap::new();
    for finding in shown(outcome, adding).filter(|finding| is_waivable(finding)) {
        let path = outcome.file(finding.primary.file).path.clone();
        wanted.entry(path).or_default().push((&finding.rule.id, finding.primary.span));
    }
    wanted
}

fn shown<'o>(outcome: &'o Outcome, adding: &Adding) -> impl Iterator<Item = &'o Finding> {
    outcome.findings.iter().filter(|finding| finding.confidence >= adding.min_confidence)
}

fn is_waivable(finding: &Finding) -> bool {
    !NOT_WAIVABLE.contains(&finding.rule.id.as_str())
}

/// How many findings speak of waivers themselves, by file.
fn slips(outcome: &Outcome) -> BTreeMap<Utf8PathBuf, usize> {
    let mut slips = BTreeMap::new();
    for finding in outcome.findings.iter().filter(|finding| !is_waivable(finding)) {
        *slips.entry(outcome.file(finding.primary.file).path.clone()).or_default() += 1;
    }
    slips
}

/// All or nothing, and only into the file that was checked.
fn write(path: &Utf8Path, edit: &Edit) -> std::io::Result<()> {
    let SourceFile { text, encoding, .. } = &edit.new;
    let (old, new) = (source::encode(&edit.old, *encoding, true), source::encode(text, *encoding, true));
    let is_there = source::read_bytes(path.as_std_path(), source::DEFAULT_MAX_BYTES)
        .map_err(|error| std::io::Error::other(error.to_string()))?;
    match new.filter(|_| old.is_some_and(|old| old == is_there)) {
        Some(bytes) => output::replace(path, &bytes),
        None => Err(std::io::Error::other("it changed while it was checked")),
    }
}

/// What was waived, by rule, and what could not be.
fn say(edits: &Edits, outcome: &Outcome, adding: &Adding) {
    let is_new = |finding: &Finding| !edits.before.contains(&finding.fingerprint);
    let new = outcome.waived.iter().filter(|waived| waived.reason == adding.reason);
    let new = new.map(|waived| &waived.finding).filter(|finding| is_new(finding));
    let rules = per_rule(new);
    let files = report::counted(edits.files.len(), "file");
    let waived = report::counted(rules.values().sum(), "finding");
    match rules.is_empty() {
        true => cli::remark("no waiver was written"),
        false => cli::remark(&format!("waived {waived} in {files}: {}", listed(&rules))),
    }
    let left: Vec<&Finding> = shown(outcome, adding).collect();
    if !left.is_empty() {
        let count = report::counted(left.len(), "finding");
        let rules = listed(&per_rule(left.iter().copied()));
        cli::remark(&format!("{count} could not be waived and stay: {rules}"));
    }
    for (path, why) in &edits.left {
        if left.iter().any(|finding| outcome.file(finding.primary.file).path == *path) {
            cli::remark(&format!("nothing was written into {}: {why}", report::escape_line(path.as_str())));
        }
    }
}

fn per_rule<'f>(findings: impl Iterator<Item = &'f Finding>) -> BTreeMap<&'f str, usize> {
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    findings.for_each(|finding| *rules.entry(&finding.rule.id).or_default() += 1);
    rules
}

/// `GL101 3, GL102 12`.
fn listed(rules: &BTreeMap<&str, usize>) -> String {
    let parts: Vec<String> = rules.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
    parts.join(", ")
}
