//! Mutants for a terminal: every survivor with its place, then what was counted.

use std::io::{self, Write};

use super::{CHANGES, at, gaps, table, totals, uncounted};
use crate::finding::Outcome;
use crate::mutation::{Change, Tried};
use crate::report::human::Lines;
use crate::report::places::Places;
use crate::report::{counted, escape};

pub fn write(
    outcome: &Outcome,
    tried: &Tried,
    places: &Places,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    for trial in tried.survivors() {
        let mut lines = Lines::new("survived ", "    ", width);
        lines.words(&at(trial.place, places));
        lines.words(&format!("{} `{}`", trial.kind.name(), escape::line(&trial.name)));
        lines.words(&format!("in `{}`: {}", escape::line(&trial.within), trial.change.name()));
        if let Some(rules) = uncounted(&trial.fate) {
            lines.words(&format!("(only {rules}, which does not count here)"));
        }
        writeln!(out, "{}", lines.text)?;
    }
    if tried.survivors().next().is_some() {
        writeln!(out)?;
    }
    counts(tried, out)?;
    for gap in gaps(outcome, tried) {
        writeln!(out, "{gap}")?;
    }
    match (outcome.files.is_empty(), tried.trials.is_empty()) {
        (true, _) => writeln!(out, "nothing was scanned")?,
        (false, true) => writeln!(out, "no guard was found that could be changed")?,
        (false, false) => writeln!(out, "{}", totals(tried))?,
    }
    out.flush()
}

/// One line for each kind of guard: `phase gate  14 of 15 killed: removed 3/3, moved behind the effect 2/3`.
fn counts(tried: &Tried, out: &mut dyn Write) -> io::Result<()> {
    for (kind, changes) in table(tried) {
        let known = CHANGES.iter().filter_map(|change| Some((change, changes.get(change)?)));
        let parts: Vec<String> = known.map(|(change, cell)| part(*change, *cell)).collect();
        let all: usize = changes.values().map(|cell| cell.1).sum();
        let killed: usize = changes.values().map(|cell| cell.0).sum();
        writeln!(out, "{:17}  {killed} of {} killed", kind.name(), counted(all, "change"))?;
        writeln!(out, "{:17}  {}", "", parts.join(", "))?;
    }
    if !tried.trials.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

fn part(change: Change, (killed, all): (usize, usize)) -> String {
    format!("{} {killed}/{all}", change.code())
}
