//! The inventory as a Markdown table, for a pull request or a wiki. What stands in a cell is text of the scanned tree.

use std::io::{self, Write};

use super::{at, counted, gaps, kind, told, totals};
use crate::finding::Outcome;
use crate::inventory::{Chosen, Class, Listed, Reached};
use crate::report::confidence;
use crate::report::escape;
use crate::report::places::Places;

const HEAD: &str = "\
| name | kind | framework | handler | registered | effects | gates | class |
|---|---|---|---|---|---|---|---|";

pub fn write(outcome: &Outcome, listed: &[Listed], places: &Places, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# Commands and tools\n\n{}.\n", totals(outcome, listed))?;
    if let Some(gaps) = gaps(outcome) {
        writeln!(out, "**{gaps}.**\n")?;
    }
    if !listed.is_empty() {
        writeln!(out, "{HEAD}")?;
    }
    for known in listed {
        writeln!(out, "{}", row(known, places))?;
    }
    out.flush()
}

fn row(known: &Listed, places: &Places) -> String {
    let effects: Vec<String> = told(&known.effects).flat_map(|told| effects_of(told, places)).collect();
    let open = (known.unresolved > 0).then(|| format!("{} not resolved", counted(known.unresolved, "call")));
    let gates: Vec<String> = known.gates.iter().map(|gate| escape::markdown_code(gate)).collect();
    let cells = [
        known.name.as_deref().map(escape::markdown_code).unwrap_or_default(),
        kind(known.kind).to_owned(),
        known.framework.as_deref().map(escape::markdown).unwrap_or_default(),
        format!(
            "{} {}",
            escape::markdown_code(&known.function),
            escape::markdown(&at(known.handler, places))
        ),
        escape::markdown(&at(known.registered, places)),
        effects.into_iter().chain(open).collect::<Vec<_>>().join("<br>"),
        gates.join("<br>"),
        known.class.as_ref().map(class).unwrap_or_default(),
    ];
    format!("| {} |", cells.join(" | "))
}

fn class(class: &Class) -> String {
    format!("{}<br>{}", class.sensitivity.name(), escape::markdown(&class.reason.to_string()))
}

/// Those of one kind, and how many are left out.
fn effects_of((effects, left_out): (&[Reached], usize), places: &Places) -> Vec<String> {
    let more = (left_out > 0).then(|| format!("and {left_out} more"));
    effects.iter().map(|effect| effect_of(effect, places)).chain(more).collect()
}

/// Where it happens, and how it is reached.
fn effect_of(effect: &Reached, places: &Places) -> String {
    let gated = if effect.is_open() { ", **no gate**" } else { "" };
    let access = effect.access.map_or(String::new(), |access| format!(", {}", access.name()));
    let target = effect.target.as_ref().filter(|_| effect.is_chosen_by(Chosen::Caller));
    let argument = target.and_then(|target| target.argument.as_deref());
    let argument =
        argument.map_or(String::new(), |name| format!(", as {} says", escape::markdown_code(name)));
    let way = effect.steps.iter().map(|step| escape::markdown(&at(step.place, places)));
    let way = way.collect::<Vec<_>>().join(" → ");
    let (kind, callee) = (effect.kind.name(), escape::markdown_code(&effect.callee));
    format!("{kind}: {callee}{access}{argument}{gated}{}<br>{way}", confidence(effect.confidence))
}
