//! What helps a team to start with a tree that has many findings: `gatelint init` proposes a configuration (`survey`,
//! `proposal`), `gatelint baseline` writes down those that are known.
//! These commands are the only ones that write into a project, and each says what it wrote.

mod proposal;
mod survey;

use std::fs::OpenOptions;
use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use thiserror::Error;

use crate::baseline::{Baseline, BaselineError, DEFAULT_NAME, Entry};
use crate::cli::baseline::{BaselineArgs, BaselineCommand};
use crate::cli::init::InitArgs;
use crate::cli::{self, output};
use crate::config::{self, ConfigOptions, Selection};
use crate::exit::ExitCode;
use crate::finding::{Known, Outcome};
use crate::report;
use crate::source::{self, Asked, Input, ReadError};
use crate::suppress::suppress;
use crate::timings::Timings;
use crate::{Failure, Task, rule};

/// A baseline that is longer is none that anybody works off.
const MAX_BASELINE: u64 = 256 << 20;

const CONFIG_NAME: &str = "gatelint.toml";

/// Why nothing was adopted.
#[derive(Debug, Error)]
pub enum AdoptError {
    #[error("cannot read the baseline `{path}`: {error}; `gatelint baseline write` makes one")]
    Read { path: Utf8PathBuf, error: ReadError },
    #[error("cannot use the baseline `{path}`: {error}")]
    Parse { path: Utf8PathBuf, error: BaselineError },
    #[error("cannot write the baseline `{path}`: {error}")]
    Write { path: Utf8PathBuf, error: io::Error },
    #[error("`{0}` configures this project already; `--print` shows what would be proposed")]
    Exists(Utf8PathBuf),
    #[error("cannot write the configuration `{path}`: {error}")]
    Config { path: Utf8PathBuf, error: io::Error },
}

/// Reads the file that a check was given.
pub fn read(path: &Utf8Path) -> Result<Baseline, AdoptError> {
    let text = source::read_text(path.as_std_path(), MAX_BASELINE)
        .map_err(|error| AdoptError::Read { path: path.to_owned(), error })?;
    Baseline::read(path.as_str(), &text).map_err(|error| AdoptError::Parse { path: path.to_owned(), error })
}

/// Writes, or only shortens, the baseline of a project.
pub fn baseline(command: &BaselineCommand) -> Result<ExitCode, Failure> {
    let (args, grows) = match command {
        BaselineCommand::Write(args) => (&args.to, Some(args.allow_growth)),
        BaselineCommand::Prune(args) => (args, None),
    };
    let mut outcome = crate::threads(0)?.install(|| crate::pipeline(task(args)?, &mut Timings::start()))?;
    if outcome.files.is_empty() {
        cli::remark("nothing to scan, so nothing was written");
        return Ok(ExitCode::NothingToScan);
    }
    let path = args.baseline.clone().unwrap_or_else(|| outcome.root.join(DEFAULT_NAME));
    let shown = args.baseline.as_ref().map_or(DEFAULT_NAME, |path| path.as_str());
    let old = match read(&path) {
        Err(AdoptError::Read { error: ReadError::Io(io::ErrorKind::NotFound), .. }) if grows.is_some() => {
            None
        }
        read => Some(read?),
    };
    // The first one has nothing to grow from.
    let may_grow = grows.is_some_and(|allowed| allowed || old.is_none());
    outcome.pending.baseline = Some(old.unwrap_or_default());
    let outcome = suppress(outcome);
    let new = outcome.findings.len();
    if grows.is_some() && new > 0 && !may_grow {
        let findings = report::counted(new, "finding");
        let why =
            format!("{findings} not in `{shown}`, which may only shrink; repair, or add `--allow-growth`");
        cli::complain(&why, &[], cli::color::ColorArg::Auto);
        return Ok(ExitCode::Findings);
    }
    let known = outcome.known.as_ref().cloned().unwrap_or_default();
    let text = contents(&outcome, &known, may_grow).text().map_err(io::Error::other);
    text.and_then(|text| output::to_file(&path, |out| out.write_all(text.as_bytes())))
        .map_err(|error| AdoptError::Write { path, error })?;
    crate::say(&report::escape_block(&summary(&known, shown, if may_grow { new } else { 0 })))?;
    let coverage = &outcome.coverage;
    Ok(match coverage.skipped.is_empty() && coverage.partial.is_empty() {
        true => ExitCode::Clean,
        false => ExitCode::Incomplete,
    })
}

/// Proposes a configuration and writes it where none is.
pub fn init(args: &InitArgs) -> Result<ExitCode, Failure> {
    let start = source::resolve(std::slice::from_ref(&args.path))?;
    let start = start.first().cloned().unwrap_or_default();
    if !args.print {
        let config = config::load(&start, &ConfigOptions::default())?;
        if config.is_configured() {
            return Err(AdoptError::Exists(config.origin.path().to_owned()).into());
        }
    }
    let isolated = ConfigOptions { isolated: true, ..ConfigOptions::default() };
    let paths = std::slice::from_ref(&args.path);
    let (found, config) =
        crate::discover(paths, &isolated, (args.no_ignore, source::CHECKED), &mut Timings::start())?;
    if found.files.is_empty() {
        cli::remark("nothing to scan, so nothing was written");
        return Ok(ExitCode::NothingToScan);
    }
    let catalog = rule::builtin_catalog()?;
    let text = crate::threads(0)?.install(|| proposal::proposal(&survey::survey(&found, &config, &catalog)));
    if args.print {
        return crate::say(&report::escape_block(&text));
    }
    let path = config.root.join(CONFIG_NAME);
    // A file that came into being meanwhile is not replaced either.
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| AdoptError::Config { path, error })?;
    crate::say(&format!("wrote {CONFIG_NAME}; read it, keep what is right, then run `gatelint check`\n"))
}

fn task(args: &BaselineArgs) -> Result<Task, Failure> {
    Ok(Task {
        asked: Asked::new(Input::Paths(args.paths.clone()))?,
        team: args.team.rules.clone(),
        config: args.config.options(),
        selection: Selection::default(),
        no_ignore: args.no_ignore,
    })
}

/// Known findings where they are now, those that this scan did not look at, and perhaps new ones.
fn contents(outcome: &Outcome, known: &Known, may_grow: bool) -> Baseline {
    let new = outcome.findings.iter().filter(|_| may_grow);
    let found = known.findings.iter().chain(new);
    let found = found.map(|finding| Entry::of(finding, &outcome.file(finding.primary.file).path));
    Baseline::new(&known.file, found.chain(known.unseen.iter().cloned()).collect())
}

/// `gatelint-baseline.json: 412 known findings (3 new, 2 fixed, 1 moved)`.
fn summary(known: &Known, file: &str, new: usize) -> String {
    let count = known.findings.len() + known.unseen.len() + new;
    let parts = [(new, "new"), (known.fixed.len(), "fixed"), (known.moved, "moved")];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    format!("{}: {}{parts}\n", report::escape_line(file), report::counted(count, "known finding"))
}
