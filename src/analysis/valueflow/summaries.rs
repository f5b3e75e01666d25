//! What functions do to what they are given, callees first: from each parameter to what comes back. A call of a function then
//! has shortcuts from its arguments to its result, and two callers of a helper do not mix (Reps, Horwitz, Sagiv 1995).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::graph::{Flow, Graph, Node, Site, Way, once};
use super::paths::Change;
use crate::finding::Confidence;

/// From an argument of a call to what the call hands back, through the function that is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shortcut {
    pub to: Node,
    pub change: Change,
    pub confidence: Confidence,
}

/// Steps that a summary tells apart, and one of functions that call each other.
const STEPS: [usize; 2] = [2, 1];

/// Shortcuts by the node that they leave.
#[derive(Debug, Default)]
pub struct Summaries {
    by_node: FxHashMap<Node, Vec<Shortcut>>,
}

/// Changes of which none says what another one says, with how sure they are.
type Changes = SmallVec<[(Change, Confidence); 2]>;

/// What is news of a change: the change itself, or what is left where so many keys have met that nobody tells them apart.
fn news(known: &mut Changes, change: Change, confidence: Confidence, keys: usize) -> Changes {
    let mut news = Changes::new();
    if !add(known, change, confidence) {
        return news;
    }
    if known.len() <= keys {
        news.push((change, confidence));
        return news;
    }
    for (change, confidence) in std::mem::take(known) {
        add(known, change.under_any(), confidence);
    }
    known.clone()
}

/// True if that is news.
fn add(known: &mut Changes, change: Change, confidence: Confidence) -> bool {
    let is_told = |(own, sure): &(Change, Confidence)| *sure >= confidence && own.covers(change);
    if known.iter().any(is_told) {
        return false;
    }
    known.retain(|(own, sure)| !(*sure <= confidence && change.covers(*own)));
    known.push((change, confidence));
    true
}

/// That what a parameter is given is here, changed.
#[derive(Clone, Copy, Debug)]
struct Fact {
    parameter: Node,
    node: Node,
    change: Change,
    confidence: Confidence,
}

struct Solver<'g> {
    graph: &'g Graph,
    /// Nodes that matter.
    kept: &'g [bool],
    /// Number of the group of functions that call each other, by node.
    group_of: &'g dyn Fn(Node) -> u32,
    keys: usize,
    is_recursive: bool,
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
    pub fn new(graph: &Graph, kept: &[bool], group_of: &dyn Fn(Node) -> u32, keys: usize) -> Self {
        let mut parameters: Vec<Node> = graph.parameters().filter(|node| kept[node.0 as usize]).collect();
        parameters.sort_by_key(|&node| group_of(node));
        let mut solver = Solver {
            graph,
            kept,
            group_of,
            keys,
            is_recursive: false,
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
        let is_own = |flow: &Flow| (self.group_of)(flow.from) == group;
        self.is_recursive = parameters.iter().any(|&node| self.graph.entries_of(node).any(is_own));
        for &node in parameters {
            let (change, confidence) = (Change::NONE, Confidence::High);
            self.add(Fact { parameter: node, node, change, confidence });
        }
        while let Some(fact) = self.work[0].pop().or_else(|| self.work[1].pop()) {
            self.follow(fact);
        }
    }

    fn add(&mut self, fact: Fact) {
        if !self.kept[fact.node.0 as usize] {
            return;
        }
        let known = self.known.entry((fact.node, fact.parameter)).or_default();
        if known.is_empty() {
            self.here.entry(fact.node).or_default().push(fact.parameter);
        }
        for (change, confidence) in news(known, fact.change, fact.confidence, self.keys) {
            self.work[usize::from(confidence != Confidence::High)].push(Fact { change, confidence, ..fact });
        }
    }

    fn follow(&mut self, fact: Fact) {
        let graph = self.graph;
        for flow in graph.from(fact.node) {
            match flow.way {
                Way::Here => self.advance(fact, flow.to, flow.step.change(), flow.confidence),
                Way::Leave(site) => self.leave(fact, flow, site),
                Way::Enter(_) | Way::Shared => {}
            }
        }
        for at in 0..self.summaries.from(fact.node).len() {
            let shortcut = self.summaries.from(fact.node)[at];
            self.advance(fact, shortcut.to, shortcut.change, shortcut.confidence);
        }
    }

    fn advance(&mut self, fact: Fact, to: Node, change: Change, confidence: Confidence) {
        let steps = STEPS[usize::from(self.is_recursive)];
        let change = fact.change.then(change).and_then(|change| change.cut(steps));
        // Between functions that call each other, attributes are nodes of their own.
        let change = change.filter(|change| !self.is_recursive || !change.is_into_object());
        if let (Some(change), Some(confidence)) = (change, once(fact.confidence, confidence)) {
            self.add(Fact { node: to, change, confidence, ..fact });
        }
    }

    /// What comes in by a call leaves by the same.
    fn leave(&mut self, fact: Fact, left: &Flow, site: Site) {
        let graph = self.graph;
        let entries = graph.entries_of(fact.parameter).filter(|entry| entry.way == Way::Enter(site));
        for entry in entries {
            let change = entry.step.change().then(fact.change);
            let Some(change) = change.and_then(|change| change.then(left.step.change())) else { continue };
            // It is one call, by which it comes and goes.
            let confidence = once(entry.confidence.min(left.confidence), fact.confidence);
            if let Some(confidence) = confidence {
                self.shorten(entry.from, Shortcut { to: left.to, change, confidence });
            }
        }
    }

    fn shorten(&mut self, from: Node, shortcut: Shortcut) {
        let known = self.shortened.entry((from, shortcut.to)).or_default();
        let news = news(known, shortcut.change, shortcut.confidence, self.keys);
        // Those of the same group that were here already.
        let here = if news.is_empty() { Vec::new() } else { self.facts_at(from) };
        for (change, confidence) in news {
            let shortcut = Shortcut { change, confidence, ..shortcut };
            self.summaries.by_node.entry(from).or_default().push(shortcut);
            here.iter().for_each(|&fact| self.advance(fact, shortcut.to, change, confidence));
        }
    }

    fn facts_at(&self, node: Node) -> Vec<Fact> {
        let mut facts = Vec::new();
        for &parameter in self.here.get(&node).into_iter().flatten() {
            let known = self.known.get(&(node, parameter)).into_iter().flatten();
            facts.extend(known.map(|&(change, confidence)| Fact { parameter, node, change, confidence }));
        }
        facts
    }
}
