//! What lies on some way from a source to a sink, whatever calls are between: all that is looked at to answer questions.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::contexts::Contexts;
use super::graph::{Flow, Graph, Node, PartOf, Reads, Site, Way};
use super::paths::Path;
use super::questions::{Asked, Questions};

/// A flow, and the questions for which it counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub flow: Flow,
    pub asked: Asked,
}

/// The part of a graph in which the answers to questions lie.
#[derive(Debug, Default)]
pub(super) struct Chop {
    contexts: Contexts,
    flows: Vec<Open>,
    starts: Vec<u32>,
    /// Flows that enter a function, by where they lead, and then by the call.
    entries: Vec<u32>,
    /// Parts of variables that are harmless among some reads of the whole.
    proven: FxHashMap<PartOf, Vec<(Asked, Reads)>>,
}

impl Chop {
    pub fn new(graph: &Graph, questions: &Questions<'_>) -> Self {
        let contexts = Contexts::new(graph, questions);
        let of = |node: Node| contexts.any(node);
        let (mut flows, mut starts) = (Vec::new(), vec![0u32]);
        for node in (0..graph.nodes() as u32).map(Node) {
            let here = of(node);
            let flows_here = if here.is_empty() { &[] } else { graph.from(node) };
            let open = flows_here.iter().map(|&flow| {
                let asked = here.and(of(flow.to)).and(questions.open(&flow));
                Open { flow, asked }
            });
            flows.extend(open.filter(|open| !open.asked.is_empty()));
            starts.push(flows.len() as u32);
        }
        let is_entry = |&at: &u32| flows[at as usize].flow.is_entry();
        let mut entries: Vec<u32> = (0..flows.len() as u32).filter(is_entry).collect();
        entries.sort_by_key(|&at| (flows[at as usize].flow.to, flows[at as usize].flow.way));
        let proven = graph.proven().map(|(part, reads)| {
            let reads = reads.iter().map(|(clean, reads)| (questions.settled_by(*clean), Arc::clone(reads)));
            (part, reads.filter(|(asked, _)| !asked.is_empty()).collect::<Vec<_>>())
        });
        let proven = proven.filter(|(_, reads)| !reads.is_empty()).collect();
        Self { contexts, flows, starts, entries, proven }
    }

    /// The questions for which a node counts to what a call has brought there, or no call.
    pub fn asked(&self, node: Node, is_inside: bool) -> Asked {
        self.contexts.asked(node, is_inside)
    }

    /// The questions for which a node counts to a call on its way back to who called.
    pub fn within(&self, node: Node) -> Asked {
        self.contexts.within(node)
    }

    pub fn from(&self, node: Node) -> &[Open] {
        let range = self.starts[node.0 as usize] as usize..self.starts[node.0 as usize + 1] as usize;
        &self.flows[range]
    }

    /// The questions for which a part gets on by a flow.
    pub fn takes(&self, open: &Open, part: Path) -> Asked {
        let step = part.first_step().filter(|_| !self.proven.is_empty() && open.flow.way == Way::Here);
        let Some(step) = step else { return open.asked };
        let known = self.proven.get(&(open.flow.from, step.named())).into_iter().flatten();
        let harmless = known.filter(|(_, reads)| reads.has(open.flow.to));
        open.asked.without(harmless.map(|(asked, _)| *asked).collect())
    }

    /// The flows that enter a function at this parameter.
    pub fn entries_of(&self, node: Node) -> impl Iterator<Item = &Open> {
        let of = |at: &u32| self.flows[*at as usize].flow.to;
        let start = self.entries.partition_point(|at| of(at) < node);
        self.entries[start..].iter().take_while(move |at| of(at) == node).map(|&at| &self.flows[at as usize])
    }

    /// Those of them by which one call enters.
    pub fn entered_by(&self, node: Node, site: Site) -> impl Iterator<Item = &Open> {
        let wanted = (node, Way::Enter(site));
        let of = |at: &u32| (self.flows[*at as usize].flow.to, self.flows[*at as usize].flow.way);
        let start = self.entries.partition_point(|at| of(at) < wanted);
        self.entries[start..]
            .iter()
            .take_while(move |at| of(at) == wanted)
            .map(|&at| &self.flows[at as usize])
    }

    /// Parameters that some call gives something, in order.
    pub fn parameters(&self) -> impl Iterator<Item = Node> {
        let mut last = None;
        let nodes = self.entries.iter().map(|&at| self.flows[at as usize].flow.to);
        nodes.filter(move |&node| last.replace(node) != Some(node))
    }
}
