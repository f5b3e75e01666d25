//! Reachability with witnesses: for one effect kind, which functions can reach it and by which edge next. A reverse search
//! from the effect sites over call edges, in order of (confidence, hops, edge), so that a short low-confidence path never
//! hides a better one. No walk of bodies, no lattice (DESIGN "Analysis").

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::effects::{EffectSite, Effects};
use crate::catalog::EffectKind;
use crate::finding::Confidence;
use crate::link::{At, Edge, EdgeKind, Func, Program, Target};

/// What each function can reach, by its best next hop.
pub struct Reach<'p> {
    effects: &'p Effects,
    edges: &'p [Edge],
    best: Vec<Option<Best>>,
}

#[derive(Clone, Copy, Debug)]
struct Best {
    confidence: Confidence,
    next: Next,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Next {
    /// The effect stands in the function itself; indexes `Effects::sites`.
    Site(u32),
    /// Indexes `Program::edges`.
    Edge(u32),
}

/// A witness: the calls from a function to an effect.
#[derive(Clone, Debug)]
pub struct Path<'p> {
    pub confidence: Confidence,
    /// The calls on the way, caller first; empty if the effect stands in the function itself.
    pub hops: Vec<&'p Edge>,
    pub effect: &'p EffectSite,
}

impl Path<'_> {
    /// The first expression of the path inside the function it starts from.
    pub fn first(&self) -> At {
        self.hops.first().map_or(self.effect.at, |edge| edge.at)
    }
}

type Entry = (Confidence, Reverse<u32>, Reverse<Next>, Reverse<Func>);

impl<'p> Reach<'p> {
    /// `enters` says whether a call may be followed into a function.
    pub fn search(
        program: &'p Program<'_>,
        effects: &'p Effects,
        kind: EffectKind,
        enters: impl Fn(Func) -> bool,
    ) -> Self {
        let callers = callers(program, effects, enters);
        let mut reach = Reach { effects, edges: &program.edges, best: vec![None; program.functions.len()] };
        let mut queue: BinaryHeap<Entry> = BinaryHeap::new();
        for (id, site) in effects.sites.iter().enumerate() {
            if site.kind == kind {
                queue.push((site.confidence, Reverse(0), Reverse(Next::Site(id as u32)), Reverse(site.from)));
            }
        }
        while let Some((confidence, Reverse(hops), Reverse(next), Reverse(func))) = queue.pop() {
            if reach.best[func.0 as usize].is_some() {
                continue;
            }
            reach.best[func.0 as usize] = Some(Best { confidence, next });
            for &id in callers.of(func) {
                let edge = &program.edges[id as usize];
                if reach.best[edge.from.0 as usize].is_none() {
                    let confidence = confidence.min(edge.confidence);
                    queue.push((confidence, Reverse(hops + 1), Reverse(Next::Edge(id)), Reverse(edge.from)));
                }
            }
        }
        reach
    }

    /// The best path from `func`: the shortest among those of the highest confidence.
    pub fn path(&self, func: Func) -> Option<Path<'p>> {
        let confidence = self.best[func.0 as usize]?.confidence;
        let mut hops = Vec::new();
        let mut at = func;
        loop {
            match self.best[at.0 as usize]?.next {
                Next::Site(id) => {
                    return Some(Path { confidence, hops, effect: &self.effects.sites[id as usize] });
                }
                Next::Edge(id) => {
                    let edge = &self.edges[id as usize];
                    hops.push(edge);
                    let Target::Project(next) = edge.to else { return None };
                    at = next;
                }
            }
        }
    }
}

/// Which functions run when an agent's entry points run, by `Func`; a callable that is only stored is not run.
pub fn agent_reachable(program: &Program<'_>, entries: &[Func]) -> Vec<bool> {
    let mut reached = vec![false; program.functions.len()];
    let mut work = entries.to_vec();
    work.iter().for_each(|func| reached[func.0 as usize] = true);
    while let Some(func) = work.pop() {
        for edge in program.edges_from(func) {
            if let (Target::Project(next), EdgeKind::Call | EdgeKind::Passed) = (edge.to, edge.kind)
                && !std::mem::replace(&mut reached[next.0 as usize], true)
            {
                work.push(next);
            }
        }
    }
    reached
}

/// Edges by callee, in two flat arrays.
struct Callers {
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl Callers {
    fn of(&self, func: Func) -> &[u32] {
        let at = func.0 as usize;
        &self.edges[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

fn callers(program: &Program<'_>, effects: &Effects, enters: impl Fn(Func) -> bool) -> Callers {
    let followed = |edge: &Edge| match edge.to {
        Target::Project(func)
            if edge.kind != EdgeKind::Stored && enters(func) && !effects.is_comm_call(edge.at) =>
        {
            Some(func)
        }
        _ => None,
    };
    let mut starts = vec![0u32; program.functions.len() + 1];
    for func in program.edges.iter().filter_map(followed) {
        starts[func.0 as usize + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut fill = starts.clone();
    let mut edges = vec![0u32; starts.last().copied().unwrap_or_default() as usize];
    for (id, edge) in program.edges.iter().enumerate() {
        if let Some(func) = followed(edge) {
            edges[fill[func.0 as usize] as usize] = id as u32;
            fill[func.0 as usize] += 1;
        }
    }
    Callers { starts, edges }
}
