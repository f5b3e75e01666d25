//! `gatelint mutate`: which project's guards to break, what counts as noticing it, and how to print what came of it.

use std::num::NonZeroUsize;

use camino::Utf8PathBuf;
use clap::Args;

use super::TeamArgs;
use super::commands::ListingFormat;
use super::levels::{ConfidenceArg, SeverityArg};
use super::rule_word;
use super::scan::ScanArgs;

const MUTATE_HELP: &str = "\
Examples:
  gatelint mutate                            the project around the current folder
  gatelint mutate --format markdown          a table for a pull request or a wiki
  gatelint mutate --format json | jq -r '.mutants[] | select(.fate == \"survived\") | .path'
  gatelint mutate atlas/chat/comm_commands.py   only the guards of one file

Each guard of handlers, tools, planning functions and of what leads to them is removed, emptied, moved behind the effect, \
put under a flag, its error swallowed, put into an assertion: one change at a time, in memory. No file is written. A change \
is noticed (killed) if a check has a finding that it has not without the change, or if its analysis becomes incomplete.

Exit codes:
  0  every change is noticed
  1  some change is not (a survivor)
  2  wrong usage or configuration, or an internal error
  3  nothing to scan, or no guard to change
  4  incomplete: files were skipped or only partly understood, or more changes than `--limit` were left out";

#[derive(Debug, Args)]
#[command(after_help = MUTATE_HELP)]
pub struct MutateArgs {
    /// Files and folders whose guards to change; of files, the project around is loaded, too
    #[arg(default_value = ".")]
    pub paths: Vec<Utf8PathBuf>,

    /// The least severe finding that notices a change
    #[arg(long, value_enum, default_value_t = SeverityArg::Error, value_name = "SEVERITY")]
    pub fail_on: SeverityArg,

    /// Findings below do not notice a change
    #[arg(long, value_enum, default_value_t = ConfidenceArg::Medium, value_name = "CONFIDENCE")]
    pub min_confidence: ConfidenceArg,

    /// Run only these rules: ids or beginnings of ids (`GL2`)
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = rule_word)]
    pub select: Vec<String>,

    /// Do not run these rules
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = rule_word)]
    pub ignore: Vec<String>,

    /// Check so many changes at most; each is a check of the whole project
    #[arg(long, value_name = "N", default_value = "1000")]
    pub limit: NonZeroUsize,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = ListingFormat::Human)]
    pub format: ListingFormat,

    /// Write the result to a file, which appears only once it is complete
    #[arg(long, value_name = "FILE")]
    pub output: Option<Utf8PathBuf>,

    /// How many changes to check at the same time; results do not depend on it [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,

    #[command(flatten)]
    pub team: TeamArgs,

    #[command(flatten)]
    pub scan: ScanArgs,
}
