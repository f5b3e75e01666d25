//! The `concise` format: one line a finding, for editors, for `grep` and for a first look.

use std::io::{self, Write};

use super::order::View;
use super::paint::Paint;
use super::places::Places;
use super::{ReportOptions, escape, totals};
use crate::explain;
use crate::finding::Finding;

pub fn write(view: &View, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let places = Places::new(view.outcome);
    let paint = Paint { color: options.color };
    if options.statistics {
        totals::per_rule(view, out)?;
    } else {
        for finding in &view.shown {
            writeln!(out, "{}", line(finding, &places, paint))?;
        }
    }
    for gap in totals::gaps(view) {
        writeln!(out, "{gap}")?;
    }
    for (what, count) in totals::unlisted(view) {
        writeln!(out, "{what}: {count}")?;
    }
    writeln!(out, "{}", totals::verdict(view, paint))?;
    out.flush()
}

/// `atlas/planner.py:41:19: error[GL201] message`.
fn line(finding: &Finding, places: &Places, paint: Paint) -> String {
    let at = places.region(finding.primary).start;
    let path = paint.bold(&escape::line(places.path(finding.primary)));
    let kind = format!("{}[{}]", explain::severity(finding.severity), finding.rule.id);
    let kind = paint.severity(finding.severity, &kind);
    let message = escape::line(&finding.message);
    let unsure = super::confidence(finding.confidence);
    format!("{path}:{}:{}: {kind} {message}{unsure}", at.line, at.column)
}
