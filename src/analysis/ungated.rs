//! Which functions run only behind a gate, whoever calls them, and which calls let an effect run without one.

use rustc_hash::FxHashMap;

use super::effects::EffectSite;
use super::gating::Gating;
use super::reach::{Graph, Reach};
use crate::link::{Edge, EdgeKind, Func, Program, Target};

/// What is known of the gates of a program.
pub struct Guarded<'g, 'p, 'a> {
    pub gating: &'g Gating,
    program: &'p Program<'a>,
    /// By function: every caller has passed the gate.
    entered: Vec<bool>,
}

impl<'g, 'p, 'a> Guarded<'g, 'p, 'a> {
    pub fn find(program: &'p Program<'a>, gating: &'g Gating) -> Self {
        Self { gating, program, entered: entered(program, gating) }
    }

    /// True if the function has callers, and each of them has passed the gate before: at the call, in a decorator, or
    /// because the same holds for itself. Tests call what they like.
    pub fn is_entered_held(&self, func: Func) -> bool {
        self.entered[func.0 as usize] || self.gating.is_decorated(func)
    }

    /// The same, without what decorates the function.
    pub fn is_called_held(&self, func: Func) -> bool {
        self.entered[func.0 as usize]
    }

    /// True if the gate has been passed before this effect, as far as its own function tells.
    pub fn is_held(&self, site: &EffectSite) -> bool {
        self.gating.is_held(site.at) || self.gating.is_decorated(site.from)
    }

    /// What reaches one of the goals by calls before which no gate is passed.
    pub fn search<'s>(&self, graph: &Graph<'s, 'a>, goals: impl Iterator<Item = &'s EffectSite>) -> Reach<'s>
    where
        'a: 's,
        'p: 's,
    {
        graph.search(goals.filter(|site| !self.is_held(site)), |edge| self.is_open(edge))
    }

    /// True if a call leads on without a gate.
    pub fn is_open(&self, edge: &Edge) -> bool {
        let behind = matches!(edge.to, Target::Project(func) if self.gating.is_decorated(func));
        let around = self.gating.is_behind_decorator(edge.from, edge.at.expr)
            && self.program.decorator_targets(edge.from).any(|(at, _)| at == edge.at.expr);
        !behind && !around && !self.gating.is_held(edge.at)
    }

    pub fn program(&self) -> &'p Program<'a> {
        self.program
    }
}

fn entered(program: &Program<'_>, gating: &Gating) -> Vec<bool> {
    let mut callers: FxHashMap<Func, Vec<&Edge>> = FxHashMap::default();
    for edge in program.edges.iter().filter(|edge| edge.kind != EdgeKind::Stored) {
        if let Target::Project(func) = edge.to
            && func != edge.from
            && !program.is_test_code(edge.from)
        {
            callers.entry(func).or_default().push(edge);
        }
    }
    let mut entered = vec![false; program.functions.len()];
    let mut work: Vec<Func> = callers.keys().copied().collect();
    work.sort_unstable();
    while let Some(func) = work.pop() {
        let is_behind = |edge: &&Edge| gating.is_held(edge.at) || entered[edge.from.0 as usize];
        let all = callers.get(&func).is_some_and(|edges| edges.iter().all(is_behind));
        if all && !std::mem::replace(&mut entered[func.0 as usize], true) {
            let next = program.edges_from(func).iter().filter_map(|edge| match edge.to {
                Target::Project(next) if !entered[next.0 as usize] => Some(next),
                _ => None,
            });
            work.extend(next);
        }
    }
    entered
}
