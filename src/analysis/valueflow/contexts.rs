//! Which nodes lie on some way from a source to a sink, as far as calls can be told apart without a look at what they do: what went
//! in by a call does not leave by another one, and a call whose result is asked for leads from its arguments there.

use super::graph::{Flow, Graph, Node, Site, Way};
use super::questions::{Asked, Questions};

/// By node, the questions for which it counts.
#[derive(Debug, Default)]
pub(super) struct Contexts {
    /// To what no call has brought there.
    outside: Vec<Asked>,
    /// To what a call has brought there, and that goes on without leaving by it.
    inside: Vec<Asked>,
    /// To a call on its way back to who called.
    within: Vec<Asked>,
}

/// A node and one of two states there: on the way to it, whether a call has brought something in; on the way on, whether it leaves
/// the function to whoever called.
type State = u32;

fn state(node: Node, is_set: bool) -> State {
    node.0 * 2 + u32::from(is_set)
}

impl Contexts {
    pub fn new(graph: &Graph, questions: &Questions<'_>) -> Self {
        let calls = Calls::new(graph);
        let forward = forward(graph, &calls, questions);
        let backward = backward(graph, &calls, questions, &forward);
        let nodes = || forward.chunks_exact(2).zip(backward.chunks_exact(2));
        Self {
            outside: nodes().map(|(to, on)| to[0].and(on[0].with(on[1]))).collect(),
            inside: nodes().map(|(to, on)| to[1].and(on[0])).collect(),
            within: nodes().map(|(to, on)| to[1].and(on[1])).collect(),
        }
    }

    pub fn asked(&self, node: Node, is_inside: bool) -> Asked {
        if is_inside { self.inside[node.0 as usize] } else { self.outside[node.0 as usize] }
    }

    pub fn within(&self, node: Node) -> Asked {
        self.within[node.0 as usize]
    }

    pub fn any(&self, node: Node) -> Asked {
        let at = node.0 as usize;
        self.outside[at].with(self.inside[at]).with(self.within[at])
    }
}

/// By call, the flows that go into it, and those that come back.
struct Calls {
    entries: Grouped,
    exits: Grouped,
}

impl Calls {
    fn new(graph: &Graph) -> Self {
        let entry = |flow: &Flow| match flow.way {
            Way::Enter(Site(site)) => Some(site),
            _ => None,
        };
        let exit = |flow: &Flow| match flow.way {
            Way::Leave(Site(site)) => Some(site),
            _ => None,
        };
        Self { entries: Grouped::new(graph, entry), exits: Grouped::new(graph, exit) }
    }
}

/// Flows by a number that some of them have.
struct Grouped {
    starts: Vec<u32>,
    flows: Vec<u32>,
}

impl Grouped {
    fn new(graph: &Graph, number: impl Fn(&Flow) -> Option<u32>) -> Self {
        let numbered = || (0..).zip(graph.flows()).filter_map(|(at, flow)| Some((number(flow)?, at)));
        let count = numbered().map(|(number, _)| number as usize + 1).max().unwrap_or_default();
        let mut starts = vec![0u32; count + 1];
        numbered().for_each(|(number, _)| starts[number as usize + 1] += 1);
        (0..count).for_each(|number| starts[number + 1] += starts[number]);
        let (mut next, mut flows) = (starts.clone(), vec![0; starts[count] as usize]);
        for (number, at) in numbered() {
            let place = &mut next[number as usize];
            flows[*place as usize] = at;
            *place += 1;
        }
        Self { starts, flows }
    }

    fn of(&self, number: u32) -> &[u32] {
        let at = number as usize;
        match self.starts.get(at..=at + 1) {
            Some(&[first, end]) => &self.flows[first as usize..end as usize],
            _ => &[],
        }
    }
}

/// What sources lead to.
fn forward(graph: &Graph, calls: &Calls, questions: &Questions<'_>) -> Vec<Asked> {
    let starts = questions.starts().map(|(node, asked)| (state(node, false), asked));
    spread(graph, starts, |node, is_inside, asked, give| {
        for flow in graph.from(node) {
            let asked = asked.and(questions.open(flow));
            match flow.way {
                Way::Here => give(state(flow.to, is_inside), asked),
                Way::Leave(_) if is_inside => {}
                Way::Leave(_) | Way::Shared => give(state(flow.to, false), asked),
                Way::Enter(Site(site)) => {
                    give(state(flow.to, true), asked);
                    for exit in calls.exits.of(site).iter().map(|&at| graph.flow(at)) {
                        give(state(exit.to, is_inside), asked.and(questions.open(exit)));
                    }
                }
            }
        }
    })
}

/// What leads to sinks, of that.
fn backward(graph: &Graph, calls: &Calls, questions: &Questions<'_>, forward: &[Asked]) -> Vec<Asked> {
    let reached = |node: Node| forward[node.0 as usize * 2].with(forward[node.0 as usize * 2 + 1]);
    let before = Grouped::new(graph, |flow| (!reached(flow.from).is_empty()).then_some(flow.to.0));
    let starts = questions.ends().map(|(node, asked)| (state(node, false), asked.and(reached(node))));
    spread(graph, starts, |node, leaves, asked, give| {
        for flow in before.of(node.0).iter().map(|&at| graph.flow(at)) {
            let asked = asked.and(questions.open(flow));
            let mut come = |from: Node, leaves: bool, asked: Asked| {
                give(state(from, leaves), asked.and(reached(from)));
            };
            match flow.way {
                Way::Here => come(flow.from, leaves, asked),
                Way::Shared => come(flow.from, false, asked),
                Way::Enter(_) if leaves => {}
                Way::Enter(_) => come(flow.from, false, asked),
                Way::Leave(Site(site)) => {
                    come(flow.from, true, asked);
                    for entry in calls.entries.of(site).iter().map(|&at| graph.flow(at)) {
                        come(entry.from, leaves, asked.and(questions.open(entry)));
                    }
                }
            }
        }
    })
}

/// What `next` gives on from `starts`, until nothing is new.
fn spread(
    graph: &Graph,
    starts: impl Iterator<Item = (State, Asked)>,
    next: impl Fn(Node, bool, Asked, &mut dyn FnMut(State, Asked)),
) -> Vec<Asked> {
    let mut found = vec![Asked::default(); graph.nodes() * 2];
    let mut work: Vec<State> = Vec::new();
    let give = |found: &mut [Asked], work: &mut Vec<State>, to: State, asked: Asked| {
        let known = &mut found[to as usize];
        if !asked.without(*known).is_empty() {
            *known = known.with(asked);
            work.push(to);
        }
    };
    starts.for_each(|(to, asked)| give(&mut found, &mut work, to, asked));
    while let Some(at) = work.pop() {
        let asked = found[at as usize];
        next(Node(at / 2), at % 2 == 1, asked, &mut |to, asked| give(&mut found, &mut work, to, asked));
    }
    found
}
