//! What the human report shows whole and what it rolls up: first what an agent surely reaches, by the entry point that leads there,
//! the worst entry point first; then what else is worth a look by itself, and in a line each ways past a gate that nobody is known
//! to take, the rest by file, and smells by rule.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Confidence, Finding, Place, Via};
use crate::report::order::View;
use crate::report::rank;
use crate::rule::Matcher;
use crate::source::FileId;

/// So few findings are worth their space, whatever they are.
const FEW: usize = 5;
/// So many are drawn whole; a reader who has seen these knows what the others look like.
const MAX_WHOLE: usize = 8;

/// Findings by file, then by rule.
pub type ByFile<'a> = BTreeMap<FileId, BTreeMap<&'a str, Vec<&'a Finding>>>;

/// Every finding that is shown stands in one of them, once.
#[derive(Default)]
pub struct Sections<'a> {
    pub entries: Vec<Entry<'a>>,
    /// Drawn, though no agent is known to get there for sure.
    pub others: Vec<Group<'a>>,
    /// Listed: what entry points perhaps lead to.
    pub perhaps: Vec<Entry<'a>>,
    /// Ways past a gate that begin where no agent is known to get.
    pub bypasses: ByFile<'a>,
    pub rest: ByFile<'a>,
    /// By rule: what is no reason to look at anything by itself.
    pub smells: Vec<Vec<&'a Finding>>,
}

/// A tool, a comm handler or a planning function, and what it leads to.
pub struct Entry<'a> {
    pub via: &'a Via,
    pub drawn: Vec<Group<'a>>,
    /// By rule, the worst first.
    pub listed: Vec<Vec<&'a Finding>>,
}

/// Findings of one rule that end at the same place: the first is drawn, the others differ only in where they begin.
pub struct Group<'a> {
    pub first: &'a Finding,
    pub also: Vec<&'a Finding>,
}

/// Where a finding belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Entry,
    Other,
    Perhaps,
    Bypass,
    Rest,
    Smell,
}

/// Which findings are drawn.
struct Choice<'a> {
    left: usize,
    is_full: bool,
    are_few: bool,
    has_ways: bool,
    /// Some of them are no guess.
    has_certain_ways: bool,
    drawn: BTreeSet<(&'a str, &'a str, &'a str)>,
    /// Where drawn ways end, by the function where they begin: of one that is told by the value that decides it, that it is open
    /// says nothing new.
    ends: BTreeSet<(&'a str, Place)>,
    /// The same of what no entry point surely leads to.
    files: BTreeSet<(&'a str, FileId)>,
}

impl<'a> Sections<'a> {
    /// `full`: draw everything that an agent reaches.
    pub fn new(view: &View<'a>, full: bool) -> Self {
        let mut sections = Self::default();
        let mut choice = Choice::of(&view.shown, full);
        for group in groups(&view.shown) {
            let home = Home::of(group.first, choice.are_few);
            let is_drawn = choice.draws(&group, home);
            sections.put(home, group, is_drawn);
        }
        sections
    }

    fn put(&mut self, home: Home, group: Group<'a>, is_drawn: bool) {
        let by_file = match home {
            Home::Entry => return enter(&mut self.entries, group, is_drawn),
            Home::Smell => return list(&mut self.smells, group, |_| true),
            _ if is_drawn => return self.others.push(group),
            Home::Perhaps => return enter(&mut self.perhaps, group, false),
            Home::Bypass => &mut self.bypasses,
            Home::Other | Home::Rest => &mut self.rest,
        };
        for finding in group.all() {
            let rules = by_file.entry(finding.primary.file).or_default();
            let known = rules.entry(finding.rule.id.as_str()).or_default();
            known.insert(known.partition_point(|other| other.primary <= finding.primary), finding);
        }
    }

    /// The finding that is shown before all others.
    pub fn first(&self) -> Option<&'a Finding> {
        let drawn = self.entries.iter().flat_map(|entry| &entry.drawn).chain(&self.others);
        let listed = [&self.bypasses, &self.rest].into_iter().flat_map(BTreeMap::values);
        let perhaps = self.perhaps.iter().flat_map(|entry| &entry.listed);
        let listed = perhaps.chain(listed.flat_map(BTreeMap::values)).chain(&self.smells).flatten();
        drawn.map(|group| group.first).chain(listed.copied()).next()
    }

    /// How many findings an agent surely reaches.
    pub fn reached(&self) -> usize {
        self.entries.iter().map(Entry::count).sum()
    }
}

impl<'a> Group<'a> {
    fn all(self) -> impl Iterator<Item = &'a Finding> {
        [self.first].into_iter().chain(self.also)
    }
}

impl Entry<'_> {
    pub fn count(&self) -> usize {
        count(&self.drawn) + self.listed.iter().map(Vec::len).sum::<usize>()
    }
}

impl Home {
    fn of(finding: &Finding, are_few: bool) -> Self {
        let starts_here = |via: &Via| via.calls == 0 && rank::tells_a_way(finding);
        let is_sure = |via: &Via| via.confidence == Confidence::High || starts_here(via);
        match &finding.via {
            _ if rank::is_minor(finding) && !are_few => Home::Smell,
            Some(via) if is_sure(via) => Home::Entry,
            _ if rank::tells_a_way(finding) && !passes_a_gate(finding) => Home::Other,
            Some(_) => Home::Perhaps,
            None if passes_a_gate(finding) => Home::Bypass,
            None => Home::Rest,
        }
    }
}

