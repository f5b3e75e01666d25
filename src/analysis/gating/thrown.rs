//! What gates throw, and which handlers take it.

use std::sync::Arc;

use crate::analysis::exceptions::{self, Exception};
use crate::analysis::interp::Caught;
use crate::catalog::{BUILTINS, Catalog};
use crate::ir::ExprId;
use crate::link::{Func, Program};

/// What says no.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Gate {
    Phase,
    Attribution,
}

/// What may fly out of a call or a `raise`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Thrown {
    /// The classes; `None`: anything.
    pub classes: Option<Vec<Exception>>,
    /// It is the refusal of a gate.
    pub by_gate: Option<Gate>,
    /// The path of that gate, if it is not in the tree: its error stands beside it.
    pub gate_path: Option<Arc<str>>,
    /// It was thrown before and elsewhere, so that any handler may be for it.
    pub is_kept: bool,
    /// Nobody wrote that it is thrown.
    pub is_implicit: bool,
}

impl Thrown {
    pub fn anything() -> Self {
        Self::default()
    }

    /// By what waits for something that ran elsewhere.
    pub fn kept() -> Self {
        Self { is_kept: true, ..Self::default() }
    }

    pub fn of(class: Option<Exception>) -> Self {
        Self { classes: class.map(|class| vec![class]), ..Self::default() }
    }

    /// By `row["price"]`.
    pub fn not_there(catalog: &Catalog) -> Self {
        let classes =
            catalog.exceptions.not_there.iter().map(|path| Exception::Library(path.as_str().into()));
        Self { classes: Some(classes.collect()), is_implicit: true, ..Self::default() }
    }

    /// One or the other.
    pub fn or(&self, other: &Thrown) -> Self {
        let classes = self.classes.as_ref().zip(other.classes.as_ref()).map(|(a, b)| {
            let mut both: Vec<_> = a.iter().chain(b).cloned().collect();
            both.sort_unstable();
            both.dedup();
            both
        });
        let gate_path = self.gate_path.clone().or_else(|| other.gate_path.clone());
        let is_kept = self.is_kept || other.is_kept;
        let is_implicit = self.is_implicit && other.is_implicit;
        Self { classes, by_gate: self.by_gate.or(other.by_gate), gate_path, is_kept, is_implicit }
    }
}

/// Whether a handler for `types` takes it.
pub fn caught(
    program: &Program<'_>,
    catalog: &Catalog,
    func: Func,
    types: &[ExprId],
    thrown: &Thrown,
) -> Caught {
    if types.is_empty() {
        return Caught::Yes;
    }
    let named = exceptions::handled(program, func, types);
    let found = named.iter().map(|handler| takes(program, catalog, handler.as_ref(), thrown));
    found.fold(Caught::No, exceptions::most)
}

fn takes(program: &Program<'_>, catalog: &Catalog, handler: Option<&Exception>, thrown: &Thrown) -> Caught {
    let Some(named) = handler else { return Caught::Maybe };
    if named.is_broad(catalog) {
        return Caught::Yes;
    }
    let Some(classes) = &thrown.classes else {
        // A gate that is not in the tree has its own error, which the built-in ones know nothing of.
        let Exception::Library(path) = named else { return Caught::Maybe };
        let beside = |gate: &Arc<str>| module(path).is_some_and(|module| gate.starts_with(module));
        return match thrown.gate_path.as_ref() {
            _ if thrown.by_gate.is_some() && path.starts_with(BUILTINS) => Caught::No,
            Some(gate) if beside(gate) => Caught::Yes,
            _ => Caught::Maybe,
        };
    };
    let takes = |class: &Exception| exceptions::takes(program, catalog, handler, Some(class)) == Caught::Yes;
    match (classes.iter().all(takes), classes.iter().any(takes)) {
        (true, _) => Caught::Yes,
        (_, true) => Caught::Maybe,
        _ => Caught::No,
    }
}
/// `guards.phase_gate.` of `guards.phase_gate.PhaseGateError`.
fn module(path: &str) -> Option<&str> {
    path.rfind('.').map(|at| &path[..=at])
}
