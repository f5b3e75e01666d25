//! What speaks for the other layers: programs for people, folders that open databases and folders that talk to model providers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;

use super::folders::{Candidate, candidates, literal};
use super::lines::Line;
use super::reasons::Part;
use super::survey::{Evidence, Files};
use crate::catalog::EffectKind;
use crate::report;

/// The files that programs begin in, those that are set first.
pub fn operator(files: &Files) -> Vec<Line> {
    let calls = files.values().map(all_calls).sum();
    let programs = files.iter().filter(|(_, evidence)| !evidence.programs.is_empty());
    let line = |(path, evidence): (&Utf8PathBuf, &Evidence)| {
        let doubt = doubt(evidence, calls);
        let is_set = doubt.is_none();
        let why = doubt.into_iter().chain(said(evidence)).collect();
        Line { entry: literal(path), why, is_set, files: 1 }
    };
    let mut lines: Vec<Line> = programs.map(line).collect();
    lines.sort_by_key(|line| !line.is_set);
    lines
}

/// What says that a file begins programs.
fn said(evidence: &Evidence) -> Vec<Part> {
    let mut by_source: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for program in &evidence.programs {
        by_source.entry(program.said).or_default().insert(program.name.clone());
    }
    let part = |(said, names): (&str, BTreeSet<String>)| {
        Part::naming(format!("{} {said}", report::counted(names.len(), "program")), &names)
    };
    by_source.into_iter().map(part).collect()
}

/// Why people may not be the only ones who run a file.
fn doubt(evidence: &Evidence, all: usize) -> Option<Part> {
    let doubts = [
        (evidence.tools, "tool", "registered here"),
        (evidence.handlers.len(), "comm handler", "here"),
        (evidence.count(EffectKind::Llm), "model provider call", "here"),
        (evidence.behind_tools, "function", "reached by tools"),
    ];
    if let Some((count, noun, what)) = doubts.into_iter().find(|(count, ..)| *count > 0) {
        return Some(Part::new(format!("{} {what}", report::counted(count, noun))));
    }
    (all_calls(evidence) * 2 > all).then(|| Part::new("most calls to the outside are here"))
}

fn all_calls(evidence: &Evidence) -> usize {
    EffectKind::ALL.iter().map(|&kind| evidence.count(kind)).sum()
}

/// The folders that reach for a kind of effect, and those that may be meant to.
pub fn reaching(files: &Files, kind: EffectKind, noun: &str) -> Vec<Line> {
    let line = |Candidate { glob, below, is_layer }: Candidate| {
        let evidence = &below.evidence;
        let calls = report::counted(evidence.count(kind), &format!("{noun} call"));
        let files = format!("{} of {}", below.of_kind, report::counted(below.calling, "file"));
        let what =
            format!("{calls} in {files} that reach{} outside", if below.calling == 1 { "es" } else { "" });
        let mut why = vec![Part::naming(what, &most_called(evidence, kind))];
        if evidence.tools > 0 {
            why.insert(0, Part::new(format!("{} here", report::counted(evidence.tools, "tool"))));
        }
        Line { entry: glob, why, is_set: is_layer, files: evidence.files }
    };
    candidates(files, kind).into_iter().map(line).collect()
}

/// What is called most often first.
fn most_called(evidence: &Evidence, kind: EffectKind) -> Vec<String> {
    let callees = match kind {
        EffectKind::Storage => Some(&evidence.opened),
        _ => evidence.calls.get(&kind),
    };
    let mut callees: Vec<(&String, &usize)> = callees.into_iter().flatten().collect();
    callees.sort_by_key(|(name, count)| (Reverse(**count), *name));
    callees.into_iter().map(|(name, _)| name.clone()).collect()
}
