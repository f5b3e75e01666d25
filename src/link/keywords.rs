//! Callables that are given by a name and passed on among others: `outer(on_done=send)`, where `outer(**options)` calls
//! `inner(**options)`, is given to the parameter `on_done` of `inner`.

use super::edges::Pass;
use super::runs::{Parameter, Runs, Taker};
use crate::ir::{Param, ParamKind, Sym};

impl Pass<'_, '_, '_> {
    /// The parameters of a name that everything in a parameter is passed on to.
    pub(super) fn named_behind(&self, runs: &Runs, from: Parameter, name: Sym) -> Vec<Taker> {
        let index = self.solver.index;
        let (mut open, mut known, mut found) = (vec![from], vec![from], Vec::new());
        while let Some(next) = open.pop() {
            for &callee in runs.spread_to(next) {
                let params = index.units[index.file_of(callee)].facts.list(index.ir(callee).params);
                let is_meant = |param: &Param| param.name == name && is_plain(param.kind);
                if let Some(at) = params.iter().position(is_meant) {
                    found.push(Taker::Parameter(callee, at as u32));
                    continue;
                }
                let rest = params.iter().position(|param| param.kind == ParamKind::KeywordRest);
                let rest = rest.map(|at| (callee, at as u32)).filter(|rest| !known.contains(rest));
                known.extend(rest);
                open.extend(rest);
            }
        }
        found
    }
}

fn is_plain(kind: ParamKind) -> bool {
    !matches!(kind, ParamKind::Rest | ParamKind::KeywordRest | ParamKind::PositionalOnly)
}
