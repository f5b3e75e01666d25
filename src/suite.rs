//! `gatelint scenarios`: from a project to questions for its gate, and from the verdicts of the gate to what they are worth.

use camino::Utf8Path;
use thiserror::Error;

use crate::Failure;
use crate::cli::scenarios::{ScenariosArgs, ScenariosCommand, ScoreArgs, ScoreFormat};
use crate::cli::{self, output};
use crate::commands::{self, Inventory};
use crate::exit::ExitCode;
use crate::inventory::Skill;
use crate::report;
use crate::scenarios::{Answers, suite};
use crate::source::{ReadError, read_bytes, read_stdin};

/// A hundred thousand verdicts with reasons.
const MAX_VERDICTS: u64 = 64 << 20;
const STDIN: &str = "-";

#[derive(Debug, Error)]
#[error("cannot read the verdicts `{name}`: {why}")]
pub struct SuiteError {
    name: String,
    why: ReadError,
}

pub fn scenarios(args: &ScenariosArgs) -> Result<ExitCode, Failure> {
    if let Some(ScenariosCommand::Score(args)) = &args.command {
        return score(args);
    }
    let Inventory { outcome, table, .. } = Inventory::of(&args.input, &args.scan)?;
    name_unclassed(&table.skills);
    let scenarios = suite(&table.skills);
    output::to_stdout(false, |out| report::scenarios(&scenarios, out)).map_err(Failure::Stdout)?;
    Ok(verdict(commands::coverage(&outcome)))
}

fn score(args: &ScoreArgs) -> Result<ExitCode, Failure> {
    let Inventory { outcome, table, .. } = Inventory::of(&args.input, &args.scan)?;
    let scenarios = suite(&table.skills);
    let mut answers = Answers::of(&scenarios);
    let is_wrong = read(&args.verdicts, &mut answers)?;
    let score = answers.score();
    let written = output::to_stdout(false, |out| match args.format {
        ScoreFormat::Human => report::score(&score, out),
        ScoreFormat::Json => report::score_json(&score, out),
    });
    written.map_err(Failure::Stdout)?;
    if is_wrong {
        return Ok(ExitCode::Error);
    }
    if !score.false_approvals.is_empty() || !score.false_rejections.is_empty() {
        return Ok(ExitCode::Findings);
    }
    match score.unanswered.is_empty() {
        true => Ok(verdict(commands::coverage(&outcome))),
        false => Ok(ExitCode::Incomplete),
    }
}

/// True if some line is no verdict; which one is said beside the score.
fn read(file: &Utf8Path, answers: &mut Answers<'_>) -> Result<bool, Failure> {
    let read = match file.as_str() {
        STDIN => read_stdin(MAX_VERDICTS),
        _ => read_bytes(file.as_std_path(), MAX_VERDICTS),
    };
    let bytes = read.map_err(|why| SuiteError { name: file.to_string(), why })?;
    let mut is_wrong = false;
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line = String::from_utf8_lossy(line);
        if line.trim().is_empty() {
            continue;
        }
        if let Err(error) = answers.read(&line) {
            is_wrong = true;
            cli::remark(&report::escape_line(&format!("line {}: {error}", number + 1)));
        }
    }
    Ok(is_wrong)
}

/// A configuration alone is enough to know tools, and the basic scenarios need none.
fn verdict(coverage: ExitCode) -> ExitCode {
    match coverage {
        ExitCode::Incomplete => {
            cli::remark("the analysis is incomplete; `gatelint check` says where");
            ExitCode::Incomplete
        }
        _ => ExitCode::Clean,
    }
}

fn name_unclassed(skills: &[Skill]) {
    let names: Vec<&str> =
        skills.iter().filter(|skill| skill.class.is_none()).map(|skill| skill.name.as_str()).collect();
    if !names.is_empty() {
        cli::remark(&report::escape_line(&format!(
            "nothing says what calls of these do, so there are no scenarios for them: {}; set `[tools.NAME] irreversibility`",
            names.join(", ")
        )));
    }
}
