//! `gatelint manifest` and `gatelint plan`: from a project to the tools of a session, and from those to a manifest or to
//! verdicts on plans.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};

use camino::Utf8Path;
use thiserror::Error;

use crate::Failure;
use crate::cli::input::InputArgs;
use crate::cli::scan::ScanArgs;
use crate::cli::session::{ManifestArgs, PlanArgs};
use crate::cli::{self, output};
use crate::commands::{self, Inventory};
use crate::config::Config;
use crate::exit::ExitCode;
use crate::inventory::{Class, Table};
use crate::ordering::{Manifest, Planned, RequestError, SessionTool, Tools, UnknownTool, prompt, verdict};
use crate::report;
use crate::source::{ReadError, read_bytes, read_stdin};

/// A plan of a hundred thousand steps has a few megabytes.
const MAX_PLAN: u64 = 64 << 20;
const STDIN: &str = "-";

#[derive(Debug, Error)]
pub enum SessionError {
    #[error("cannot read the plan `{name}`: {why}")]
    Unreadable { name: String, why: ReadError },
    #[error("`{name}`: {error}")]
    Plan { name: String, error: RequestError },
    #[error("`--tools`: {0}")]
    Offered(UnknownTool),
}

pub fn manifest(args: &ManifestArgs) -> Result<ExitCode, Failure> {
    let project = Project::of(&args.input, &args.scan)?;
    let offered = project.tools.offered(&args.tools).map_err(SessionError::Offered)?;
    name_unsure(&offered);
    let tools = &project.tools;
    let written = match args.prompt {
        false => {
            let manifest = Manifest::new(tools, &offered, args.session.as_deref());
            output::to_stdout(false, |out| report::manifest(&manifest, out))
        }
        true => match prompt(tools, &offered) {
            Some(text) => output::to_stdout(false, |out| report::prompt(&text, out)),
            None => {
                cli::remark("every order of these tools is allowed, so there is nothing to say");
                Ok(())
            }
        },
    };
    written.map_err(Failure::Stdout)?;
    Ok(project.verdict())
}

pub fn validate(args: &PlanArgs) -> Result<ExitCode, Failure> {
    let project = Project::of(&args.input, &args.scan)?;
    let is_valid = match args.lines {
        false => one(&args.plan, &project.tools)?,
        true => match many(&args.plan, &project.tools)? {
            Answered { wrong: true, .. } => return Ok(ExitCode::Error),
            Answered { invalid, .. } => !invalid,
        },
    };
    Ok(if is_valid { project.verdict() } else { ExitCode::Findings })
}

/// The tools of a project, and whether all of it was looked at.
struct Project {
    tools: Tools,
    coverage: ExitCode,
}

impl Project {
    fn of(input: &InputArgs, scan: &ScanArgs) -> Result<Self, Failure> {
        let Inventory { config, outcome, table } = Inventory::of(input, scan)?;
        Ok(Self { tools: tools(&config, &table), coverage: commands::coverage(&outcome) })
    }

    /// A configuration alone is enough to know tools.
    fn verdict(&self) -> ExitCode {
        let verdict = match self.coverage {
            ExitCode::NothingToScan if self.tools.iter().next().is_some() => ExitCode::Clean,
            coverage => coverage,
        };
        match verdict {
            ExitCode::Incomplete => cli::remark("the analysis is incomplete; `gatelint check` says where"),
            verdict => cli::say_verdict(verdict),
        }
        verdict
    }
}

