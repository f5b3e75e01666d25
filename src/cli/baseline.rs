//! `gatelint baseline`: which file, and whether it may grow.

use camino::Utf8PathBuf;
use clap::{Args, Subcommand};

use super::TeamArgs;
use super::scan::ScanArgs;

const BASELINE_HELP: &str = "\
Examples:
  gatelint baseline write    on the first day: everything that is found is known, and what could not be analysed
  gatelint check             from then on: only what is new is shown and counts
  gatelint baseline prune    when something was repaired: takes it out

The file is meant to be committed: one line per finding, sorted. A finding keeps its entry when its code is \
reformatted, when lines around it change, and when its function or file moves. A copy of it is new. Every check uses the one in the \
project root, or the one that `file` in the table `[baseline]` of the configuration names.

Exit codes:
  0  written
  1  nothing written: there are new findings, and the file may only shrink without `--allow-growth`
  2  wrong usage or configuration, or a file that is no baseline
  3  nothing to scan, nothing written
  4  written, but a file was skipped, which no baseline can note";

#[derive(Debug, Subcommand)]
#[command(after_help = BASELINE_HELP)]
pub enum BaselineCommand {
    /// Write down what is found; a file that is there already may only shrink
    #[command(after_help = BASELINE_HELP)]
    Write(WriteArgs),
    /// Take out what is found no more, and follow what moved
    #[command(after_help = BASELINE_HELP)]
    Prune(BaselineArgs),
}

#[derive(Debug, Args)]
pub struct WriteArgs {
    /// Add new findings to a file that is there already
    #[arg(long)]
    pub allow_growth: bool,

    #[command(flatten)]
    pub to: BaselineArgs,
}

#[derive(Debug, Args)]
pub struct BaselineArgs {
    /// Files and folders to scan; entries of others stay as they are
    #[arg(default_value = ".")]
    pub paths: Vec<Utf8PathBuf>,

    /// The file [default: that of the configuration, or gatelint-baseline.json in the project root]
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<Utf8PathBuf>,

    #[command(flatten)]
    pub team: TeamArgs,

    #[command(flatten)]
    pub scan: ScanArgs,
}
