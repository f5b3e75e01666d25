//! The command line: what can be asked for, and help that teaches. It knows how to say things on standard error, but
//! nothing of how a check works.

pub mod baseline;
pub mod checklist;
pub mod color;
pub mod commands;
pub mod debug;
pub mod declarations;
pub mod explain;
pub mod guard;
pub mod init;
pub mod input;
pub mod kept;
pub mod known;
pub mod levels;
pub mod mutate;
pub mod output;
pub mod progress;
pub mod reports;
pub mod scan;
pub mod scenarios;
pub mod session;
pub mod shell;
pub mod test_rules;
pub mod watchdog;

use std::io::{self, IsTerminal, Write};

use camino::Utf8PathBuf;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::config::{ConfigOptions, Mistakes, Selection};
use crate::exit::{ExitCode, Threshold};
use crate::report::{self, Format};
use baseline::BaselineCommand;
use checklist::ChecklistArgs;
use color::ColorArg;
use commands::CommandsArgs;
pub use debug::DebugCommand;
use declarations::DeclarationsArgs;
pub use explain::ExplainArgs;
use init::InitArgs;
use input::InputArgs;
use kept::{CleanArgs, KeepArgs};
use known::KnownArgs;
use levels::{ConfidenceArg, SeverityArg};
use mutate::MutateArgs;
use progress::ProgressArgs;
use reports::Also;
use scenarios::ScenariosArgs;
use session::{ManifestArgs, PlanArgs};
use shell::{CompletionsArgs, ManArgs};
use test_rules::TestArgs;
use watchdog::LimitArgs;

/// Paragraphs are one line each: clap wraps them to the terminal.
const AFTER_HELP: &str = "Start with `gatelint check` in the folder of your agent: it needs no configuration, \
    runs nothing of what it reads and uses no network. `gatelint explain GL201` says what a finding means.";

#[derive(Debug, Parser)]
#[command(name = "gatelint", version, about = env!("CARGO_PKG_DESCRIPTION"), after_help = AFTER_HELP)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show how an agent reaches the outside world past its gates
    Check(CheckArgs),
    /// Hold every external operation and every tool against the enforcement checklist
    Checklist(ChecklistArgs),
    /// List what is registered: commands and tools, what they reach, which gates they pass
    Commands(CommandsArgs),
    /// Break each guard in memory, and say which change no rule would notice
    Mutate(MutateArgs),
    /// Propose a configuration: the layers of a project, with what speaks for each
    Init(InitArgs),
    /// Write down the findings of today, so that checks fail on new ones only
    #[command(subcommand)]
    Baseline(BaselineCommand),
    /// Remove the verdicts that `check` keeps between runs, and say how much that was
    Clean(CleanArgs),
    /// Explain a rule: what goes wrong, what to do, examples
    Explain(ExplainArgs),
    /// List all rules
    Rules(RulesArgs),
    /// Print a JSON schema, for editors and programs
    Schema(SchemaArgs),
    /// Run the examples of a team's own rules
    TestRules(TestArgs),
    /// Print what a session is told of its tools: which read internal data, and what that blocks
    Manifest(ManifestArgs),
    /// Validate planned tool calls, and find the nearest order that is safe
    Plan(PlanArgs),
    /// Print scenarios for a gate of actions, and score its verdicts
    Scenarios(ScenariosArgs),
    /// Check what a model declared that it needs, in transcripts
    Declarations(DeclarationsArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Print a manual page
    Man(ManArgs),
    /// Look inside: what gatelint understands of a file or a project
    #[command(subcommand, hide = true)]
    Debug(DebugCommand),
}

const CHECK_HELP: &str = "\
Examples:
  gatelint check                              the project around the current folder
  gatelint check atlas/ scripts/run.py        parts of it
  gatelint check --select GL2                 only the rules of one family
  gatelint check --rules rules/               with rules of your own (see `gatelint test-rules --help`)
  gatelint check --baseline gatelint-baseline.json
  gatelint check atlas/legacy --add-waivers \"reviewed, ATL-412\"
  gatelint check --fail-on warning            for a stricter build
  git diff -z --name-only --diff-filter=d main -- '*.py' | gatelint check --files-from - --null
  gatelint check --format github --also sarif=gatelint.sarif --also markdown=summary.md

