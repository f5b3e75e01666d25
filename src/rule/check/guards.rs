//! Every guard that an agent meets, with where it stands: calls of guards and tests of the phase in what handlers, tools and
//! planning functions run and in what leads to them, the bodies of those guards, and the bounds of external operations. Made
//! of what rules look at, so that a guard is here what it is to them.

mod bodies;
mod bounds;

use rustc_hash::FxHashSet;

use super::Context;
use super::checklist::REACHES_OUT;
use super::shared::Shared;
use crate::analysis::{AskedGuard, Execution, GuardCalls, Reach, calls_of};
use crate::catalog::Guarding;
use crate::config::Layer;
use crate::ir::{Expr, ExprId, FnKind};
use crate::link::{EdgeKind, Func, Target};
use crate::mutation::{Form, Guard, GuardKind, Guards, changes};

pub fn guards(context: &Context<'_>) -> Guards {
    let shared = Shared::new(context);
    let gating = shared.gating(context);
    let reach = shared.calls(context).search(context.effects.of_kinds(&REACHES_OUT), |_| true);
    let executions = shared.executions(context);
    let calls = GuardCalls::new(context.bodies, gating, shared.actions(context));
    let finder = Finder { context, calls, reach, executions, leads: leads(context, executions) };
    let mut out = Guards::default();
    let mut asked = Vec::new();
    for func in (0..context.program.functions.len() as u32).map(Func) {
        finder.function(func, &mut out, &mut asked);
        if gating.is_decorated(func) && finder.is_watched(func) {
            finder.decorators(func, &mut out);
        }
    }
    bodies::add(&finder, &asked, &mut out);
    bounds::add(&finder, shared.operations(context), &mut out);
    let key = |guard: &Guard| {
        let facts = context.program.facts(guard.file);
        (guard.file, changes::place(facts, guard), guard.kind)
    };
    out.found.sort_by_key(key);
    out.found.dedup_by(|later, first| {
        (later.file, &later.form) == (first.file, &first.form) && later.kind == first.kind
    });
    out
}

/// A function of the project that is asked somewhere, and what for.
type Body = (Func, AskedGuard);

struct Finder<'g, 'c> {
    context: &'g Context<'c>,
    calls: GuardCalls<'g, 'c>,
    reach: Reach<'c>,
    executions: &'g [Execution],
    /// By function: it leads to a handler or a tool.
    leads: Vec<bool>,
}

impl Finder<'_, '_> {
    /// The guards in the text of a function.
    fn function(&self, func: Func, out: &mut Guards, asked: &mut Vec<Body>) {
        if !self.is_production(func) {
            return;
        }
        let is_watched = self.is_watched(func);
        for call in calls_of(self.context.program, func) {
            let Some(what) = self.calls.at(func, call) else { continue };
            if !is_watched {
                out.outside += 1;
                continue;
            }
            if !shows(what) {
                asked.extend(self.calls.callees(func, call).into_iter().map(|callee| (callee, what)));
            }
            let guards_value = matches!(
                what,
                AskedGuard::Attribution(Guarding::Guards) | AskedGuard::Fence(Guarding::Guards)
            );
            if !shows(what) && !credits(what) {
                let form = Form::Call { call, guards_value };
                out.found.push(self.guard(func, kind(what), form, self.calls.name(func, call)));
            }
        }
        if is_watched {
            let tests = self.calls.phase_tests(func).into_iter();
            let name = self.context.program.short_name(func);
            out.found
                .extend(tests.map(|test| self.guard(func, GuardKind::Phase, Form::Test(test), name.clone())));
        }
    }

    fn decorators(&self, func: Func, out: &mut Guards) {
        let program = self.context.program;
        let facts = program.facts(program.function(func).file);
        for &expr in facts.list(program.ir(func).decorators) {
            let named = match *facts.expr(expr) {
                Expr::Call { callee, .. } => callee,
                _ => expr,
            };
            let scope = program.ir(func).parent;
            let name = program.receiver_name(scope, named).map_or("", |known| known.name);
            out.found.push(self.guard(func, GuardKind::Phase, Form::Decorator(expr), name.to_owned()));
        }
    }

