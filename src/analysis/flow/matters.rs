//! Which of the places where something comes in have to be looked at.

use super::callers::{Callers, above};
use super::model::{Model, Sink, SinkSite};
use crate::analysis::inflows::{Inflow, SourceSite};
use crate::analysis::reached::{EntryPoint, Reached};
use crate::link::Func;

/// In which functions it matters what a call brings in. Most programs run processes and read databases everywhere, and
/// few of them run what they read.
pub struct Matters {
    /// Only what comm handlers run.
    process: Vec<bool>,
    /// Only near what runs source text and imports by a name.
    storage: Vec<bool>,
}

/// A row is handed on by so many calls, and then it is what the program makes of it.
const STORED_CALLS: usize = 2;

impl Matters {
    pub fn new(model: &Model<'_, '_>, callers: &Callers, handlers: &[Func]) -> Self {
        let program = model.program;
        let count = program.functions.len();
        let runs = |site: &&SinkSite<'_>| matches!(site.sink, Sink::Code | Sink::Module);
        let runners = model.sink_sites().filter(runs).map(|site| site.from);
        let leading = above(callers, count, runners, STORED_CALLS);
        let functions = (0..count as u32).map(Func);
        let storage = functions.map(|func| leads_back(callers, &leading, func, STORED_CALLS)).collect();
        let handled = Reached::find(program, handlers.iter().copied().map(EntryPoint::at).collect());
        let process = (0..count as u32).map(|func| handled.is(Func(func))).collect();
        Self { process, storage }
    }

    pub fn is_worth(&self, site: &SourceSite) -> bool {
        match site.inflow {
            Inflow::Process => self.process[site.from.0 as usize],
            Inflow::Storage => self.storage[site.from.0 as usize],
            Inflow::Comm | Inflow::Network | Inflow::Fence => true,
        }
    }
}

/// True if the function, or one that calls it by so many calls, is among these.
fn leads_back(callers: &Callers, among: &[bool], func: Func, calls: usize) -> bool {
    among[func.0 as usize]
        || calls > 0
            && callers.of(func).iter().any(|&caller| leads_back(callers, among, Func(caller), calls - 1))
}
