//! One finding, whole: every call of its path with the reason why it is known, and the gates that would cut it. Read from
//! a report as the `json` format writes it, whether that was kept or has just been made.

use std::collections::BTreeMap;

use serde::Deserialize;
use thiserror::Error;

use crate::finding::{CLEANERS, Confidence};

/// The parts of a report that an explanation needs.
#[derive(Deserialize)]
struct Report {
    findings: Vec<Told>,
    #[serde(default)]
    waived: Vec<Told>,
    #[serde(default)]
    gates: Vec<Gate>,
}

#[derive(Deserialize)]
struct Told {
    rule: String,
    name: String,
    message: String,
    confidence: Confidence,
    location: Location,
    steps: Vec<Step>,
    fingerprint: String,
    #[serde(default)]
    captures: BTreeMap<String, String>,
    #[serde(default)]
    agent_reachable: bool,
    #[serde(default)]
    via: Option<Via>,
}

/// The way of an agent to the function that the finding is about.
#[derive(Deserialize)]
struct Via {
    kind: String,
    name: String,
    location: Location,
    calls: usize,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    number: usize,
    text: String,
    #[serde(default)]
    why: String,
    location: Location,
}

#[derive(Deserialize)]
struct Gate {
    name: String,
    location: Location,
}

#[derive(Deserialize)]
struct Location {
    path: String,
    start: Point,
}

#[derive(Deserialize)]
struct Point {
    line: u32,
}

/// Why a finding cannot be explained.
#[derive(Debug, Error)]
pub enum PathError {
    #[error("the report is not one that `--format json` writes: {0}")]
    Report(#[from] serde_json::Error),
    #[error("no finding has the fingerprint `{0}`; `gatelint check --format json` shows them")]
    Unknown(String),
    #[error("several findings have a fingerprint that begins with `{0}`; give more of it")]
    Ambiguous(String),
}

/// Explains the finding with this fingerprint, or the beginning of one.
pub fn path(report: &str, fingerprint: &str) -> Result<String, PathError> {
    let report: Report = serde_json::from_str(report)?;
    let all = report.findings.iter().chain(&report.waived);
    let found: Vec<&Told> = all.filter(|told| told.fingerprint.starts_with(fingerprint)).collect();
    let [told] = found[..] else {
        return Err(match found.is_empty() {
            true => PathError::Unknown(fingerprint.to_owned()),
            false => PathError::Ambiguous(fingerprint.to_owned()),
        });
    };
    Ok(page(told, &report.gates))
}

fn page(told: &Told, gates: &[Gate]) -> String {
    let mut page = format!(
        "{} {} ({} confidence)\n{}\n{}\n",
        told.rule,
        told.name,
        told.confidence.label(),
        place(&told.location),
        told.message
    );
    page += &reached(told);
    if told.steps.is_empty() {
        return page + "\nIt is seen at this one place.\n";
    }
    page += "\nPath:\n";
    page.extend(told.steps.iter().map(line));
    page + &match told.captures.get(CLEANERS) {
        Some(cleaners) => cleaned(cleaners),
        None => cuts(told, gates),
    }
}

/// How an agent gets there. Reports of older versions only say whether it does.
fn reached(told: &Told) -> String {
    let Some(via) = &told.via else {
        return match told.agent_reachable {
            true => "\nReachable by the agent.\n".to_owned(),
            false => "\nNo tool, comm handler or planning function is known to reach it.\n".to_owned(),
        };
    };
    let Via { kind, name, location, calls, steps } = via;
    let mut text = format!("\nReachable by the agent via {kind} `{name}` ({})", place(location));
    text += if steps.is_empty() { ".\n" } else { ":\n" };
    if let Some(more) = calls.checked_sub(steps.len()).filter(|more| *more > 0) {
        text += &format!("     {more} calls, and then\n");
    }
    text.extend(steps.iter().map(line));
    text
}

fn line(step: &Step) -> String {
    let mut line = format!("{:3}. {} {}\n", step.number, place(&step.location), step.text);
    if !step.why.is_empty() {
        line += &format!("     {}\n", step.why);
    }
    line
}

/// What would make the value harmless on its way.
fn cleaned(cleaners: &str) -> String {
    let mut text = "\nOne of these, on every way before the last step, ends the path:\n".to_owned();
    text += "     a test that leaves few values: a table or a list of your own, an enumeration, an anchored pattern\n";
    if !cleaners.is_empty() {
        text += &format!("     what makes it harmless: {cleaners}\n");
    }
    text + "     an approval or a gate of actions that decides before the call\n"
}

/// Which gates, and where.
fn cuts(told: &Told, gates: &[Gate]) -> String {
    let before = match &told.steps[..] {
        [only] => format!("step {}", only.number),
        steps => format!("any of the steps 1 to {}", steps.len()),
    };
    if gates.is_empty() {
        return format!(
            "\nThe project has no phase gate of its own. One that comes back only in the execution phase, passed on every \
             way before {before}, cuts the path.\n"
        );
    }
    let mut text = format!("\nOne of these gates, passed on every way before {before}, cuts the path:\n");
    for gate in gates {
        text += &format!("     `{}` ({})\n", gate.name, place(&gate.location));
    }
    text
}

fn place(location: &Location) -> String {
    format!("{}:{}", location.path, location.start.line)
}
