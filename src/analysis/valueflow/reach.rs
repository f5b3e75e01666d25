//! Where values get from their sources: up to whoever called, then down into what is called, and back only by the call that they
//! went in by.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::graph::{Graph, Node, Way, once};
use super::paths::{Change, Path};
use super::summaries::Summaries;
use crate::catalog::Purposes;
use crate::finding::Confidence;

/// Where values come from.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    pub node: Node,
    /// What of it.
    pub part: Path,
    /// For what it is harmless from the beginning.
    pub clean: Purposes,
    pub confidence: Confidence,
}

impl Root {
    pub fn whole(node: Node, confidence: Confidence) -> Self {
        Self { node, part: Path::WHOLE, clean: Purposes::default(), confidence }
    }
}

/// That a part of what is at a node comes from a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reached {
    pub node: Node,
    pub part: Path,
    pub confidence: Confidence,
    /// It was given to a function by a call that is known, and leaves it by that.
    is_inside: bool,
    /// By what it got here; none at a source.
    before: Option<u32>,
}

/// All places that values get to, each by the surest and then the shortest way.
#[derive(Debug, Default)]
pub struct Reach {
    /// More keys than this are not told apart.
    keys: usize,
    facts: Vec<Reached>,
    at: FxHashMap<Node, SmallVec<[u32; 2]>>,
}

impl Reach {
    /// `starts` are sources; `ends` is where somebody asks.
    pub fn new(
        graph: &Graph,
        starts: &[Root],
        ends: &[Node],
        group_of: &dyn Fn(Node) -> u32,
        keys: usize,
    ) -> Self {
        let nodes: Vec<Node> = starts.iter().map(|start| start.node).collect();
        let kept = graph.between(&nodes, ends);
        let summaries = Summaries::new(graph, &kept, group_of, keys);
        let mut reach = Self { keys, ..Self::default() };
        for sure in [Confidence::High, Confidence::Medium] {
            // What is less sure waits until all that is surer is told.
            let own = starts.iter().filter(|start| start.confidence == sure);
            for &Root { node, part, confidence, .. } in own {
                reach.add(&kept, Reached { node, part, confidence, is_inside: false, before: None });
            }
            reach.settle(graph, &summaries, &kept, sure);
        }
        reach.of(ends)
    }

    /// What somebody asks for, and the ways there.
    fn of(self, ends: &[Node]) -> Self {
        let mut of = Self { keys: self.keys, ..Self::default() };
        let mut moved: Vec<Option<u32>> = vec![None; self.facts.len()];
        for &end in ends {
            if of.at.contains_key(&end) {
                continue;
            }
            let known = self.at.get(&end);
            let facts: SmallVec<[u32; 2]> =
                known.into_iter().flatten().map(|&at| of.keep(&self.facts, at, &mut moved)).collect();
            of.at.insert(end, facts);
        }
        of
    }

    /// A fact with those before it; its number here.
    fn keep(&mut self, facts: &[Reached], at: u32, moved: &mut [Option<u32>]) -> u32 {
        let (mut chain, mut next) = (Vec::new(), Some(at));
        while let Some(at) = next.filter(|&at| moved[at as usize].is_none()) {
            chain.push(at);
            next = facts[at as usize].before;
        }
        for &at in chain.iter().rev() {
            let fact = facts[at as usize];
            let before = fact.before.and_then(|before| moved[before as usize]);
            moved[at as usize] = Some(self.facts.len() as u32);
            self.facts.push(Reached { before, ..fact });
        }
        moved[at as usize].unwrap_or_default()
    }

    /// What reaches a node, the surest first.
    pub fn at(&self, node: Node) -> impl Iterator<Item = &Reached> {
        self.at.get(&node).into_iter().flatten().map(|&at| &self.facts[at as usize])
    }

    /// The nodes on the way from a source, first to last, and what of them it is.
    pub fn way(&self, to: &Reached) -> Vec<(Node, Path)> {
        let (mut way, mut before) = (vec![(to.node, to.part)], to.before);
        while let Some(at) = before {
            let fact = &self.facts[at as usize];
            way.push((fact.node, fact.part));
            before = fact.before;
        }
        way.reverse();
        way
    }

    fn add(&mut self, kept: &[bool], fact: Reached) {
        if !kept[fact.node.0 as usize] {
            return;
        }
        let known = self.at.entry(fact.node).or_default();
        let part = if known.len() < self.keys { fact.part } else { fact.part.under_any() };
        let fact = Reached { part, ..fact };
        let is_told = |&at: &u32| {
            let known = &self.facts[at as usize];
            fact.part.is_within(known.part) && (!known.is_inside || fact.is_inside)
        };
        if !known.iter().any(is_told) {
            known.push(self.facts.len() as u32);
            self.facts.push(fact);
        }
    }

    /// In order of arrival, so that the first way to a node is the shortest.
    fn settle(&mut self, graph: &Graph, summaries: &Summaries, kept: &[bool], sure: Confidence) {
        let mut next = 0;
        while next < self.facts.len() {
            let fact = self.facts[next];
            let mut advance = |to: Node, change: Change, confidence: Confidence, is_inside: bool| {
                // Ways that are less sure are taken in their own round.
                if once(fact.confidence, confidence) == Some(sure)
                    && let Some(part) = change.of(fact.part)
                {
                    let before = Some(next as u32);
                    self.add(kept, Reached { node: to, part, confidence: sure, is_inside, before });
                }
            };
            for flow in graph.from(fact.node).iter().filter(|flow| kept[flow.to.0 as usize]) {
                if !graph.takes(flow, fact.part) {
                    continue;
                }
                let is_inside = match flow.way {
                    Way::Here => fact.is_inside,
                    Way::Enter(_) => true,
                    Way::Leave(_) if fact.is_inside => continue,
                    Way::Leave(_) | Way::Shared => false,
                };
                advance(flow.to, flow.step.change(), flow.confidence, is_inside);
            }
            // Where many are not told apart, nobody can say that it is this one.
            for shortcut in summaries.from(fact.node).iter().filter(|shortcut| !shortcut.change.is_joined()) {
                advance(shortcut.to, shortcut.change, shortcut.confidence, fact.is_inside);
            }
            next += 1;
        }
    }
}
