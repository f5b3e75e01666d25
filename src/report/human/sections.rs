//! What the human report shows whole and what it rolls up, and in which order: what an agent reaches first, paths before
//! single places, calls under the import that makes them possible.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Finding, Place, Severity};
use crate::report::order::View;
use crate::rule::Matcher;
use crate::source::FileId;

/// So few findings are worth their space, reachable or not.
const FEW: usize = 5;
/// So many are drawn whole; a reader who has seen these knows what the others look like.
const MAX_WHOLE: usize = 8;

/// Findings by file, then by rule.
pub type ByFile<'a> = BTreeMap<FileId, BTreeMap<&'a str, Vec<&'a Finding>>>;

/// Every finding that is shown stands in one of them, once.
pub struct Sections<'a> {
    pub reachable: Vec<Group<'a>>,
    /// What an agent reaches as well, if it is too much to be drawn.
    pub more: ByFile<'a>,
    /// Ways past a gate that begin where no agent is known to get.
    pub bypasses: Part<'a>,
    /// Everything else.
    pub rest: Part<'a>,
}

/// Findings that no agent is known to reach: drawn if they are few, listed if they are many.
pub struct Part<'a> {
    pub drawn: Vec<Group<'a>>,
    pub listed: ByFile<'a>,
}

/// Findings of one rule that end at the same place: the first is drawn, the others differ only in where they begin.
pub struct Group<'a> {
    pub first: &'a Finding,
    pub also: Vec<&'a Finding>,
}

impl<'a> Sections<'a> {
    /// `full`: draw everything that an agent reaches.
    pub fn new(view: &View<'a>, full: bool) -> Self {
        let (reachable, others): (Vec<_>, Vec<_>) =
            view.shown.iter().copied().partition(|finding| finding.is_reached());
        let (bypasses, rest) = others.into_iter().partition(|finding| passes_a_gate(finding));
        let (reachable, more) = worst(groups(reachable), if full { usize::MAX } else { MAX_WHOLE });
        let more = more.into_iter().flat_map(|group| [group.first].into_iter().chain(group.also));
        let mut more: Vec<&Finding> = more.collect();
        more.sort_by_key(|finding| finding.primary);
        let more = by_file_and_rule(more);
        Self { reachable, more, bypasses: Part::of(bypasses), rest: Part::of(rest) }
    }

    /// The finding that is shown before all others.
    pub fn first(&self) -> Option<&'a Finding> {
        let reached = self.reachable.first().map(|group| group.first);
        reached.or_else(|| self.bypasses.first()).or_else(|| self.rest.first())
    }
}

impl<'a> Part<'a> {
    fn of(findings: Vec<&'a Finding>) -> Self {
        match findings.len() <= FEW {
            true => Self { drawn: groups(findings), listed: ByFile::new() },
            false => Self { drawn: Vec::new(), listed: by_file_and_rule(findings) },
        }
    }

    fn first(&self) -> Option<&'a Finding> {
        let listed = || self.listed.values().flat_map(BTreeMap::values).flatten().next().copied();
        self.drawn.first().map(|group| group.first).or_else(listed)
    }

    pub fn count(&self) -> usize {
        count(&self.drawn) + count_listed(&self.listed)
    }
}

/// How many findings are listed.
pub fn count_listed(files: &ByFile) -> usize {
    files.values().flat_map(BTreeMap::values).map(Vec::len).sum()
}

/// True if the finding says that an effect runs without a gate.
fn passes_a_gate(finding: &Finding) -> bool {
    finding.rule.matches.iter().any(|matcher| matches!(matcher, Matcher::Guard(_)))
}

/// The first of each rule, then the second of each and so on, in the order in which they came; and the others.
fn worst(groups: Vec<Group>, limit: usize) -> (Vec<Group>, Vec<Group>) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        let nth = seen.entry(group.first.rule.id.as_str()).or_default();
        order.push((*nth, at));
        *nth += 1;
    }
    order.sort_unstable();
    let whole: BTreeSet<usize> = order.into_iter().take(limit).map(|(_, at)| at).collect();
    let (mut drawn, mut others) = (Vec::new(), Vec::new());
    for (at, group) in groups.into_iter().enumerate() {
        let list = if whole.contains(&at) { &mut drawn } else { &mut others };
        list.push(group);
    }
    (drawn, others)
}

fn by_file_and_rule(findings: Vec<&Finding>) -> ByFile<'_> {
    let mut files = ByFile::new();
    for finding in findings {
        let rules = files.entry(finding.primary.file).or_default();
        rules.entry(finding.rule.id.as_str()).or_default().push(finding);
    }
    files
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

/// Worst first, and items of the checklist behind what they may follow from; what equals in that keeps the order of the
/// outcome.
fn by_end(mut paths: Vec<&Finding>) -> Vec<Group<'_>> {
    let is_item = |finding: &Finding| matches!(finding.rule.matches[..], [Matcher::Item(_), ..]);
    paths.sort_by_key(|finding| Reverse((finding.severity, !is_item(finding), finding.confidence)));
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
