//! `gatelint check`: from arguments to a report and an exit code.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use camino::Utf8Path;

use crate::adopt::{Adding, KnownBy, add_waivers};
use crate::cli::{self, CheckArgs, progress, reports};
use crate::config::{Config, ConfigOptions};
use crate::exit::{ExitCode, exit_code};
use crate::finding::Outcome;
use crate::finding::base::Base;
use crate::merge_base::{self, Now};
use crate::report::{self, Format};
use crate::rule::Rule;
use crate::source::Asked;
use crate::suppress::suppress;
use crate::timings::Timings;
use crate::verdict::Kept;
use crate::{Failure, Task, rule};

pub fn check(args: &CheckArgs) -> Result<ExitCode, Failure> {
    if args.statistics && !matches!(args.format(), Format::Human | Format::Concise) {
        return Err(Failure::Statistics);
    }
    let kept = Kept::of(args);
    if let Some(said) = kept.as_ref().and_then(Kept::said) {
        reports::write_again(args, &said.report)?;
        return Ok(say(args, said.verdict));
    }
    let keeping = kept.and_then(Kept::begin);
    let mut timings = Timings::watched(progress::watch(&args.progress));
    let outcome = args.limits.watched(|run| {
        timings.run = run.clone();
        outcome(args, &mut timings)
    })?;
    let report = match keeping {
        Some(_) => reports::write_kept(args, &outcome)?,
        None => reports::write(args, &outcome).map(|()| Vec::new())?,
    };
    timings.stage("report", format!("{} findings", outcome.findings.len()));
    if args.timings {
        report::text(&timings.table(), &mut io::stderr()).map_err(Failure::Stdout)?;
    }
    let verdict = exit_code(&outcome, args.threshold());
    if let Some(keeping) = keeping {
        keeping.finish(&outcome, verdict, report);
    }
    Ok(say(args, verdict))
}

fn say(args: &CheckArgs, verdict: ExitCode) -> ExitCode {
    if args.format() != Format::Human || args.output.is_some() {
        cli::say_verdict(verdict);
    }
    args.exit(verdict)
}

/// What the pipeline comes to, after waivers were written if that is asked for.
fn outcome(args: &CheckArgs, timings: &mut Timings) -> Result<Outcome, Failure> {
    let pool = crate::threads(args.threads.map_or(0, Into::into))?;
    let mut task = task(args)?;
    let mut run = |task: &Task| pool.install(|| crate::pipeline(task, timings)).map(suppress);
    let outcome = run(&task)?;
    let Some(reason) = &args.known.add_waivers else { return Ok(outcome) };
    if outcome.coverage.is_cut() {
        return Ok(outcome);
    }
    let names = rule::names(crate::all_rules(&args.team.rules)?.iter().chain(&outcome.rules));
    let adding = Adding { reason, min_confidence: args.threshold().min_confidence, names };
    add_waivers(outcome, &mut task, &adding, run)
}

fn task(args: &CheckArgs) -> Result<Task, Failure> {
    let known_by = match &args.known.baseline {
        Some(file) => KnownBy::File(file.clone()),
        None if args.known.no_baseline => KnownBy::Nobody,
        None => KnownBy::Config,
    };
    Ok(Task {
        asked: Asked::new(args.input.input()?)?,
        team: args.team.rules.clone(),
        config: args.config.options(),
        selection: args.selection(),
        no_ignore: args.no_ignore,
        strict_coverage: args.strict_coverage,
        known_by,
        base: args.known.base.clone(),
        texts: BTreeMap::new(),
    })
}

/// What the project allowed at the merge base, of which `base` is a copy.
pub(crate) fn compared(
    base: &Utf8Path,
    task: &Task,
    config: &Config,
    options: &ConfigOptions,
    rules: &[Arc<Rule>],
) -> Result<Base, Failure> {
    let catalog = rule::builtin_catalog()?;
    let baseline = match &task.known_by {
        KnownBy::File(file) => Some(file.as_path()),
        KnownBy::Config | KnownBy::Nobody => None,
    };
    let now = Now { config, start: task.asked.start(), options, baseline, rules, catalog: &catalog };
    Ok(merge_base::read(base, &now)?)
}
