//! What bounds the processes and connections of external operations, where it is written: an argument of the call, or a call
//! in the chain before it. A bound from elsewhere (a default of a session, an argument of a caller) has no place here.

use super::Finder;
use crate::analysis::{Bounded, Given, bounds, gives_default_timeout};
use crate::catalog::{Bound, EffectKind};
use crate::ir::{ArgKind, Expr, ExprId};
use crate::link::Func;
use crate::mutation::{Form, GuardKind, Guards};
use crate::rule::check::checklist::Operation;
use crate::rule::check::reach::enters;

/// What the checklist asks of each kind of effect.
const WANTED: [(EffectKind, &[Bound]); 2] = [
    (EffectKind::Process, &[Bound::Cwd, Bound::Env, Bound::Timeout]),
    (EffectKind::Network, &[Bound::Timeout]),
];

pub fn add(finder: &Finder<'_, '_>, operations: &[Operation], out: &mut Guards) {
    let context = finder.context;
    let (program, catalog) = (context.program, context.catalog);
    let wanted = WANTED.map(|(kind, bounds)| (kind, bounds.to_vec()));
    let is_entered =
        |func| enters(context, func, true) && !catalog.audit.writes(&program.function(func).path);
    let has_default = gives_default_timeout(program, catalog);
    for operation in operations {
        let start = (operation.handler, operation.class);
        let (found, _) = bounds(program, catalog, context.effects, start, (&wanted, has_default), is_entered);
        for bounded in found.iter().filter(|bounded| bounded.given == Given::Yes) {
            let Bounded { site, bound, .. } = bounded;
            let form = form(finder, site.from, site.at.expr, *bound);
            let guard =
                form.map(|form| finder.guard(site.from, GuardKind::Bound(*bound), form, site.callee.clone()));
            out.found.extend(guard.filter(|_| finder.is_production(site.from)));
        }
    }
}

fn form(finder: &Finder<'_, '_>, func: Func, call: ExprId, bound: Bound) -> Option<Form> {
    let (program, limits) = (finder.context.program, &finder.context.catalog.limits);
    let facts = program.facts(program.function(func).file);
    let Expr::Call { callee, args, .. } = *facts.expr(call) else { return None };
    let carries = |kind| matches!(kind, ArgKind::Named(name) if limits.carries(bound, facts.str(name)));
    if let Some(at) = facts.list(args).iter().position(|arg| carries(arg.kind)) {
        return Some(Form::Argument { call, at });
    }
    let mut at = match *facts.expr(callee) {
        Expr::Field { base, .. } => base,
        _ => return None,
    };
    loop {
        at = match *facts.expr(at) {
            Expr::Call { callee, .. } => match *facts.expr(callee) {
                Expr::Field { name, .. } if limits.carries(bound, facts.str(name)) => {
                    return Some(Form::Built(at));
                }
                Expr::Field { base, .. } => base,
                _ => return None,
            },
            Expr::Await(inner) => inner,
            Expr::Match { subject, .. } => subject,
            _ => return None,
        };
    }
}
