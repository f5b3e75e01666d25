//! The classes of exceptions: which one an expression names, and which handlers take it. The project's own classes come
//! from link, those of the language and its libraries from the catalogue. What is thrown where is for others.

use std::sync::Arc;

use super::interp::Caught;
use crate::catalog::Catalog;
use crate::ir::{Expr, ExprId};
use crate::link::{Cls, Func, Program};

/// The class of an exception.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Exception {
    Project(Cls),
    Library(Arc<str>),
}

impl Exception {
    /// What a handler without a class takes.
    pub fn any(catalog: &Catalog) -> Self {
        Exception::Library(catalog.exceptions.any().into())
    }

    /// It takes everything that is meant to be handled.
    pub fn is_broad(&self, catalog: &Catalog) -> bool {
        matches!(self, Exception::Library(path) if catalog.exceptions.is_broad(path))
    }

    /// As its author writes it.
    pub fn name<'n>(&'n self, program: &Program<'n>) -> &'n str {
        match self {
            Exception::Project(class) => program.class_name(*class),
            Exception::Library(path) => path.rsplit('.').next().unwrap_or(path),
        }
    }
}

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

/// The classes that a handler names, also in a tuple or by the name of one.
pub fn handled(program: &Program<'_>, func: Func, types: &[ExprId]) -> Vec<Option<Exception>> {
    let mut named = Vec::new();
    for &ty in types {
        let known = class_of(program, func, ty);
        let (owner, bound) = if known.is_none() { program.bound(func, ty) } else { (func, ty) };
        match *program.facts(program.function(owner).file).expr(bound) {
            Expr::Seq(items) => {
                let items = program.facts(program.function(owner).file).list(items);
                named.extend(items.iter().map(|&item| class_of(program, owner, item)));
            }
            _ => named.push(known),
        }
    }
    named
}

/// Whether a handler takes an exception; of either the class may be unknown.
pub fn takes(
    program: &Program<'_>,
    catalog: &Catalog,
    handler: Option<&Exception>,
    class: Option<&Exception>,
) -> Caught {
    let Some(handler) = handler else { return Caught::Maybe };
    let unknown = if handler.is_broad(catalog) { Caught::Yes } else { Caught::Maybe };
    let sure = |takes: bool| if takes { Caught::Yes } else { Caught::No };
    match (class, handler) {
        (None, _) => unknown,
        (Some(Exception::Project(class)), Exception::Project(ancestor)) => {
            sure(program.inherits(*class, *ancestor))
        }
        (Some(Exception::Library(_)), Exception::Project(_)) => Caught::No,
        (Some(Exception::Library(path)), Exception::Library(ancestor)) => {
            catalog.exceptions.is_a(path, ancestor).map_or(unknown, sure)
        }
        (Some(Exception::Project(class)), Exception::Library(ancestor)) => {
            let bases = program.base_paths(*class);
            // The names of the project's own bases have no dots.
            let libraries = bases.iter().filter(|base| base.contains('.'));
            let found = libraries.map(|base| catalog.exceptions.is_a(base, ancestor).map_or(unknown, sure));
            found.reduce(most).unwrap_or(if handler.is_broad(catalog) { Caught::Yes } else { Caught::No })
        }
    }
}

/// The surer of two answers of which one is enough.
pub fn most(one: Caught, other: Caught) -> Caught {
    match (one, other) {
        (Caught::Yes, _) | (_, Caught::Yes) => Caught::Yes,
        (Caught::Maybe, _) | (_, Caught::Maybe) => Caught::Maybe,
        _ => Caught::No,
    }
}
