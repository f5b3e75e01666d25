//! Findings and the outcome of a check as plain data: what `rule` produces, `suppress` sorts and `report` prints.
//! Nothing here formats, prints or knows how a finding came about.

pub mod base;
pub mod checklist;
mod incomplete;
pub mod policy;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobSet;
use serde::{Deserialize, Serialize};

pub use crate::analysis::EntryKind;
use crate::baseline::{Baseline, Entry};
pub use crate::confidence::Confidence;
use crate::config::{Level, LevelRule};
use crate::ir::Span;
use crate::rule::{Check, Rule};
use crate::source::{Extent, FileId, Reported, Skipped, SourceFile, Texts, Unread, is_wanted};
use crate::waiver::{WaiverId, Waivers};
use checklist::Checklist;

pub use incomplete::{Gap, Incomplete, Named, Where};

/// The capture that says what makes a value harmless on its way.
pub const CLEANERS: &str = "cleaners";
/// The capture that says what a value becomes, as rules name it.
pub const BECOMES: &str = "becomes";
/// The capture that says what a call does to a file, if it is known.
pub const ACCESS: &str = "access";

/// How bad it is; `Error` is a red line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// A stretch of one file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    pub file: FileId,
    pub span: Span,
}

/// A hop of the path, in order; the same numbers in every format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    pub place: Place,
    /// What happens there, complete in itself, without the scanned tree's text escaped yet.
    pub text: String,
    /// Why it is known that this happens: how the call was resolved, and how surely.
    pub why: String,
}

impl Step {
    /// What can be seen at the place itself.
    pub fn seen(place: Place, text: String) -> Self {
        Self { place, text, why: String::new() }
    }
}

#[derive(Clone, Debug)]
pub struct Finding {
    pub rule: Arc<Rule>,
    pub severity: Severity,
    pub confidence: Confidence,
    /// The rule's message with its captures filled in.
    pub message: String,
    pub primary: Place,
    /// Empty unless the finding is a path.
    pub steps: Vec<Step>,
    pub captures: BTreeMap<&'static str, String>,
    /// Built from rule, path, function, snippet and chain, never from line numbers.
    pub fingerprint: String,
    pub likeness: Likeness,
    /// How an agent gets there, if it is known to; such findings are shown first.
    pub via: Option<Via>,
    /// The project has no comm layer: what its rule says of one would help nobody.
    pub is_without_comm: bool,
}

/// The way of an agent to a place: the tool, handler or planning function that it begins at, and the calls from there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Via {
    pub kind: EntryKind,
    /// As it is registered, or the short name of the function.
    pub name: String,
    /// By its dotted path.
    pub function: String,
    pub at: Place,
    pub confidence: Confidence,
    /// How many calls lead from there to the function that the finding is about.
    pub calls: usize,
    /// These calls; of a long way the last ones only.
    pub steps: Vec<Step>,
}

/// What a finding is like wherever it stands: less than the fingerprint, for code that moved. Two findings may be alike.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Likeness {
    /// The fingerprint's parts without the path of the file and the modules of functions.
    pub content: String,
    /// Rule, snippet, enclosing function and the length of the chain; none outside functions.
    pub outline: Option<String>,
    /// The enclosing function, by its dotted path.
    pub function: Option<String>,
    /// The beginning of the code, without layout.
    pub code: String,
}

/// A finding that a waiver took away.
#[derive(Clone, Debug)]
pub struct Waived {
    pub finding: Finding,
    pub reason: String,
    pub waiver: Place,
}

/// A finding in whose place another one stands, which says more of the same.
#[derive(Clone, Debug)]
pub struct Covered {
    pub finding: Finding,
    /// The fingerprint of the other one.
    pub by: String,
}

