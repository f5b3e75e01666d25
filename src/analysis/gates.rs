//! Gates by name: calls of functions that ask for a phase, as the catalogue knows them. What a function does is not
//! looked at here.

use crate::catalog::Vocabulary;
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId};
use crate::link::{EdgeKind, Func, Program};

/// How sure it is that a call asks a gate; `None` if nothing says so.
pub fn is_gate(program: &Program<'_>, words: &Vocabulary, func: Func, call: ExprId) -> Option<Confidence> {
    let mut edges = program.edges_at(func, call).iter().filter(|edge| edge.kind == EdgeKind::Call);
    if let Some(edge) = edges.find(|edge| words.is_gate(&program.target_name(edge.to))) {
        return Some(edge.confidence);
    }
    words.is_gate_name(&spelled(program, func, call)?).then_some(Confidence::Medium)
}

/// The last name of what is called with its receiver's, as written: `gate.check`, `.get` of something without a name.
pub fn spelled(program: &Program<'_>, func: Func, call: ExprId) -> Option<String> {
    let facts = program.facts(program.function(func).file);
    let Expr::Call { callee, .. } = *facts.expr(call) else { return None };
    let name = program.receiver_name(func, callee)?.name;
    let Expr::Field { base, .. } = *facts.expr(callee) else { return Some(name.to_owned()) };
    let receiver = program.receiver_name(func, base).map_or("", |receiver| receiver.name);
    Some(format!("{}.{name}", receiver.trim_start_matches('_')))
}
