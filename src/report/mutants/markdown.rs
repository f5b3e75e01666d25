//! Mutants as Markdown tables, for a pull request or a wiki: how many changes of each kind of guard are noticed, and every
//! survivor. What stands in a cell is text of the scanned tree.

use std::io::{self, Write};

use super::{CHANGES, at, gaps, table, totals, uncounted};
use crate::finding::Outcome;
use crate::mutation::{Trial, Tried};
use crate::report::escape;
use crate::report::places::Places;

const SURVIVORS: &str = "| survivor | guard | in | change |\n|---|---|---|---|";

pub fn write(outcome: &Outcome, tried: &Tried, places: &Places, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# Mutated guards\n\n{}.\n", totals(tried))?;
    counts(tried, out)?;
    if tried.survivors().next().is_some() {
        writeln!(out, "{SURVIVORS}")?;
    }
    for trial in tried.survivors() {
        writeln!(out, "{}", row(trial, places))?;
    }
    for gap in gaps(outcome, tried) {
        writeln!(out, "\n{}.", escape::markdown(&gap))?;
    }
    out.flush()
}

/// Killed of all, by kind of guard and change.
fn counts(tried: &Tried, out: &mut dyn Write) -> io::Result<()> {
    if tried.trials.is_empty() {
        return Ok(());
    }
    let heads: Vec<&str> = CHANGES.iter().map(|change| change.name()).collect();
    writeln!(out, "| killed of all | {} |\n|---|{}", heads.join(" | "), "---|".repeat(heads.len()))?;
    for (kind, changes) in table(tried) {
        let cell = |change| {
            changes.get(change).map_or_else(|| "–".to_owned(), |(killed, all)| format!("{killed}/{all}"))
        };
        let cells: Vec<String> = CHANGES.iter().map(cell).collect();
        writeln!(out, "| {} | {} |", kind.name(), cells.join(" | "))?;
    }
    writeln!(out)
}

fn row(trial: &Trial, places: &Places) -> String {
    let note = uncounted(&trial.fate).map_or(String::new(), |rules| format!(" (only {rules})"));
    let cells = [
        escape::markdown(&at(trial.place, places)),
        format!("{} {}", trial.kind.name(), escape::markdown_code(&trial.name)),
        escape::markdown_code(&trial.within),
        format!("{}{note}", trial.change.name()),
    ];
    format!("| {} |", cells.join(" | "))
}
