//! Which argument of a call reaches which parameter.

use rustc_hash::FxHashMap;

use crate::ir::{Arg, ArgKind, ExprId, Facts, Param, ParamKind, Sym};

use super::ids::Func;
use super::index::Index;

/// One argument and the parameter it becomes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Passed {
    /// The parameter at this position.
    Param(u32),
    /// Collected by `*args`.
    Rest(u32),
    /// Collected by `**kwargs` under its name.
    KeywordRest(u32, Sym),
    /// `*value`: any parameter from this position on.
    SpreadFrom(u32),
    /// `**value`: any parameter.
    SpreadNamed,
}

/// Pairs the arguments with the parameters of `callee`; `skip` leading parameters are given already.
pub fn pair(
    index: &Index<'_>,
    caller_facts: &Facts,
    args: &[Arg],
    callee: Func,
    skip: u32,
) -> Vec<(Passed, ExprId)> {
    let file = index.file_of(callee);
    let facts = index.units[file].facts;
    let params = facts.list(index.ir(callee).params);
    let (mut next, mut names) = (skip, None);
    let mut pairs = Vec::new();
    for arg in args {
        let passed = match arg.kind {
            ArgKind::Positional => positional(params, &mut next),
            ArgKind::Spread => Some(Passed::SpreadFrom(next)),
            ArgKind::SpreadNamed => Some(Passed::SpreadNamed),
            ArgKind::Named(name) => {
                names.get_or_insert_with(|| Names::new(facts, params)).of(caller_facts.str(name), name)
            }
        };
        pairs.extend(passed.map(|passed| (passed, arg.value)));
    }
    pairs
}

fn positional(params: &[Param], next: &mut u32) -> Option<Passed> {
    let at = *next;
    match params.get(at as usize)?.kind {
        ParamKind::Rest => Some(Passed::Rest(at)),
        ParamKind::KeywordOnly | ParamKind::KeywordRest => None,
        _ => {
            *next += 1;
            Some(Passed::Param(at))
        }
    }
}

/// The parameters that a call may name.
struct Names<'f> {
    own: FxHashMap<&'f str, u32>,
    rest: Option<u32>,
}

impl<'f> Names<'f> {
    fn new(facts: &'f Facts, params: &[Param]) -> Self {
        let (mut own, mut rest) = (FxHashMap::default(), None);
        for (at, param) in (0..).zip(params) {
            match param.kind {
                ParamKind::KeywordRest => rest = rest.or(Some(at)),
                ParamKind::Rest | ParamKind::PositionalOnly => {}
                _ => {
                    own.entry(facts.str(param.name)).or_insert(at);
                }
            }
        }
        Self { own, rest }
    }

    fn of(&self, text: &str, name: Sym) -> Option<Passed> {
        let own = self.own.get(text).map(|&at| Passed::Param(at));
        own.or_else(|| self.rest.map(|at| Passed::KeywordRest(at, name)))
    }
}

/// The argument at a position or under a name, if it is written as such.
pub fn argument(facts: &Facts, args: &[Arg], index: Option<usize>, name: Option<&str>) -> Option<ExprId> {
    let by_name = name.and_then(|name| {
        args.iter().find(|arg| matches!(arg.kind, ArgKind::Named(sym) if facts.str(sym) == name))
    });
    let positional = || {
        let plain = args.iter().take_while(|arg| arg.kind == ArgKind::Positional);
        index.and_then(|index| plain.clone().nth(index))
    };
    by_name.or_else(positional).map(|arg| arg.value)
}
