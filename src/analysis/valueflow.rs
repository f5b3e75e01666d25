//! The value-flow graph: where a value gets, over the whole program, without walking a body twice (ARCHITECTURE "Content").
//! Nodes are expressions, variables and what functions hand back; flows say what of one is in another. `graph`, `paths`,
//! `contexts`, `summaries` and `reach` know no language and no program; `lower` makes the graph of bodies.

mod chop;
mod commands;
mod contexts;
mod graph;
mod lower;
mod paths;
mod places;
mod puts;
mod questions;
mod ranges;
mod reach;
mod sinks;
mod summaries;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::chosen::Chosen;
use super::components;
use super::effects::Effects;
use crate::catalog::{Catalog, Purposes};
use crate::ir::{ExprId, Sym};
use crate::link::{Func, Program};

pub use commands::{Decided, decided};
pub use graph::Node;
pub use paths::{Key, Path};
pub use places::Place;
pub use puts::puts;
pub use questions::{Question, Root};
pub use reach::{Reach, Reached};
pub use sinks::{Taken, taken};

use lower::Lowered;

/// The graph of one program.
pub struct Valueflow<'p, 'a> {
    program: &'p Program<'a>,
    lowered: Lowered,
    /// By function: callees come first, and those that call each other have one number.
    groups: Vec<u32>,
    /// More keys than this are not told apart.
    keys: usize,
    cleaned: BTreeSet<Purposes>,
}

impl<'p, 'a> Valueflow<'p, 'a> {
    pub fn new(program: &'p Program<'a>, catalog: &Catalog, effects: &Effects) -> Self {
        let lowered = lower::lower(program, catalog, effects);
        let cleaned = lowered.graph.cleaned();
        let groups = groups(program, &lowered);
        Self { program, lowered, groups, keys: catalog.flow.keys, cleaned }
    }

    /// One answer for each question, in their order.
    pub fn reach(&self, questions: &[Question<'_>]) -> Vec<Reach> {
        let places = &self.lowered.places;
        let group_of = |node: Node| places.function(node).map_or(0, |func| self.groups[func.0 as usize]);
        reach::reaches(&self.lowered.graph, &self.cleaned, questions, &group_of, self.keys)
    }

    /// Where what a model chooses comes from.
    pub fn roots(&self, catalog: &Catalog, chosen: &[Chosen]) -> Vec<Root> {
        let (mut roots, helpers) = (Vec::new(), lower::Helpers::default());
        for it in chosen {
            let (node, part) = (self.param(it.tool, it.param), Path::of_field(it.field));
            let part = if it.is_text { part.of_text() } else { part };
            let clean = lower::checked_around((self.program, catalog), &helpers, (it.tool, it.param));
            let mut root = |part| roots.push(Root { node, part, clean, confidence: it.confidence });
            root(part);
            // What is in a wrapper is its first field, or stands for it.
            if it.is_wrapped {
                let first = self.program.symbol_of("0").map(Key::Name);
                let keys = first.into_iter().chain([Key::At(0)]);
                keys.filter_map(|key| paths::Change::into(key).of(part)).for_each(root);
            }
        }
        roots
    }

    /// For what ways make values harmless that are not harmless for all: each set of purposes once.
    pub fn cleaned(&self) -> &BTreeSet<Purposes> {
        &self.cleaned
    }

    pub fn param(&self, func: Func, at: u32) -> Node {
        self.lowered.places.param(self.program, func, at)
    }

    /// The attribute that methods of a class share, if a node is one.
    pub fn field(&self, node: Node) -> Option<Sym> {
        self.lowered.places.field_name(node)
    }

    pub fn expr(&self, func: Func, expr: ExprId) -> Node {
        self.lowered.places.expr(self.program, func, expr)
    }

    /// What a node stands for, and in which function.
    pub fn place(&self, node: Node) -> Option<(Func, Place)> {
        let places = &self.lowered.places;
        Some((places.function(node)?, places.place(self.program, node)))
    }
}

/// By what is given to whom.
fn groups(program: &Program<'_>, lowered: &Lowered) -> Vec<u32> {
    let mut callees: Vec<Vec<usize>> = vec![Vec::new(); program.functions.len()];
    for (from, to) in lowered.graph.entered() {
        if let (Some(from), Some(to)) = (lowered.places.function(from), lowered.places.function(to)) {
            callees[from.0 as usize].push(to.0 as usize);
        }
    }
    callees.iter_mut().for_each(|callees| {
        callees.sort_unstable();
        callees.dedup();
    });
    components::groups(callees.len(), |from| callees[from].clone())
}