Exit codes, the same for every format:
  0  everything was looked at, nothing found at or above `--fail-on`
  1  findings at or above `--fail-on` (hidden low-confidence ones do not count)
  2  wrong usage or configuration, or an internal error
  3  nothing to scan: no source file, or none among those that were named
  4  incomplete: something was skipped, only partly understood or not followed to its end, which no baseline knows, and \
nothing else was found, or a limit was reached (`--timeout`, `--max-memory`)

Configuration: `gatelint.toml`, `.gatelint.toml` or `[tool.gatelint]` in `pyproject.toml`, looked for \
from the first path upwards, as far as the repository. Its folder is the project root; paths in reports \
are relative to it.

Verdicts: what a run says is kept in the cache folder of the user, with all that it asked of the file system. The next run \
with the same arguments asks again, and says the same at once if every answer is the same. `--no-cache` analyses in any case, \
`gatelint clean` removes what is kept.";

#[derive(Debug, Args)]
#[command(after_help = CHECK_HELP)]
pub struct CheckArgs {
    #[command(flatten)]
    pub input: InputArgs,

    /// Run only these rules: ids or beginnings of ids (`GL201`, `GL1`)
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = rule_word)]
    pub select: Vec<String>,

    /// Do not run these rules
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = rule_word)]
    pub ignore: Vec<String>,

    /// The least severe finding that makes the exit code 1
    #[arg(long, value_enum, default_value_t = SeverityArg::Error, value_name = "SEVERITY")]
    pub fail_on: SeverityArg,

    /// Hide findings below; `low` ones rest on a name alone
    #[arg(long, value_enum, default_value_t = ConfidenceArg::Medium, value_name = "CONFIDENCE")]
    pub min_confidence: ConfidenceArg,

    #[command(flatten)]
    pub known: KnownArgs,

    /// How to print the report
    #[arg(long, value_enum, default_value_t = FormatArg::Human)]
    pub format: FormatArg,

    /// Show counts per rule in place of the findings, in `human` and `concise`; `json` counts them anyway
    #[arg(long)]
    pub statistics: bool,

    /// Show every finding that an agent reaches whole, and every other file, in `human`
    #[arg(long)]
    pub full: bool,

    /// Write the report to a file, which appears only once it is complete
    #[arg(long, value_name = "FILE")]
    pub output: Option<Utf8PathBuf>,

    /// Write the same in another format, too: `sarif=gatelint.sarif`; may be given several times
    #[arg(long, value_name = "FORMAT=FILE", value_parser = reports::also)]
    pub also: Vec<Also>,

    /// Exit with 0 instead of 1 or 4, where only the report is wanted
    #[arg(long)]
    pub exit_zero: bool,

    /// Exit with 4 as well where more than half of the source files is of languages that are not read, or where an entry point of
    /// an agent reaches a call that is not resolved
    #[arg(long)]
    pub strict_coverage: bool,

    /// Scan files that `.gitignore` and `.ignore` hide, too; a gate should not depend on a line in an ignore file
    #[arg(long)]
    pub no_ignore: bool,

    #[command(flatten)]
    pub team: TeamArgs,

    #[command(flatten)]
    pub config: ConfigArgs,

    /// When to use colours; `auto` asks NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR and the terminal
    #[arg(long, value_enum, default_value_t = ColorArg::Auto, value_name = "WHEN")]
    pub color: ColorArg,

    /// How many threads to use; results do not depend on it [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<std::num::NonZeroUsize>,

    /// Print size and time of each stage to standard error; analyses in any case
    #[arg(long)]
    pub timings: bool,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub progress: ProgressArgs,

    #[command(flatten)]
    pub keep: KeepArgs,
}

#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// Use this configuration file instead of looking for one
    #[arg(long, value_name = "FILE", conflicts_with = "isolated")]
    pub config: Option<Utf8PathBuf>,

    /// Ignore every configuration file of the scanned tree
    #[arg(long)]
    pub isolated: bool,
}

