//! Where values get from their sources: up to whoever called, then down into what is called, and back only by the call that they
//! went in by.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::chop::Chop;
use super::graph::{Graph, Node, Way, once};
use super::paths::{Change, Path};
use super::questions::{Asked, Question, Questions, Root};
use super::summaries::Summaries;
use crate::catalog::Purposes;
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

/// The places asked for that values get to, each by the surest and then the shortest way.
#[derive(Debug, Default)]
pub struct Reach {
    facts: Vec<Reached>,
    at: FxHashMap<Node, SmallVec<[u32; 2]>>,
}

impl Reach {
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
}

/// One answer for each question, in their order. `cleaned` is all for which flows make something harmless. `group_of` numbers the functions of nodes: callees come first, and functions
/// that call each other have one number. More keys than `keys` are not told apart.
pub fn reaches(
    graph: &Graph,
    cleaned: &BTreeSet<Purposes>,
    questions: &[Question<'_>],
    group_of: &dyn Fn(Node) -> u32,
    keys: usize,
) -> Vec<Reach> {
    let passes = questions.chunks(Asked::room());
    let answered = passes.flat_map(|all| {
        let questions = Questions::new(all, cleaned.iter().copied());
        let chop = Chop::new(graph, &questions);
        let summaries = Summaries::new(&chop, group_of, keys);
        let mut walk = Walk { chop: &chop, keys, facts: Vec::new(), at: FxHashMap::default() };
        let roots = questions.roots();
        for sure in [Confidence::High, Confidence::Medium] {
            // What is less sure waits until all that is surer is told.
            for &(root, asked) in roots.iter().filter(|(root, _)| root.confidence == sure) {
                let Root { node, part, confidence, .. } = root;
                walk.add(Reached { node, part, confidence, is_inside: false, before: None }, asked);
            }
            walk.settle(&summaries, sure);
        }
        questions.each().map(|(own, question)| walk.answer(own, &question.ends)).collect::<Vec<_>>()
    });
    answered.collect()
}

/// All places that values get to.
struct Walk<'c> {
    chop: &'c Chop,
    keys: usize,
    /// With the questions for which they hold and no fact before them says so.
    facts: Vec<(Reached, Asked)>,
    at: FxHashMap<Node, SmallVec<[u32; 2]>>,
}

impl Walk<'_> {
    fn add(&mut self, fact: Reached, asked: Asked) {
        let news = self.news(&fact, asked.and(self.chop.asked(fact.node, fact.is_inside)));
        if news.is_empty() {
            return;
        }
        let known = self.at.get(&fact.node).map_or(&[][..], SmallVec::as_slice);
        let crowded = Asked::in_at_least(self.keys, known.iter().map(|&at| self.facts[at as usize].1));
        self.tell(fact, news.without(crowded));
        let joined = Reached { part: fact.part.under_any(), ..fact };
        self.tell(joined, self.news(&joined, news.and(crowded)));
    }

    /// Those of the questions for which no fact says so much.
    fn news(&self, fact: &Reached, asked: Asked) -> Asked {
        let mut news = asked;
        for &at in self.at.get(&fact.node).into_iter().flatten() {
            if news.is_empty() {
                break;
            }
            let (known, told) = &self.facts[at as usize];
            if fact.part.is_within(known.part) && (!known.is_inside || fact.is_inside) {
                news = news.without(*told);
            }
        }
        news
    }

    fn tell(&mut self, fact: Reached, news: Asked) {
        if !news.is_empty() {
            self.at.entry(fact.node).or_default().push(self.facts.len() as u32);
            self.facts.push((fact, news));
        }
    }

    /// In order of arrival, so that the first way to a node is the shortest.
    fn settle(&mut self, summaries: &Summaries, sure: Confidence) {
        let (chop, mut next) = (self.chop, 0);
        while next < self.facts.len() {
            let (fact, asked) = self.facts[next];
            let mut advance =
                |to: Node, change: Change, confidence: Confidence, is_inside: bool, open: Asked| {
                    let asked = asked.and(open);
                    // Ways that are less sure are taken in their own round.
                    if !asked.is_empty()
                        && once(fact.confidence, confidence) == Some(sure)
                        && let Some(part) = change.of(fact.part)
                    {
                        let before = Some(next as u32);
                        self.add(Reached { node: to, part, confidence: sure, is_inside, before }, asked);
                    }
                };
            for open in chop.from(fact.node) {
                let flow = &open.flow;
                let is_inside = match flow.way {
                    Way::Here => fact.is_inside,
                    Way::Enter(_) => true,
                    Way::Leave(_) if fact.is_inside => continue,
                    Way::Leave(_) | Way::Shared => false,
                };
                let asked = chop.takes(open, fact.part);
                advance(flow.to, flow.step.change(), flow.confidence, is_inside, asked);
            }
            // Where many are not told apart, nobody can say that it is this one.
            for shortcut in summaries.from(fact.node).iter().filter(|shortcut| !shortcut.change.is_joined()) {
                advance(shortcut.to, shortcut.change, shortcut.confidence, fact.is_inside, shortcut.asked);
            }
            next += 1;
        }
    }

    /// What one question asks for, and the ways there.
    fn answer(&self, own: Asked, ends: &[Node]) -> Reach {
        let (mut reach, mut moved) = (Reach::default(), FxHashMap::default());
        for &end in ends {
            if reach.at.contains_key(&end) {
                continue;
            }
            let known = self.at.get(&end).into_iter().flatten();
            let known = known.filter(|&&at| !self.facts[at as usize].1.and(own).is_empty());
            let facts = known.map(|&at| self.keep(at, &mut moved, &mut reach.facts)).collect();
            reach.at.insert(end, facts);
        }
        reach
    }

    /// A fact with those before it; its number among those that are kept.
    fn keep(&self, at: u32, moved: &mut FxHashMap<u32, u32>, kept: &mut Vec<Reached>) -> u32 {
        let (mut chain, mut next) = (Vec::new(), Some(at));
        while let Some(at) = next.filter(|at| !moved.contains_key(at)) {
            chain.push(at);
            next = self.facts[at as usize].0.before;
        }
        for &at in chain.iter().rev() {
            let (fact, _) = self.facts[at as usize];
            let before = fact.before.map(|before| moved[&before]);
            moved.insert(at, kept.len() as u32);
            kept.push(Reached { before, ..fact });
        }
        moved[&at]
    }
}
