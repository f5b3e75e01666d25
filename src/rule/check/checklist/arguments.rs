//! The item about arguments: whether what the model gives a tool is checked before an effect is given it. A type that the
//! framework enforces is a check. What is handed over as it came, with nothing that looks at it before, fails; whatever is
//! neither is unknown, since what a model writes is not followed through the program.

use std::collections::BTreeSet;

use super::{Judged, KEEPS, Operation, REACHES_OUT, head, place};
use crate::ir::{Expr, ExprId, Lit, Op, Param, ParamKind};
use crate::link::{EdgeKind, Func, Passed, Target};
use crate::rule::check::Context;

pub(super) fn run(context: &Context<'_>, tool: &Operation) -> Judged {
    let program = context.program;
    let handler = tool.handler;
    let facts = program.facts(program.function(handler).file);
    let params = facts.list(program.ir(handler).params).iter().enumerate();
    let given = params.skip(usize::from(program.function(handler).class.is_some()));
    let given: Vec<(usize, &Param)> =
        given.filter(|(_, param)| !is_injected(context, handler, param)).collect();
    if given.is_empty() {
        return Judged::pass(head(context, handler), "the model gives it nothing");
    }
    let framework = context.registered[tool.nth].framework.as_deref();
    let enforces = framework.is_some_and(|name| context.catalog.classes.enforces(name));
    let is_open = |param: &Param| !(enforces && is_closed(context, handler, param));
    let open: Vec<(usize, &Param)> = given.into_iter().filter(|(_, param)| is_open(param)).collect();
    let name = |param: &Param| facts.str(param.name);
    match open.first() {
        None => Judged::pass(
            head(context, handler),
            "its framework lets nothing but values of these types through",
        ),
        Some((_, first)) => {
            match open.iter().find_map(|&(nth, param)| Some((param, handed_over(context, handler, nth)?))) {
                Some((param, at)) => {
                    let text = format!("`{}` is handed over as the model wrote it", name(param));
                    Judged::fail(place(context, at), text)
                }
                None => {
                    let text = format!("whether `{}` is checked was not followed", name(first));
                    Judged::unknown(head(context, handler), text)
                }
            }
        }
    }
}

/// `ctx: RunContext`: the framework gives it, not the model.
fn is_injected(context: &Context<'_>, handler: Func, param: &Param) -> bool {
    let around = context.program.ir(handler).parent;
    param
        .ty
        .and_then(|ty| name_of(context, around, ty))
        .is_some_and(|name| context.catalog.classes.is_injected(name))
}

/// A type of which a model cannot make something else: a number, a flag, a word out of a list; or none of these.
fn is_closed(context: &Context<'_>, handler: Func, param: &Param) -> bool {
    let program = context.program;
    let around = program.ir(handler).parent;
    let facts = program.facts(program.function(handler).file);
    let is_part = |ty: ExprId| {
        let is_plain =
            name_of(context, around, ty).is_some_and(|name| context.catalog.classes.is_closed(name));
        is_plain || program.is_closed_type(around, ty) || matches!(facts.expr(ty), Expr::Lit(Lit::None))
    };
    matches!(param.kind, ParamKind::Normal | ParamKind::KeywordOnly)
        && param.ty.is_some_and(|ty| match *facts.expr(ty) {
            Expr::Op { op: Op::BitOr, args } => facts.list(args).iter().all(|&part| is_part(part)),
            _ => is_part(ty),
        })
}

/// The last name of a type, without what is in its brackets.
fn name_of<'c>(context: &Context<'c>, around: Func, ty: ExprId) -> Option<&'c str> {
    let program = context.program;
    let facts = program.facts(program.function(around).file);
    let ty = match *facts.expr(ty) {
        Expr::Index { base, .. } => base,
        _ => ty,
    };
    program.receiver_name(around, ty).map(|known| known.name)
}

/// The effect that is told by this parameter alone what to do, if nothing has looked at it before: in the tool's own code, or in
/// the function that is handed it first.
fn handed_over(context: &Context<'_>, handler: Func, at: usize) -> Option<(Func, ExprId)> {
    let (mut seen, mut next) = (BTreeSet::new(), Some((handler, at)));
    while let Some((func, at)) = next.filter(|&place| seen.insert(place)) {
        let first = first_mention(context, func, at)?;
        if let Some(call) = effect_of(context, func, first) {
            return Some((func, call));
        }
        next = passed(context, func, first);
    }
    None
}

/// The parameter that an argument becomes, if one function of the project is called with it.
fn passed(context: &Context<'_>, func: Func, argument: ExprId) -> Option<(Func, usize)> {
    let edges = context.program.edges_from(func).iter().filter(|edge| edge.kind == EdgeKind::Call);
    let mut taken = edges.flat_map(|edge| {
        let arguments = context.program.arguments(edge).into_iter();
        arguments.filter(move |&(_, value)| value == argument).filter_map(move |(passed, _)| {
            match (edge.to, passed) {
                (Target::Project(to), Passed::Param(at)) => Some((to, at as usize)),
                _ => None,
            }
        })
    });
    let first = taken.next()?;
    taken.next().is_none().then_some(first)
}

fn first_mention(context: &Context<'_>, handler: Func, at: usize) -> Option<ExprId> {
    let program = context.program;
    let facts = program.facts(program.function(handler).file);
    let is_it = |expr: ExprId| match *facts.expr(expr) {
        Expr::Var(var) => program.parameter_of(program.slot_of(handler, var)) == Some((handler, at as u32)),
        _ => false,
    };
    program.ir(handler).exprs.iter().find(|&expr| is_it(expr))
}

/// The effect whose first argument this is.
fn effect_of(context: &Context<'_>, handler: Func, first: ExprId) -> Option<ExprId> {
    let facts = context.program.facts(context.program.function(handler).file);
    let own = context.effects.of_kinds(&REACHES_OUT).chain(context.effects.of_kinds(&KEEPS));
    let own = own.filter(|site| site.from == handler && site.runs).map(|site| site.at.expr);
    own.into_iter().find(|&call| match *facts.expr(call) {
        Expr::Call { args, .. } => facts.list(args).first().is_some_and(|arg| arg.value == first),
        _ => false,
    })
}
