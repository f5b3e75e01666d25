//! `gatelint commands`: from what the user named to the list of what is registered there. The same steps as a check, without
//! its rules.

use crate::adopt::KnownBy;
use crate::cli::commands::{CommandsArgs, ListedKind};
use crate::cli::input::InputArgs;
use crate::cli::scan::ScanArgs;
use crate::cli::{self, output, progress};
use crate::config::{self, Config, ConfigOptions};
use crate::exit::{ExitCode, Threshold, exit_code};
use crate::finding::{Confidence, Outcome, Severity};
use crate::inventory::Table;
use crate::limits::Run;
use crate::report::{self, Listing};
use crate::rule::{Check, RuleSet};
use crate::source::Asked;
use crate::suppress::suppress;
use crate::timings::Timings;
use crate::{Failure, engine, rule};

pub fn commands(args: &CommandsArgs) -> Result<ExitCode, Failure> {
    let Inventory { outcome, mut table, .. } =
        Inventory::with(&args.input, &args.scan, args.kind.contains(&ListedKind::Planner))?;
    table.listed.retain(|listed| args.lists(listed.kind, listed.entry));
    let options = args.format.listing().map(|format| format.options(args.output.as_ref()));
    output::write(args.output.as_ref(), false, |out| match options {
        Some(options) => report::commands(&outcome, &table.listed, options, out),
        None => report::materials(&outcome, &table.listed, out),
    })?;
    let verdict = coverage(&outcome);
    if options.is_none_or(|options| options.format != Listing::Human) || args.output.is_some() {
        cli::say_verdict(verdict);
    }
    Ok(verdict)
}

/// No rule has run, so only what was not looked at counts.
pub fn coverage(outcome: &Outcome) -> ExitCode {
    exit_code(outcome, Threshold { fail_on: Severity::Error, min_confidence: Confidence::Low })
}

/// What is registered in a project, and by which configuration.
pub struct Inventory {
    pub config: Config,
    pub outcome: Outcome,
    pub table: Table,
}

impl Inventory {
    pub fn of(input: &InputArgs, scan: &ScanArgs) -> Result<Self, Failure> {
        Self::with(input, scan, false)
    }

    /// The same with planning functions, if they are asked for.
    fn with(input: &InputArgs, scan: &ScanArgs, has_planning: bool) -> Result<Self, Failure> {
        let pool = crate::threads(0)?;
        scan.limits.watched(|run| pool.install(|| Self::look(input, scan, has_planning, run)))
    }

    fn look(input: &InputArgs, scan: &ScanArgs, has_planning: bool, run: &Run) -> Result<Self, Failure> {
        let asked = Asked::new(input.input()?)?;
        let known = crate::all_rules(&[])?;
        let options = ConfigOptions { rules: rule::names(&known), ..scan.config.options() };
        let config = config::load(asked.start(), &options)?;
        config.check_baseline()?;
        let baseline = KnownBy::Config.read(&config)?;
        let catalog = rule::builtin_catalog()?;
        let (found, reported) =
            asked.discover(&config.root, &crate::discover_options(&config, scan.no_ignore))?;
        let rules = RuleSet::new(&known, |rule| rule.checks(Check::AnalysisGap));
        let timings = &mut Timings::watched(progress::watch(&scan.progress)).within(run);
        let (mut outcome, mut table) =
            engine::analyse_and(found, &config, &catalog, rules, timings, |context| {
                rule::inventory(context, has_planning)
            });
        outcome.pending.baseline = baseline;
        if let Some(reported) = reported {
            table.listed.retain(|listed| reported.includes(&outcome.file(listed.registered.file).path));
            outcome.ask_for(&reported, &config.prompts);
        }
        Ok(Self { config, outcome: suppress(outcome), table })
    }
}
