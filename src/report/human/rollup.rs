//! Findings that no agent is known to reach: one line per file, calls under the imports that make them possible.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::paint::Paint;
use crate::finding::Finding;
use crate::report::escape;
use crate::report::order::Split;
use crate::report::places::Places;

/// Lines named per rule and file; the others are counted.
const MAX_LINES: usize = 8;

pub fn write(split: &Split, places: &Places, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let files = &split.rolled_up;
    if files.is_empty() {
        return Ok(());
    }
    let findings: usize = files.values().flat_map(BTreeMap::values).map(Vec::len).sum();
    let what = if split.whole.is_empty() { counted(findings, "finding") } else { format!("{findings} more") };
    writeln!(out, "{}", paint.bold(&format!("{what} in {}", counted(files.len(), "file"))))?;
    writeln!(out, "  no planning function, handler or tool is known to reach them;")?;
    writeln!(out, "  `gatelint explain RULE` says what to do")?;
    for rules in files.values() {
        let first = rules.values().flatten().next().map(|finding| places.path(finding.primary));
        let path = escape::line(first.unwrap_or_default()).into_owned();
        writeln!(out, "  {}: {}", paint.bold(&path), line(rules, places, paint))?;
    }
    writeln!(out)
}

/// `GL101 line 3 (requests), GL102 lines 10, 20`.
fn line(rules: &BTreeMap<&str, Vec<&Finding>>, places: &Places, paint: Paint) -> String {
    let parts: Vec<_> = rules
        .iter()
        .map(|(rule, findings)| {
            let severity = findings.iter().map(|finding| finding.severity).max();
            let rule = severity.map_or_else(|| (*rule).to_owned(), |severity| paint.severity(severity, rule));
            format!("{rule} {}{}", lines(findings, places), modules(findings))
        })
        .collect();
    parts.join(", ")
}

fn lines(findings: &[&Finding], places: &Places) -> String {
    let mut lines: Vec<_> = findings.iter().map(|finding| places.line(finding.primary)).collect();
    lines.dedup();
    let shown: Vec<_> = lines.iter().take(MAX_LINES).map(u32::to_string).collect();
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let more = lines.len() - shown.len();
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{word} {}{rest}", shown.join(", "))
}

/// What is imported, where the rule captures it.
fn modules(findings: &[&Finding]) -> String {
    let mut modules: Vec<_> =
        findings.iter().filter_map(|finding| finding.captures.get("module")).map(String::as_str).collect();
    modules.sort_unstable();
    modules.dedup();
    if modules.is_empty() { String::new() } else { format!(" ({})", escape::line(&modules.join(", "))) }
}

/// `1 file`, `2 files`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
