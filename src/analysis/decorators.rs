//! What a decorator consists of.

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
    let all: Vec<Func> = program.kept(value).collect();
    let is_around = |wrapper: Func| {
        let mut decorators = all.iter().flat_map(|&func| program.decorators(func));
        decorators.any(|decorator| made_by(program, decorator.func).contains(&wrapper))
    };
    let own = |func: &Func| all.len() == 1 || !is_around(*func);
    all.iter().copied().filter(own).collect()
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
