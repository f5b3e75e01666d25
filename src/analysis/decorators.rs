//! What a decorator consists of.

use rustc_hash::FxHashSet;

use crate::ir::Pat;
use crate::link::{At, EdgeKind, Func, Program, Target};

/// A decorator with everything defined inside it, and what it hands its work to.
pub fn made_by(program: &Program<'_>, decorator: Func) -> Vec<Func> {
    let mut all = inside(program, decorator);
    for value in program.returns(decorator) {
        let made = program.edges_at(decorator, value).iter().filter_map(|edge| match (edge.kind, edge.to) {
            (EdgeKind::Call, Target::Project(maker)) => Some(maker),
            _ => None,
        });
        all.extend(made.flat_map(|maker| inside(program, maker)));
    }
    all
}

/// The functions that a value is. A function stands for what the project's decorators put around it, which is in the value
/// as well.
pub fn decorated(program: &Program<'_>, value: At) -> Vec<Func> {
    let mut all: Vec<Func> = program.kept(value).collect();
    if all.len() > 1 {
        let decorators =
            all.iter().flat_map(|&func| program.decorators(func).map(|decorator| decorator.func));
        let decorators: FxHashSet<Func> = decorators.collect();
        let around = decorators.into_iter().flat_map(|decorator| made_by(program, decorator));
        let around: FxHashSet<Func> = around.collect();
        all.retain(|func| !around.contains(func));
    }
    all
}

/// A function and everything defined inside it.
fn inside(program: &Program<'_>, func: Func) -> Vec<Func> {
    let mut all = vec![func];
    let mut at = 0;
    while let Some(&next) = all.get(at) {
        all.extend(program.nested(next));
        at += 1;
    }
    all
}

/// A decorator that puts a function of its own in the place of the one it is given.
#[derive(Clone, Debug)]
pub struct Wrapper {
    /// Its first parameter is the function.
    pub maker: Func,
    /// Those inside it that use that parameter.
    pub inside: Vec<Func>,
}

/// What stands in a function's place, the outermost first.
pub fn wrappers(program: &Program<'_>, func: Func) -> Vec<Wrapper> {
    let around = program.decorators(func).flat_map(|decorator| {
        let makers = made_by(program, decorator.func).into_iter();
        let wraps = makers.map(|maker| Wrapper { maker, inside: users_of_first(program, maker) });
        let wraps: Vec<Wrapper> = wraps.filter(|wrapper| !wrapper.inside.is_empty()).collect();
        // `@gated("comm.search")` is given the name, and what it makes is given the function.
        let makers: Vec<Func> = wraps.iter().map(|wrapper| wrapper.maker).collect();
        let is_named = move |wrapper: &Wrapper| {
            decorator.is_called && wrapper.inside.iter().all(|inner| makers.contains(inner))
        };
        wraps.into_iter().filter(move |wrapper| !is_named(wrapper))
    });
    around.collect()
}

fn users_of_first(program: &Program<'_>, maker: Func) -> Vec<Func> {
    let facts = program.facts(program.function(maker).file);
    let first = facts.list(program.ir(maker).params).first().map(|param| *facts.pat(param.pat));
    let Some(Pat::Var(first)) = first else { return Vec::new() };
    let captures = |inner: &Func| facts.list(program.ir(*inner).captures).iter().any(|it| it.outer == first);
    program.nested(maker).filter(captures).collect()
}
