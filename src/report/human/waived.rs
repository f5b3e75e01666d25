//! Findings that a waiver took back, one a line: what was waived, and the reason its author gave.

use std::io::{self, Write};

use super::wrap::Lines;
use crate::finding::Waived;
use crate::report::escape;
use crate::report::order::View;
use crate::report::paint::Paint;
use crate::report::places::Places;

/// At most so many; the others are counted, and in the `json` format.
const MAX_LISTED: usize = 50;

pub fn write(
    view: &View,
    places: &Places,
    paint: Paint,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let waived = &view.outcome.waived;
    if waived.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}\n", paint.bold(&format!("waived ({})", waived.len())))?;
    for one in waived.iter().take(MAX_LISTED) {
        writeln!(out, "{}", line(one, places, width))?;
    }
    if waived.len() > MAX_LISTED {
        writeln!(out, "  and {} more, all of them in `--format json`", waived.len() - MAX_LISTED)?;
    }
    writeln!(out)
}

/// `atlas/a.py:3: GL102 requests.get: health probe, loopback only`.
fn line(waived: &Waived, places: &Places, width: usize) -> String {
    let Waived { finding, reason, .. } = waived;
    let at = |place| format!("{}:{}", escape::line(places.path(place)), places.line(place));
    let mut line = Lines::new("  ", "      ", width);
    let mut head = format!("{}: {}", at(finding.primary), finding.rule.id);
    let names = ["function", "callee", "module"];
    if let Some(name) = names.iter().find_map(|name| finding.captures.get(name)) {
        head += &format!(" {}", escape::line(name));
    }
    if let Some(end) = finding.steps.last().filter(|end| end.place != finding.primary) {
        head += &format!(" (to {})", at(end.place));
    }
    line.words(&(head + ":"));
    line.words(&escape::line(reason));
    line.text
}