/// Those of the configuration in its order, then those of the code and of manifests by name. One name may be registered at
/// several places; then what blocks more counts.
fn tools(config: &Config, table: &Table) -> Tools {
    let registered = table.listed.iter().filter(|listed| listed.entry.is_some());
    let registered = registered.filter_map(|listed| Some((listed.name.as_deref()?, listed.class.as_ref())));
    let written = table.written.iter().map(|(name, class)| (name.as_str(), Some(class)));
    let mut known: Vec<(&str, Option<&Class>)> = registered.chain(written).collect();
    known.sort_by_key(|(name, class)| (*name, class.is_none(), *class));
    let of_code = |name: &str| known.iter().find(|(other, _)| *other == name).and_then(|(_, class)| *class);
    let configured = config.tools.iter().map(|tool| SessionTool {
        class: match tool.sensitivity {
            Some(sensitivity) => Some(Class::configured(sensitivity)),
            None => of_code(&tool.name).cloned(),
        },
        name: tool.name.clone(),
        may_follow: tool.blocked == Some(false),
    });
    let registered = known.iter().map(|(name, _)| SessionTool {
        name: (*name).to_owned(),
        class: of_code(name).cloned(),
        may_follow: false,
    });
    Tools::new(configured.chain(registered))
}

/// A manifest has no room for doubt, so it is said beside it.
fn name_unsure(offered: &[&SessionTool]) {
    let names: Vec<&str> =
        offered.iter().filter(|tool| tool.class.is_none()).map(|tool| tool.name.as_str()).collect();
    if !names.is_empty() {
        cli::remark(&report::escape_line(&format!(
            "nothing says what class these are of, so they are blocked after internal data was read: {}; \
             set `[tools.NAME] sensitivity`",
            names.join(", ")
        )));
    }
}

fn one(file: &Utf8Path, tools: &Tools) -> Result<bool, Failure> {
    let read = match file.as_str() {
        STDIN => read_stdin(MAX_PLAN),
        _ => read_bytes(file.as_std_path(), MAX_PLAN),
    };
    let bytes = read.map_err(|why| SessionError::Unreadable { name: file.to_string(), why })?;
    let wrong = |error| SessionError::Plan { name: file.to_string(), error };
    let steps = Planned::read(&bytes).and_then(|plan| plan.steps(tools)).map_err(wrong)?;
    name_unsure(&steps.tools);
    let verdict = verdict(&steps);
    output::to_stdout(false, |out| report::plan(&verdict, out)).map_err(Failure::Stdout)?;
    Ok(verdict.valid)
}

#[derive(Default)]
struct Answered {
    /// A plan is not valid.
    invalid: bool,
    /// A line is no plan.
    wrong: bool,
}

/// Answers line by line, so that a gateway may keep one process for all its sessions.
fn many(file: &Utf8Path, tools: &Tools) -> Result<Answered, Failure> {
    name_unsure(&tools.iter().collect::<Vec<_>>());
    let unreadable = |why: io::Error| SessionError::Unreadable { name: file.to_string(), why: why.into() };
    let mut lines: Box<dyn BufRead> = match file.as_str() {
        STDIN => Box::new(io::stdin().lock()),
        _ => Box::new(BufReader::new(File::open(file).map_err(unreadable)?)),
    };
    let mut answered = Answered::default();
    let written = output::to_stdout(false, |out| {
        let mut number = 0;
        while let Some(line) = next_line(&mut *lines)? {
            number += 1;
            answer(number, line, tools, &mut answered, out)?;
        }
        Ok(())
    });
    written.map_err(Failure::Stdout)?;
    Ok(answered)
}

fn answer(
    number: usize,
    line: Result<Vec<u8>, RequestError>,
    tools: &Tools,
    answered: &mut Answered,
    out: &mut dyn Write,
) -> io::Result<()> {
    let steps = line.and_then(|line| Planned::read(&line)).and_then(|plan| plan.steps(tools));
    match steps {
        Ok(steps) => {
            let verdict = verdict(&steps);
            answered.invalid |= !verdict.valid;
            report::plan_line(&verdict, out)
        }
        Err(error) => {
            answered.wrong = true;
            report::wrong_line(number, &error.to_string(), out)
        }
    }
}

/// None at the end. What is too long is passed over to the end of its line.
fn next_line(lines: &mut dyn BufRead) -> io::Result<Option<Result<Vec<u8>, RequestError>>> {
    let mut line = Vec::new();
    if lines.take(MAX_PLAN + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() as u64 > MAX_PLAN {
        lines.skip_until(b'\n')?;
        return Ok(Some(Err(RequestError::TooLong(MAX_PLAN))));
    }
    Ok(Some(Ok(line)))
}
