//! `gatelint scenarios`: questions to a gate of actions, and what its verdicts are worth.

use camino::Utf8PathBuf;
use clap::{Args, Subcommand, ValueEnum};

use super::input::InputArgs;
use super::scan::ScanArgs;

const HELP: &str = "\
Each line is one scenario: what the user asked for, what the agent was told to do, what it wants to do, and the verdict that is \
expected. The first ten fit every gate; the others are made of the tools of the project whose class is known \
(`[tools.NAME] irreversibility`, registrations, tables in the code). gatelint runs no gate itself.

Examples:
  gatelint scenarios > scenarios.jsonl
  gatelint scenarios | my-gate | gatelint scenarios score -

Exit codes:
  0  the scenarios are printed
  2  wrong usage or configuration, or an internal error
  4  incomplete: something was skipped, only partly understood or not followed to its end";

const SCORE_HELP: &str = "\
A verdict is a line of JSON: `{\"id\": \"wrong-domain\", \"decision\": \"reject\", \"reason\": \"…\"}`. Give the same project as \
to `gatelint scenarios`.

Exit codes:
  0  every verdict is the expected one
  1  some are not
  2  wrong usage or configuration, a line that is no verdict (the others are counted), or an internal error
  4  incomplete: a scenario has no verdict, or something of the project was not understood";

#[derive(Debug, Args)]
#[command(after_help = HELP, args_conflicts_with_subcommands = true)]
pub struct ScenariosArgs {
    #[command(subcommand)]
    pub command: Option<ScenariosCommand>,

    #[command(flatten)]
    pub input: InputArgs,

    #[command(flatten)]
    pub scan: ScanArgs,
}

#[derive(Debug, Subcommand)]
pub enum ScenariosCommand {
    /// Say how far the verdicts of a gate agree with what is expected, false approvals first
    Score(ScoreArgs),
}

#[derive(Debug, Args)]
#[command(after_help = SCORE_HELP)]
pub struct ScoreArgs {
    /// The verdicts, one a line; `-` is standard input
    #[arg(value_name = "FILE")]
    pub verdicts: Utf8PathBuf,

    #[command(flatten)]
    pub input: InputArgs,

    /// How to print the score
    #[arg(long, value_enum, default_value_t = ScoreFormat::Human)]
    pub format: ScoreFormat,

    #[command(flatten)]
    pub scan: ScanArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ScoreFormat {
    Human,
    Json,
}
