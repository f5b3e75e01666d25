//! What speaks for the comm layer: folders and files with a name of one, and files with comm handlers.

use std::collections::BTreeMap;

use camino::Utf8Path;

use super::folders::literal;
use super::lines::Line;
use super::reasons::Part;
use super::survey::{Evidence, Files};
use crate::catalog::EffectKind;
use crate::config::{Layer, Layers};
use crate::report;

/// The lines, those that are set first, and whether each is in the layer by its name today.
pub fn comm(files: &Files) -> Vec<(Line, bool)> {
    let named = Layers::default();
    let mut units: BTreeMap<String, Evidence> = BTreeMap::new();
    for (path, evidence) in files {
        if evidence.is_named_comm {
            units.entry(unit(path, &named)).or_default().add(evidence);
        } else if !evidence.handlers.is_empty() {
            units.entry(literal(path)).or_default().add(evidence);
        }
    }
    let line = |(entry, evidence): (String, Evidence)| {
        let is_set = evidence.is_named_comm && is_gated(&evidence);
        let line = Line { entry, why: why(&evidence), is_set, files: evidence.files };
        (line, evidence.is_named_comm)
    };
    let mut lines: Vec<(Line, bool)> = units.into_iter().map(line).collect();
    lines.sort_by_key(|(line, _)| !line.is_set);
    lines
}

/// A list with a line that is set replaces the default globs; one without leaves them as they are.
pub fn dropped(comm: &[(Line, bool)]) -> Vec<String> {
    let replaces = comm.iter().any(|(line, _)| line.is_set);
    let lost = comm.iter().filter(|(line, is_named)| replaces && !line.is_set && *is_named);
    lost.map(|(line, _)| line.entry.clone()).collect()
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

fn why(evidence: &Evidence) -> Vec<Part> {
    let mut parts = vec![Part::new(report::counted(evidence.files, "file"))];
    if let Some(callees) = evidence.calls.get(&EffectKind::Network) {
        let count = evidence.count(EffectKind::Network);
        parts.push(Part::naming(report::counted(count, "network call"), callees.keys()));
    }
    for (names, noun) in [(&evidence.gates, "phase gate"), (&evidence.handlers, "comm handler")] {
        let part = || Part::naming(report::counted(names.len(), noun), names);
        parts.extend((!names.is_empty()).then(part));
    }
    if evidence.behind_handlers > 0 {
        let functions = report::counted(evidence.behind_handlers, "function");
        parts.push(Part::new(format!("{functions} behind comm handlers")));
    }
    if !is_gated(evidence) {
        parts.push(Part::new("but no gate, and no comm handler leads there"));
    }
    parts
}