    fn guard(&self, func: Func, kind: GuardKind, form: Form, name: String) -> Guard {
        let info = self.context.program.function(func);
        Guard {
            kind,
            form,
            file: info.file,
            function: func,
            within: info.path.to_string(),
            name,
            effects: self.effects(func),
        }
    }

    /// The expressions of a function that lead to an external effect, or to a tool.
    fn effects(&self, func: Func) -> Vec<ExprId> {
        let program = self.context.program;
        let facts = program.facts(program.function(func).file);
        let sites = self.context.effects.of_kinds(&REACHES_OUT).filter(|site| site.from == func && site.runs);
        let leads_out =
            |to: &Target| matches!(*to, Target::Project(callee) if self.reach.path(callee).is_some());
        let edges = program.edges_from(func).iter();
        let calls = edges.filter(|edge| edge.kind != EdgeKind::Stored && leads_out(&edge.to));
        let runs = self.executions.iter().filter(|site| site.func == func).map(|site| site.call);
        let mut found: Vec<ExprId> =
            sites.map(|site| site.at.expr).chain(calls.map(|edge| edge.at.expr)).chain(runs).collect();
        found.sort_unstable_by_key(|&expr| (facts.span(expr), expr));
        found.dedup();
        found
    }

    fn is_production(&self, func: Func) -> bool {
        let program = self.context.program;
        let layers = self.context.layers[program.function(func).file.0 as usize];
        let is_apart = layers.contains(Layer::Test) || layers.contains(Layer::Operator);
        !is_apart && !program.is_test_code(func) && !matches!(program.ir(func).kind, FnKind::ClassBody(_))
    }

    /// True if an agent gets there, or the function leads to where one acts.
    fn is_watched(&self, func: Func) -> bool {
        self.is_production(func) && (self.context.is_reachable(func) || self.leads[func.0 as usize])
    }
}

/// What shows people what was guarded is no guard.
fn shows(what: AskedGuard) -> bool {
    matches!(what, AskedGuard::Attribution(Guarding::Displays) | AskedGuard::Fence(Guarding::Displays))
}

/// The text of a credit guards what it is put into; the guard is who does that.
fn credits(what: AskedGuard) -> bool {
    matches!(what, AskedGuard::Attribution(Guarding::Credits) | AskedGuard::Fence(Guarding::Credits))
}

fn kind(what: AskedGuard) -> GuardKind {
    match what {
        AskedGuard::Phase => GuardKind::Phase,
        AskedGuard::Attribution(_) => GuardKind::Attribution,
        AskedGuard::Fence(_) => GuardKind::Fence,
        AskedGuard::Audit => GuardKind::Audit,
        AskedGuard::Declaration => GuardKind::Declaration,
        AskedGuard::Action => GuardKind::Action,
    }
}

/// The functions from which a handler or a tool is run, also where only its name is known.
fn leads(context: &Context<'_>, executions: &[Execution]) -> Vec<bool> {
    let program = context.program;
    let mut leads = vec![false; program.functions.len()];
    let mut callers: Vec<Vec<Func>> = vec![Vec::new(); program.functions.len()];
    for edge in program.edges.iter().filter(|edge| edge.kind != EdgeKind::Stored) {
        if let Target::Project(callee) = edge.to {
            callers[callee.0 as usize].push(edge.from);
        }
    }
    executions.iter().for_each(|site| leads[site.func.0 as usize] = true);
    let entries = context.handlers.iter().chain(context.tools).map(|entry| entry.func);
    let mut todo: Vec<Func> = entries.chain(executions.iter().map(|site| site.func)).collect();
    let mut seen: FxHashSet<Func> = todo.iter().copied().collect();
    while let Some(func) = todo.pop() {
        for &caller in callers[func.0 as usize].iter().filter(|&&caller| seen.insert(caller)) {
            leads[caller.0 as usize] = true;
            todo.push(caller);
        }
    }
    leads
}
