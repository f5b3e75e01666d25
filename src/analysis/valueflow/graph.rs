//! The graph as it is stored: flows by the node that they leave.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::paths::{Change, Key, Path};
use crate::catalog::Purposes;
use crate::finding::Confidence;

/// A place where a value is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node(pub u32);

/// One call of one function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site(pub u32);

/// What of a value gets on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// The value itself.
    Same,
    /// It becomes a part of another one.
    Into(Key),
    /// A part of it.
    OutOf(Key),
    /// Something is made of it in which its parts are not told apart: a text.
    Made,
}

impl Step {
    pub(super) fn change(self) -> Change {
        match self {
            Step::Same => Change::NONE,
            Step::Into(key) => Change::into(key),
            Step::OutOf(key) => Change::out_of(key),
            Step::Made => Change::MADE,
        }
    }
}

/// Where a flow leads. What enters a function by a call leaves it by that call only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Way {
    /// It stays in its function.
    Here,
    /// From an argument to a parameter.
    Enter(Site),
    /// From what a function hands back, or has put into a parameter, to who called it.
    Leave(Site),
    /// By a place that all calls share: an attribute of objects, a variable of a module.
    Shared,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Flow {
    pub from: Node,
    pub to: Node,
    pub step: Step,
    pub way: Way,
    pub confidence: Confidence,
    /// What gets on this way is harmless for these.
    pub clean: Purposes,
}

/// How sure two steps are, one after the other: what may be twice is hardly ever.
pub(super) fn once(one: Confidence, other: Confidence) -> Option<Confidence> {
    (one == Confidence::High || other == Confidence::High).then(|| one.min(other))
}

/// Flows, sorted; each once.
#[derive(Debug, Default)]
pub struct Graph {
    flows: Vec<Flow>,
    starts: Vec<u32>,
    /// Flows that enter a function, by where they lead.
    entries: Vec<u32>,
    /// Parts that are harmless on a way that takes the whole.
    proven: FxHashMap<(Node, Node), Vec<(Key, Purposes)>>,
}

impl Graph {
    /// `nodes` is how many there are.
    pub fn new(nodes: usize, mut flows: Vec<Flow>) -> Self {
        flows.sort_unstable();
        flows.dedup();
        let mut starts = vec![0u32; nodes + 1];
        flows.iter().for_each(|flow| starts[flow.from.0 as usize + 1] += 1);
        (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
        let is_entry = |&at: &u32| matches!(flows[at as usize].way, Way::Enter(_));
        let mut entries: Vec<u32> = (0..flows.len() as u32).filter(is_entry).collect();
        entries.sort_unstable_by_key(|&at| flows[at as usize].to);
        Self { flows, starts, entries, proven: FxHashMap::default() }
    }

    /// The flows by which something gets to a sink for one of `purposes` at least, without those out of `cut`.
    pub fn without(&self, purposes: Purposes, cut: &dyn Fn(Node) -> bool) -> Self {
        let gets_on =
            |flow: &&Flow| (purposes.is_empty() || flow.clean.and(purposes) != purposes) && !cut(flow.from);
        let mut graph = Self::new(self.nodes(), self.flows.iter().filter(gets_on).copied().collect());
        let is_proven = |&(_, own): &(Key, Purposes)| !purposes.is_empty() && own.and(purposes) == purposes;
        for (way, parts) in &self.proven {
            let parts: Vec<_> = parts.iter().copied().filter(is_proven).collect();
            if !parts.is_empty() {
                graph.proven.insert(*way, parts);
            }
        }
        graph
    }

    /// A part of what gets from one node to the other is harmless there.
    pub fn prove(&mut self, from: Node, to: Node, part: Key, purposes: Purposes) {
        self.proven.entry((from, to)).or_default().push((part, purposes));
    }

    /// True if a part gets on by a flow.
    pub(super) fn takes(&self, flow: &Flow, part: Path) -> bool {
        let known = self.proven.get(&(flow.from, flow.to));
        known.is_none_or(|known| {
            part.first_step().is_none_or(|step| known.iter().all(|(own, _)| !own.is_same(step)))
        })
    }

    /// For what flows make harmless what gets on: each set of purposes once.
    pub fn cleaned(&self) -> BTreeSet<Purposes> {
        let parts = self.proven.values().flatten().map(|(_, clean)| *clean);
        self.flows.iter().map(|flow| flow.clean).chain(parts).filter(|clean| !clean.is_empty()).collect()
    }

    pub fn nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub fn from(&self, node: Node) -> &[Flow] {
        let range = self.starts[node.0 as usize] as usize..self.starts[node.0 as usize + 1] as usize;
        &self.flows[range]
    }

    /// All flows from an argument to a parameter.
    pub fn entered(&self) -> impl Iterator<Item = (Node, Node)> {
        self.entries.iter().map(|&at| &self.flows[at as usize]).map(|flow| (flow.from, flow.to))
    }

    /// The flows that enter a function at this parameter.
    pub(super) fn entries_of(&self, node: Node) -> impl Iterator<Item = &Flow> {
        let of = |at: &u32| self.flows[*at as usize].to;
        let start = self.entries.partition_point(|at| of(at) < node);
        self.entries[start..].iter().take_while(move |at| of(at) == node).map(|&at| &self.flows[at as usize])
    }

    /// Parameters that some call gives something, in order.
    pub(super) fn parameters(&self) -> impl Iterator<Item = Node> {
        let mut last = None;
        let nodes = self.entries.iter().map(|&at| self.flows[at as usize].to);
        nodes.filter(move |&node| last.replace(node) != Some(node))
    }

    /// The nodes from which something may get to one of `ends` that may come from one of `starts`, whatever calls are between.
    pub(super) fn between(&self, starts: &[Node], ends: &[Node]) -> Vec<bool> {
        let forward =
            self.spread(starts, |node, work| work.extend(self.from(node).iter().map(|flow| flow.to)));
        let (before, sources) = self.backward();
        let backward = self.spread(ends, |node, work| {
            let range = before[node.0 as usize] as usize..before[node.0 as usize + 1] as usize;
            work.extend_from_slice(&sources[range]);
        });
        forward.into_iter().zip(backward).map(|(is_reached, reaches)| is_reached && reaches).collect()
    }

    /// The nodes from which flows come, by the node to which they lead, with where those of each begin.
    fn backward(&self) -> (Vec<u32>, Vec<Node>) {
        let mut starts = vec![0u32; self.nodes() + 1];
        self.flows.iter().for_each(|flow| starts[flow.to.0 as usize + 1] += 1);
        (0..self.nodes()).for_each(|node| starts[node + 1] += starts[node]);
        let (mut next, mut sources) = (starts.clone(), vec![Node(0); self.flows.len()]);
        for flow in &self.flows {
            let at = &mut next[flow.to.0 as usize];
            sources[*at as usize] = flow.from;
            *at += 1;
        }
        (starts, sources)
    }

    fn spread(&self, starts: &[Node], next: impl Fn(Node, &mut Vec<Node>)) -> Vec<bool> {
        let mut found = vec![false; self.nodes()];
        let mut work = starts.to_vec();
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut found[node.0 as usize], true) {
                next(node, &mut work);
            }
        }
        found
    }
}
