//! `gatelint checklist`: what is asked of every external operation and of every tool, as matrices.

use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};

use super::TeamArgs;
use super::color::ColorArg;
use super::levels::{ConfidenceArg, SeverityArg};
use super::scan::ScanArgs;
use crate::report::Matrix;

const CHECKLIST_HELP: &str = "\
Examples:
  gatelint checklist                                    every external operation and every tool, every item
  gatelint checklist --format markdown                  for the description of a pull request
  gatelint checklist --format html --output checklist.html
  gatelint checklist --rules rules/                     with items of your own as further columns

An operation is a registered comm command, or another command of the project that reaches an external effect; a tool is \
what a model may call, if it reaches an effect. An item passes, fails, or is unknown where the analysis cannot see it; each verdict comes with its evidence. \
`gatelint check` reports what fails of operations; waivers, levels and baselines take findings away, not verdicts.

Exit codes, as for `gatelint check`:
  0  no item fails at or above `--fail-on`
  1  one does
  2  wrong usage or configuration, or an internal error
  3  nothing to scan
  4  incomplete: something was skipped, only partly understood or not followed to its end, and nothing failed";

#[derive(Debug, Args)]
#[command(after_help = CHECKLIST_HELP)]
pub struct ChecklistArgs {
    /// Files and folders to scan
    #[arg(default_value = ".")]
    pub paths: Vec<Utf8PathBuf>,

    /// How to print the matrix
    #[arg(long, value_enum, default_value_t = MatrixArg::Human)]
    pub format: MatrixArg,

    /// The least severe item whose failure makes the exit code 1
    #[arg(long, value_enum, default_value_t = SeverityArg::Error, value_name = "SEVERITY")]
    pub fail_on: SeverityArg,

    /// Failures below do not count; `low` ones rest on a name alone
    #[arg(long, value_enum, default_value_t = ConfidenceArg::Medium, value_name = "CONFIDENCE")]
    pub min_confidence: ConfidenceArg,

    /// Do not count the failures that this file knows (see `gatelint baseline --help`)
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<Utf8PathBuf>,

    /// Write the matrix to a file, which appears only once it is complete
    #[arg(long, value_name = "FILE")]
    pub output: Option<Utf8PathBuf>,

    /// Exit with 0 instead of 1 or 4, where only the matrix is wanted
    #[arg(long)]
    pub exit_zero: bool,

    #[command(flatten)]
    pub team: TeamArgs,

    #[command(flatten)]
    pub scan: ScanArgs,

    /// When to use colours; `auto` asks NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR and the terminal
    #[arg(long, value_enum, default_value_t = ColorArg::Auto, value_name = "WHEN")]
    pub color: ColorArg,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MatrixArg {
    /// For a terminal
    Human,
    /// For programs; versioned, see docs/json.md
    Json,
    /// For a pull request
    Markdown,
    /// One page that needs nothing else; its cells open their evidence
    Html,
}

impl ChecklistArgs {
    pub fn format(&self) -> Matrix {
        match self.format {
            MatrixArg::Human => Matrix::Human,
            MatrixArg::Json => Matrix::Json,
            MatrixArg::Markdown => Matrix::Markdown,
            MatrixArg::Html => Matrix::Html,
        }
    }
}
