//! What the human report shows whole and what it rolls up, and in which order: what an agent reaches first, paths before
//! single places, calls under the import that makes them possible.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::finding::{Finding, Place, Severity};
use crate::report::order::View;
use crate::source::FileId;

/// So few findings are worth their space, reachable or not.
const FEW: usize = 5;

pub struct Sections<'a> {
    pub reachable: Vec<Group<'a>>,
    /// Those that no agent is known to reach, if they are few.
    pub rest: Vec<Group<'a>>,
    /// Those, if they are many: by file, then by rule.
    pub rolled_up: BTreeMap<FileId, BTreeMap<&'a str, Vec<&'a Finding>>>,
}

/// Findings of one rule that end at the same place: the first is drawn, the others differ only in where they begin.
pub struct Group<'a> {
    pub first: &'a Finding,
    pub also: Vec<&'a Finding>,
}

impl<'a> Sections<'a> {
    pub fn new(view: &View<'a>) -> Self {
        let (reachable, rest): (Vec<_>, Vec<_>) =
            view.shown.iter().partition(|finding| finding.agent_reachable);
        let reachable = groups(reachable);
        if rest.len() <= FEW {
            return Self { reachable, rest: groups(rest), rolled_up: BTreeMap::new() };
        }
        let mut rolled_up: BTreeMap<_, BTreeMap<_, Vec<_>>> = BTreeMap::new();
        for finding in rest {
            let rules = rolled_up.entry(finding.primary.file).or_default();
            rules.entry(finding.rule.id.as_str()).or_default().push(finding);
        }
        Self { reachable, rest: Vec::new(), rolled_up }
    }
}

/// How many findings they hold.
pub fn count(groups: &[Group]) -> usize {
    groups.iter().map(|group| 1 + group.also.len()).sum()
}

/// Paths tell most, so they come first; those of warnings wait until the other red lines are told.
fn groups(findings: Vec<&Finding>) -> Vec<Group<'_>> {
    let (paths, places): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| !finding.steps.is_empty());
    let (mut groups, warnings): (Vec<_>, Vec<_>) =
        by_end(paths).into_iter().partition(|group| group.first.severity == Severity::Error);
    groups.extend(by_file(places).into_iter().map(|first| Group { first, also: Vec::new() }));
    groups.extend(warnings);
    groups
}

/// Worst first; what equals in that keeps the order of the outcome.
fn by_end(mut paths: Vec<&Finding>) -> Vec<Group<'_>> {
    paths.sort_by_key(|finding| Reverse((finding.severity, finding.confidence)));
    let mut groups: Vec<Group> = Vec::new();
    let mut known: BTreeMap<(&str, Option<Place>), usize> = BTreeMap::new();
    for finding in paths {
        let end = finding.steps.last().map(|step| step.place);
        let at = *known.entry((finding.rule.id.as_str(), end)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.also.push(finding),
            None => groups.push(Group { first: finding, also: Vec::new() }),
        }
    }
    groups
}

/// The files with the worst first.
fn by_file(places: Vec<&Finding>) -> Vec<&Finding> {
    let mut files: BTreeMap<FileId, Vec<&Finding>> = BTreeMap::new();
    for finding in places {
        files.entry(finding.primary.file).or_default().push(finding);
    }
    let mut files: Vec<_> = files.into_values().collect();
    files.sort_by_key(|file| Reverse(file.iter().map(|finding| finding.severity).max()));
    files.into_iter().flat_map(under_imports).collect()
}

/// Calls below the import they go through, the rest by position.
fn under_imports(mut file: Vec<&Finding>) -> Vec<&Finding> {
    let imports: Vec<_> = file.iter().filter(|finding| module(finding).is_some()).copied().collect();
    file.sort_by_key(|finding| {
        let head = import_of(finding, &imports).unwrap_or(finding);
        (head.primary.span, module(finding).is_none(), finding.primary.span)
    });
    file
}

/// The last import of the call's module above it; if there is none, the first below.
fn import_of<'a>(finding: &Finding, imports: &[&'a Finding]) -> Option<&'a Finding> {
    let callee = finding.captures.get("callee")?;
    let opens = |import: &&&Finding| {
        let rest = module(import).and_then(|module| callee.strip_prefix(module));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let above = |import: &&&Finding| import.primary.span <= finding.primary.span;
    let found = imports.iter().filter(opens).rfind(above).or_else(|| imports.iter().find(opens));
    found.copied()
}

fn module(finding: &Finding) -> Option<&str> {
    finding.captures.get("module").map(String::as_str)
}
