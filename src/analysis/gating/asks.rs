//! Which functions ask for the phase in their own text: where a walk begins to be worth its while.

use std::sync::Arc;

use crate::analysis::gates::spelled;
use crate::catalog::{Boundaries, Catalog, Vocabulary};
use crate::config;
use crate::ir::{Expr, ExprId, Lit, Op, Pat, PatId};
use crate::link::{Edge, Func, Program, Target};

/// Which functions ask for the phase in their own text.
#[derive(Clone, Debug, Default)]
pub struct Asks {
    pub by_func: Vec<bool>,
    any: bool,
}

impl Asks {
    pub fn find(program: &Program<'_>, catalog: &Catalog, gates: &config::Gates) -> Self {
        let words = &catalog.phase;
        let files = program.files_with(|text| {
            words.naming(text).is_some() || words.is_open(text) || words.may_spell_gate(text)
        });
        let functions = (0..program.functions.len() as u32).map(Func);
        let asks = |func: Func| {
            let file = program.function(func).file;
            (files[file.0 as usize] && asks_in_text(program, words, func))
                || calls_gate(program, words, gates, func)
                || checks_attribution(program, &catalog.boundaries, func)
        };
        let by_func: Vec<bool> = functions.map(asks).collect();
        let any = by_func.contains(&true);
        Self { by_func, any }
    }

    pub fn is_empty(&self) -> bool {
        !self.any
    }
}

/// A test against the word that opens the gate, or a call that is spelled like a gate.
fn asks_in_text(program: &Program<'_>, words: &Vocabulary, func: Func) -> bool {
    let facts = program.facts(program.function(func).file);
    let is_open =
        |expr: &ExprId| constant(program, words, func, *expr).is_some_and(|text| words.is_open(&text));
    program.ir(func).exprs.iter().any(|expr| match *facts.expr(expr) {
        Expr::Op { op: Op::Eq | Op::Ne | Op::Is | Op::IsNot, args } => facts.list(args).iter().any(is_open),
        Expr::Op { op: Op::In | Op::NotIn, args } => facts
            .list(args)
            .get(1)
            .is_some_and(|&set| program.members(func, set).iter().any(|text| words.is_open(text))),
        Expr::Match { arms, .. } => {
            facts.list(arms).iter().any(|arm| names_open(program, words, func, arm.pat))
        }
        Expr::Call { .. } => spelled(program, func, expr).is_some_and(|name| words.is_gate_name(&name)),
        _ => false,
    })
}

fn checks_attribution(program: &Program<'_>, words: &Boundaries, func: Func) -> bool {
    let by_path = |edge: &Edge| words.checks_attribution(&program.target_name(edge.to));
    program.edges_from(func).iter().any(by_path)
}

fn names_open(program: &Program<'_>, words: &Vocabulary, func: Func, pat: PatId) -> bool {
    let facts = program.facts(program.function(func).file);
    let inner = |pats: &[PatId]| pats.iter().any(|&pat| names_open(program, words, func, pat));
    match *facts.pat(pat) {
        Pat::Value(value) => constant(program, words, func, value).is_some_and(|text| words.is_open(&text)),
        Pat::Or(pats) => inner(facts.list(pats)),
        Pat::Seq { items, .. } => inner(facts.list(items)),
        Pat::As { pat, .. } => inner(&[pat]),
        _ => false,
    }
}

fn calls_gate(program: &Program<'_>, words: &Vocabulary, gates: &config::Gates, func: Func) -> bool {
    program.edges_from(func).iter().any(|edge| match edge.to {
        Target::External(path) => words.is_gate(program.path(path)),
        Target::Project(to) => gates.phase_checks.iter().any(|name| name.matches(&program.function(to).path)),
    })
}

/// The text an expression is known to be; of an enumeration's member that has none, its name.
pub fn constant(program: &Program<'_>, words: &Vocabulary, func: Func, expr: ExprId) -> Option<Arc<str>> {
    let facts = program.facts(program.function(func).file);
    match *facts.expr(expr) {
        Expr::Lit(Lit::Str(text)) => Some(facts.str(text).into()),
        Expr::Free(_) | Expr::Field { .. } | Expr::Var(_) => {
            if let Some(text) = program.text(func, expr) {
                return Some(text.into());
            }
            let Expr::Field { name, .. } = *facts.expr(expr) else { return None };
            let word = facts.str(name).to_lowercase();
            program.is_member_of_enum(func, expr).then(|| match words.is_word(&word) {
                true => word.into(),
                false => facts.str(name).into(),
            })
        }
        _ => None,
    }
}
