//! Which functions play a role: the catalogue's selectors, what the project configured, and registrations.

use crate::catalog::Catalog;
use crate::catalog::selector::Candidate;
use crate::config::{NamePattern, Planning};
use crate::ir::{Expr, ExprId, Facts, FnKind, Lit};
use crate::link::{Func, Program};

/// The planning functions of a program, in order (RULES "planning function").
pub fn planning_functions(program: &Program<'_>, catalog: &Catalog, config: &Planning) -> Vec<Func> {
    let functions = (0..program.functions.len() as u32).map(Func);
    functions.filter(|&func| plans(program, catalog, config, func)).collect()
}

fn plans(program: &Program<'_>, catalog: &Catalog, config: &Planning, func: Func) -> bool {
    let info = program.function(func);
    if program.ir(func).kind != FnKind::Plain {
        return false;
    }
    let named = |patterns: &[NamePattern]| patterns.iter().any(|pattern| pattern.matches(&info.path));
    if named(&config.not_functions) {
        return false;
    }
    if named(&config.functions) || program.planning_nodes.binary_search(&func).is_ok() {
        return true;
    }
    if info.is_property {
        return false;
    }
    let facts = program.facts(info.file);
    let decorators = facts.list(program.ir(func).decorators);
    let decorators: Vec<_> =
        decorators.iter().filter_map(|&decorator| decorator_name(facts, decorator)).collect();
    let class = info.class.map(|class| program.class_name(class));
    catalog.planning.selects(Candidate { name: program.name(func), class, decorators: &decorators })
}

fn decorator_name(facts: &Facts, decorator: ExprId) -> Option<(&str, Option<&str>)> {
    match *facts.expr(decorator) {
        Expr::Field { name, .. } | Expr::Free(name) => Some((facts.str(name), None)),
        Expr::Call { callee, args, .. } => {
            let (name, _) = decorator_name(facts, callee)?;
            let argument = facts.list(args).first().and_then(|arg| match *facts.expr(arg.value) {
                Expr::Lit(Lit::Str(text)) => Some(facts.str(text)),
                _ => None,
            });
            Some((name, argument))
        }
        _ => None,
    }
}
