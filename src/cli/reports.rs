//! Which reports are written, and where: one to standard output or a file, and any number beside it, all of one check.

use std::io::{self, IsTerminal};

use camino::Utf8PathBuf;
use clap::ValueEnum;

use super::output::WriteError;
use super::{CheckArgs, FormatArg, color, output};
use crate::finding::Outcome;
use crate::report::{self, ReportOptions};

/// `sarif=gatelint.sarif`.
#[derive(Clone, Debug)]
pub struct Also {
    format: FormatArg,
    path: Utf8PathBuf,
}

pub fn also(text: &str) -> Result<Also, String> {
    let (format, path) = text
        .split_once('=')
        .filter(|(_, path)| !path.is_empty())
        .ok_or("say which format and which file, such as `sarif=gatelint.sarif`")?;
    let format = FormatArg::from_str(format, false)
        .map_err(|_| format!("no format is called `{format}`; see `--format`"))?;
    Ok(Also { format, path: path.into() })
}

/// Those to files come first, so that they are there whatever becomes of standard output.
pub fn write(args: &CheckArgs, outcome: &Outcome) -> Result<(), WriteError> {
    for Also { format, path } in &args.also {
        to_file(outcome, &in_a_file(args, *format), path)?;
    }
    if let Some(path) = &args.output {
        return to_file(outcome, &in_a_file(args, args.format), path);
    }
    let options = on_stdout(args);
    output::write(None, options.color, |out| report::report(outcome, &options, out))
}

/// Writes to standard output alone, and hands back what that was.
pub fn write_kept(args: &CheckArgs, outcome: &Outcome) -> Result<Vec<u8>, WriteError> {
    let mut report = Vec::new();
    report::report(outcome, &on_stdout(args), &mut report).map_err(WriteError::Stdout)?;
    write_again(args, &report)?;
    Ok(report)
}

/// Writes what the same run wrote before.
pub fn write_again(args: &CheckArgs, report: &[u8]) -> Result<(), WriteError> {
    output::write(None, on_stdout(args).color, |out| out.write_all(report))
}

fn on_stdout(args: &CheckArgs) -> ReportOptions {
    let on_terminal = io::stdout().is_terminal();
    ReportOptions {
        color: color::wanted(args.color, |name| std::env::var_os(name), on_terminal),
        width: if on_terminal { output::width() } else { ReportOptions::default().width },
        ..options(args, args.format)
    }
}

fn options(args: &CheckArgs, format: FormatArg) -> ReportOptions {
    ReportOptions {
        format: format.into(),
        min_confidence: args.threshold().min_confidence,
        statistics: args.statistics,
        full: args.full,
        ..ReportOptions::default()
    }
}

/// The environment speaks of the terminal; a file is coloured only on request.
fn in_a_file(args: &CheckArgs, format: FormatArg) -> ReportOptions {
    ReportOptions { color: color::wanted(args.color, |_| None, false), ..options(args, format) }
}

fn to_file(outcome: &Outcome, options: &ReportOptions, path: &Utf8PathBuf) -> Result<(), WriteError> {
    output::write(Some(path), options.color, |out| report::report(outcome, options, out))
}
