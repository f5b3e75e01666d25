//! Where values get from their sources: up to whoever called, then down into what is called, and back only by the call that they
//! went in by.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::graph::{Flow, Graph, Node, Way};
use super::paths::{Change, Path};
use super::summaries::Summaries;
use crate::finding::Confidence;

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
    /// `starts` are sources with how sure they are; `ends` is where somebody asks.
    pub fn new(
        graph: &Graph,
        starts: &[(Node, Confidence)],
        ends: &[Node],
        group_of: &dyn Fn(Node) -> u32,
        keys: usize,
    ) -> Self {
        let nodes: Vec<Node> = starts.iter().map(|&(node, _)| node).collect();
        let kept = graph.between(&nodes, ends);
        let summaries = Summaries::new(graph, &kept, group_of, keys);
        let mut reach = Self { keys, ..Self::default() };
        for sure in [Confidence::High, Confidence::Medium] {
            // What is less sure waits until all that is surer is told.
            let own = starts.iter().filter(|(_, confidence)| *confidence == sure);
            for &(node, confidence) in own {
                let part = Path::WHOLE;
                reach.add(&kept, Reached { node, part, confidence, is_inside: false, before: None });
            }
            reach.settle(graph, &summaries, &kept, sure);
        }
        reach
    }

    /// What reaches a node, the surest first.
    pub fn at(&self, node: Node) -> impl Iterator<Item = &Reached> {
        self.at.get(&node).into_iter().flatten().map(|&at| &self.facts[at as usize])
    }

    /// The nodes on the way from a source, first to last.
    pub fn way(&self, to: &Reached) -> Vec<Node> {
        let (mut way, mut before) = (vec![to.node], to.before);
        while let Some(at) = before {
            let fact = &self.facts[at as usize];
            way.push(fact.node);
            before = fact.before;
        }
        way.reverse();
        way
    }

    fn add(&mut self, kept: &[bool], fact: Reached) {
        let known = self.at.entry(fact.node).or_default();
        let part = if known.len() < self.keys { fact.part } else { fact.part.under_any() };
        let fact = Reached { part, ..fact };
        let is_told = |&at: &u32| {
            let known = &self.facts[at as usize];
            fact.part.is_within(known.part) && (!known.is_inside || fact.is_inside)
        };
        if kept[fact.node.0 as usize] && !known.iter().any(is_told) {
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
                let confidence = confidence.min(fact.confidence);
                // Ways that are less sure are taken in their own round.
                if confidence == sure
                    && let Some(part) = change.of(fact.part)
                {
                    let before = Some(next as u32);
                    self.add(kept, Reached { node: to, part, confidence, is_inside, before });
                }
            };
            // A place that many objects share says which one is meant once at most.
            let is_vague = |flow: &Flow| flow.way == Way::Shared && flow.confidence < Confidence::High;
            let flows = graph.from(fact.node).iter();
            for flow in flows.filter(|flow| fact.confidence == Confidence::High || !is_vague(flow)) {
                let is_inside = match flow.way {
                    Way::Here => fact.is_inside,
                    Way::Enter(_) => true,
                    Way::Leave(_) if fact.is_inside => continue,
                    Way::Leave(_) | Way::Shared => false,
                };
                advance(flow.to, flow.step.change(), flow.confidence, is_inside);
            }
            for shortcut in summaries.from(fact.node) {
                advance(shortcut.to, shortcut.change, shortcut.confidence, fact.is_inside);
            }
            next += 1;
        }
    }
}
