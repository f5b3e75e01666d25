//! The baseline as a file of the project: which one a check reads, and `gatelint baseline write|prune`.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::AdoptError;
use crate::baseline::{Baseline, Entry};
use crate::cli::baseline::{BaselineArgs, BaselineCommand};
use crate::cli::{self, output, progress};
use crate::config::{Config, DEFAULT_BASELINE, Selection};
use crate::exit::ExitCode;
use crate::finding::{Confidence, Finding, Known, Outcome};
use crate::report;
use crate::source::{self, Asked, Input, ReadError};
use crate::suppress::suppress;
use crate::timings::Timings;
use crate::{Failure, Task};

/// A baseline that is longer is none that anybody works off.
const MAX_BASELINE: u64 = 256 << 20;
/// What a check shows unless somebody asks for more.
const SHOWN: Confidence = Confidence::Medium;

/// Which findings a run takes for known.
#[derive(Clone, Debug)]
pub enum KnownBy {
    /// None.
    Nobody,
    /// What the file says that the configuration names, or that lies in the project root.
    Config,
    /// What this file says.
    File(Utf8PathBuf),
}

impl KnownBy {
    pub fn read(&self, config: &Config) -> Result<Option<Baseline>, Failure> {
        let baseline = match (self, config.baseline_file()) {
            (KnownBy::Nobody, _) | (KnownBy::Config, None) => return Ok(None),
            (KnownBy::File(path), _) => read(path, path)?,
            (KnownBy::Config, Some(shown)) => read(&config.root.join(shown), shown)?,
        };
        Ok(Some(baseline))
    }
}

/// `shown` is the file as the user knows it.
fn read(path: &Utf8Path, shown: &Utf8Path) -> Result<Baseline, AdoptError> {
    let text = source::read_text(path.as_std_path(), MAX_BASELINE)
        .map_err(|error| AdoptError::Read { path: shown.to_owned(), error })?;
    Baseline::read(shown.as_str(), &text).map_err(|error| AdoptError::Parse { path: shown.to_owned(), error })
}

/// Writes, or only shortens, the baseline of a project.
pub fn baseline(command: &BaselineCommand) -> Result<ExitCode, Failure> {
    let (args, grows) = match command {
        BaselineCommand::Write(args) => (&args.to, Some(args.allow_growth)),
        BaselineCommand::Prune(args) => (args, None),
    };
    let mut timings = Timings::watched(progress::watch(&args.scan.progress));
    let pool = crate::threads(0)?;
    let mut outcome = args.scan.limits.watched(|run| {
        timings.run = run.clone();
        pool.install(|| crate::pipeline(&task(args)?, &mut timings))
    })?;
    if outcome.coverage.is_cut() {
        cli::remark("the run reached a limit and did not finish, so nothing was written");
        return Ok(ExitCode::Incomplete);
    }
    if outcome.files.is_empty() {
        cli::remark("nothing to scan, so nothing was written");
        return Ok(ExitCode::NothingToScan);
    }
    let file = File::of(args, &outcome);
    let old = file.old(grows.is_some())?;
    // The first one has nothing to grow from.
    let may_grow = grows.is_some_and(|allowed| allowed || old.is_none());
    outcome.pending.baseline = Some(old.unwrap_or_default());
    outcome.pending.new_anywhere = false;
    let outcome = suppress(outcome);
    let new = outcome.findings.len();
    if grows.is_some() && new > 0 && !may_grow {
        file.refuse(new);
        return Ok(ExitCode::Findings);
    }
    let known = outcome.known.as_ref().cloned().unwrap_or_default();
    file.write(&contents(&outcome, &known, may_grow))?;
    let noted = Noted { known: &known, new: if may_grow { &outcome.findings } else { &[] } };
    crate::say(&report::escape_block(&noted.summary(&file)))?;
    let named =
        args.baseline.as_ref().map(|file| format!(" --baseline {}", report::escape_line(file.as_str())));
    let named = named.unwrap_or_default();
    cli::remark(&format!("commit it; from now on `gatelint check{named}` shows and counts only what is new"));
    Ok(verdict(&outcome))
}

