//! For whoever sees a report for the first time, in a project that nobody configured yet: how to read it, and which
//! commands come next.

use std::io::{self, Write};

use super::summary::wrapped;
use crate::finding::{Confidence, Finding, Severity};
use crate::report::order::View;
use crate::report::paint::Paint;

/// `first` is the finding that the report begins with.
pub fn write(
    view: &View,
    first: Option<&Finding>,
    paint: Paint,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let is_new_here = view.outcome.config.path.as_str().is_empty() && view.outcome.known.is_none();
    let Some(first) = first.filter(|_| is_new_here) else { return Ok(()) };
    writeln!(out, "\n{}", paint.dim(&wrapped("", &legend(view), width)))?;
    writeln!(out, "\n{}", paint.bold("next"))?;
    let explain = format!("gatelint explain {}", first.rule.id);
    for (command, what) in [
        (explain.as_str(), "what its findings mean and what to do about them"),
        ("gatelint init", "propose which files may do what; writes gatelint.toml"),
        ("gatelint baseline write", "note today's findings, to fail on new ones only"),
    ] {
        writeln!(out, "{}", wrapped(&format!("  {command:25}"), what, width))?;
    }
    Ok(())
}

/// What errors and doubts mean, of those that were shown.
fn legend(view: &View) -> String {
    let mut said = Vec::new();
    if view.shown.iter().any(|finding| finding.severity == Severity::Error) {
        said.push("Errors make the exit code 1.");
    }
    if view.shown.iter().any(|finding| finding.severity < Severity::Error) {
        said.push("Warnings do so with `--fail-on warning`.");
    }
    if view.shown.iter().any(|finding| finding.confidence < Confidence::High) {
        said.push("Medium confidence: a call on the way may lead elsewhere, too.");
    }
    said.join(" ")
}
