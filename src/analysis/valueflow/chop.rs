//! What lies on some way from a source to a sink, whatever calls are between: all that is looked at to answer questions.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::graph::{Flow, Graph, Node, Site, Way};
use super::paths::{Key, Path};
use super::questions::{Asked, Questions};
use super::ranges::Ranges;

/// A flow, and the questions for which it counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub flow: Flow,
    pub asked: Asked,
}

/// The part of a graph in which the answers to questions lie.
#[derive(Debug, Default)]
pub(super) struct Chop {
    /// By node.
    asked: Vec<Asked>,
    flows: Vec<Open>,
    starts: Vec<u32>,
    /// Flows that enter a function, by where they lead, and then by the call.
    entries: Vec<u32>,
    /// Parts of variables that are harmless among some reads of the whole.
    proven: FxHashMap<(Node, Key), Vec<(Asked, Arc<Ranges<Node>>)>>,
}

impl Chop {
    pub fn new(graph: &Graph, questions: &Questions<'_>) -> Self {
        let asked = between(graph, questions);
        let of = |node: Node| asked[node.0 as usize];
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
        Self { asked, flows, starts, entries, proven }
    }

    /// The questions for which a node counts.
    pub fn asked(&self, node: Node) -> Asked {
        self.asked[node.0 as usize]
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

/// By node the questions for which something may get from there to an end that may come there from a source.
fn between(graph: &Graph, questions: &Questions<'_>) -> Vec<Asked> {
    let forward = spread(graph.nodes(), questions.starts(), |node, asked, give| {
        graph.from(node).iter().for_each(|flow| give(flow.to, asked.and(questions.open(flow))));
    });
    let before = Before::new(graph, &forward);
    spread(graph.nodes(), questions.ends(), |node, asked, give| {
        for flow in before.of(node).iter().map(|&at| graph.flow(at)) {
            let here = forward[flow.from.0 as usize].and(questions.open(flow));
            give(flow.from, asked.and(here));
        }
    })
    .into_iter()
    .zip(forward)
    .map(|(backward, forward)| backward.and(forward))
    .collect()
}

/// Flows from nodes that are reached, by where they lead.
struct Before {
    starts: Vec<u32>,
    flows: Vec<u32>,
}

impl Before {
    fn new(graph: &Graph, reached: &[Asked]) -> Self {
        let nodes = || (0..graph.nodes() as u32).filter(|&node| !reached[node as usize].is_empty()).map(Node);
        let mut starts = vec![0u32; graph.nodes() + 1];
        nodes().flat_map(|node| graph.from(node)).for_each(|flow| starts[flow.to.0 as usize + 1] += 1);
        (0..graph.nodes()).for_each(|node| starts[node + 1] += starts[node]);
        let (mut next, mut flows) = (starts.clone(), vec![0; starts[graph.nodes()] as usize]);
        for at in nodes().flat_map(|node| graph.range(node)) {
            let place = &mut next[graph.flow(at).to.0 as usize];
            flows[*place as usize] = at;
            *place += 1;
        }
        Self { starts, flows }
    }

    fn of(&self, node: Node) -> &[u32] {
        &self.flows[self.starts[node.0 as usize] as usize..self.starts[node.0 as usize + 1] as usize]
    }
}

/// What `next` gives on from `starts`, until nothing is new.
fn spread(
    nodes: usize,
    starts: impl Iterator<Item = (Node, Asked)>,
    next: impl Fn(Node, Asked, &mut dyn FnMut(Node, Asked)),
) -> Vec<Asked> {
    let mut found = vec![Asked::default(); nodes];
    let mut work: Vec<Node> = Vec::new();
    let give = |found: &mut [Asked], work: &mut Vec<Node>, node: Node, asked: Asked| {
        let known = &mut found[node.0 as usize];
        if !asked.without(*known).is_empty() {
            *known = known.with(asked);
            work.push(node);
        }
    };
    starts.for_each(|(node, asked)| give(&mut found, &mut work, node, asked));
    while let Some(node) = work.pop() {
        let asked = found[node.0 as usize];
        next(node, asked, &mut |to, asked| give(&mut found, &mut work, to, asked));
    }
    found
}
