//! Variables that a function shares with those inside it. They are filled by each of its calls anew, so what comes out of
//! them is what this call has put in, and not what any other call did. Callables that are handed over are much the same.

use super::calls::{Call, Given, substituted};
use super::data::Data;
use super::labels::{Labels, Origin};
use super::tables::Cell;
use super::walk::Walk;
use crate::finding::Confidence;
use crate::ir::{ArgKind, ExprId};
use crate::link::{Edge, EdgeKind, Func, Passed, Target};

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

    /// Callables that are handed over and run: they get the arguments behind them.
    pub(super) fn handed(&mut self, call: &Call<'_, '_>) -> Vec<(ExprId, Data)> {
        let mut found: Vec<(ExprId, Data)> = Vec::new();
        for (nth, arg) in call.args.iter().enumerate().filter(|_| self.hands_over).collect::<Vec<_>>() {
            let edges = self.model.program.edges_at(self.func, arg.value).to_vec();
            let is_run =
                |edge: &&Edge| edge.kind == EdgeKind::Passed && edge.confidence >= Confidence::Medium;
            for edge in edges.iter().filter(is_run) {
                let Target::Project(callee) = edge.to else { continue };
                let skip = u32::from(self.model.program.function(callee).class.is_some());
                let others = call.args.iter().zip(call.values).skip(nth + 1);
                let others = others.filter(|(arg, _)| arg.kind == ArgKind::Positional);
                let given: Given = others
                    .enumerate()
                    .map(|(at, (_, value))| (at as u32 + skip, value.data.flat()))
                    .collect();
                for (param, data) in &given {
                    self.give(arg.value, callee, *param, data);
                }
                let summary = self.tables.summaries.get(&callee);
                let returns =
                    summary.map(|summary| substituted(&summary.returns, &given)).unwrap_or_default();
                match found.last_mut().filter(|(known, _)| *known == arg.value) {
                    Some((_, data)) => *data = data.and(&returns),
                    None => found.push((arg.value, returns)),
                }
            }
        }
        found
    }

    /// What the call may hand back of their results, unless functions of the project say what becomes of them.
    pub(super) fn passed(&self, call: &Call<'_, '_>) -> Option<Data> {
        let open = call.handed.iter().filter(|(arg, _)| !self.is_told(call, *arg));
        open.map(|(_, data)| data.clone()).reduce(|all, data| all.and(&data))
    }

    /// True if a function that is called hands back what the callable brings, in whatever form.
    fn is_told(&self, call: &Call<'_, '_>, callable: ExprId) -> bool {
        call.edges.iter().any(|edge| {
            let Target::Project(taker) = edge.to else { return false };
            let Some(summary) = self.tables.summaries.get(&taker) else { return false };
            let returns = summary.returns.total();
            let mut given = self.model.program.arguments(edge).into_iter();
            given.any(|(passed, expr)| match passed {
                Passed::Param(at) => expr == callable && returns.params().any(|param| param == at),
                _ => false,
            })
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
            let parent = program.ir(func).parent;
            at = (parent != func).then_some(parent);
        }
        false
    }

    /// True if it fetches something by itself.
    fn brings_in(&self, func: Func) -> bool {
        self.model.seeds.contains(&func) || self.model.program.nested(func).any(|inner| self.brings_in(inner))
    }
}
