//! `gatelint checklist`: runs the rules that ask something of every external operation or tool, and prints what they found as
//! matrices. Findings, waivers, levels and the exit code are those of a check.

use std::collections::BTreeMap;
use std::io;

use crate::adopt::KnownBy;
use crate::cli::checklist::ChecklistArgs;
use crate::cli::{self, color, output, progress};
use crate::config::Selection;
use crate::exit::{ExitCode, Threshold, exit_code};
use crate::finding::Outcome;
use crate::report::{self, MatrixOptions};
use crate::source::{Asked, Input};
use crate::suppress::suppress;
use crate::timings::Timings;
use crate::{Failure, Task};

pub fn run(args: &ChecklistArgs) -> Result<ExitCode, Failure> {
    let task = Task {
        asked: Asked::new(Input::Paths(args.paths.clone()))?,
        team: args.team.rules.clone(),
        config: args.scan.config.options(),
        selection: Selection { items_only: true, ..Selection::default() },
        no_ignore: args.scan.no_ignore,
        strict_coverage: false,
        known_by: args.baseline.clone().map_or(KnownBy::Config, KnownBy::File),
        base: None,
        texts: BTreeMap::new(),
    };
    let mut timings = Timings::watched(progress::watch(&args.scan.progress));
    let pool = crate::threads(0)?;
    let outcome = args.scan.limits.watched(|run| {
        timings.run = run.clone();
        pool.install(|| crate::pipeline(&task, &mut timings)).map(suppress)
    })?;
    write(args, &outcome)?;
    let threshold = Threshold { fail_on: args.fail_on.into(), min_confidence: args.min_confidence.into() };
    let verdict = exit_code(&outcome, threshold);
    cli::say_verdict(verdict);
    Ok(match verdict {
        ExitCode::Findings | ExitCode::Incomplete if args.exit_zero => ExitCode::Clean,
        verdict => verdict,
    })
}

fn write(args: &ChecklistArgs, outcome: &Outcome) -> Result<(), Failure> {
    let on_terminal = args.output.is_none() && io::IsTerminal::is_terminal(&io::stdout());
    let env = |name: &str| std::env::var_os(name).filter(|_| args.output.is_none());
    let options = MatrixOptions {
        format: args.format(),
        color: color::wanted(args.color, env, on_terminal),
        width: if on_terminal { output::width() } else { MatrixOptions::default().width },
    };
    output::write(args.output.as_ref(), options.color, |out| report::matrix(outcome, &options, out))?;
    Ok(())
}
