//! Reachability with witnesses: for one set of goals, which functions can reach one and by which edge next. A reverse
//! search from the goals over call edges, in order of (confidence, hops, edge), so that a short low-confidence path never
//! hides a better one. No walk of bodies, no lattice (ARCHITECTURE "Analysis").

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::effects::{EffectSite, Effects};
use crate::catalog::EffectKind;
use crate::finding::Confidence;
use crate::link::{At, Cls, Edge, EdgeKind, Func, Mask, Pick, Program, Receiver, Target};

/// What each function can reach, by its best next hop.
pub struct Reach<'p> {
    goals: Vec<&'p EffectSite>,
    edges: &'p [Edge],
    best: FxHashMap<State, Best>,
    /// By function, the states in which it reaches the effect, the best first: for any object or key, or for some.
    starts: FxHashMap<Func, Vec<State>>,
}

/// A function, and what must hold for the path to hold: of its object or key, and the branches that must be taken.
type State = (Func, Option<Need>, Mask);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Need {
    /// The overriding method that its object must have: `self.step()` in a base class means another method for every class, so
    /// a caller with an object of another class does not take this path.
    Method(Func),
    /// The entry of a table that the caller's key must mean; true if the table is one of many.
    Entry(Func, bool),
}

#[derive(Clone, Copy, Debug)]
struct Best {
    confidence: Confidence,
    hops: u32,
    next: Next,
    then: Option<State>,
    /// A library that may run what it holds is on the way.
    is_held: bool,
    /// The state on the way from which it is `ENDS` hops to the goal; none if it is nearer.
    tail: Option<State>,
}

/// Of a long path, so many hops at either end are told.
const ENDS: usize = 50;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Next {
    /// The goal stands in the function itself; indexes `Reach::goals`.
    Site(u32),
    /// Indexes `Program::edges`.
    Edge(u32),
}

/// A witness: the calls from a function to a goal.
#[derive(Clone, Debug)]
pub struct Path<'p> {
    pub confidence: Confidence,
    /// The calls on the way, caller first; empty if the effect stands in the function itself. Of a long path only both ends.
    pub hops: Vec<&'p Edge>,
    /// How many calls are left out, and after how many.
    pub left_out: Option<(usize, usize)>,
    pub effect: &'p EffectSite,
}

impl Path<'_> {
    /// How many calls it has.
    pub fn length(&self) -> usize {
        self.hops.len() + self.left_out.map_or(0, |(_, count)| count)
    }

    /// The first expression of the path inside the function it starts from.
    pub fn first(&self) -> At {
        self.hops.first().map_or(self.effect.at, |edge| edge.at)
    }
}

type Entry = (Confidence, Reverse<u32>, Reverse<Next>, Reverse<State>, Reverse<Option<State>>);

/// Where searches go: who calls whom, made once for all of them.
pub struct Graph<'p, 'a> {
    program: &'p Program<'a>,
    callers: Callers,
}

impl<'p, 'a> Graph<'p, 'a> {
    /// `follows` says whether a call may be followed into a function.
    pub fn new(program: &'p Program<'a>, follows: impl Fn(At, Func) -> bool) -> Self {
        Self { program, callers: callers(program, follows) }
    }

