//! gatelint: gate enforcement for AI agents. This file is the pipeline; each step lives in its own module, and this and
//! `main.rs` are the only places where they meet.

pub mod cli;
pub mod config;
pub mod exit;
pub mod explain;
pub mod finding;
pub mod frontend;
pub mod ir;
pub mod report;
pub mod rule;
pub mod source;
pub mod suppress;
pub mod timings;

use std::io;
use std::sync::Arc;

use camino::Utf8PathBuf;
use thiserror::Error;

use cli::color::{self, ColorArg};
use cli::{CheckArgs, Cli, Command, DebugCommand, ExplainArgs, ListFormat, RulesArgs, output};
use config::{Config, ConfigError, Layer, Mistakes, Selection};
use exit::{ExitCode, exit_code};
use finding::{Coverage, Outcome};
use report::{Format, ReportOptions};
use rule::Rule;
use source::{DiscoverOptions, Discovered, RootError};
use timings::Timings;

/// Deep enough for every recursion over the core language, whose depth is bounded (`frontend::MAX_DEPTH`).
const STACK_BYTES: usize = 64 << 20;

/// Why there is no verdict.
#[derive(Debug, Error)]
pub enum Failure {
    #[error(transparent)]
    Root(#[from] RootError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("no rule is called `{0}`; `gatelint rules` lists them all")]
    UnknownRule(String),
    #[error("cannot write the report to `{path}`: {error}")]
    Output { path: Utf8PathBuf, error: io::Error },
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("`gatelint debug {0}` is not built into this version")]
    NotBuilt(&'static str),
}

impl Failure {
    fn mistakes(&self) -> Option<&Mistakes> {
        match self {
            Failure::Config(ConfigError::Mistakes(mistakes)) => Some(mistakes),
            _ => None,
        }
    }
}

/// Runs a command line to its end.
pub fn run(cli: Cli) -> ExitCode {
    let mut complaints = ColorArg::Auto;
    let done = match &cli.command {
        Command::Check(args) => {
            complaints = args.color;
            check(args)
        }
        Command::Explain(args) => explain(args),
        Command::Rules(args) => rules(args),
        Command::Debug(DebugCommand::Ir { .. }) => Err(Failure::NotBuilt("ir")),
        Command::Debug(DebugCommand::Calls { .. }) => Err(Failure::NotBuilt("calls")),
    };
    done.unwrap_or_else(|failure| {
        cli::complain(&failure.to_string(), failure.mistakes(), complaints);
        ExitCode::Error
    })
}

fn check(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let mut timings = Timings::start();
    let threads = args.threads.map_or(0, Into::into);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()?;
    let outcome = pool.install(|| pipeline(args, &mut timings))?;
    let outcome = suppress::suppress(outcome);
    write_report(args, &outcome)?;
    timings.stage("report", format!("{} findings", outcome.findings.len()));
    if args.timings {
        report::text(&timings.table(), &mut io::stderr()).map_err(Failure::Stdout)?;
    }
    let verdict = exit_code(&outcome, args.threshold());
    if args.format() != Format::Human || args.output.is_some() {
        remark(verdict);
    }
    Ok(args.exit(verdict))
}

/// Discover, lower, link, analyse, check.
fn pipeline(args: &CheckArgs, timings: &mut Timings) -> Result<Outcome, Failure> {
    let rules = selected(&args.selection())?;
    let roots = source::resolve(&args.paths)?;
    let first = roots.first().cloned().unwrap_or_default();
    let config = config::load(&first, &args.config_options())?;
    let options = DiscoverOptions {
        no_ignore: args.no_ignore,
        exclude: config.exclude.clone(),
        ..DiscoverOptions::default()
    };
    let found = source::discover(&roots, &config.root, &options)?;
    let bytes: usize = found.files.iter().map(|file| file.text.len()).sum();
    timings.stage("discover", format!("{} files, {bytes} bytes", found.files.len()));
    Ok(analyse(found, &config, rules, timings))
}

/// From sources to findings.
fn analyse(found: Discovered, config: &Config, rules: Vec<Arc<Rule>>, _timings: &mut Timings) -> Outcome {
    let Discovered { files, skipped, ignored, read_log: _ } = found;
    let in_comm = files.iter().any(|file| config.layers.of(&file.path).contains(Layer::Comm));
    let coverage =
        Coverage { ignored, skipped, configured: config.is_configured() || in_comm, ..Coverage::default() };
    Outcome { root: config.root.clone(), files, rules, findings: Vec::new(), waived: Vec::new(), coverage }
}

/// Every rule, sorted by id.
fn all_rules() -> Vec<Arc<Rule>> {
    Vec::new()
}

fn selected(selection: &Selection) -> Result<Vec<Arc<Rule>>, Failure> {
    let rules = all_rules();
    let ids: Vec<_> = rules.iter().map(|rule| rule.id.as_str()).collect();
    if let Some(word) = selection.unknown(&ids) {
        return Err(Failure::UnknownRule(word.to_owned()));
    }
    Ok(rules.into_iter().filter(|rule| selection.includes(&rule.id)).collect())
}

fn write_report(args: &CheckArgs, outcome: &Outcome) -> Result<(), Failure> {
    let on_terminal = args.output.is_none() && io::IsTerminal::is_terminal(&io::stdout());
    // The environment speaks of the terminal; a file is coloured only on request.
    let env = |name: &str| std::env::var_os(name).filter(|_| args.output.is_none());
    let options = ReportOptions {
        format: args.format(),
        color: color::wanted(args.color, env, on_terminal),
        min_confidence: args.threshold().min_confidence,
        width: if on_terminal { output::width() } else { ReportOptions::default().width },
    };
    match &args.output {
        Some(path) => output::to_file(path, |out| report::report(outcome, &options, out))
            .map_err(|error| Failure::Output { path: path.clone(), error }),
        None => output::to_stdout(options.color, |out| report::report(outcome, &options, out))
            .map_err(Failure::Stdout),
    }
}

fn remark(verdict: ExitCode) {
    match verdict {
        ExitCode::NothingToScan => cli::remark("nothing to scan"),
        ExitCode::Incomplete => {
            cli::remark("the analysis is incomplete; the report lists what was not understood")
        }
        ExitCode::Clean | ExitCode::Findings | ExitCode::Error => {}
    }
}

fn explain(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let wanted = |rule: &&Arc<Rule>| rule.id.eq_ignore_ascii_case(&args.rule) || rule.name == args.rule;
    let rules = all_rules();
    let rule = rules.iter().find(wanted).ok_or_else(|| Failure::UnknownRule(args.rule.clone()))?;
    say(&report::escape_block(&explain::markdown(rule)))
}

fn rules(args: &RulesArgs) -> Result<ExitCode, Failure> {
    let rules = all_rules();
    match args.format {
        ListFormat::Human => say(&explain::table(&rules)),
        ListFormat::Json => say(&report::json_text(&explain::listing(&rules)).map_err(Failure::Stdout)?),
    }
}

fn say(text: &str) -> Result<ExitCode, Failure> {
    output::to_stdout(false, |out| report::text(text, out)).map_err(Failure::Stdout)?;
    Ok(ExitCode::Clean)
}
