//! The `github` format: commands of a workflow, which become annotations of a pull request. A step shows ten of each
//! level and drops the others in silence, so the worst nine are named and the tenth counts the rest.

use std::io::{self, Write};

use super::order::View;
use super::paint::Paint;
use super::places::{Places, Region};
use super::{chain, confidence, escape, gaps, totals, via};
use crate::finding::{Finding, Severity};

/// Of each level, per step.
const MAX_SHOWN: usize = 10;

pub fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let places = Places::new(view.outcome);
    for (severity, command) in
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "notice")]
    {
        let incomplete = severity == Severity::Warning && !view.is_complete();
        if incomplete {
            let text =
                "not everything was understood, so silence proves little; the log of this step lists it";
            writeln!(out, "::warning title=gatelint::{}", escape::workflow_data(text))?;
        }
        let room = MAX_SHOWN - usize::from(incomplete);
        let findings: Vec<_> =
            view.shown.iter().copied().filter(|finding| finding.severity == severity).collect();
        level(&findings, command, room, &places, out)?;
    }
    for gap in gaps::lines(view.outcome, &places) {
        writeln!(out, "{gap}")?;
    }
    for (what, count) in totals::unlisted(view) {
        writeln!(out, "{what}: {count}")?;
    }
    writeln!(out, "{}", totals::verdict(view, Paint { color: false }))?;
    out.flush()
}

fn level(
    findings: &[&Finding],
    command: &str,
    room: usize,
    places: &Places,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shown = if findings.len() > room { room - 1 } else { findings.len() };
    for finding in &findings[..shown] {
        let title = format!("{} {}{}", finding.rule.id, finding.rule.name, confidence(finding.confidence));
        let title = escape::workflow_property(&title);
        let message = escape::workflow_data(&message(finding, places));
        writeln!(out, "::{command} {},title={title}::{message}", position(finding, places))?;
    }
    if findings.len() > shown {
        let more = findings.len() - shown;
        let text = format!("{more} more of this level; `gatelint check` lists all of them");
        writeln!(out, "::{command} title=gatelint::{}", escape::workflow_data(&text))?;
    }
    Ok(())
}

/// Columns are only understood within one line.
fn position(finding: &Finding, places: &Places) -> String {
    let path = escape::workflow_property(places.path(finding.primary));
    let Region { start, end } = places.region(finding.primary);
    if start.line == end.line {
        format!(
            "file={path},line={},col={},endLine={},endColumn={}",
            start.line, start.column, end.line, end.column
        )
    } else {
        format!("file={path},line={},endLine={}", start.line, end.line)
    }
}

fn message(finding: &Finding, places: &Places) -> String {
    let mut lines = vec![escape::line(&finding.message).into_owned()];
    lines.extend(chain::lines(finding, places));
    lines.extend(finding.via.iter().map(|via| format!("reached via {}", via::line(via, places))));
    lines.push(format!("help: {}", escape::line(finding.help())));
    lines.join("\n")
}
