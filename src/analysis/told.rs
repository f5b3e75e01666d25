//! The names in what a call is given, and of what a function takes: what they speak of, where a name alone says too little.

use crate::ir::{Expr, ExprId};
use crate::link::{Func, Program};

/// True if a variable, an attribute or a global in the arguments of a call has a name that fits.
pub fn is_given(program: &Program<'_>, func: Func, call: ExprId, fits: &dyn Fn(&str) -> bool) -> bool {
    let facts = program.facts(program.function(func).file);
    let Expr::Call { args, .. } = *facts.expr(call) else { return false };
    let vars = facts.list(program.ir(func).vars);
    let name_of = |part: ExprId| match *facts.expr(part) {
        Expr::Var(var) => vars.get(var.0 as usize).map(|&name| facts.str(name)),
        Expr::Field { name, .. } | Expr::Free(name) => Some(facts.str(name)),
        _ => None,
    };
    let parts = facts.list(args).iter().flat_map(|arg| facts.arenas.below(arg.value));
    parts.into_iter().filter_map(name_of).any(fits)
}

/// True if a parameter of a function has a name that fits.
pub fn is_taken(program: &Program<'_>, func: Func, fits: &dyn Fn(&str) -> bool) -> bool {
    let facts = program.facts(program.function(func).file);
    facts.list(program.ir(func).params).iter().any(|param| fits(facts.str(param.name)))
}
