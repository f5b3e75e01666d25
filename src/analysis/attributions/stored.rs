//! Whether a function of the project stores what it is given under the key of the attribution: then whoever gives it a text
//! has written the attribution.

use rustc_hash::FxHashSet;

use super::Finder;
use crate::analysis::values::Values;
use crate::ir::{EntryKey, Expr, ExprId, Lit};
use crate::link::{EdgeKind, Func, Passed, Target};

impl Finder<'_, '_, '_> {
    /// The arguments of a call that become an attribution, each with its key.
    pub(super) fn handed_over(&self, call: ExprId) -> Vec<(String, ExprId)> {
        let program = self.values.program;
        let mut found = Vec::new();
        for edge in program.edges_at(self.func, call).iter().filter(|edge| edge.kind == EdgeKind::Call) {
            let Target::Project(callee) = edge.to else { continue };
            for (passed, expr) in program.arguments(edge) {
                if let Passed::Param(at) = passed
                    && self.made.by_hand(self.func, expr).is_some()
                    && let Some(key) = stores(self.values, callee, at, &mut FxHashSet::default())
                {
                    found.push((key, expr));
                }
            }
        }
        found
    }
}

/// So many functions are asked; what is handed on further is not followed.
const MAX_ASKED: usize = 50;

/// The key under which a function, or one that it asks, stores a parameter as it is.
fn stores(
    values: &Values<'_, '_>,
    func: Func,
    at: u32,
    asked: &mut FxHashSet<(Func, u32)>,
) -> Option<String> {
    let is_new = asked.len() < MAX_ASKED && asked.insert((func, at));
    if !is_new || super::is_of_guard(values, func) {
        return None;
    }
    let facts = values.facts(func);
    let words = &values.catalog.attribution;
    let is_given = |expr: ExprId| {
        let slot = values.program.variable(func, expr).map(|it| values.program.slot_of(it.func, it.var));
        slot.and_then(|slot| values.program.parameter_of(slot)) == Some((func, at))
    };
    let is_key = |key: &ExprId| matches!(*facts.expr(*key), Expr::Lit(Lit::Str(text)) if words.is_key(facts.str(text)));
    values.program.ir(func).exprs.iter().find_map(|expr| match *facts.expr(expr) {
        Expr::Record(entries) => facts.list(entries).iter().find_map(|entry| match entry.key {
            EntryKey::Expr(key) if is_key(&key) && is_given(entry.value) => values.program.text(func, key),
            _ => None,
        }),
        Expr::Store { place, op: None, value: Some(value) } if is_given(value) => match *facts.expr(place) {
            Expr::Index { key, .. } if is_key(&key) => values.program.text(func, key),
            Expr::Field { name, .. } if words.is_key(facts.str(name)) => Some(facts.str(name).to_owned()),
            _ => None,
        },
        Expr::Call { .. } => {
            let mut edges =
                values.program.edges_at(func, expr).iter().filter(|edge| edge.kind == EdgeKind::Call);
            edges.find_map(|edge| {
                let Target::Project(callee) = edge.to else { return None };
                let given = values.program.arguments(edge).into_iter().filter(|&(_, expr)| is_given(expr));
                given
                    .filter_map(|(passed, _)| match passed {
                        Passed::Param(at) => stores(values, callee, at, asked),
                        _ => None,
                    })
                    .next()
            })
        }
        _ => None,
    })
}