#[derive(Debug, Args)]
pub struct TeamArgs {
    /// Add the rules of a folder of your own; may be given several times
    #[arg(long = "rules", value_name = "DIR")]
    pub rules: Vec<Utf8PathBuf>,
}

#[derive(Debug, Args)]
pub struct RulesArgs {
    #[command(flatten)]
    pub team: TeamArgs,

    /// How to print the list
    #[arg(long, value_enum, default_value_t = ListFormat::Human)]
    pub format: ListFormat,
}

#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Of what
    #[arg(value_enum)]
    pub of: SchemaOf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SchemaOf {
    /// `gatelint.toml`, or `[tool.gatelint]` in `pyproject.toml`
    Config,
    /// What `gatelint check --format json` prints
    Report,
    /// What `gatelint checklist --format json` prints
    Checklist,
    /// What `gatelint declarations --format json` prints
    Declarations,
    /// What `gatelint commands --format json` prints
    Commands,
    /// What `gatelint mutate --format json` prints
    Mutate,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ListFormat {
    Human,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FormatArg {
    /// For a terminal
    Human,
    /// One line a finding
    Concise,
    /// For programs; versioned, see docs/json.md
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a pull request, by workflow commands
    Github,
    /// The summary of a CI job: counts, the worst findings as graphs, tables
    Markdown,
}

impl From<FormatArg> for Format {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Human => Format::Human,
            FormatArg::Concise => Format::Concise,
            FormatArg::Json => Format::Json,
            FormatArg::Sarif => Format::Sarif,
            FormatArg::Github => Format::Github,
            FormatArg::Markdown => Format::Markdown,
        }
    }
}

/// Letters, then digits, in either case: the shape of every id and of every beginning of one.
fn rule_word(text: &str) -> Result<String, String> {
    let word = text.trim().to_ascii_uppercase();
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    if digits.len() < word.len() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        Ok(word)
    } else {
        Err("a rule is named by its id or the beginning of one, such as `GL201` or `GL1`".to_owned())
    }
}

impl ConfigArgs {
    pub fn options(&self) -> ConfigOptions {
        ConfigOptions { file: self.config.clone(), isolated: self.isolated, ..ConfigOptions::default() }
    }
}

impl CheckArgs {
    pub fn selection(&self) -> Selection {
        Selection { select: self.select.clone(), ignore: self.ignore.clone(), items_only: false }
    }

    pub fn format(&self) -> Format {
        self.format.into()
    }

    pub fn threshold(&self) -> Threshold {
        Threshold { fail_on: self.fail_on.into(), min_confidence: self.min_confidence.into() }
    }

    /// `--exit-zero` is for whoever reads the report instead; without a report there is nothing to read. A change
    /// without source files is nothing to stop.
    pub fn exit(&self, verdict: ExitCode) -> ExitCode {
        match verdict {
            ExitCode::Findings | ExitCode::Incomplete if self.exit_zero => ExitCode::Clean,
            ExitCode::NothingToScan if self.input.changed => ExitCode::Clean,
            verdict => verdict,
        }
    }
}

/// Says on standard error why there is no verdict. Nothing more can be done if nobody listens there.
pub fn complain(why: &str, mistakes: &[Mistakes], color: ColorArg) {
    progress::erase();
    let mut stderr = io::stderr().lock();
    let color = color::wanted(color, |name| std::env::var_os(name), stderr.is_terminal());
    for mistakes in mistakes {
        let _ = report::mistakes(mistakes, color, output::width(), &mut stderr);
    }
    let _ = writeln!(stderr, "error: {}", report::escape_line(why));
}

/// Says on standard error what a machine-readable report tells only by its fields.
pub fn remark(text: &str) {
    progress::erase();
    let _ = writeln!(io::stderr().lock(), "gatelint: {text}");
}

/// What a report to a file or a program does not show: that there is no verdict on everything.
pub fn say_verdict(verdict: ExitCode) {
    match verdict {
        ExitCode::NothingToScan => remark("nothing to scan"),
        ExitCode::Incomplete => {
            remark("the analysis is incomplete; the report lists what was not understood")
        }
        ExitCode::Clean | ExitCode::Findings | ExitCode::Error => {}
    }
}