/// The file that is written.
struct File {
    path: Utf8PathBuf,
    /// As the user knows it.
    shown: String,
}

impl File {
    fn of(args: &BaselineArgs, outcome: &Outcome) -> Self {
        match &args.baseline {
            Some(path) => Self { path: path.clone(), shown: path.to_string() },
            None => {
                let name =
                    outcome.pending.baseline_file.as_deref().unwrap_or(Utf8Path::new(DEFAULT_BASELINE));
                Self { path: outcome.root.join(name), shown: name.to_string() }
            }
        }
    }

    /// What it says now; none if it may be missing and is.
    fn old(&self, may_be_missing: bool) -> Result<Option<Baseline>, AdoptError> {
        match read(&self.path, Utf8Path::new(&self.shown)) {
            Err(AdoptError::Read { error: ReadError::Io(io::ErrorKind::NotFound), .. }) if may_be_missing => {
                Ok(None)
            }
            read => read.map(Some),
        }
    }

    fn refuse(&self, new: usize) {
        let (findings, shown) = (report::counted(new, "finding"), &self.shown);
        let why =
            format!("{findings} not in `{shown}`, which may only shrink; repair, or add `--allow-growth`");
        cli::complain(&why, &[], cli::color::ColorArg::Auto);
    }

    fn write(&self, baseline: &Baseline) -> Result<(), AdoptError> {
        let text = baseline.text().map_err(io::Error::other);
        text.and_then(|text| output::to_file(&self.path, |out| out.write_all(text.as_bytes())))
            .map_err(|error| AdoptError::Write { path: self.shown.clone().into(), error })
    }
}

/// Gaps are noted like findings; what was skipped cannot be.
fn verdict(outcome: &Outcome) -> ExitCode {
    match outcome.coverage.skipped.is_empty() && outcome.coverage.incomplete.is_empty() {
        true => ExitCode::Clean,
        false => ExitCode::Incomplete,
    }
}

fn task(args: &BaselineArgs) -> Result<Task, Failure> {
    Ok(Task {
        asked: Asked::new(Input::Paths(args.paths.clone()))?,
        team: args.team.rules.clone(),
        config: args.scan.config.options(),
        selection: Selection::default(),
        no_ignore: args.scan.no_ignore,
        strict_coverage: false,
        known_by: KnownBy::Nobody,
        base: None,
        texts: Default::default(),
    })
}

/// Known findings where they are now, those that this scan did not look at, and perhaps new ones.
fn contents(outcome: &Outcome, known: &Known, may_grow: bool) -> Baseline {
    let new = outcome.findings.iter().filter(|_| may_grow);
    let found = known.findings.iter().chain(new);
    let found = found.map(|finding| Entry::of(finding, &outcome.file(finding.primary.file).path));
    Baseline::new(&known.file, found.chain(known.unseen.iter().cloned()).collect())
}

/// What was written down.
struct Noted<'n> {
    known: &'n Known,
    new: &'n [Finding],
}

impl Noted<'_> {
    /// `gatelint-baseline.json: 412 findings (15 of low confidence, hidden) and 30 gaps noted (3 new, 2 fixed, 1 moved)`.
    fn summary(&self, file: &File) -> String {
        let Known { unseen, fixed, moved, .. } = self.known;
        let all = || self.known.findings.iter().chain(self.new);
        let gaps = all().filter(|finding| finding.gap().is_some()).count();
        let is_hidden = |finding: &&Finding| finding.gap().is_none() && finding.confidence < SHOWN;
        let hidden = all().filter(is_hidden).count();
        let findings = all().count() - gaps + unseen.len();
        let parts = [(self.new.len(), "new"), (fixed.len(), "fixed"), (*moved, "moved")];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
        let shown = report::escape_line(&file.shown);
        format!("{shown}: {} noted{parts}\n", report::noted(findings, hidden, gaps))
    }
}
