//! From a survey to a commented `gatelint.toml`. A line is set where behaviour speaks for it (a gate, a comm handler, a
//! program); where only a name or a count does, it stands there as a comment for a person to decide.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::survey::{Evidence, Survey};
use crate::catalog::EffectKind;
use crate::config::{Layer, Layers};
use crate::report;

/// So many candidates are listed where nothing but counts speaks for them.
const MAX_CANDIDATES: usize = 5;
/// So many names are given as evidence.
const MAX_NAMES: usize = 3;

/// A glob with what speaks for it.
struct Line {
    glob: String,
    why: String,
    /// Set, or only written down.
    is_set: bool,
}

/// A configuration, and what it takes out of the comm layer.
pub struct Proposal {
    pub text: String,
    /// Globs of what is in the comm layer by its name until this is written, and not afterwards.
    pub dropped: Vec<String>,
}

/// What the survey speaks for.
pub fn proposal(survey: &Survey) -> Proposal {
    let mut text = HEAD.to_owned();
    let named = Layers::default();
    let comm = comm(survey, &named);
    let dropped = dropped(&comm);
    if !dropped.is_empty() {
        text += DROPPED;
    }
    section(&mut text, Layer::Comm, COMM, comm.into_iter().map(|(line, _)| line).collect());
    section(&mut text, Layer::Operator, OPERATOR, operator(survey));
    section(&mut text, Layer::Storage, STORAGE, most(survey, EffectKind::Storage, "storage"));
    section(&mut text, Layer::Llm, LLM, most(survey, EffectKind::Llm, "model provider"));
    Proposal { text, dropped }
}

const HEAD: &str = "\
# Proposed by `gatelint init` from what the code does. Read the reasons, keep what is right: whatever is in a layer may
# do there what others may not. Lines behind `#` are for you to decide. `gatelint check` shows what follows from it.

[layers]
";
/// What each layer is, and what a line of it looks like.
const COMM: (&str, &str) = (
    "The sanctioned channel to the outside world: its gates, its handlers and the calls behind them.",
    "\"agent/comm/**\"",
);
const OPERATOR: (&str, &str) =
    ("Run by people, not by the agent: what a program of the project begins with.", "\"agent/cli.py\"");
const STORAGE: (&str, &str) =
    ("May open databases. The folders with most of such calls:", "\"agent/store/**\"");
const LLM: (&str, &str) =
    ("Talks to model providers. The folders with most of such calls:", "\"agent/models/**\"");

fn section(text: &mut String, layer: Layer, (about, example): (&str, &str), lines: Vec<Line>) {
    let name = layer.name();
    *text += &format!("# {about}\n");
    if lines.is_empty() {
        // An empty list as an example would switch the default globs off once it is set.
        *text += &format!(
            "# Nothing was seen that speaks for one; it would be set like this:\n# {name} = [{example}]\n\n"
        );
        return;
    }
    // An empty list would switch the default globs off.
    let off = if lines.iter().any(|line| line.is_set) { "" } else { "# " };
    *text += &format!("{off}{name} = [\n");
    for Line { glob, why, is_set } in lines {
        let mark = if is_set { "" } else { "# " };
        // What JSON writes without control characters is a string of TOML.
        let glob = serde_json::Value::String(glob).to_string();
        *text += &format!("    {mark}{glob},  # {}\n", report::escape_line(&why));
    }
    *text += &format!("{off}]\n\n");
}

const DROPPED: &str = "\
# The list below replaces the default globs. What is behind `#` in it is in the comm layer by its name today and counts
# as code of the agent from now on, so `gatelint check` reports more there. Take the `#` away to leave it as it is.
";

/// A list with a line that is set replaces the default globs; one without leaves them as they are.
fn dropped(comm: &[(Line, Evidence)]) -> Vec<String> {
    let replaces = comm.iter().any(|(line, _)| line.is_set);
    let lost = |(line, evidence): &&(Line, Evidence)| replaces && !line.is_set && evidence.is_named_comm;
    comm.iter().filter(lost).map(|(line, _)| line.glob.clone()).collect()
}

/// Folders and files with a name of a comm layer, and files with comm handlers.
fn comm(survey: &Survey, named: &Layers) -> Vec<(Line, Evidence)> {
    let mut units: BTreeMap<String, Evidence> = BTreeMap::new();
    for (path, evidence) in survey {
        if evidence.is_named_comm {
            units.entry(unit(path, named)).or_default().add(evidence);
        } else if !evidence.handlers.is_empty() {
            units.entry(literal(path)).or_default().add(evidence);
        }
    }
    let mut lines: Vec<(Line, Evidence)> = units
        .into_iter()
        .map(|(glob, evidence)| {
            let is_set = evidence.is_named_comm && is_gated(&evidence);
            (Line { glob, why: comm_evidence(&evidence), is_set }, evidence)
        })
        .collect();
    lines.sort_by_key(|(line, _)| !line.is_set);
    lines
}

