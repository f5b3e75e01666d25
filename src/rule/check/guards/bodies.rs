//! The bodies of the project's own guards, and what each comes back with once it does nothing.

use super::{Body, Finder, kind};
use crate::analysis::AskedGuard;
use crate::catalog::Guarding;
use crate::frontend::spelling::Stub;
use crate::ir::{Expr, ExprId, Jump};
use crate::link::{Func, Program};
use crate::mutation::{Form, Guards, changes};

pub fn add(finder: &Finder<'_, '_>, asked: &[Body], out: &mut Guards) {
    let program = finder.context.program;
    let mut bodies: Vec<Body> = Vec::new();
    for &(func, what) in asked.iter().filter(|(func, _)| finder.is_production(*func)) {
        if !bodies.iter().any(|(known, _)| *known == func) {
            bodies.push((func, what));
        }
    }
    for (func, what) in bodies {
        let form = Form::Body(stub(finder, func, what));
        out.found.push(finder.guard(func, kind(what), form, program.short_name(func)));
    }
}

fn stub(finder: &Finder<'_, '_>, func: Func, what: AskedGuard) -> Stub {
    let program = finder.context.program;
    let facts = program.facts(program.function(func).file);
    match what {
        AskedGuard::Attribution(Guarding::Guards) | AskedGuard::Fence(Guarding::Guards) => {
            changes::given(facts, func).map_or(Stub::Nothing, Stub::Given)
        }
        AskedGuard::Audit
        | AskedGuard::Attribution(Guarding::Credits)
        | AskedGuard::Fence(Guarding::Credits) => Stub::Nothing,
        AskedGuard::Action => approval(finder, func).unwrap_or_else(|| answer(program, func)),
        _ => answer(program, func),
    }
}

/// What a judge of actions hands back where it approves, if that stands there in full: `return Verdict(True, "")`.
fn approval(finder: &Finder<'_, '_>, func: Func) -> Option<Stub> {
    let context = finder.context;
    let (program, source) = (context.program, context.source(context.program.function(func).file));
    let facts = program.facts(program.function(func).file);
    let is_constant = |value: ExprId| {
        let parts = facts.arenas.below(value);
        !parts.into_iter().any(|part| matches!(facts.expr(part), Expr::Var(_)))
    };
    let approves = |value: ExprId| context.catalog.actions.is_said_in(facts, value);
    let value = program.returns(func).find(|&value| is_constant(value) && approves(value))?;
    let span = facts.span(value);
    source.text.get(span.lo as usize..span.hi as usize).map(|text| Stub::Given(text.to_owned()))
}

/// What a guard that answers says where it lets pass.
fn answer(program: &Program<'_>, func: Func) -> Stub {
    let facts = program.facts(program.function(func).file);
    let values = program.ir(func).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
        Expr::Jump { kind: Jump::Return, value } => value,
        _ => None,
    });
    let mut stub = Stub::Nothing;
    for value in values {
        match *facts.expr(value) {
            Expr::Lit(crate::ir::Lit::None) => {}
            Expr::Seq(items) if items.len() == 2 => return Stub::YesAndReason,
            _ => stub = Stub::Yes,
        }
    }
    stub
}
