//! What helps a team to start with a tree that has many findings: `gatelint init` proposes a configuration (`survey`,
//! `proposal`), `gatelint baseline` writes down those that are known, `--add-waivers` takes them back where they stand.
//! These commands are the only ones that write into a project, and each says what it wrote.

mod baseline;
mod comm;
mod folders;
mod layers;
mod lines;
mod offered;
mod programs;
mod proposal;
mod reasons;
mod survey;
mod waivers;
mod workspace;

use std::fs::OpenOptions;
use std::io::{self, Write};

use camino::Utf8PathBuf;
use thiserror::Error;

use crate::baseline::BaselineError;
use crate::catalog::Catalog;
use crate::cli::init::InitArgs;
use crate::cli::{self, progress};
use crate::config::{self, Config, ConfigOptions};
use crate::exit::ExitCode;
use crate::source::{self, Discovered, ReadError};
use crate::timings::Timings;
use crate::{Failure, report, rule};

pub use baseline::{KnownBy, baseline};
pub use proposal::Proposal;
pub(crate) use waivers::{Adding, add_waivers};

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
    #[error("cannot write waivers into `{path}`: {error}; other files may have theirs already")]
    Waivers { path: Utf8PathBuf, error: io::Error },
}

/// A configuration for what was found.
pub fn proposed(found: Discovered, config: &Config, catalog: &Catalog, timings: &mut Timings) -> Proposal {
    proposal::proposal(&survey::survey(found, config, catalog, timings))
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
    let mut timings = Timings::watched(progress::watch(&args.progress));
    let paths = std::slice::from_ref(&args.path);
    let (found, config) = crate::discover(paths, &isolated, args.no_ignore, &mut timings)?;
    if found.files.is_empty() {
        cli::remark("nothing to scan, so nothing was written");
        return Ok(ExitCode::NothingToScan);
    }
    let catalog = rule::builtin_catalog()?;
    let Proposal { text, dropped } =
        crate::threads(0)?.install(|| proposed(found, &config, &catalog, &mut timings));
    if args.print {
        return crate::say(&report::escape_block(&text));
    }
    let path = config.root.join(CONFIG_NAME);
    // A file that came into being meanwhile is not replaced either.
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| AdoptError::Config { path, error })?;
    let lost = lost(&dropped);
    crate::say(&format!(
        "wrote {CONFIG_NAME}; read it, keep what is right, then run `gatelint check`\n{lost}"
    ))
}

/// What the written list takes out of the comm layer: more is reported there than before.
fn lost(dropped: &[String]) -> String {
    let globs: Vec<String> = dropped.iter().map(|glob| report::escape_line(glob).to_string()).collect();
    match globs[..] {
        [] => String::new(),
        _ => format!(
            "no longer in the comm layer, so more is reported there: `{}`; the file says why\n",
            globs.join("`, `")
        ),
    }
}
