//! gatelint: gate enforcement for AI agents. This file is the pipeline; each step lives in its own module, and this and
//! `main.rs` are the only places where they meet.

pub mod analysis;
pub mod catalog;
pub mod cli;
pub mod confidence;
pub mod config;
pub mod debug;
pub mod engine;
pub mod exit;
pub mod explain;
pub mod finding;
pub mod frontend;
pub mod ir;
pub mod link;
pub mod report;
pub mod rule;
pub mod source;
pub mod suppress;
pub mod timings;
pub mod waiver;

use std::io;
use std::sync::Arc;

use camino::Utf8PathBuf;
use thiserror::Error;

use cli::color::{self, ColorArg};
use cli::{
    CheckArgs, Cli, Command, DebugCommand, ExplainArgs, ListFormat, RulesArgs, SchemaArgs, SchemaOf, output,
};
use config::{Config, ConfigError, ConfigOptions, Mistakes, Selection};
use exit::{ExitCode, exit_code};
use finding::Outcome;
use report::{Format, ReportOptions};
use rule::{Rule, RuleSet};
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
    #[error(transparent)]
    Rule(#[from] rule::LoadError),
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
        Command::Schema(args) => schema(args),
        Command::Debug(DebugCommand::Ir { file }) => debug_ir(file),
        Command::Debug(DebugCommand::Calls { paths }) => debug_calls(paths),
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
    let catalog = rule::builtin_catalog()?;
    let options = ConfigOptions { rules: rules.names.clone(), ..args.config_options() };
    let (found, config) = discover(&args.paths, &options, args.no_ignore, timings)?;
    config.check_rules(&rules.names)?;
    Ok(engine::analyse(found, &config, &catalog, rules, timings))
}

fn discover(
    paths: &[Utf8PathBuf],
    options: &ConfigOptions,
    no_ignore: bool,
    timings: &mut Timings,
) -> Result<(Discovered, Config), Failure> {
    let roots = source::resolve(paths)?;
    let first = roots.first().cloned().unwrap_or_default();
    let config = config::load(&first, options)?;
    let options = DiscoverOptions {
        no_ignore,
        exclude: config.exclude.clone(),
        watched: config.prompts.clone(),
        ..DiscoverOptions::default()
    };
    let found = source::discover(&roots, &config.root, &options)?;
    let bytes: usize = found.files.iter().map(|file| file.text.len()).sum();
    timings.stage("discover", format!("{} files, {bytes} bytes", found.files.len()));
    Ok((found, config))
}

fn selected(selection: &Selection) -> Result<RuleSet, Failure> {
    let rules = rule::builtin()?;
    let ids: Vec<_> = rules.iter().map(|rule| rule.id.as_str()).collect();
    if let Some(word) = selection.unknown(&ids) {
        return Err(Failure::UnknownRule(word.to_owned()));
    }
    Ok(RuleSet::new(&rules, |rule| selection.includes(&rule.id)))
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
    let rules = rule::builtin()?;
    let rule = rules.iter().find(wanted).ok_or_else(|| Failure::UnknownRule(args.rule.clone()))?;
    say(&report::escape_block(&explain::markdown(rule)))
}

fn rules(args: &RulesArgs) -> Result<ExitCode, Failure> {
    let rules = rule::builtin()?;
    match args.format {
        ListFormat::Human => say(&explain::table(&rules)),
        ListFormat::Json => say(&report::json_text(&explain::listing(&rules)).map_err(Failure::Stdout)?),
    }
}

fn schema(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    match args.of {
        SchemaOf::Config => say(&report::json_text(&config::json_schema()).map_err(Failure::Stdout)?),
        SchemaOf::Report => say(report::JSON_SCHEMA),
    }
}

fn debug_ir(file: &Utf8PathBuf) -> Result<ExitCode, Failure> {
    let (found, _) = discover(
        std::slice::from_ref(file),
        &ConfigOptions { isolated: true, ..ConfigOptions::default() },
        true,
        &mut Timings::start(),
    )?;
    let text: String = found.files.iter().map(debug::ir).collect();
    say(&report::escape_block(&text))
}

fn debug_calls(paths: &[Utf8PathBuf]) -> Result<ExitCode, Failure> {
    let mut timings = Timings::start();
    let catalog = rule::builtin_catalog()?;
    let (found, config) = discover(paths, &ConfigOptions::default(), false, &mut timings)?;
    let layers: Vec<_> = found.files.iter().map(|file| config.layers.of(&file.path)).collect();
    let facts = engine::lower(&found.files);
    timings.stage("lower", String::new());
    let units = engine::units(&found.files, &facts, &layers);
    let catalog = config.extend(&catalog);
    let program = link::link(&units, config.root.file_name(), &catalog);
    timings.stage("link", format!("{} edges", program.edges.len()));
    report::text(&timings.table(), &mut io::stderr()).map_err(Failure::Stdout)?;
    report::text(&debug::statistics(&program), &mut io::stderr()).map_err(Failure::Stdout)?;
    say(&debug::calls(&program, &found.files))
}

fn say(text: &str) -> Result<ExitCode, Failure> {
    output::to_stdout(false, |out| report::text(text, out)).map_err(Failure::Stdout)?;
    Ok(ExitCode::Clean)
}
