//! The inventory for a terminal: one row for each command or tool, and below it what runs and what that reaches.

use std::io::{self, Write};

use super::{at, gaps, kind, reached, told, totals};
use crate::finding::Outcome;
use crate::inventory::{Chosen, Listed, Reached, Target};
use crate::report::human::{Lines, entry_points};
use crate::report::places::Places;
use crate::report::{confidence, counted, escape};

/// Longer names push their row to the right.
const MAX_NAME: usize = 32;
const NO_NAME: &str = "(no constant name)";

pub fn write(
    outcome: &Outcome,
    listed: &[Listed],
    places: &Places,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let names = listed.iter().map(|known| name(known).chars().count());
    let names = names.filter(|length| *length <= MAX_NAME).max().unwrap_or(0);
    let frameworks = listed.iter().map(|known| framework(known).chars().count()).max().unwrap_or(0);
    for known in listed {
        let (name, framework) = (name(known), framework(known));
        let class = known.class.as_ref().map_or("unclassified", |class| class.sensitivity.name());
        let kind = kind(known.kind);
        let sure = confidence(known.confidence);
        writeln!(out, "{name:names$}  {kind:7}  {framework:frameworks$}  {class}{sure}")?;
        let place = at(known.handler, places);
        writeln!(out, "{}", field("runs", &format!("`{}` ({place})", escape::line(&known.function)), width))?;
        for other in &known.others {
            let text = format!("`{}` ({})", escape::line(&other.function), at(other.place, places));
            writeln!(out, "{}", field("also", &text, width))?;
        }
        writeln!(out, "{}", field("from", &at(known.registered, places), width))?;
        if let Some(reached) = reached(known, places) {
            writeln!(out, "{}", field("agent", &reached, width))?;
        }
        if let Some(class) = &known.class {
            let reason = escape::line(&class.reason.to_string()).into_owned();
            let text = format!("{}: {reason}{}", class.sensitivity.name(), confidence(class.confidence));
            writeln!(out, "{}", field("class", &text, width))?;
        }
        write_effects(known, places, width, out)?;
        if !known.gates.is_empty() {
            let gates: Vec<String> =
                known.gates.iter().map(|gate| format!("`{}`", escape::line(gate))).collect();
            writeln!(out, "{}", field("gates", &gates.join(", "), width))?;
        }
        if !known.unknown.is_empty() {
            let calls = known.unknown.iter().map(|library| {
                format!("`{}` ({})", escape::line(&library.callee), at(library.place, places))
            });
            let text = format!("not known what it does: {}", calls.collect::<Vec<_>>().join(", "));
            writeln!(out, "{}", field("calls", &text, width))?;
        }
        if known.unresolved > 0 {
            let text = format!("{} it reaches may run more than is known", unresolved(known));
            writeln!(out, "{}", field("open", &text, width))?;
        }
        writeln!(out)?;
    }
    if let Some(gaps) = gaps(outcome) {
        writeln!(out, "{gaps}")?;
    }
    match outcome.files.is_empty() {
        true => writeln!(out, "nothing was scanned")?,
        false => {
            let agent = entry_points(&outcome.coverage).map(|acts| format!("agent {acts}"));
            for text in agent.into_iter().chain([totals(outcome, listed)]) {
                let mut line = Lines::new("", "  ", width);
                line.words(&text);
                writeln!(out, "{}", line.text)?;
            }
        }
    }
    out.flush()
}

fn unresolved(known: &Listed) -> String {
    match known.unresolved {
        1 => "a call that".to_owned(),
        count => format!("{count} calls that"),
    }
}

fn name(known: &Listed) -> String {
    known.name.as_ref().map_or(NO_NAME.to_owned(), |name| escape::line(name).into_owned())
}

fn framework(known: &Listed) -> String {
    known.framework.as_ref().map_or("-".to_owned(), |name| escape::line(name).into_owned())
}

fn field(head: &str, text: &str, width: usize) -> String {
    let mut lines = Lines::new(&format!("    {head:9}"), "             ", width);
    lines.words(text);
    lines.text
}

fn write_effects(known: &Listed, places: &Places, width: usize, out: &mut dyn Write) -> io::Result<()> {
    for (effects, left_out) in told(&known.effects) {
        for effect in effects {
            writeln!(out, "{}", field(effect.kind.name(), &effect_of(effect, places), width))?;
        }
        if left_out > 0 {
            writeln!(out, "{}", field("", &format!("and {left_out} more"), width))?;
        }
    }
    Ok(())
}

fn effect_of(effect: &Reached, places: &Places) -> String {
    let gated = match effect.is_gated {
        true => ", behind a gate",
        false if effect.is_open() => ", no gate before it",
        false => "",
    };
    let access = effect.access.map_or(String::new(), |access| format!(", to {}", access.name()));
    let target = effect.target.as_ref().map_or(String::new(), target);
    let last = effect.steps.last().map_or(String::new(), |step| format!(" ({})", at(step.place, places)));
    let hops = match effect.steps.len() {
        0 | 1 => String::new(),
        calls => format!(", {} away", counted(calls - 1, "call")),
    };
    let sure = confidence(effect.confidence);
    format!("`{}`{last}{hops}{access}{target}{gated}{sure}", escape::line(&effect.callee))
}

/// Longer texts are cut.
const MAX_TEXT: usize = 40;

fn target(target: &Target) -> String {
    let shown = |text: &str| format!(", `{}`", escape::line(&escape::shortened(text, MAX_TEXT)));
    let text = target.text.as_deref().map(shown);
    match (target.of, &target.argument) {
        (Some(Chosen::Caller), Some(argument)) => format!(", as `{}` says", escape::line(argument)),
        (Some(Chosen::Workspace), _) => ", in the workspace".to_owned(),
        (Some(Chosen::Constant), _) => text.unwrap_or_default(),
        (Some(Chosen::Caller) | None, _) => String::new(),
    }
}
