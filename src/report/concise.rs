//! The `concise` format: one line a finding, for editors, for `grep` and for a first look.

use std::io::{self, Write};

use super::order::View;
use super::paint::Paint;
use super::places::Places;
use super::{ReportOptions, escape, gaps, totals};
use crate::explain;
use crate::finding::{Finding, Waived};

pub fn write(view: &View, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let places = Places::new(view.outcome);
    let paint = Paint { color: options.color };
    if options.statistics {
        totals::per_rule(view, out)?;
    } else {
        for finding in view.all() {
            writeln!(out, "{}", line(finding, &places, paint))?;
        }
        for waived in &view.outcome.waived {
            writeln!(out, "{}", waived_line(waived, &places))?;
        }
    }
    for gap in gaps::of_run(view.outcome) {
        writeln!(out, "{gap}")?;
    }
    for (what, count) in totals::unlisted(view) {
        writeln!(out, "{what}: {count}")?;
    }
    writeln!(out, "{}", totals::verdict(view, paint))?;
    out.flush()
}

/// `atlas/net.py:6:12: waived[GL102] health probe, loopback only`.
fn waived_line(waived: &Waived, places: &Places) -> String {
    let Waived { finding, reason, .. } = waived;
    let at = places.region(finding.primary).start;
    let path = escape::line(places.path(finding.primary));
    format!("{path}:{}:{}: waived[{}] {}", at.line, at.column, finding.rule.id, escape::line(reason))
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
