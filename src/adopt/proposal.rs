//! From a survey to a commented `gatelint.toml`. A line is set where behaviour speaks for it (a gate, a comm handler, a program,
//! a folder of which most files do the same); where only a name or a count does, it stands there as a comment for a person to
//! decide.

use std::collections::BTreeSet;

use super::comm::{comm, dropped};
use super::folders::{MIN_FILES, MIN_PERCENT};
use super::layers::{operator, reaching};
use super::lines::{About, Line, list};
use super::offered::offered;
use super::reasons::{MAX_CHARS, Part, fitted};
use super::survey::Survey;
use super::workspace::{Own, own_folders};
use crate::catalog::EffectKind;
use crate::config::Layer;
use crate::report;

/// So many gates are named.
const MAX_GATES: usize = 5;

/// A configuration, and what it takes out of the comm layer.
pub struct Proposal {
    pub text: String,
    /// Globs of what is in the comm layer by its name until this is written, and not afterwards.
    pub dropped: Vec<String>,
}

/// What the survey speaks for.
pub fn proposal(survey: &Survey) -> Proposal {
    let mut comm = comm(&survey.files);
    comm.iter_mut().for_each(|(line, _)| leave_some(line, survey));
    let dropped = dropped(&comm);
    let head = format!("{HEAD}{}\n[layers]\n", offered(&survey.tools));
    let replaced = if dropped.is_empty() { "" } else { DROPPED };
    let comm = comm.into_iter().map(|(line, _)| line).collect();
    let storage = reaching(&survey.files, EffectKind::Storage, "storage");
    let llm = reaching(&survey.files, EffectKind::Llm, "model provider");
    let layers = [
        (Layer::Comm, COMM.to_owned(), "\"agent/comm/**\"", comm),
        (Layer::Operator, OPERATOR.to_owned(), "\"agent/cli.py\"", operator(&survey.files)),
        (Layer::Storage, most("May open databases"), "\"agent/store/**\"", storage),
        (Layer::Llm, most("Talks to model providers"), "\"agent/models/**\"", llm),
    ];
    let layers = layers.map(|(layer, head, example, mut lines)| {
        lines.iter_mut().for_each(|line| leave_some(line, survey));
        list(&About { key: layer.name(), head, example }, &lines) + "\n"
    });
    let text = [head, replaced.to_owned(), layers.concat(), workspace(survey), gates(survey)].concat();
    Proposal { text, dropped }
}

const HEAD: &str = "\
# Proposed by `gatelint init` from what the code does. Read the reasons, keep what is right: whatever is in a layer may
# do there what others may not. Lines behind `#` are for you to decide. `gatelint check` shows what follows from it.
#
";
const DROPPED: &str = "\
# The list below replaces the default globs. What is behind `#` in it is in the comm layer by its name today and counts
# as code of the agent from now on, so `gatelint check` reports more there. Take the `#` away to leave it as it is.
";
const COMM: &str =
    "The sanctioned channel to the outside world: its gates, its handlers and the calls behind them.";
const OPERATOR: &str = "Run by people, not by the agent: what a program of the project begins with.";
const OWN: &str =
    "Folders outside the tree in which files may be touched: those that carry the project's name.";

fn most(what: &str) -> String {
    format!(
        "{what}. Set: folders of which {MIN_FILES} files or more do, and {MIN_PERCENT} % of those that reach outside."
    )
}

/// A line that exempts everything is a mistake.
fn leave_some(line: &mut Line, survey: &Survey) {
    if line.is_set && line.files == survey.files.len() {
        line.is_set = false;
        line.why.insert(0, Part::new("all code that there is"));
    }
}

/// The table has a head only with a line that is set.
fn workspace(survey: &Survey) -> String {
    let line = |(entry, own): (String, Own)| {
        let accesses = match own.access.count {
            1 => "1 file access".to_owned(),
            count => format!("{count} file accesses"),
        };
        let is_set = own.is_clear();
        let mut why = vec![Part::naming(accesses, &own.access.callees)];
        if !own.is_named {
            why.insert(0, Part::new("its name is only similar"));
        }
        Line { entry, why, is_set, files: 0 }
    };
    let lines: Vec<Line> = own_folders(survey).into_iter().map(line).collect();
    let off = if lines.iter().any(|line| line.is_set) { "" } else { "# " };
    let about = About { key: "paths", head: OWN.to_owned(), example: "\"~/.agent/**\"" };
    format!("{off}[workspace]\n{}\n", list(&about, &lines))
}

/// Nothing has to be set for what is recognised.
fn gates(survey: &Survey) -> String {
    let phase = kind_of_gate("phase", &survey.phase_gates, "agent.guards.require_execution");
    let action = kind_of_gate("action", &survey.action_gates, "agent.sentinel.judge");
    format!("{phase}\n{action}")
}

fn kind_of_gate(kind: &str, known: &BTreeSet<String>, example: &str) -> String {
    let said = match known.len() {
        0 => format!(
            "No {kind} gate was recognised; one of your own would be set like this:\n# check = [\"{example}\"]"
        ),
        count => {
            let counted = report::counted(count, &format!("{kind} gate"));
            let names: Vec<String> = known.iter().map(|path| end(path)).collect();
            let part = Part::naming(format!("recognised already: {counted}, nothing to set"), &names);
            fitted(&[part], MAX_GATES, MAX_CHARS)
        }
    };
    format!("# [gates.{kind}]\n# {said}\n")
}

/// The function and what it is in: as much of a path as the configuration needs.
fn end(path: &str) -> String {
    let mut dots = path.rmatch_indices('.').map(|(at, _)| at + 1);
    path[dots.nth(1).unwrap_or(0)..].to_owned()
}
