//! The graph as it is stored: flows by the node that they leave.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::paths::{Change, Key};
use super::ranges::Ranges;
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

impl Flow {
    pub(super) fn is_entry(&self) -> bool {
        matches!(self.way, Way::Enter(_))
    }
}

/// How sure two steps are, one after the other: what may be twice is hardly ever.
pub(super) fn once(one: Confidence, other: Confidence) -> Option<Confidence> {
    (one == Confidence::High || other == Confidence::High).then(|| one.min(other))
}

/// Reads among which something holds.
pub(super) type Reads = Arc<Ranges<Node>>;

/// A part of a variable.
pub(super) type PartOf = (Node, Key);

/// Flows, sorted; each once.
#[derive(Debug, Default)]
pub struct Graph {
    flows: Vec<Flow>,
    starts: Vec<u32>,
    /// Parts of variables that are harmless among some reads of the whole.
    proven: FxHashMap<PartOf, Vec<(Purposes, Reads)>>,
}

impl Graph {
    /// `nodes` is how many there are.
    pub fn new(nodes: usize, mut flows: Vec<Flow>) -> Self {
        flows.sort_unstable();
        flows.dedup();
        let mut starts = vec![0u32; nodes + 1];
        flows.iter().for_each(|flow| starts[flow.from.0 as usize + 1] += 1);
        (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
        Self { flows, starts, proven: FxHashMap::default() }
    }

    /// A part of a variable is harmless where all of it is read, among these nodes.
    pub(super) fn prove(&mut self, var: Node, part: Key, purposes: Purposes, reads: Ranges<Node>) {
        self.proven.entry((var, part.named())).or_default().push((purposes, Arc::new(reads)));
    }

    pub(super) fn proven(&self) -> impl Iterator<Item = (PartOf, &[(Purposes, Reads)])> {
        self.proven.iter().map(|(part, reads)| (*part, reads.as_slice()))
    }

    /// For what flows make harmless what gets on: each set of purposes once.
    pub fn cleaned(&self) -> BTreeSet<Purposes> {
        let parts = self.proven.values().flatten().map(|(clean, _)| *clean);
        self.flows.iter().map(|flow| flow.clean).chain(parts).filter(|clean| !clean.is_empty()).collect()
    }

    pub fn nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub fn from(&self, node: Node) -> &[Flow] {
        let range = self.range(node);
        &self.flows[range.start as usize..range.end as usize]
    }

    /// The numbers of the flows that leave a node.
    pub(super) fn range(&self, node: Node) -> Range<u32> {
        self.starts[node.0 as usize]..self.starts[node.0 as usize + 1]
    }

    pub(super) fn flows(&self) -> &[Flow] {
        &self.flows
    }

    pub(super) fn flow(&self, at: u32) -> &Flow {
        &self.flows[at as usize]
    }

    /// All flows from an argument to a parameter.
    pub fn entered(&self) -> impl Iterator<Item = (Node, Node)> {
        self.flows.iter().filter(|flow| flow.is_entry()).map(|flow| (flow.from, flow.to))
    }
}
