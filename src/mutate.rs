//! `gatelint mutate`: breaks the guards of a project one by one, in memory, and checks each broken project as a check would
//! with yesterday's findings as its baseline. Only the file that a change is in is lowered anew. No file is written.

mod trials;

use crate::cli::mutate::MutateArgs;
use crate::cli::{self, output, progress};
use crate::config::{self, ConfigOptions, Selection};
use crate::exit::{ExitCode, Threshold};
use crate::finding::Outcome;
use crate::mutation::Tried;
use crate::report::{self, Listing};
use crate::source::{Asked, Input};
use crate::timings::Timings;
use crate::{Failure, rule};
pub use trials::Project;

pub fn mutate(args: &MutateArgs) -> Result<ExitCode, Failure> {
    let (outcome, tried) = run(args)?;
    let options = args.format.options(args.output.as_ref());
    output::write(args.output.as_ref(), false, |out| report::mutants(&outcome, &tried, options, out))?;
    let verdict = verdict(&outcome, &tried);
    if options.format != Listing::Human || args.output.is_some() {
        cli::say_verdict(verdict);
    }
    Ok(verdict)
}

fn run(args: &MutateArgs) -> Result<(Outcome, Tried), Failure> {
    let asked = Asked::new(Input::Paths(args.paths.clone()))?;
    let known = crate::all_rules(&args.team.rules)?;
    let options = ConfigOptions { rules: rule::names(&known), ..args.scan.config.options() };
    let config = config::load(asked.start(), &options)?;
    let selection = Selection { select: args.select.clone(), ignore: args.ignore.clone(), items_only: false };
    let rules = crate::selected(&selection, &crate::with_rules_of(&config, known)?)?;
    config.check_rules(&rules.names)?;
    let catalog = rule::catalog_for(&rules.selected)?;
    let (found, reported) =
        asked.discover(&config.root, &crate::discover_options(&config, args.scan.no_ignore))?;
    let project = Project { found, config: &config, catalog: &catalog, rules, threshold: threshold(args) };
    let timings = &mut Timings::watched(progress::watch(&args.scan.progress));
    let is_asked = |path: &camino::Utf8Path| reported.as_ref().is_none_or(|reported| reported.includes(path));
    project.run(args.limit.get(), args.threads.map_or(0, Into::into), is_asked, timings)
}

fn threshold(args: &MutateArgs) -> Threshold {
    Threshold { fail_on: args.fail_on.into(), min_confidence: args.min_confidence.into() }
}

/// Findings that are there without any change are not what this is about.
fn verdict(outcome: &Outcome, tried: &Tried) -> ExitCode {
    match () {
        () if tried.survivors().next().is_some() => ExitCode::Findings,
        () if tried.untried > 0 || !outcome.is_complete() => ExitCode::Incomplete,
        () if tried.trials.is_empty() => ExitCode::NothingToScan,
        () => ExitCode::Clean,
    }
}