impl<'a> Choice<'a> {
    fn of(shown: &[&Finding], is_full: bool) -> Self {
        let mut ways = shown.iter().filter(|finding| rank::tells_a_way(finding) && !passes_unseen(finding));
        Self {
            left: if is_full { usize::MAX } else { MAX_WHOLE },
            is_full,
            are_few: shown.len() <= FEW,
            has_certain_ways: ways.clone().any(|finding| finding.confidence == Confidence::High),
            has_ways: ways.next().is_some(),
            drawn: BTreeSet::new(),
            ends: BTreeSet::new(),
            files: BTreeSet::new(),
        }
    }

    /// What an owner acts on: the ways that are certain, or told by the value that goes them, and one of those that differ only in the
    /// name of a method. What else is inferred is listed.
    fn draws(&mut self, group: &Group<'a>, home: Home) -> bool {
        let first = group.first;
        let is_way = rank::tells_a_way(first) && matches!(home, Home::Entry | Home::Other);
        let is_certain =
            first.confidence == Confidence::High || rank::is_chosen(first) && !self.has_certain_ways;
        let is_worth = match self.has_ways {
            true => is_way && is_certain,
            false => home == Home::Entry,
        };
        let is_shown = self.is_full && matches!(home, Home::Entry | Home::Other)
            || self.are_few && (rank::tells_a_way(first) || !self.has_ways)
            || is_worth && self.is_new(first, home);
        if self.left == 0 || !is_shown {
            return false;
        }
        self.left -= 1;
        true
    }

    /// False if the like was drawn: of the same entry point, or the same sink in the same class or module; elsewhere of the same
    /// file, or the same sink.
    fn is_new(&mut self, finding: &'a Finding, home: Home) -> bool {
        let rule = finding.rule.id.as_str();
        let sink = finding.captures.get("callee").map_or("", String::as_str);
        let Some(via) = finding.via.as_ref().filter(|_| home == Home::Entry) else {
            return self.files.insert((rule, finding.primary.file))
                & (sink.is_empty() || self.drawn.insert((rule, "", sink)));
        };
        let around = via.function.rsplit_once('.').map_or("", |(around, _)| around);
        // Several functions offer one tool: engines of a search, the two sides of a server.
        let is_first = self.drawn.insert((rule, &via.function, &via.name))
            & self.drawn.insert((rule, via.kind.noun(), &via.name));
        let is_end = finding.steps.last().is_none_or(|end| self.ends.insert((&via.function, end.place)));
        self.drawn.insert((rule, around, sink)) && is_first && is_end
    }
}

/// Below the entry point that leads there; what is only listed stands below its own.
fn enter<'a>(entries: &mut Vec<Entry<'a>>, group: Group<'a>, is_drawn: bool) {
    if !is_drawn && !group.also.is_empty() {
        let alone = |first: &'a Finding| Group { first, also: Vec::new() };
        return group.all().for_each(|finding| enter(entries, alone(finding), false));
    }
    let Some(via) = &group.first.via else { return };
    let is_it = |entry: &Entry<'_>| (&entry.via.function, &entry.via.name) == (&via.function, &via.name);
    let at = entries.iter().position(is_it).unwrap_or_else(|| {
        entries.push(Entry { via, drawn: Vec::new(), listed: Vec::new() });
        entries.len() - 1
    });
    match is_drawn {
        true => entries[at].drawn.push(group),
        false => list(&mut entries[at].listed, group, |finding| finding.confidence == Confidence::High),
    }
}

/// Beside others of its rule of which the same is true.
fn list<'a>(lists: &mut Vec<Vec<&'a Finding>>, group: Group<'a>, is_so: impl Fn(&Finding) -> bool) {
    let first = group.first;
    let is_same = |other: &Finding| other.rule.id == first.rule.id && is_so(other) == is_so(first);
    let at = lists.iter().position(|list| is_same(list[0]));
    match at {
        Some(at) => lists[at].extend(group.all()),
        None => lists.push(group.all().collect()),
    }
}

/// True if the finding says that an effect runs without a gate.
fn passes_a_gate(finding: &Finding) -> bool {
    finding.rule.matches.iter().any(|matcher| matches!(matcher, Matcher::Guard(_)))
}

/// True if that begins where no agent is known to get.
fn passes_unseen(finding: &Finding) -> bool {
    passes_a_gate(finding) && Home::of(finding, false) != Home::Entry
}

/// How many findings they hold.
pub fn count(groups: &[Group]) -> usize {
    groups.iter().map(|group| 1 + group.also.len()).sum()
}

/// The same of a list by file.
pub fn count_listed(files: &ByFile<'_>) -> usize {
    files.values().flat_map(BTreeMap::values).map(Vec::len).sum()
}

/// In the order in which they come; paths with one end are one group.
fn groups<'a>(findings: &[&'a Finding]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known: BTreeMap<(&str, &str, bool, Place), usize> = BTreeMap::new();
    for &finding in findings {
        let is_reached = finding.is_reached();
        let at = match finding.steps.last() {
            Some(end) => {
                // Two arguments of one call are not the same.
                let what = finding.captures.get("what").map_or("", String::as_str);
                *known.entry((finding.rule.id.as_str(), what, is_reached, end.place)).or_insert(groups.len())
            }
            None => groups.len(),
        };
        match groups.get_mut(at) {
            Some(group) => group.also.push(finding),
            None => groups.push(Group { first: finding, also: Vec::new() }),
        }
    }
    groups
}