    /// What reaches one of the goals, which come in the order of their places, by the calls that `is_open` lets pass.
    pub fn search<'g>(
        &self,
        goals: impl Iterator<Item = &'g EffectSite>,
        is_open: impl Fn(&Edge) -> bool,
    ) -> Reach<'g>
    where
        'p: 'g,
    {
        let Self { program, callers } = self;
        let goals = goals.filter(|site| site.runs).collect();
        let mut reach =
            Reach { goals, edges: &program.edges, best: FxHashMap::default(), starts: FxHashMap::default() };
        let mut queue: BinaryHeap<Entry> = BinaryHeap::new();
        for (id, site) in reach.goals.iter().enumerate() {
            let next = Reverse(Next::Site(id as u32));
            let state = (site.from, None, program.branches.around(site.from, program.span(site.at)));
            queue.push((site.confidence, Reverse(0), next, Reverse(state), Reverse(None)));
        }
        while let Some((confidence, Reverse(hops), Reverse(next), Reverse(state), Reverse(then))) =
            queue.pop()
        {
            if reach.is_known(state) {
                continue;
            }
            let is_held = reach.is_held(next, then);
            reach.know(state, Best { confidence, hops, next, then, is_held, tail: None });
            for &id in callers.of(state.0) {
                let edge = &program.edges[id as usize];
                let before = before(program, edge, state).filter(|_| is_open(edge));
                let Some((caller, certain)) = before else { continue };
                if !reach.is_known(caller) {
                    // Twice "perhaps" is a guess.
                    let is_guess = is_held && edge.kind == EdgeKind::Held;
                    let confidence = confidence.min(if is_guess { Confidence::Low } else { certain });
                    let next = Reverse(Next::Edge(id));
                    queue.push((confidence, Reverse(hops + 1), next, Reverse(caller), Reverse(Some(state))));
                }
            }
        }
        reach
    }
}

impl<'p> Reach<'p> {
    /// A path that holds for any object also holds for a particular one.
    fn is_known(&self, state: State) -> bool {
        self.best.contains_key(&state) || self.best.contains_key(&(state.0, None, 0))
    }

    fn is_held(&self, next: Next, then: Option<State>) -> bool {
        let is_here = |id: u32| self.edges[id as usize].kind == EdgeKind::Held;
        matches!(next, Next::Edge(id) if is_here(id))
            || then.and_then(|then| self.best.get(&then)).is_some_and(|best| best.is_held)
    }

    fn know(&mut self, state: State, best: Best) {
        let tail = match best.hops.cmp(&(ENDS as u32)) {
            Ordering::Less => None,
            Ordering::Equal => Some(state),
            Ordering::Greater => best.then.and_then(|then| self.best.get(&then)?.tail),
        };
        let best = Best { tail, ..best };
        self.best.insert(state, best);
        let Self { starts, best, .. } = self;
        let rank = |state: &State| (Reverse(best[state].confidence), best[state].hops, *state);
        let known = starts.entry(state.0).or_default();
        known.insert(known.partition_point(|known| rank(known) < rank(&state)), state);
    }

    /// The best of the paths from functions that do the same; of equals the first. With a class only what its objects do.
    pub fn best(
        &self,
        program: &Program<'_>,
        from: impl Iterator<Item = Func>,
        class: Option<Cls>,
    ) -> Option<Path<'p>> {
        let paths = from.filter_map(|func| self.path_of(program, func, class));
        paths.reduce(|best, path| {
            let rank = |path: &Path<'_>| (Reverse(path.confidence), path.length());
            if rank(&path) < rank(&best) { path } else { best }
        })
    }

    /// The best path from `func`: the shortest among those of the highest confidence.
    pub fn path(&self, func: Func) -> Option<Path<'p>> {
        self.path_from(self.start(func)?)
    }

    /// The same, if it is run on an object of exactly this class.
    pub fn path_of(&self, program: &Program<'_>, func: Func, class: Option<Cls>) -> Option<Path<'p>> {
        let Some(class) = class else { return self.path(func) };
        let is_own = |need: Need| match need {
            Need::Method(method) => program.is_method_of(method, class),
            Need::Entry(entry, _) => program.picks.runs(func, class, entry),
        };
        let mut states = self.starts.get(&func).into_iter().flatten();
        self.path_from(*states.find(|(_, need, _)| need.is_none_or(is_own))?)
    }

    fn path_from(&self, start: State) -> Option<Path<'p>> {
        let Best { confidence, hops: all, .. } = self.best[&start];
        let mut hops = Vec::new();
        let mut left_out = None;
        let mut at = start;
        loop {
            let best = self.best.get(&at)?;
            if hops.len() == ENDS
                && let Some(tail) = best.tail.filter(|tail| *tail != at)
            {
                left_out = Some((ENDS, all as usize - 2 * ENDS));
                at = tail;
                continue;
            }
            match best.next {
                Next::Site(id) => {
                    return Some(Path { confidence, hops, left_out, effect: self.goals[id as usize] });
                }
                Next::Edge(id) => {
                    hops.push(&self.edges[id as usize]);
                    at = best.then?;
                }
            }
        }
    }

    /// All functions that reach a goal, in no order.
    pub fn functions(&self) -> impl Iterator<Item = Func> + '_ {
        self.starts.keys().copied()
    }

    /// True if the function that an edge leads to reaches the effect.
    pub fn leads_on(&self, program: &Program<'_>, edge: &Edge) -> bool {
        let Target::Project(func) = edge.to else { return false };
        let closed = program.branches.closed(edge.at.expr, func, 0);
        let mut starts = self.starts.get(&func).into_iter().flatten();
        edge.kind != EdgeKind::Stored && starts.any(|(.., branches)| branches & closed == 0)
    }

    fn start(&self, func: Func) -> Option<State> {
        self.starts.get(&func)?.first().copied()
    }
}

