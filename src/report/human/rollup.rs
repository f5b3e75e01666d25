//! Findings that are not drawn: one line per file, calls under the imports that make them possible.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::sections::ByFile;
use super::summary::{has_entry_points, wrapped};
use super::wrap::Lines;
use crate::finding::Finding;
use crate::report::escape;
use crate::report::numbers::counted;
use crate::report::order::View;
use crate::report::paint::Paint;
use crate::report::places::Places;
use crate::source::FileId;

/// Places named per rule and file; the others are counted.
const MAX_PLACES: usize = 8;
/// Files named; the others are counted.
const MAX_FILES: usize = 20;

/// How lists are written.
pub struct List<'a, 'o> {
    pub places: &'a Places<'o>,
    pub paint: Paint,
    pub width: usize,
    /// No limit to the number of files.
    pub full: bool,
}

impl List<'_, '_> {
    pub fn write(&self, head: &str, files: &ByFile, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n", self.paint.bold(head))?;
        let listed = fullest(files, if self.full { usize::MAX } else { MAX_FILES });
        for (_, rules) in files.iter().filter(|(file, _)| listed.contains(file)) {
            writeln!(out, "{}", file(rules, self.places, self.paint, self.width))?;
        }
        let left = files.iter().filter(|(file, _)| !listed.contains(file)).map(|(_, rules)| findings(rules));
        let left: Vec<usize> = left.collect();
        if !left.is_empty() {
            let (files, findings) = (counted(left.len(), "more file"), counted(left.iter().sum(), "finding"));
            writeln!(out, "  and {files} with {findings} (`--full` lists them)")?;
        }
        Ok(())
    }
}

/// The files with most findings, errors first.
fn fullest(files: &ByFile, limit: usize) -> BTreeSet<FileId> {
    let mut order: Vec<FileId> = files.keys().copied().collect();
    order.sort_by_key(|file| {
        let worst = files[file].values().flatten().map(|finding| finding.severity).max();
        Reverse((worst, findings(&files[file])))
    });
    order.into_iter().take(limit).collect()
}

fn findings(rules: &BTreeMap<&str, Vec<&Finding>>) -> usize {
    rules.values().map(Vec::len).sum()
}

/// What is known of findings that were listed.
pub fn note(text: &str, width: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{}\n", wrapped("", text, width))
}

/// The same of those that no agent is known to reach. Without any entry point, a hint says so.
pub fn unreached(view: &View) -> String {
    let unreached = match has_entry_points(&view.outcome.coverage) {
        true => "no planning function, tool or comm handler is known to reach them; ",
        false => "",
    };
    format!("{unreached}`gatelint explain RULE` says what to do")
}

/// `atlas/a.py: GL101 line 3 (requests), GL102 lines 10, 20 (requests.get)`.
fn file(rules: &BTreeMap<&str, Vec<&Finding>>, places: &Places, paint: Paint, width: usize) -> String {
    let mut lines = Lines::new("  ", "      ", width);
    let first = rules.values().flatten().next().map(|finding| places.path(finding.primary));
    let path = escape::line(first.unwrap_or_default()).into_owned();
    lines.piece(&format!("{path}:"), &format!("{}:", paint.bold(&path)));
    for (nth, (rule, findings)) in rules.iter().enumerate() {
        let severity = findings.iter().map(|finding| finding.severity).max();
        let painted = severity.map_or_else(|| (*rule).to_owned(), |severity| paint.severity(severity, rule));
        let mut pieces = named_lines(findings, places);
        if nth + 1 < rules.len() {
            pieces.last_mut().into_iter().for_each(|last| last.push(','));
        }
        let mut pieces = pieces.into_iter();
        // The rule and its first place stay together.
        let head = pieces.next().unwrap_or_default();
        lines.piece(&format!("{rule} {head}"), &format!("{painted} {head}"));
        pieces.for_each(|piece| lines.piece(&piece, &piece));
    }
    lines.text
}

/// `lines 10,`, `20 ×2 (requests.get),`, `31 (socket.socket)`: a name stands behind the last of the lines it is for.
fn named_lines(findings: &[&Finding], places: &Places) -> Vec<String> {
    let mut all: Vec<(u32, Option<&str>, usize)> = Vec::new();
    for (line, name) in findings.iter().map(|finding| (places.line(finding.primary), name(finding))) {
        match all.last_mut() {
            Some(last) if (last.0, last.1) == (line, name) => last.2 += 1,
            _ => all.push((line, name, 1)),
        }
    }
    let word = if all.len() == 1 { "line " } else { "lines " };
    let shown = all.len().min(MAX_PLACES);
    let mut pieces = Vec::new();
    for (nth, (line, name, times)) in all[..shown].iter().enumerate() {
        let times = if *times > 1 { format!(" ×{times}") } else { String::new() };
        let mut piece = format!("{}{line}{times}", if nth == 0 { word } else { "" });
        let next = all[..shown].get(nth + 1);
        if let Some(name) = name.filter(|name| next.is_none_or(|(_, next, _)| *next != Some(*name))) {
            piece += &format!(" ({})", escape::line(name));
        }
        piece += if next.is_some() { "," } else { "" };
        pieces.push(piece);
    }
    let left: usize = all[shown..].iter().map(|(.., times)| times).sum();
    if left > 0 {
        pieces.push(format!("and {left} more"));
    }
    pieces
}

/// What is called, imported or set, where the rule captures it.
fn name(finding: &Finding) -> Option<&str> {
    ["callee", "module", "name"].iter().find_map(|name| finding.captures.get(name)).map(String::as_str)
}
