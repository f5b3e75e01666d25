//! Functions are read in chunks, each by itself; what the chunks have found is put together in their order, so that nodes and sites
//! have the numbers that they would have if one had read all.

use super::Lower;
use crate::analysis::valueflow::graph::{Flow, Node, Site, Way};
use crate::link::Func;

/// How many functions a chunk has. Callees mostly stand before their callers, so few helpers that are asked have to ask on across
/// chunks, and no chain of them gets long.
const CHUNK: u32 = 4096;

/// The functions of a program, chunk by chunk.
pub(super) fn chunks(functions: usize) -> Vec<std::ops::Range<u32>> {
    let all = functions as u32;
    (0..all).step_by(CHUNK as usize).map(|first| first..all.min(first + CHUNK)).collect()
}

impl Lower<'_, '_> {
    /// Reads the functions of a chunk.
    pub(super) fn read(mut self, chunk: std::ops::Range<u32>) -> Self {
        let program = self.program;
        for func in chunk.map(Func).take_while(|_| !program.is_over()) {
            if !program.is_test_code(func) {
                self.function(func);
            }
        }
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
