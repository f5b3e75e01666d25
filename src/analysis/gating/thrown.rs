//! What is known of an exception, and which handlers take it.

use std::sync::Arc;

use crate::analysis::interp::Caught;
use crate::ir::{Expr, ExprId};
use crate::link::{Cls, Func, Program};

/// The class of an exception.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exception {
    Project(Cls),
    Library(Arc<str>),
}

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
}

impl Thrown {
    pub fn anything() -> Self {
        Self::default()
    }

    pub fn of(class: Option<Exception>) -> Self {
        Self { classes: class.map(|class| vec![class]), ..Self::default() }
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
        Self { classes, by_gate: self.by_gate.or(other.by_gate), gate_path }
    }
}

/// These take everything that is meant to be handled.
const BROAD: [&str; 2] = ["builtins.Exception", "builtins.BaseException"];

/// The class that an expression names: of a `raise`, called or not, or of a handler.
pub fn class_of(program: &Program<'_>, func: Func, expr: ExprId) -> Option<Exception> {
    let facts = program.facts(program.function(func).file);
    let named = match *facts.expr(expr) {
        Expr::Call { callee, .. } => callee,
        _ => expr,
    };
    if let Some(class) = program.class_named(func, named) {
        return Some(Exception::Project(class));
    }
    program.library_path(func, named).map(|path| Exception::Library(path.into()))
}

/// Whether a handler for `types` takes it.
pub fn caught(program: &Program<'_>, func: Func, types: &[ExprId], thrown: &Thrown) -> Caught {
    if types.is_empty() {
        return Caught::Yes;
    }
    let facts = program.facts(program.function(func).file);
    let mut named = Vec::new();
    for &ty in types {
        match *facts.expr(ty) {
            Expr::Seq(items) => {
                named.extend(facts.list(items).iter().map(|&item| class_of(program, func, item)))
            }
            _ => named.push(class_of(program, func, ty)),
        }
    }
    let found = named.iter().map(|handler| takes(program, handler.as_ref(), thrown));
    found.fold(Caught::No, |best, one| match (best, one) {
        (Caught::Yes, _) | (_, Caught::Yes) => Caught::Yes,
        (Caught::Maybe, _) | (_, Caught::Maybe) => Caught::Maybe,
        _ => Caught::No,
    })
}

fn takes(program: &Program<'_>, handler: Option<&Exception>, thrown: &Thrown) -> Caught {
    let Some(handler) = handler else { return Caught::Maybe };
    if matches!(handler, Exception::Library(path) if BROAD.contains(&&**path)) {
        return Caught::Yes;
    }
    let Some(classes) = &thrown.classes else {
        // A gate that is not in the tree has its own error, which the built-in ones know nothing of.
        let Exception::Library(path) = handler else { return Caught::Maybe };
        let beside = |gate: &Arc<str>| module(path).is_some_and(|module| gate.starts_with(module));
        return match thrown.gate_path.as_ref() {
            _ if thrown.by_gate.is_some() && path.starts_with("builtins.") => Caught::No,
            Some(gate) if beside(gate) => Caught::Yes,
            _ => Caught::Maybe,
        };
    };
    let takes = |class: &Exception| is_a(program, class, handler);
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

/// True if `class` is `ancestor` or inherits from it.
fn is_a(program: &Program<'_>, class: &Exception, ancestor: &Exception) -> bool {
    match (class, ancestor) {
        (Exception::Project(class), Exception::Project(ancestor)) => program.inherits(*class, *ancestor),
        (Exception::Project(class), Exception::Library(path)) => {
            program.base_paths(*class).iter().any(|base| *base == &**path)
        }
        (Exception::Library(class), Exception::Library(ancestor)) => class == ancestor,
        (Exception::Library(_), Exception::Project(_)) => false,
    }
}
