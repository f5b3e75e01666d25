//! What is said of a registration: where a reader looks for it, and whether anybody could say something of it.

use super::Context;
use crate::analysis::Registered;
use crate::finding::Place;
use crate::ir::FnKind;

/// True for a function made anew for each tool, under whatever name it is handed: nobody can class that one, only its makers' tools.
pub fn is_adapter(context: &Context<'_>, known: &Registered) -> bool {
    let program = context.program;
    let around = program.ir(program.ir(known.handler).parent).kind;
    known.name.is_none() && !matches!(around, FnKind::Module | FnKind::ClassBody(_))
}

/// Where somebody reads it: a decorator stands above the function that it registers.
pub fn place(context: &Context<'_>, known: &Registered) -> Place {
    let program = context.program;
    let function = program.ir(known.handler);
    let facts = program.facts(program.function(known.handler).file);
    let is_own = program.function(known.handler).file == known.file;
    let mut decorators = facts.list(function.decorators).iter().map(|&decorator| facts.span(decorator));
    let is_decorator = is_own && decorators.any(|span| span == known.span);
    let span = if is_decorator { function.name_span } else { known.span };
    Place { file: known.file, span }
}
