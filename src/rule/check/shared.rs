//! What several rules ask for, made once: what decides a phase, the calls that may be followed, the values of the program.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::Context;
use super::checklist::{Operation, operations};
use super::reach::enters;
use super::records::{self, Wrong};
use crate::analysis::{Decisions, Flows, Gating, Graph, Guarded, Handler, Test, Values, tests};
use crate::finding::{Incomplete, Place};
use crate::ir::Expr;
use crate::link::{Func, Program};
use crate::rule::matcher::{Check, Goal, Reach, Words};
use crate::rule::{Matcher, Rule};

pub struct Shared<'c> {
    pub values: Values<'c, 'c>,
    phase: OnceLock<Decisions>,
    entered: OnceLock<Graph<'c, 'c>>,
    gating: OnceLock<Gating>,
    flows: OnceLock<Flows<'c, 'c>>,
    asking: OnceLock<BTreeSet<Func>>,
    operations: OnceLock<Vec<Operation>>,
    tests: OnceLock<Vec<Test>>,
    records: OnceLock<Vec<Wrong>>,
}

impl<'c> Shared<'c> {
    pub fn new(context: &Context<'c>) -> Self {
        Self {
            values: Values::new(context.program, context.catalog, context.effects),
            phase: OnceLock::new(),
            entered: OnceLock::new(),
            gating: OnceLock::new(),
            flows: OnceLock::new(),
            asking: OnceLock::new(),
            operations: OnceLock::new(),
            tests: OnceLock::new(),
            records: OnceLock::new(),
        }
    }

    /// Makes what one of the rules asks for before any of them runs: a rule that has to wait for another keeps a thread.
    pub fn prepare(&self, rules: &[&Arc<Rule>], context: &Context<'c>) {
        let any = |asks: fn(&Matcher) -> bool| rules.iter().flat_map(|rule| &rule.matches).any(asks);
        let decisions = || any(asks_for_phase).then(|| self.decisions(context));
        let calls = || any(follows_calls).then(|| self.calls(context));
        let gating = || any(asks_for_gates).then(|| self.gating(context));
        rayon::join(gating, || (decisions(), calls()));
    }

    /// What is wrong with records that have a form.
    pub fn records(&self, context: &Context<'c>) -> &[Wrong] {
        self.records.get_or_init(|| records::all(context, &self.values))
    }

    /// What decides a phase.
    pub fn decisions(&self, context: &Context<'c>) -> &Decisions {
        self.phase.get_or_init(|| Decisions::find(context.program, &context.catalog.phase))
    }

    /// Which gates hold where.
    pub fn gating(&self, context: &Context<'c>) -> &Gating {
        self.gating.get_or_init(|| Gating::find(context.program, context.catalog, &context.config.gates))
    }

    /// Where content from outside gets.
    pub fn flows(&self, context: &Context<'c>) -> &Flows<'c, 'c> {
        self.flows.get_or_init(|| {
            let mut handlers: Vec<Func> = context.handlers.iter().map(|handler| handler.func).collect();
            // A command outside the namespace that reaches out is held to the same.
            let others = self.operations(context).iter().map(|operation| operation.handler);
            handlers.extend(others);
            handlers.sort_unstable();
            handlers.dedup();
            Flows::find(context.program, context.catalog, context.effects, &self.values, &handlers)
        })
    }

    /// The external operations of the project.
    pub fn operations(&self, context: &Context<'c>) -> &[Operation] {
        self.operations.get_or_init(|| operations(context, self.calls(context)))
    }

    /// The tests of the project, with what they speak of.
    pub fn tests(&self, context: &Context<'c>) -> &[Test] {
        self.tests.get_or_init(|| tests(context.program, &context.catalog.checklist))
    }

