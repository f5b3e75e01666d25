//! Variables that a function shares with those inside it. They are filled by each of its calls anew, so what comes out of
//! them is what this call has put in, and not what any other call did.

use super::data::Data;
use super::labels::{Labels, Origin};
use super::tables::Cell;
use super::walk::Walk;
use crate::link::Func;

impl Walk<'_, '_, '_> {
    /// What a call hands back: instead of what any caller has given to such a variable, what this one gives.
    pub(super) fn of_this_call(&self, callee: Func, result: Data, given: &[(u32, Data)]) -> Data {
        let is_local = |origin: Origin| matches!(origin, Origin::Cell(cell) if self.is_local(cell, callee));
        if !result.total().iter().any(|(origin, ..)| is_local(origin)) {
            return result;
        }
        let mut all = Labels::default();
        for (_, data) in given {
            all.join(&data.total());
        }
        let keeps = self.brings_in(callee);
        result.map(&|labels| {
            let others = labels.without_origins(is_local);
            let mut out = if keeps { labels.clone() } else { others.clone() };
            if others != *labels {
                out.join(&all);
            }
            out
        })
    }

    /// True for a variable of the callee, or of a function inside it.
    fn is_local(&self, cell: u32, callee: Func) -> bool {
        let (Cell::Own(slot) | Cell::Inner(slot)) = self.tables.cell(cell) else { return false };
        let program = self.model.program;
        let file = program.function(callee).file;
        let mut at = program.owner_of(slot).map(|owner| owner.func);
        while let Some(func) = at.filter(|&func| program.function(func).file == file) {
            if func == callee {
                return true;
            }
            let parent = program.func(file, program.ir(func).parent);
            at = (parent != func).then_some(parent);
        }
        false
    }

    /// True if it fetches something by itself.
    fn brings_in(&self, func: Func) -> bool {
        self.model.seeds.contains(&func) || self.model.program.nested(func).any(|inner| self.brings_in(inner))
    }
}
