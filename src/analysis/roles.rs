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
    if program.ir(func).kind != FnKind::Plain || is_named(program, func, &config.not_functions) {
        return false;
    }
    is_registered(program, config, func)
        || !program.function(func).is_property
            && as_candidate(program, func, |candidate| catalog.planning.selects(candidate))
}

/// True if nothing but its name says that a planning function plans: it neither hands back what is called a plan, nor is it marked
/// or registered as one, nor a method of a planner.
pub fn plans_by_name(program: &Program<'_>, catalog: &Catalog, config: &Planning, func: Func) -> bool {
    let facts = program.facts(program.function(func).file);
    let ir = program.ir(func);
    let is_plan =
        |ty: ExprId| facts.last_name(ir, ty).is_some_and(|name| catalog.planning.is_plan(facts.str(name)));
    let hands_back_a_plan = || ir.returns.is_some_and(|ty| facts.arenas.below(ty).into_iter().any(is_plan));
    !is_registered(program, config, func)
        && as_candidate(program, func, |candidate| catalog.planning.selects_by_name(candidate))
        && !hands_back_a_plan()
}

fn is_registered(program: &Program<'_>, config: &Planning, func: Func) -> bool {
    is_named(program, func, &config.functions) || program.planning_nodes.binary_search(&func).is_ok()
}

fn is_named(program: &Program<'_>, func: Func, patterns: &[NamePattern]) -> bool {
    patterns.iter().any(|pattern| pattern.matches(&program.function(func).path))
}

fn as_candidate(program: &Program<'_>, func: Func, is_meant: impl Fn(Candidate<'_>) -> bool) -> bool {
    let mut decorators = decorators(program, func);
    let paths = program.decorator_paths(func);
    // Imported under another name, a mark is what the library calls it.
    if paths.len() == decorators.len() {
        let real = paths.iter().filter_map(|path| path.rsplit('.').next());
        let renamed: Vec<_> = real.zip(&decorators).map(|(name, &(_, argument))| (name, argument)).collect();
        decorators.extend(renamed);
    }
    let class = program.function(func).class.map(|class| program.class_name(class));
    is_meant(Candidate { name: program.name(func), class, decorators: &decorators })
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