    /// The same, with what callers hold.
    pub fn guarded(&self, context: &Context<'c>) -> Guarded<'_, 'c, 'c> {
        Guarded::find(context.program, self.gating(context))
    }

    /// The project's gates: functions that do nothing but ask for the phase.
    pub fn asking(&self, context: &Context<'c>) -> &BTreeSet<Func> {
        self.asking.get_or_init(|| {
            let program = context.program;
            let gating = self.gating(context);
            let reach = self.calls(context).search(context.effects.sites.iter(), |_| true);
            let is_entry = |func: Func, entries: &[Handler]| {
                entries.binary_search_by_key(&func, |entry| entry.func).is_ok()
            };
            let only_asks = |func: &Func| {
                let facts = program.facts(program.function(*func).file);
                let keeps = |expr| matches!(facts.expr(expr), Expr::Store { .. });
                gating.is_gate(program, &context.catalog.phase, *func)
                    && reach.path(*func).is_none()
                    && !is_entry(*func, context.handlers)
                    && !is_entry(*func, context.tools)
                    && !program.ir(*func).exprs.iter().any(keeps)
            };
            gating.walked().into_iter().filter(only_asks).collect()
        })
    }

    /// The gates that production code has, if some rule asked for them: name and place.
    pub fn gates(&self, context: &Context<'c>) -> Vec<(String, Place)> {
        if self.gating.get().is_none() {
            return Vec::new();
        }
        in_production(context.program, self.asking(context).iter().copied()).collect()
    }

    /// Functions of production code in which something was given up that may be a gate, or that content from outside was not
    /// followed into, if some rule asked for gates or for content.
    pub fn incomplete(&self, context: &Context<'c>) -> Vec<Incomplete> {
        let program = context.program;
        let given_up = self.gating.get().into_iter().flat_map(Gating::given_up);
        let given_up = in_production(program, given_up).map(Incomplete::given_up);
        let unfollowed = self.flows.get().into_iter().flat_map(|flows| flows.unfollowed.iter().copied());
        given_up.chain(in_production(program, unfollowed).map(Incomplete::unfollowed)).collect()
    }

    /// Who calls whom, but not from behind model providers, the audit writer and comm operations.
    pub fn calls(&self, context: &Context<'c>) -> &Graph<'c, 'c> {
        self.entered.get_or_init(|| {
            let functions = (0..context.program.functions.len() as u32).into_par_iter().map(Func);
            let entered: Vec<bool> = functions.map(|func| enters(context, func)).collect();
            Graph::new(context.program, |at, func| {
                entered[func.0 as usize] && !context.effects.is_comm_call(at)
            })
        })
    }
}

/// Functions that no test alone runs, as reports name them.
pub fn in_production(
    program: &Program<'_>,
    functions: impl Iterator<Item = Func>,
) -> impl Iterator<Item = (String, Place)> {
    functions.filter(|&func| !program.is_test_code(func)).map(|func| named(program, func))
}

/// A function as reports name it.
pub fn named(program: &Program<'_>, func: Func) -> (String, Place) {
    let place = Place { file: program.function(func).file, span: program.ir(func).name_span };
    (program.short_name(func), place)
}

fn asks_for_phase(matcher: &Matcher) -> bool {
    match matcher {
        Matcher::Value(value) => matches!(value.words, Words::Phase),
        Matcher::Compare(compare) => matches!(compare.words, Words::Phase),
        _ => false,
    }
}

fn asks_for_gates(matcher: &Matcher) -> bool {
    match matcher {
        Matcher::Item(item) => item.asks_for_gates(),
        _ => matches!(matcher, Matcher::Guard(_) | Matcher::Check(Check::SwallowedGate | Check::UnusedGuard)),
    }
}

/// True if it asks where content gets.
pub fn follows_values(matcher: &Matcher) -> bool {
    match matcher {
        Matcher::Flow(_) => true,
        Matcher::Item(item) => item.follows_content(),
        Matcher::Mutate(wanted) => wanted.is_traced(),
        _ => false,
    }
}

fn follows_calls(matcher: &Matcher) -> bool {
    matches!(
        matcher,
        Matcher::Compare(_) | Matcher::Guard(_) | Matcher::Reach(Reach { goal: Goal::Effects { .. }, .. })
    )
}