/// What a check saw, found and could not see.
#[derive(Debug)]
pub struct Outcome {
    /// Absolute; never printed.
    pub root: Utf8PathBuf,
    /// Sorted by path; indexed by `FileId`.
    pub files: Vec<SourceFile>,
    /// The configuration, for findings that stand in it; its `FileId` is the one after the last. Empty if there is none.
    pub config: SourceFile,
    /// Files that are no source; those that were read may hold findings.
    pub texts: Texts,
    /// Every selected rule, sorted by id.
    pub rules: Vec<Arc<Rule>>,
    /// Sorted by path, position and rule; low-confidence ones included.
    pub findings: Vec<Finding>,
    /// In the order of their findings.
    pub waived: Vec<Waived>,
    /// In the order of their findings; they count nowhere.
    pub covered: Vec<Covered>,
    /// What a baseline took away; none if there is no baseline.
    pub known: Option<Known>,
    /// What `[[levels]]` did, in the order of the file.
    pub levels: Vec<LevelUse>,
    /// For `suppress`, which takes it away.
    pub pending: Pending,
    pub coverage: Coverage,
    /// What was asked of every external operation; empty if no rule asks.
    pub checklist: Checklist,
}

/// What decides which findings are kept.
#[derive(Debug, Default)]
pub struct Pending {
    pub waivers: Waivers,
    /// Waivers that took something away already, each with the rule.
    pub used: BTreeSet<(WaiverId, String)>,
    /// The part of the project that was looked at.
    pub extent: Extent,
    /// Source files that are there and were not looked at: excluded ones, and those that ignore files hide.
    pub hidden: BTreeSet<Utf8PathBuf>,
    /// Those of them that the configuration excludes.
    pub excluded: BTreeSet<Utf8PathBuf>,
    /// What the project allowed at the merge base, if somebody compares.
    pub base: Option<base::Base>,
    /// Every function of the program, by its dotted path.
    pub functions: BTreeSet<String>,
    pub levels: Vec<LevelRule>,
    pub baseline: Option<Baseline>,
    /// Where the configuration says that the baseline lies, relative to the project root.
    pub baseline_file: Option<Utf8PathBuf>,
    /// The files that findings are shown for, if not for all; the paths of those may still lead through the others.
    pub asked: Option<BTreeSet<FileId>>,
    /// True if what a baseline does not know is shown wherever it stands.
    pub new_anywhere: bool,
}

/// What a baseline says of a check.
#[derive(Clone, Default, Debug)]
pub struct Known {
    /// The file, as the user knows it.
    pub file: String,
    /// In the order of all findings.
    pub findings: Vec<Finding>,
    /// How many of them are not where they were when the baseline was written.
    pub moved: usize,
    /// Entries that were looked for and are found no more.
    pub fixed: Vec<Entry>,
    /// Entries that this check cannot speak of: of rules that did not run, and of files that were not looked at.
    pub unseen: Vec<Entry>,
}

/// What one `[[levels]]` did to findings, by rule id.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct LevelUse {
    pub reason: String,
    /// Findings that it took away.
    pub off: BTreeMap<String, usize>,
    /// Findings to which it gave another severity.
    pub changed: BTreeMap<String, usize>,
}

/// How much of the tree was understood: silence is worth as much as this says.
#[derive(Debug, Default)]
pub struct Coverage {
    /// What the configuration exempts from rules.
    pub policy: policy::Policy,
    /// Source files that ignore files hide.
    pub ignored: usize,
    /// Source files of languages that are not read, by extension.
    pub unread: Unread,
    /// Files that findings are shown for, if those are not all that were scanned.
    pub reported: Option<usize>,
    /// Files that were not analysed at all.
    pub skipped: Vec<Skipped>,
    /// Those of them that findings are not shown for.
    pub skipped_elsewhere: Vec<Skipped>,
    /// Files in which calls may be missing.
    pub partial: Vec<FileId>,
    pub calls: Calls,
    /// Functions from which an agent acts, by kind ("planning function", …).
    pub entry_points: BTreeMap<&'static str, usize>,
    /// True if some configuration was found or some layer matched.
    pub configured: bool,
    /// True if globs for the comm layer are configured, or a file is in it.
    pub names_comm: bool,
    /// The project's own phase gates, by what they do: name and place. Empty if no rule asked for them.
    pub gates: Vec<(String, Place)>,
    /// What stands in the way of the run as a whole; sorted, each once. Gaps that have a place are findings of GL007.
    pub incomplete: Vec<Incomplete>,
    /// Unresolved calls that an agent reaches, by function; they are findings only where the user is strict.
    pub unresolved: Vec<Finding>,
}

/// Calls by what became of them; they add up to all calls.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Serialize)]
pub struct Calls {
    /// To a function of the project.
    pub resolved: usize,
    /// To a named function of a library.
    pub external: usize,
    /// To the language itself (`len`, `str.join`).
    pub builtin: usize,
    pub unresolved: usize,
}

