//! Findings that are not drawn: one line per file, calls under the imports that make them possible.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::sections::{ByFile, Entry};
use super::summary::{has_entry_points, wrapped};
use super::wrap::Lines;
use crate::catalog::EffectKind;
use crate::finding::{Confidence, Finding, Place, Severity};
use crate::report::escape;
use crate::report::numbers::counted;
use crate::report::order::View;
use crate::report::paint::Paint;
use crate::report::places::Places;
use crate::report::rank;
use crate::source::FileId;

/// Places named per rule and file; the others are counted.
const MAX_PLACES: usize = 8;
/// The same where only an example is wanted.
const MAX_BEGINNING: usize = 2;
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
            writeln!(out, "{}", file(rules, self))?;
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

impl List<'_, '_> {
    /// `GL102 atlas/a.py:10, :20 (requests.get)`.
    fn places_of(&self, head: &str, findings: &[&Finding], with_name: bool, limit: usize) -> String {
        let mut lines = Lines::new(head, "          ", self.width);
        let Some(first) = findings.first() else { return String::new() };
        let severity = findings.iter().map(|finding| finding.severity).max();
        let rule = &first.rule.id;
        let painted = severity.map_or_else(|| rule.clone(), |severity| self.paint.severity(severity, rule));
        lines.piece(rule, &painted);
        if with_name {
            lines.piece(&first.rule.name, &first.rule.name);
        }
        named_lines(findings, self.places, limit).into_iter().for_each(|piece| lines.piece(&piece, &piece));
        lines.text
    }

    /// What an entry point leads to as well, of one rule.
    pub fn beside(&self, findings: &[&Finding]) -> String {
        let is_certain = findings.iter().all(|finding| finding.confidence == Confidence::High);
        let also = if is_certain { "also" } else { "perhaps also" };
        let effect = findings.first().and_then(|finding| rank::reaches(finding));
        let head = match effect {
            Some(EffectKind::Process) => format!("  {also} starts a process: "),
            Some(kind) => format!("  {also} reaches {}: ", kind.noun()),
            None => format!("  {also} "),
        };
        self.places_of(&head, findings, effect.is_none(), MAX_PLACES)
    }

    /// Of one rule, with the places where it begins.
    pub fn smell(&self, findings: &[&Finding]) -> String {
        self.places_of("  ", findings, true, if self.full { usize::MAX } else { MAX_BEGINNING })
    }

    /// `tool `search` (tools.py:3): GL414 tools.py:5`.
    pub fn entry(&self, entry: &Entry<'_>) -> String {
        let via = entry.via;
        let mut lines = Lines::new("  ", "      ", self.width);
        let at = format!("{}:{}", escape::line(self.places.path(via.at)), self.places.line(via.at));
        lines.words(&format!("{} `{}` {at}:", via.kind.noun(), escape::line(&via.name)));
        let mut rules: Vec<(&str, usize, Severity)> = Vec::new();
        for finding in entry.listed.iter().flatten() {
            match rules.iter_mut().find(|(rule, ..)| *rule == finding.rule.id) {
                Some((_, count, worst)) => (*count, *worst) = (*count + 1, finding.severity.max(*worst)),
                None => rules.push((&finding.rule.id, 1, finding.severity)),
            }
        }
        for (nth, &(rule, count, severity)) in rules.iter().enumerate() {
            let times = if count > 1 { format!(" ×{count}") } else { String::new() };
            let comma = if nth + 1 < rules.len() { "," } else { "" };
            let painted = self.paint.severity(severity, rule);
            lines.piece(&format!("{rule}{times}{comma}"), &format!("{painted}{times}{comma}"));
        }
        lines.text
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
        true => "no tool, comm handler or planning function is known to reach them; ",
        false => "",
    };
    format!("{unreached}`gatelint explain RULE` says what to do")
}

/// `atlas/a.py:10 GL102 (requests.get), :20 GL102 …`: one line a rule, the first place as an editor opens it.
fn file(rules: &BTreeMap<&str, Vec<&Finding>>, list: &List<'_, '_>) -> String {
    let lines = rules.values().map(|findings| list.places_of("  ", findings, false, MAX_PLACES));
    lines.collect::<Vec<_>>().join("\n")
}

/// `10 (requests.get)`, `20 ×2`, `and 3 more`: a name stands behind the last of the lines it is for.
fn named_lines(findings: &[&Finding], places: &Places, limit: usize) -> Vec<String> {
    let mut all: Vec<(Place, u32, Option<&str>, usize)> = Vec::new();
    for finding in findings {
        let (at, line, name) = (finding.primary, places.line(finding.primary), name(finding));
        match all.last_mut() {
            Some(last) if (last.0.file, last.1, last.2) == (at.file, line, name) => last.3 += 1,
            _ => all.push((at, line, name, 1)),
        }
    }
    let shown = all.len().min(limit);
    let mut pieces = Vec::new();
    for (nth, (at, line, name, times)) in all[..shown].iter().enumerate() {
        let same = nth > 0 && all[nth - 1].0.file == at.file;
        let times = if *times > 1 { format!(" ×{times}") } else { String::new() };
        let path = if same { String::new() } else { escape::line(places.path(*at)).into_owned() };
        let mut piece = format!("{path}:{line}{times}");
        let next = all[..shown].get(nth + 1);
        if let Some(name) = name.filter(|name| next.is_none_or(|next| next.2 != Some(*name))) {
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
