//! Which functions plan, and which capture what a model declares: the catalogue's selectors and what the project configured.
//! Registrations are `tools` and `handlers`.

use crate::catalog::Catalog;
use crate::catalog::selector::Candidate;
use crate::config::{NamePattern, Planning};
use crate::ir::{Expr, ExprId, Facts, FnKind, Lit, Sym};
use crate::link::{Func, Program};
use crate::parallel;

/// The planning functions of a program, in order.
pub fn planning_functions(program: &Program<'_>, catalog: &Catalog, config: &Planning) -> Vec<Func> {
    parallel::flat_map(0..program.functions.len() as u32, |func| {
        Some(Func(func)).filter(|&func| plans(program, catalog, config, func))
    })
}

/// The capture functions of a program, in order.
pub fn capture_functions(program: &Program<'_>, catalog: &Catalog, functions: &[NamePattern]) -> Vec<Func> {
    let captures = |&func: &Func| {
        let path = &program.function(func).path;
        program.ir(func).kind == FnKind::Plain
            && (catalog.capture.selects(program.name(func))
                || functions.iter().any(|pattern| pattern.matches(path)))
    };
    parallel::flat_map(0..program.functions.len() as u32, |func| Some(Func(func)).filter(captures))
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
    let mut decorators = decorators(program, func);
    let paths = program.decorator_paths(func);
    // Imported under another name, a mark is what the library calls it.
    if paths.len() == decorators.len() {
        let real = paths.iter().filter_map(|path| path.rsplit('.').next());
        let renamed: Vec<_> = real.zip(&decorators).map(|(name, &(_, argument))| (name, argument)).collect();
        decorators.extend(renamed);
    }
    let class = info.class.map(|class| program.class_name(class));
    catalog.planning.selects(Candidate { name: program.name(func), class, decorators: &decorators })
}

/// The last names of a function's decorators, each with its first argument if that is constant text.
pub(super) fn decorators<'a>(program: &Program<'a>, func: Func) -> Vec<(&'a str, Option<&'a str>)> {
    let facts = program.facts(program.function(func).file);
    let vars = vars_around(program, func);
    let all = facts.list(program.ir(func).decorators).iter();
    all.filter_map(|&decorator| decorator_name(facts, vars, decorator)).collect()
}

/// The names of the variables where the function is defined: decorators stand there.
fn vars_around<'a>(program: &Program<'a>, func: Func) -> &'a [Sym] {
    let facts = program.facts(program.function(func).file);
    facts.list(facts.function(program.ir(func).parent).vars)
}

/// The last name of a decorator and its first argument, if that is constant text.
fn decorator_name<'a>(
    facts: &'a Facts,
    vars: &[Sym],
    decorator: ExprId,
) -> Option<(&'a str, Option<&'a str>)> {
    match *facts.expr(decorator) {
        Expr::Field { name, .. } | Expr::Free(name) => Some((facts.str(name), None)),
        Expr::Var(var) => Some((facts.str(*vars.get(var.0 as usize)?), None)),
        Expr::Call { callee, args, .. } => {
            let (name, _) = decorator_name(facts, vars, callee)?;
            let argument = facts.list(args).first().and_then(|arg| match *facts.expr(arg.value) {
                Expr::Lit(Lit::Str(text)) => Some(facts.str(text)),
                _ => None,
            });
            Some((name, argument))
        }
        _ => None,
    }
}
