//! What functions do to what they are given, callees first: from each parameter to what comes back. A call of a function then
//! has shortcuts from its arguments to its result, and two callers of a helper do not mix (Reps, Horwitz, Sagiv 1995).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::chop::{Chop, Open};
use super::graph::{Flow, Node, Site, Way, once};
use super::paths::Change;
use super::questions::Asked;
use crate::finding::Confidence;

/// From an argument of a call to what the call hands back, through the function that is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shortcut {
    pub to: Node,
    pub change: Change,
    pub confidence: Confidence,
    /// The questions for which it is there.
    pub asked: Asked,
}

/// Steps that a summary tells apart, and one of functions that call each other.
const STEPS: [usize; 2] = [2, 1];

/// Shortcuts by the node that they leave.
#[derive(Debug, Default)]
pub struct Summaries {
    by_node: FxHashMap<Node, Vec<Shortcut>>,
}

/// A change, how sure it is, and for which questions.
type Known = (Change, Confidence, Asked);

/// Changes of which none says what another one says.
type Changes = SmallVec<[Known; 2]>;

/// What is news of a change: the change itself, or what is left where so many keys have met that nobody tells them apart.
fn news(known: &mut Changes, (change, confidence, asked): Known, keys: usize) -> Changes {
    let mut news = Changes::new();
    let asked = add(known, (change, confidence, asked));
    if asked.is_empty() {
        return news;
    }
    let crowded = Asked::in_at_least(keys + 1, known.iter().map(|(.., asked)| *asked));
    if crowded.is_empty() {
        news.push((change, confidence, asked));
        return news;
    }
    for (change, confidence, asked) in std::mem::take(known) {
        add(known, (change, confidence, asked.without(crowded)));
        add(known, (change.under_any(), confidence, asked.and(crowded)));
    }
    known.clone()
}

/// The questions for which that is news.
fn add(known: &mut Changes, (change, confidence, asked): Known) -> Asked {
    let told = known.iter().filter(|(own, sure, _)| *sure >= confidence && own.covers(change));
    let news = asked.without(told.map(|(.., asked)| *asked).collect());
    if news.is_empty() {
        return news;
    }
    for (own, sure, asked) in known.iter_mut() {
        if *sure <= confidence && change.covers(*own) {
            *asked = asked.without(news);
        }
    }
    known.retain(|(.., asked)| !asked.is_empty());
    match known.iter_mut().find(|(own, sure, _)| *own == change && *sure == confidence) {
        Some((.., asked)) => *asked = asked.with(news),
        None => known.push((change, confidence, news)),
    }
    news
}

/// That what a parameter is given is here, changed.
#[derive(Clone, Copy, Debug)]
struct Fact {
    parameter: Node,
    node: Node,
    change: Change,
    confidence: Confidence,
    asked: Asked,
}

struct Solver<'g> {
    chop: &'g Chop,
    /// Number of the group of functions that call each other, by node.
    group_of: &'g dyn Fn(Node) -> u32,
    keys: usize,
    /// The questions for which functions call each other.
    recursive: Asked,
    /// By node and parameter.
    known: FxHashMap<(Node, Node), Changes>,
    /// The parameters of which something is known at a node.
    here: FxHashMap<Node, Vec<Node>>,
    /// By the ends of a shortcut.
    shortened: FxHashMap<(Node, Node), Changes>,
    work: [Vec<Fact>; 2],
    summaries: Summaries,
}

impl Summaries {
    /// `group_of` numbers the functions of nodes: callees come first, and functions that call each other have one number.
    /// More keys than `keys` are not told apart.
    pub fn new(chop: &Chop, group_of: &dyn Fn(Node) -> u32, keys: usize) -> Self {
        let mut parameters: Vec<Node> = chop.parameters().collect();
        parameters.sort_by_key(|&node| group_of(node));
        let mut solver = Solver {
            chop,
            group_of,
            keys,
            recursive: Asked::default(),
            known: FxHashMap::default(),
            here: FxHashMap::default(),
            shortened: FxHashMap::default(),
            work: [Vec::new(), Vec::new()],
            summaries: Summaries::default(),
        };
        for group in parameters.chunk_by(|&one, &other| group_of(one) == group_of(other)) {
            solver.solve(group);
        }
        solver.summaries
    }

    pub fn from(&self, node: Node) -> &[Shortcut] {
        self.by_node.get(&node).map_or(&[], Vec::as_slice)
    }
}

