//! gatelint: gate enforcement for AI agents. This file is the pipeline; each step lives in its own module, and this and
//! `main.rs` are the only places where they meet.

pub mod adopt;
pub mod analysis;
pub mod baseline;
pub mod catalog;
pub mod check;
pub mod checklist;
pub mod cli;
pub mod commands;
pub mod confidence;
pub mod config;
pub mod debug;
pub mod declarations;
pub mod engine;
pub mod exit;
pub mod explain;
pub mod explaining;
pub mod finding;
pub mod frontend;
pub mod harness;
pub mod inventory;
pub mod ir;
pub mod limits;
pub mod link;
pub mod merge_base;
pub mod mutate;
pub mod mutation;
pub mod ordering;
pub mod parallel;
pub mod record;
pub mod report;
pub mod rule;
pub mod scenarios;
pub mod session;
pub mod source;
pub mod spanned;
pub mod suite;
pub mod suppress;
pub mod timings;
pub mod verdict;
pub mod waiver;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use camino::Utf8PathBuf;
use thiserror::Error;

use adopt::KnownBy;
use cli::input::InputError;
use cli::{
    Cli, Command, DebugCommand, ListFormat, RulesArgs, SchemaArgs, SchemaOf, color::ColorArg, output, shell,
    test_rules::TestArgs,
};
use config::{Config, ConfigError, ConfigOptions, Mistakes, Selection};
use exit::ExitCode;
use finding::Outcome;
use harness::Engine;
use merge_base::MergeBaseError;
use rule::{LoadError, Rule, RuleSet, TeamError};
use source::{Asked, DiscoverOptions, Discovered, RootError};
use timings::Timings;

/// Deep enough for every recursion over the core language, whose depth is bounded (`frontend::MAX_DEPTH`).
const STACK_BYTES: usize = 64 << 20;

