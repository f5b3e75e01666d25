//! Who calls whom, as far as that is sure enough for values to be followed.

use crate::analysis::components::groups;
use crate::finding::Confidence;
use crate::link::{Func, Program, Target};

/// Who calls whom, and in which order summaries are made.
pub struct Callers {
    starts: Vec<u32>,
    callers: Vec<u32>,
    /// By function: whoever is called comes first.
    pub order: Vec<u32>,
}

impl Callers {
    pub fn new(program: &Program<'_>) -> Self {
        let count = program.functions.len();
        let follows = program.edges.iter().filter_map(|edge| match edge.to {
            Target::Project(to) if edge.kind.carries_content() && edge.confidence >= Confidence::Medium => {
                Some((edge.from.0, to.0))
            }
            _ => None,
        });
        // Edges are sorted by caller.
        let forward: Vec<(u32, u32)> = follows.collect();
        let starts = starts(count, forward.iter().map(|(from, _)| *from));
        let callees = |node: usize| {
            let called = &forward[starts[node] as usize..starts[node + 1] as usize];
            called.iter().map(|(_, to)| *to as usize).collect()
        };
        let order = groups(count, callees);
        let mut backward: Vec<(u32, u32)> = forward.iter().map(|&(from, to)| (to, from)).collect();
        backward.sort_unstable();
        backward.dedup();
        Self {
            starts: self::starts(count, backward.iter().map(|(to, _)| *to)),
            callers: backward.into_iter().map(|(_, from)| from).collect(),
            order,
        }
    }

    pub fn of(&self, func: Func) -> &[u32] {
        let at = func.0 as usize;
        &self.callers[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// Where the entries of each node begin in a list that is sorted by node.
fn starts(count: usize, nodes: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0u32; count + 1];
    nodes.for_each(|node| starts[node as usize + 1] += 1);
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    starts
}
