//! Functions are read in chunks, each by itself, callees first; what the chunks have found is put together in their order, so that
//! nodes and sites have the numbers that they would have if one had read all.

use super::Lower;
use crate::analysis::components::components;
use crate::analysis::valueflow::graph::{Flow, Node, Site, Way};
use crate::link::{Func, Program, Target};

/// How many functions a chunk has. A helper that is asked asks helpers that nobody has asked so far at most where chunks are not
/// finished, so a chain of any length needs little of the stack.
const CHUNK: usize = 64;

/// The functions of a program, chunk by chunk.
pub(super) fn chunks(program: &Program<'_>) -> Vec<Vec<Func>> {
    let callees = |func: usize| {
        let edges = program.edges_from(Func(func as u32)).iter();
        let called = edges.filter_map(|edge| match edge.to {
            Target::Project(to) => Some(to.0 as usize),
            Target::External(_) => None,
        });
        called.collect()
    };
    let order: Vec<Func> = components(program.functions.len(), callees)
        .into_iter()
        .flatten()
        .map(|func| Func(func as u32))
        .filter(|&func| !program.is_test_code(func))
        .collect();
    order.chunks(CHUNK).map(<[Func]>::to_vec).collect()
}

impl Lower<'_, '_> {
    /// Reads the functions of a chunk.
    pub(super) fn read(mut self, chunk: &[Func]) -> Self {
        let program = self.program;
        chunk.iter().take_while(|_| !program.is_over()).for_each(|&func| self.function(func));
        self
    }

    /// Takes over what was found in the next chunk.
    pub(super) fn gather(&mut self, chunk: Self) {
        let moved = self.places.gather(chunk.places);
        let at = |node: Node| moved.of(node);
        let first_site = self.sites;
        let site = |Site(own): Site| Site(first_site + own);
        self.flows.extend(chunk.flows.into_iter().map(|flow| {
            let way = match flow.way {
                Way::Enter(own) => Way::Enter(site(own)),
                Way::Leave(own) => Way::Leave(site(own)),
                Way::Here | Way::Shared => flow.way,
            };
            Flow { from: at(flow.from), to: at(flow.to), way, ..flow }
        }));
        self.sites += chunk.sites;
        // Variables and reads of them stay where they are.
        self.parts.extend(chunk.parts);
        self.field_reads.extend(chunk.field_reads.into_iter().map(|read| read.moved(at)));
        for (parameter, handed) in chunk.handed_to {
            self.handed_to.entry(parameter).or_default().extend(handed);
        }
        for (parameter, calls) in chunk.parameter_calls {
            self.parameter_calls.entry(parameter).or_default().extend(calls);
        }
    }
}
