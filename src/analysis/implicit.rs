//! Methods of the project that an operation of the language runs, by the operator table of the language that the class is
//! written in. Who runs them where is link's business.

use crate::ir::{LanguageProfile, Operator};
use crate::link::{Cls, Func, Program};

/// What is true of the language that a function is written in.
pub fn profile(program: &Program<'_>, func: Func) -> &'static LanguageProfile {
    program.facts(program.function(func).file).profile()
}

/// The methods of a class, its own or inherited, that an operation may run.
pub fn methods<'p>(
    program: &'p Program<'_>,
    class: Cls,
    operators: &'p [Operator],
) -> impl Iterator<Item = Func> + 'p {
    let profile = profile(program, program.class_body(class));
    let names = operators.iter().flat_map(|&operator| profile.methods(operator));
    names.filter_map(move |name| program.method(class, name))
}

/// True for a function that one of these operations runs.
pub fn runs(program: &Program<'_>, func: Func, operators: &[Operator]) -> bool {
    let (profile, name) = (profile(program, func), program.name(func));
    operators.iter().any(|&operator| profile.runs(operator, name))
}

/// True for a function that the language calls by itself.
pub fn is_implicit(program: &Program<'_>, func: Func) -> bool {
    profile(program, func).is_implicit(program.name(func))
}