/// What a name alone is not: somebody asks for the phase there, or what is there runs for a `comm.*` command.
fn is_gated(evidence: &Evidence) -> bool {
    !evidence.gates.is_empty() || !evidence.handlers.is_empty() || evidence.behind_handlers > 0
}

/// The topmost folder whose name alone makes it comm, or else the file.
fn unit(path: &Utf8Path, named: &Layers) -> String {
    let mut folders: Vec<&Utf8Path> = path.ancestors().skip(1).filter(|folder| *folder != "").collect();
    folders.reverse();
    let is_comm = |folder: &&&Utf8Path| named.of(&folder.join("x")).contains(Layer::Comm);
    folders.iter().find(is_comm).map_or_else(|| literal(path), |folder| format!("{}/**", literal(folder)))
}

fn comm_evidence(evidence: &Evidence) -> String {
    let mut parts = vec![report::counted(evidence.files, "file")];
    parts.extend(counted_calls(evidence, EffectKind::Network, "network"));
    parts.extend(names(&evidence.gates, "phase gate"));
    parts.extend(names(&evidence.handlers, "comm handler"));
    if evidence.behind_handlers > 0 {
        parts.push(format!("{} behind comm handlers", report::counted(evidence.behind_handlers, "function")));
    }
    if !is_gated(evidence) {
        parts.push("but no gate, and no comm handler leads there".to_owned());
    }
    parts.join(", ")
}

fn operator(survey: &Survey) -> Vec<Line> {
    let programs = survey.iter().filter(|(_, evidence)| !evidence.programs.is_empty());
    let line = |(path, evidence): (&Utf8PathBuf, &Evidence)| {
        let names = names(&evidence.programs, "program").unwrap_or_default();
        Line { glob: literal(path), why: format!("{names} of pyproject.toml"), is_set: true }
    };
    programs.map(line).collect()
}

/// The folders with most calls of a kind; somebody has to say whether they are meant to.
fn most(survey: &Survey, kind: EffectKind, noun: &str) -> Vec<Line> {
    let mut folders: BTreeMap<&Utf8Path, Evidence> = BTreeMap::new();
    for (path, evidence) in survey.iter().filter(|(_, evidence)| evidence.count(kind) > 0) {
        folders.entry(path.parent().unwrap_or(Utf8Path::new(""))).or_default().add(evidence);
    }
    let all: usize = folders.values().map(|evidence| evidence.count(kind)).sum();
    let mut folders: Vec<_> = folders.into_iter().collect();
    folders.sort_by_key(|(folder, evidence)| (std::cmp::Reverse(evidence.count(kind)), *folder));
    folders.truncate(MAX_CANDIDATES);
    let line = |(folder, evidence): (&Utf8Path, Evidence)| {
        let glob = if folder == "" { beside_root(survey, kind) } else { format!("{}/**", literal(folder)) };
        let calls = counted_calls(&evidence, kind, noun).unwrap_or_default();
        Line { glob, why: format!("{calls}, of {all} in all"), is_set: false }
    };
    folders.into_iter().map(line).collect()
}

/// `*.py`: the files at the top, by the extensions of those that have such calls.
fn beside_root(survey: &Survey, kind: EffectKind) -> String {
    let is_meant = |(path, evidence): &(&Utf8PathBuf, &Evidence)| {
        path.parent().is_none_or(|folder| folder == "") && evidence.count(kind) > 0
    };
    let extensions: BTreeSet<&str> =
        survey.iter().filter(is_meant).filter_map(|(path, _)| path.extension()).collect();
    let extensions: Vec<&str> = extensions.into_iter().collect();
    match extensions[..] {
        [] => "*".to_owned(),
        [only] => format!("*.{only}"),
        _ => format!("*.{{{}}}", extensions.join(",")),
    }
}

/// `12 network calls (requests.get, requests.post and 3 more)`.
fn counted_calls(evidence: &Evidence, kind: EffectKind, noun: &str) -> Option<String> {
    let callees = evidence.calls.get(&kind)?;
    let count = report::counted(evidence.count(kind), &format!("{noun} call"));
    Some(format!("{count} ({})", listed(callees.keys())))
}

fn names(names: &BTreeSet<String>, noun: &str) -> Option<String> {
    (!names.is_empty()).then(|| format!("{} ({})", report::counted(names.len(), noun), listed(names.iter())))
}

fn listed<'n>(names: impl ExactSizeIterator<Item = &'n String>) -> String {
    let more = names.len().saturating_sub(MAX_NAMES);
    let text = names.take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{text} and {more} more") } else { text }
}

/// A path as a glob that means nothing else.
fn literal(path: &Utf8Path) -> String {
    globset::escape(path.as_str())
}