/// Why there is no verdict.
#[derive(Debug, Error)]
pub enum Failure {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Root(#[from] RootError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("no rule is called `{0}`; `gatelint rules` lists them all")]
    UnknownRule(String),
    #[error("`--statistics` is for the formats `human` and `concise`; `json` has the counts in its summary")]
    Statistics,
    #[error(transparent)]
    Write(#[from] output::WriteError),
    #[error(transparent)]
    Command(#[from] shell::NoCommand),
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
    #[error("cannot start threads: {0}")]
    Threads(#[from] parallel::PoolError),
    #[error(transparent)]
    Rule(#[from] LoadError),
    #[error(
        "no function is called `{0}`; name it by its dotted path (`atlas.guards.require_execution`) or the end of it"
    )]
    UnknownFunction(String),
    #[error("cannot read the report `{path}`: {error}")]
    Report { path: Utf8PathBuf, error: source::ReadError },
    #[error(transparent)]
    Adopt(#[from] adopt::AdoptError),
    #[error(transparent)]
    MergeBase(#[from] merge_base::MergeBaseError),
    #[error(transparent)]
    Transcript(#[from] declarations::TranscriptError),
    #[error(transparent)]
    Session(#[from] session::SessionError),
    #[error(transparent)]
    Suite(#[from] suite::SuiteError),
    #[error(transparent)]
    Path(#[from] explain::PathError),
    #[error("cannot remove what is kept in `{folder}`: {why}")]
    Clean { folder: String, why: verdict::Unusable },
}

impl Failure {
    fn mistakes(&self) -> &[Mistakes] {
        match self {
            Failure::Config(ConfigError::Mistakes(mistakes))
            | Failure::MergeBase(MergeBaseError::Config(ConfigError::Mistakes(mistakes))) => {
                std::slice::from_ref(mistakes)
            }
            Failure::Rule(LoadError::Mistakes(mistakes)) => mistakes,
            _ => &[],
        }
    }
}

/// Runs a command line to its end.
pub fn run(cli: Cli) -> ExitCode {
    let mut complaints = ColorArg::Auto;
    let done = match &cli.command {
        Command::Check(args) => {
            complaints = args.color;
            check::check(args)
        }
        Command::Checklist(args) => checklist::run(args),
        Command::Commands(args) => commands::commands(args),
        Command::Mutate(args) => mutate::mutate(args),
        Command::Init(args) => adopt::init(args),
        Command::Baseline(command) => adopt::baseline(command),
        Command::Clean(args) => verdict::clean(args),
        Command::Explain(args) => explaining::explain(args),
        Command::Rules(args) => rules(args),
        Command::Schema(args) => schema(args),
        Command::TestRules(args) => test_rules(args),
        Command::Manifest(args) => session::manifest(args),
        Command::Plan(args) => session::validate(args),
        Command::Scenarios(args) => suite::scenarios(args),
        Command::Declarations(args) => declarations::declarations(args),
        Command::Completions(args) => say(&shell::completions(args)),
        Command::Man(args) => shell::man(args).map_err(Failure::from).and_then(|page| say(&page)),
        Command::Debug(DebugCommand::Ir { file }) => debug_ir(file),
        Command::Debug(DebugCommand::Calls { paths }) => {
            debug_graph(paths, |program, _, files| debug::calls(program, files))
        }
        Command::Debug(DebugCommand::Edges { paths }) => {
            debug_graph(paths, |program, _, files| debug::edges(program, files))
        }
        Command::Debug(DebugCommand::Flows { paths }) => debug_graph(paths, debug::flows),
    };
    done.unwrap_or_else(|failure| {
        cli::complain(&failure.to_string(), failure.mistakes(), complaints);
        ExitCode::Error
    })
}

/// What a check looks at, and how.
struct Task {
    asked: Asked,
    team: Vec<Utf8PathBuf>,
    config: ConfigOptions,
    selection: Selection,
    no_ignore: bool,
    strict_coverage: bool,
    known_by: KnownBy,
    /// A copy of the merge base to compare with.
    base: Option<Utf8PathBuf>,
    /// What stands for the text of a file, by path: what is about to be written into it.
    texts: BTreeMap<Utf8PathBuf, String>,
}

fn threads(count: usize) -> Result<parallel::Pool, parallel::PoolError> {
    parallel::Pool::new(count, STACK_BYTES)
}

/// Discover, lower, link, analyse, check.
fn pipeline(task: &Task, timings: &mut Timings) -> Result<Outcome, Failure> {
    let known = all_rules(&task.team)?;
    let options = ConfigOptions { rules: rule::names(&known), ..task.config.clone() };
    let config = config::load(task.asked.start(), &options)?;
    let known = with_rules_of(&config, known)?;
    let rules = selected(&task.selection, &known)?;
    config.check_rules(&rules.names)?;
    config.check_baseline()?;
    let baseline = task.known_by.read(&config)?;
    let base = task
        .base
        .as_deref()
        .map(|base| check::compared(base, task, &config, &options, &known))
        .transpose()?;
    let discovery = discover_options(&config, task.no_ignore);
    timings.begin("reading files", 0);
    // Neither needs the other, and each takes a while.
    let discover = || task.asked.discover(&config.root, &discovery);
    let (catalog, found) = parallel::join(|| rule::catalog_for(&rules.selected), discover);
    let (catalog, (mut found, reported)) = (catalog?, found?);
    for file in &mut found.files {
        task.texts.get(&file.path).into_iter().for_each(|text| file.text.clone_from(text));
    }
    timings.stage("discover", size(&found));
    let mut outcome = engine::analyse(found, &config, &catalog, rules, timings);
    outcome.pending.baseline = baseline;
    outcome.pending.base = base;
    if task.strict_coverage {
        outcome.be_strict();
    }
    if let Some(reported) = reported {
        outcome.ask_for(&reported, &config.prompts);
    }
    Ok(outcome)
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
    let options = discover_options(&config, no_ignore);
    let found = source::discover(&roots, &config.root, &options)?;
    timings.stage("discover", size(&found));
    Ok((found, config))
}

fn discover_options(config: &Config, no_ignore: bool) -> DiscoverOptions {
    DiscoverOptions {
        no_ignore,
        exclude: config.exclude.clone(),
        watched: config.prompts.clone(),
        ..DiscoverOptions::default()
    }
}

fn size(found: &Discovered) -> String {
    let bytes: usize = found.files.iter().map(|file| file.text.len()).sum();
    format!("{} files, {bytes} bytes", found.files.len())
}

/// The built-in rules and those of the team, sorted by id.
fn all_rules(team: &[Utf8PathBuf]) -> Result<Vec<Arc<Rule>>, Failure> {
    with_rules(rule::builtin()?, team).map_err(Failure::from)
}

fn with_rules(mut known: Vec<Arc<Rule>>, team: &[Utf8PathBuf]) -> Result<Vec<Arc<Rule>>, LoadError> {
    let own = rule::team(team, &known)?;
    known.extend(own);
    known.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(known)
}

/// Those that the configuration names as well.
fn with_rules_of(config: &Config, known: Vec<Arc<Rule>>) -> Result<Vec<Arc<Rule>>, Failure> {
    with_rules(known, &config.rules_folders()?).map_err(|error| match error {
        LoadError::Mistakes(mut files) => {
            for file in &mut files {
                file.path = file.path.strip_prefix(&config.root).unwrap_or(&file.path).to_owned();
            }
            LoadError::Mistakes(files).into()
        }
        error => error.into(),
    })
}

fn selected(selection: &Selection, rules: &[Arc<Rule>]) -> Result<RuleSet, Failure> {
    let ids: Vec<_> = rules.iter().map(|rule| rule.id.as_str()).collect();
    if let Some(word) = selection.unknown(&ids) {
        return Err(Failure::UnknownRule(word.to_owned()));
    }
    Ok(RuleSet::meant(rules, selection))
}

fn rules(args: &RulesArgs) -> Result<ExitCode, Failure> {
    let rules = all_rules(&args.team.rules)?;
    match args.format {
        ListFormat::Human => say(&explain::table(&rules)),
        ListFormat::Json => say(&report::json_text(&explain::listing(&rules)).map_err(Failure::Stdout)?),
    }
}

fn schema(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    match args.of {
        SchemaOf::Config => say(&report::json_text(&config::json_schema()).map_err(Failure::Stdout)?),
        SchemaOf::Report => say(report::JSON_SCHEMA),
        SchemaOf::Checklist => say(report::CHECKLIST_SCHEMA),
        SchemaOf::Declarations => say(report::DECLARATIONS_SCHEMA),
        SchemaOf::Commands => say(report::COMMANDS_SCHEMA),
        SchemaOf::Mutate => say(report::MUTATE_SCHEMA),
    }
}

fn test_rules(args: &TestArgs) -> Result<ExitCode, Failure> {
    let rules = match rule::team(&args.paths, &rule::builtin()?) {
        Err(LoadError::Team(empty @ TeamError::Empty { .. })) => {
            cli::complain(&empty.to_string(), &[], ColorArg::Auto);
            return Ok(ExitCode::NothingToScan);
        }
        rules => rules?,
    };
    let engine = Engine::new(rules)?;
    let tested = threads(0)?.install(|| harness::test(&engine));
    say(&report::escape_block(&tested.report))?;
    Ok(if tested.passed { ExitCode::Clean } else { ExitCode::Findings })
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

/// Links the project and prints what `show` makes of it.
fn debug_graph(
    paths: &[Utf8PathBuf],
    show: impl FnOnce(&link::Program<'_>, &catalog::Catalog, &[source::SourceFile]) -> String,
) -> Result<ExitCode, Failure> {
    let mut timings = Timings::start();
    let catalog = rule::builtin_catalog()?;
    let (found, config) = discover(paths, &ConfigOptions::default(), false, &mut timings)?;
    let catalog = config.extend(&catalog);
    let (shown, statistics) =
        engine::with_program(&found, &config, &catalog, &Timings::start(), |program, _| {
            (show(program, &catalog, &found.files), debug::statistics(program))
        });
    timings.stage("link", String::new());
    report::text(&timings.table(), &mut io::stderr()).map_err(Failure::Stdout)?;
    report::text(&statistics, &mut io::stderr()).map_err(Failure::Stdout)?;
    say(&shown)
}

fn say(text: &str) -> Result<ExitCode, Failure> {
    output::to_stdout(false, |out| report::text(text, out)).map_err(Failure::Stdout)?;
    Ok(ExitCode::Clean)
}