impl Solver<'_> {
    fn solve(&mut self, parameters: &[Node]) {
        self.known.clear();
        self.here.clear();
        let group = (self.group_of)(parameters[0]);
        let entries = parameters.iter().flat_map(|&node| self.chop.entries_of(node));
        let own = entries.filter(|open| (self.group_of)(open.flow.from) == group);
        self.recursive = own.map(|open| open.asked).collect();
        for &node in parameters {
            let (change, confidence, asked) = (Change::NONE, Confidence::High, self.chop.within(node));
            self.add(Fact { parameter: node, node, change, confidence, asked });
        }
        while let Some(fact) = self.work[0].pop().or_else(|| self.work[1].pop()) {
            self.follow(fact);
        }
    }

    fn add(&mut self, fact: Fact) {
        let asked = fact.asked.and(self.chop.within(fact.node));
        if asked.is_empty() {
            return;
        }
        let known = self.known.entry((fact.node, fact.parameter)).or_default();
        if known.is_empty() {
            self.here.entry(fact.node).or_default().push(fact.parameter);
        }
        for (change, confidence, asked) in news(known, (fact.change, fact.confidence, asked), self.keys) {
            let news = Fact { change, confidence, asked, ..fact };
            self.work[usize::from(confidence != Confidence::High)].push(news);
        }
    }

    fn follow(&mut self, fact: Fact) {
        for open in self.chop.from(fact.node) {
            let flow = &open.flow;
            let shortcut = || Shortcut {
                to: flow.to,
                change: flow.step.change(),
                confidence: flow.confidence,
                asked: open.asked,
            };
            match flow.way {
                Way::Here => self.advance(fact, shortcut()),
                Way::Leave(site) => self.leave(fact, open, site),
                Way::Enter(_) | Way::Shared => {}
            }
        }
        for at in 0..self.summaries.from(fact.node).len() {
            self.advance(fact, self.summaries.from(fact.node)[at]);
        }
    }

    fn advance(&mut self, fact: Fact, by: Shortcut) {
        let asked = fact.asked.and(by.asked);
        if asked.is_empty() {
            return;
        }
        let Some(change) = fact.change.then(by.change) else { return };
        let Some(confidence) = once(fact.confidence, by.confidence) else { return };
        for (asked, is_recursive) in
            [(asked.without(self.recursive), false), (asked.and(self.recursive), true)]
        {
            let change = change.cut(STEPS[usize::from(is_recursive)]);
            // Between functions that call each other, attributes are nodes of their own.
            if let Some(change) = change.filter(|change| !is_recursive || !change.is_into_object()) {
                self.add(Fact { node: by.to, change, confidence, asked, ..fact });
            }
        }
    }

    /// What comes in by a call leaves by the same.
    fn leave(&mut self, fact: Fact, left: &Open, site: Site) {
        let Flow { to, step, confidence, .. } = left.flow;
        let asked = fact.asked.and(left.asked);
        for entry in self.chop.entered_by(fact.parameter, site) {
            let change = entry.flow.step.change().then(fact.change);
            let Some(change) = change.and_then(|change| change.then(step.change())) else { continue };
            // It is one call, by which it comes and goes.
            let confidence = once(entry.flow.confidence.min(confidence), fact.confidence);
            if let Some(confidence) = confidence {
                let asked = asked.and(entry.asked);
                self.shorten(entry.flow.from, Shortcut { to, change, confidence, asked });
            }
        }
    }

    fn shorten(&mut self, from: Node, shortcut: Shortcut) {
        let known = self.shortened.entry((from, shortcut.to)).or_default();
        let news = news(known, (shortcut.change, shortcut.confidence, shortcut.asked), self.keys);
        // Those of the same group that were here already.
        let here = if news.is_empty() { Vec::new() } else { self.facts_at(from) };
        for (change, confidence, asked) in news {
            let shortcut = Shortcut { change, confidence, asked, ..shortcut };
            self.summaries.by_node.entry(from).or_default().push(shortcut);
            here.iter().for_each(|&fact| self.advance(fact, shortcut));
        }
    }

    fn facts_at(&self, node: Node) -> Vec<Fact> {
        let mut facts = Vec::new();
        for &parameter in self.here.get(&node).into_iter().flatten() {
            let known = self.known.get(&(node, parameter)).into_iter().flatten();
            let fact = |&(change, confidence, asked)| Fact { parameter, node, change, confidence, asked };
            facts.extend(known.map(fact));
        }
        facts
    }
}
