//! The value-flow graph: where a value gets, over the whole program, without walking a body twice (ARCHITECTURE "Content").
//! Nodes are expressions, variables and what functions hand back; flows say what of one is in another. `graph`, `paths`,
//! `summaries` and `reach` know no language and no program; `lower` makes the graph of bodies.

mod graph;
mod lower;
mod paths;
mod places;
mod reach;
mod summaries;
#[cfg(test)]
mod tests;

use super::components::components;
use super::effects::Effects;
use crate::catalog::Catalog;
use crate::finding::Confidence;
use crate::link::{Func, Program, Target};

pub use graph::Node;
pub use places::Place;
pub use reach::Reach;

use lower::Lowered;

/// The graph of one program.
pub struct Valueflow<'p, 'a> {
    program: &'p Program<'a>,
    lowered: Lowered,
    /// By function: callees come first, and those that call each other have one number.
    groups: Vec<u32>,
    /// More keys than this are not told apart.
    keys: usize,
}

impl<'p, 'a> Valueflow<'p, 'a> {
    pub fn new(program: &'p Program<'a>, catalog: &Catalog, effects: &Effects) -> Self {
        let lowered = lower::lower(program, catalog, effects);
        Self { program, lowered, groups: groups(program), keys: catalog.flow.keys }
    }

    /// Where values of these parameters get, as far as it leads to one of `ends`.
    pub fn of_parameters(&self, parameters: &[(Func, u32)], ends: &[Node]) -> Reach {
        let places = &self.lowered.places;
        let start = |&(func, at): &(Func, u32)| (places.param(self.program, func, at), Confidence::High);
        let starts: Vec<(Node, Confidence)> = parameters.iter().map(start).collect();
        let group_of = |node: Node| places.function(node).map_or(0, |func| self.groups[func.0 as usize]);
        Reach::new(&self.lowered.graph, &starts, ends, &group_of, self.keys)
    }

    pub fn expr(&self, func: Func, expr: crate::ir::ExprId) -> Node {
        self.lowered.places.expr(self.program, func, expr)
    }

    /// What a node stands for, and in which function.
    pub fn place(&self, node: Node) -> Option<(Func, Place)> {
        let places = &self.lowered.places;
        Some((places.function(node)?, places.place(self.program, node)))
    }
}

fn groups(program: &Program<'_>) -> Vec<u32> {
    let next = |from: usize| {
        let edges = program.edges_from(Func(from as u32)).iter();
        let callees = edges.filter_map(|edge| match edge.to {
            Target::Project(to) if edge.kind.carries_content() && edge.confidence > Confidence::Low => {
                Some(to.0 as usize)
            }
            _ => None,
        });
        callees.collect()
    };
    let mut groups = vec![0; program.functions.len()];
    for (number, group) in (0..).zip(components(program.functions.len(), next)) {
        group.into_iter().for_each(|func| groups[func] = number);
    }
    groups
}