impl Coverage {
    /// True if a limit ended the run: whatever was found, it is not all there is to find.
    pub fn is_cut(&self) -> bool {
        self.incomplete.iter().any(|gap| gap.kind == Gap::LimitReached)
    }
}

impl Finding {
    /// What to do about it.
    pub fn help(&self) -> &str {
        let other = self.rule.without_comm.as_ref().filter(|_| self.is_without_comm);
        let becomes = self.captures.get(BECOMES);
        let of_value =
            || self.rule.advice.iter().find(|advice| becomes.is_some_and(|it| advice.to.contains(it)));
        other.map(|wording| &wording.help).or_else(|| Some(&of_value()?.help)).unwrap_or(&self.rule.help)
    }

    /// True if a tool, handler or planning function is known to lead there.
    pub fn is_reached(&self) -> bool {
        self.via.is_some()
    }

    /// The kind of gap in the analysis that it is, if it is none in the code.
    pub fn gap(&self) -> Option<Gap> {
        self.rule.checks(Check::AnalysisGap).then(|| Gap::of_code(self.captures.get("kind")?)).flatten()
    }
}

impl LevelUse {
    pub fn of(level: &LevelRule) -> Self {
        Self { reason: level.reason.clone(), ..Self::default() }
    }

    pub fn is_idle(&self) -> bool {
        self.off.is_empty() && self.changed.is_empty()
    }
}

impl Level {
    /// None is off.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Level::Off => None,
            Level::Note => Some(Severity::Note),
            Level::Warning => Some(Severity::Warning),
            Level::Error => Some(Severity::Error),
        }
    }
}

impl Outcome {
    /// False if silence proves less than it seems to, and nobody has taken that for known yet.
    pub fn is_complete(&self) -> bool {
        let Coverage { skipped, incomplete, .. } = &self.coverage;
        skipped.is_empty() && incomplete.is_empty() && self.gaps().next().is_none()
    }

    /// What was not seen, or not analysed to its end, and is neither waived nor known to a baseline; each with its kind.
    pub fn gaps(&self) -> impl Iterator<Item = (Gap, &Finding)> {
        self.findings.iter().filter_map(|finding| Some((finding.gap()?, finding)))
    }

    /// What is only counted otherwise makes the run incomplete.
    pub fn be_strict(&mut self) {
        self.findings.append(&mut self.coverage.unresolved);
        if self.is_mostly_unread() {
            let gap = Incomplete::mostly_unread(&self.coverage.unread, self.files.len());
            self.coverage.incomplete.push(gap);
        }
        self.coverage.incomplete.sort_unstable();
    }

    /// True if more than half of the source files are of languages that are not read.
    pub fn is_mostly_unread(&self) -> bool {
        self.coverage.unread.values().sum::<usize>() > self.files.len()
    }

    /// Findings will be shown for these files only: sources, and texts that whoever names them wants looked at. The
    /// configuration speaks of every file.
    pub fn ask_for(&mut self, reported: &Reported, prompts: &GlobSet) {
        if !self.config.path.as_str().is_empty() && reported.includes(&self.config.path) {
            return;
        }
        let sources = (0..).map(FileId).zip(self.files.iter().map(|file| file.path.as_path()));
        let texts = self.texts.iter().filter(|(_, path)| is_wanted(path.as_std_path(), prompts));
        let texts = texts.map(|(text, path)| (FileId::of_text(self.files.len(), text), path));
        let asked = sources.chain(texts).filter(|(_, path)| reported.includes(path)).map(|(id, _)| id);
        let asked: BTreeSet<FileId> = asked.collect();
        self.coverage.reported = Some(asked.len());
        let skipped = std::mem::take(&mut self.coverage.skipped).into_iter();
        (self.coverage.skipped, self.coverage.skipped_elsewhere) =
            skipped.partition(|skipped| reported.includes(Utf8Path::new(&skipped.path)));
        self.pending.asked = Some(asked);
        self.pending.new_anywhere = reported.as_changes;
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        let text = || self.texts.decoded(id.text(self.files.len())?);
        self.files.get(id.0 as usize).or_else(text).unwrap_or(&self.config)
    }
}
