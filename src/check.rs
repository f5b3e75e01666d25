//! `gatelint check`: from arguments to a report and an exit code.

use std::collections::BTreeMap;
use std::io;

use crate::adopt::{Adding, KnownBy, add_waivers};
use crate::cli::{self, CheckArgs, progress, reports};
use crate::exit::{ExitCode, exit_code};
use crate::finding::Outcome;
use crate::report::{self, Format};
use crate::source::Asked;
use crate::suppress::suppress;
use crate::timings::Timings;
use crate::{Failure, Task, rule};

pub fn check(args: &CheckArgs) -> Result<ExitCode, Failure> {
    if args.statistics && !matches!(args.format(), Format::Human | Format::Concise) {
        return Err(Failure::Statistics);
    }
    let mut timings = Timings::watched(progress::watch(&args.progress));
    let outcome = outcome(args, &mut timings)?;
    reports::write(args, &outcome)?;
    timings.stage("report", format!("{} findings", outcome.findings.len()));
    if args.timings {
        report::text(&timings.table(), &mut io::stderr()).map_err(Failure::Stdout)?;
    }
    let verdict = exit_code(&outcome, args.threshold());
    if args.format() != Format::Human || args.output.is_some() {
        cli::say_verdict(verdict);
    }
    Ok(args.exit(verdict))
}

/// What the pipeline comes to, after waivers were written if that is asked for.
fn outcome(args: &CheckArgs, timings: &mut Timings) -> Result<Outcome, Failure> {
    let pool = crate::threads(args.threads.map_or(0, Into::into))?;
    let mut task = task(args)?;
    let mut run = |task: &Task| pool.install(|| crate::pipeline(task, timings)).map(suppress);
    let outcome = run(&task)?;
    let Some(reason) = &args.known.add_waivers else { return Ok(outcome) };
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
        known_by,
        texts: BTreeMap::new(),
    })
}
