//! What the human report shows whole and what it rolls up: first what an agent reaches, by the entry point that leads there,
//! the worst entry point first; then ways past a gate that nobody is known to take, and the rest by file.

use std::collections::BTreeMap;

use crate::finding::{Finding, Place, Via};
use crate::report::order::View;
use crate::report::rank;
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
    pub entries: Vec<Entry<'a>>,
    /// Ways past a gate that begin where no agent is known to get.
    pub bypasses: Part<'a>,
    /// Everything else.
    pub rest: Part<'a>,
}

/// A tool, a comm handler or a planning function, and what it leads to.
pub struct Entry<'a> {
    pub via: &'a Via,
    pub drawn: Vec<Group<'a>>,
    /// By rule, the worst first.
    pub listed: Vec<Vec<&'a Finding>>,
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
        let (reached, others): (Vec<_>, Vec<_>) =
            view.shown.iter().copied().partition(|finding| finding.is_reached());
        let (bypasses, rest) = others.into_iter().partition(|finding| passes_a_gate(finding));
        let entries = entries(groups(reached), if full { usize::MAX } else { MAX_WHOLE });
        Self { entries, bypasses: Part::of(bypasses), rest: Part::of(rest) }
    }

    /// The finding that is shown before all others.
    pub fn first(&self) -> Option<&'a Finding> {
        let reached = self.entries.first().and_then(|entry| entry.drawn.first()).map(|group| group.first);
        reached.or_else(|| self.bypasses.first()).or_else(|| self.rest.first())
    }

    /// How many findings an agent reaches.
    pub fn reached(&self) -> usize {
        self.entries.iter().map(Entry::count).sum()
    }
}

impl<'a> Entry<'a> {
    /// Beside others of its rule.
    fn list(&mut self, group: Group<'a>) {
        let all = [group.first].into_iter().chain(group.also);
        match self.listed.iter_mut().find(|list| list[0].rule.id == group.first.rule.id) {
            Some(list) => list.extend(all),
            None => self.listed.push(all.collect()),
        }
    }

    pub fn count(&self) -> usize {
        count(&self.drawn) + self.listed.iter().map(Vec::len).sum::<usize>()
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
        let listed: usize = self.listed.values().flat_map(BTreeMap::values).map(Vec::len).sum();
        count(&self.drawn) + listed
    }
}

/// True if the finding says that an effect runs without a gate.
fn passes_a_gate(finding: &Finding) -> bool {
    finding.rule.matches.iter().any(|matcher| matches!(matcher, Matcher::Guard(_)))
}

/// The groups by where an agent begins, in the order of the worst of each. The worst groups are drawn, which the order has with one
/// of each rule before a second of any; calls of effects that an entry point with something worse leads to are listed below it.
fn entries(groups: Vec<Group<'_>>, limit: usize) -> Vec<Entry<'_>> {
    let is_all_minor = groups.iter().all(|group| rank::is_minor(group.first));
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut left = limit;
    for group in groups {
        let Some(via) = &group.first.via else { continue };
        let at = *known.entry((&via.function, &via.name)).or_insert(entries.len());
        if at == entries.len() {
            entries.push(Entry { via, drawn: Vec::new(), listed: Vec::new() });
        }
        let entry = &mut entries[at];
        let is_first = entry.count() == 0 && (is_all_minor || !rank::is_minor(group.first));
        let is_worth = is_first || limit == usize::MAX || rank::tells_a_way(group.first);
        match left.checked_sub(1).filter(|_| is_worth) {
            Some(fewer) => {
                left = fewer;
                entry.drawn.push(group);
            }
            None => entry.list(group),
        }
    }
    entries
}

fn by_file_and_rule(findings: Vec<&Finding>) -> ByFile<'_> {
    let mut files = ByFile::new();
    for finding in findings {
        let rules = files.entry(finding.primary.file).or_default();
        rules.entry(finding.rule.id.as_str()).or_default().push(finding);
    }
    files
        .values_mut()
        .flat_map(BTreeMap::values_mut)
        .for_each(|list| list.sort_by_key(|finding| finding.primary));
    files
}

/// How many findings they hold.
pub fn count(groups: &[Group]) -> usize {
    groups.iter().map(|group| 1 + group.also.len()).sum()
}

/// In the order in which they come; paths with one end are one group.
fn groups(findings: Vec<&Finding>) -> Vec<Group<'_>> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known: BTreeMap<(&str, Place), usize> = BTreeMap::new();
    for finding in findings {
        let at = match finding.steps.last() {
            Some(end) => *known.entry((finding.rule.id.as_str(), end.place)).or_insert(groups.len()),
            None => groups.len(),
        };
        match groups.get_mut(at) {
            Some(group) => group.also.push(finding),
            None => groups.push(Group { first: finding, also: Vec::new() }),
        }
    }
    groups
}
