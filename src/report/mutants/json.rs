//! Mutants as JSON, version 1. Fields may be added within a version; none is renamed, removed or given another meaning.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::finding::Outcome;
use crate::mutation::{Fate, GuardKind, Trial, Tried};
use crate::report::json;
use crate::report::places::Places;

const VERSION: u32 = 1;

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    mutants: Vec<Mutant<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct Mutant<'a> {
    guard: &'static str,
    name: &'a str,
    function: &'a str,
    path: &'a str,
    line: u32,
    change: &'static str,
    /// The lines that differ.
    before: &'a str,
    after: &'a str,
    fate: &'static str,
    rules: &'a [String],
}

#[derive(Serialize)]
struct Summary {
    guards: usize,
    mutants: usize,
    killed: usize,
    survived: usize,
    /// By the reason.
    skipped: BTreeMap<&'static str, usize>,
    outside: usize,
    untried: usize,
    complete: bool,
}

pub fn write<'a>(
    outcome: &'a Outcome,
    tried: &'a Tried,
    places: &Places<'a>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mutants = tried.trials.iter().map(|trial| mutant(trial, places)).collect();
    json::write_value(&Report { version: VERSION, mutants, summary: summary(outcome, tried) }, out)
}

fn mutant<'a>(trial: &'a Trial, places: &Places<'a>) -> Mutant<'a> {
    let (fate, rules): (_, &[String]) = match &trial.fate {
        Fate::Killed(rules) => ("killed", rules),
        Fate::Incomplete => ("incomplete", &[]),
        Fate::Survived(rules) => ("survived", rules),
    };
    Mutant {
        guard: code(trial.kind),
        name: &trial.name,
        function: &trial.within,
        path: places.path(trial.place),
        line: places.line(trial.place),
        change: trial.change.code(),
        before: &trial.lines.0,
        after: &trial.lines.1,
        fate,
        rules,
    }
}

fn code(kind: GuardKind) -> &'static str {
    match kind {
        GuardKind::Phase => "phase",
        GuardKind::Attribution => "attribution",
        GuardKind::Fence => "fence",
        GuardKind::Audit => "audit",
        GuardKind::Declaration => "declaration",
        GuardKind::Action => "action",
        GuardKind::Bound(_) => "bound",
    }
}

fn summary(outcome: &Outcome, tried: &Tried) -> Summary {
    Summary {
        guards: tried.guards,
        mutants: tried.trials.len(),
        killed: tried.killed(),
        survived: tried.trials.len() - tried.killed(),
        skipped: tried.skipped.iter().map(|(skip, count)| (skip.code(), *count)).collect(),
        outside: tried.outside,
        untried: tried.untried,
        complete: tried.untried == 0 && outcome.is_complete(),
    }
}