/// The caller's state before it takes `edge` into `state`, and how sure the edge then is; `None` if the object it calls has
/// another method there, or its key means another entry.
fn before(program: &Program<'_>, edge: &Edge, (callee, need, taken): State) -> Option<(State, Confidence)> {
    if taken != 0 && taken & program.branches.closed(edge.at.expr, callee, 0) != 0 {
        return None;
    }
    let (need, sure) = needed(program, edge, callee, need)?;
    let around = program.branches.around(edge.from, program.span(edge.at));
    Some(((edge.from, need, around | program.branches.needed(edge.at.expr, callee, taken)), sure))
}

/// What the caller must have.
fn needed(
    program: &Program<'_>,
    edge: &Edge,
    callee: Func,
    need: Option<Need>,
) -> Option<(Option<Need>, Confidence)> {
    let sure = edge.confidence;
    if let Some(Need::Entry(entry, is_pooled)) = need {
        let any = if is_pooled { Confidence::Low } else { sure };
        return match program.picks.of(edge.at.expr, callee, entry) {
            Pick::Exact => Some((None, sure)),
            Pick::Through => Some((need, sure)),
            Pick::Any => Some((None, any)),
            Pick::Never => None,
        };
    }
    let method = need;
    let need = match edge.receiver {
        Receiver::SameDispatched => match (method, program.function(callee).class) {
            (Some(Need::Method(method)), Some(class)) if !program.may_be_method_of(method, class) => {
                return None;
            }
            _ => Some(Need::Method(callee)),
        },
        Receiver::Same => method,
        Receiver::Exact(class) => match method {
            Some(Need::Method(method)) if !program.is_method_of(method, class) => return None,
            _ => None,
        },
        Receiver::Within(class) => match method {
            Some(Need::Method(method)) if !program.may_be_method_of(method, class) => return None,
            _ => None,
        },
        Receiver::Unknown => None,
        Receiver::Picked => Some(Need::Entry(callee, false)),
        // Which of them, the caller says.
        Receiver::Pooled => return Some((Some(Need::Entry(callee, true)), Confidence::Medium)),
    };
    Some((need, sure))
}

/// The functions from which an effect of these kinds is reached, by what is more than a guess.
pub fn acting(program: &Program<'_>, effects: &Effects, kinds: &[EffectKind]) -> Vec<bool> {
    let callers = callers(program, |_, _| true);
    let mut acting = vec![false; program.functions.len()];
    let sites = effects.of_kinds(kinds).filter(|site| site.runs && site.confidence > Confidence::Low);
    let mut work: Vec<Func> = sites.map(|site| site.from).collect();
    while let Some(func) = work.pop() {
        if std::mem::replace(&mut acting[func.0 as usize], true) {
            continue;
        }
        let edges = callers.of(func).iter().map(|&edge| &program.edges[edge as usize]);
        work.extend(edges.filter(|edge| edge.confidence > Confidence::Low).map(|edge| edge.from));
    }
    acting
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

fn callers(program: &Program<'_>, follows: impl Fn(At, Func) -> bool) -> Callers {
    let followed = |edge: &Edge| match edge.to {
        Target::Project(func) if edge.kind != EdgeKind::Stored && follows(edge.at, func) => Some(func),
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
