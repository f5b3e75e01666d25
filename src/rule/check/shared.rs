//! What several rules ask for, made once before they run: what decides a phase, the calls that may be followed, the values of
//! the program.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Context;
use super::checklist::{Operation, Tools, operations, tools};
use super::classes::Classes;
use super::reach::enters;
use super::records::{self, Wrong};
use super::sources::is_asked;
use super::traced::Traced;
use crate::analysis::{
    Decisions, Execution, Flows, Gating, Graph, Guarded, Handler, Standing, Tests, Values, executions, tests,
};
use crate::finding::{Incomplete, Named, Place};
use crate::ir::Expr;
use crate::link::{Func, Program};
use crate::parallel::{self, Prepared};
use crate::rule::matcher::{Check, Goal, Item, Subject, Words};
use crate::rule::{Matcher, Rule};

pub struct Shared<'c> {
    pub values: Values<'c, 'c>,
    phase: Prepared<Decisions>,
    entered: Prepared<Graph<'c, 'c>>,
    kept: Prepared<Graph<'c, 'c>>,
    gating: Prepared<Gating>,
    actions: Prepared<Gating>,
    executions: Prepared<Vec<Execution>>,
    standing: Prepared<Standing>,
    flows: Prepared<Flows<'c, 'c>>,
    traced: Prepared<Traced<'c>>,
    asking: Prepared<BTreeSet<Func>>,
    operations: Prepared<Vec<Operation>>,
    offered: Prepared<Tools>,
    tests: Prepared<Tests>,
    records: Prepared<Vec<Wrong>>,
    classes: Prepared<Classes>,
    /// The rules run: what they ask for has been made.
    is_prepared: AtomicBool,
}

/// What rules ask for; see the functions of the same names.
#[derive(Clone, Copy, Default)]
struct Needs {
    calls: bool,
    decisions: bool,
    gating: bool,
    actions: bool,
    standing: bool,
    operations: bool,
    offered: bool,
    tests: bool,
    records: bool,
    classes: bool,
}

impl<'c> Shared<'c> {
    pub fn new(context: &Context<'c>) -> Self {
        Self {
            values: Values::new(context.program, context.catalog, context.effects),
            phase: Prepared::default(),
            entered: Prepared::default(),
            kept: Prepared::default(),
            gating: Prepared::default(),
            actions: Prepared::default(),
            executions: Prepared::default(),
            standing: Prepared::default(),
            flows: Prepared::default(),
            traced: Prepared::default(),
            asking: Prepared::default(),
            operations: Prepared::default(),
            offered: Prepared::default(),
            tests: Prepared::default(),
            records: Prepared::default(),
            classes: Prepared::default(),
            is_prepared: AtomicBool::new(false),
        }
    }

    /// Makes what both the rules and `flows` start from. A rule never waits for what another one makes: it would keep a thread,
    /// and a thread that waits may pick up a task that asks for the very same.
    pub fn begin(&self, rules: &[Arc<Rule>], context: &Context<'c>) {
        let needs = Needs::of(rules);
        parallel::join(
            || {
                needs.calls.then(|| (self.calls(context), self.kept_calls(context)));
                needs.operations.then(|| self.operations(context));
                needs.offered.then(|| self.offered(context));
            },
            || needs.decisions.then(|| self.decisions(context)),
        );
    }

    /// Makes the rest of what the rules ask for, but not where content gets.
    pub fn prepare(&self, rules: &[Arc<Rule>], context: &Context<'c>) {
        let needs = Needs::of(rules);
        parallel::join(
            || {
                needs.gating.then(|| (self.gating(context), self.asking(context)));
                needs.standing.then(|| self.standing(context));
                needs.classes.then(|| self.classes(context));
            },
            || {
                needs.actions.then(|| self.actions(context));
                needs.tests.then(|| self.tests(context));
                needs.records.then(|| self.records(context))
            },
        );
        self.is_prepared.store(true, Ordering::Relaxed);
    }

    /// What a rule asks for, which `prepare` has made.
    fn made<'s, T>(&'s self, part: &'s Prepared<T>, make: impl FnOnce() -> T) -> &'s T {
        debug_assert!(
            !self.is_prepared.load(Ordering::Relaxed) || part.get().is_some(),
            "a rule asks for a {}, which `Needs` does not know of",
            std::any::type_name::<T>()
        );
        part.of(make)
    }

    /// What is wrong with records that have a form.
    pub fn records(&self, context: &Context<'c>) -> &Vec<Wrong> {
        self.made(&self.records, || records::all(context, &self.values))
    }

    /// Which class each tool is of.
    pub fn classes(&self, context: &Context<'c>) -> &Classes {
        self.made(&self.classes, || Classes::find(context, &self.values, self.calls(context)))
    }

    /// What decides a phase.
    pub fn decisions(&self, context: &Context<'c>) -> &Decisions {
        self.made(&self.phase, || Decisions::find(context.program, &context.catalog.phase))
    }

    /// Which gates hold where.
    pub fn gating(&self, context: &Context<'c>) -> &Gating {
        self.made(&self.gating, || Gating::find(context.bodies, &context.config.gates, context.registered))
    }

    /// Which judges of actions have approved what.
    pub fn actions(&self, context: &Context<'c>) -> &Gating {
        let executions = self.executions(context);
        self.made(&self.actions, || {
            Gating::of_actions(context.bodies, &context.config.gates, executions, context.registered)
        })
    }

    /// The calls that run what a model asks for.
    pub fn executions(&self, context: &Context<'c>) -> &Vec<Execution> {
        self.made(&self.executions, || {
            executions(context.program, context.catalog, &context.config.gates, context.tools)
        })
    }

    /// What stands where a guard is called.
    pub fn standing(&self, context: &Context<'c>) -> &Standing {
        self.made(&self.standing, || {
            let has_operations = !context.handlers.is_empty() || !self.operations(context).is_empty();
            Standing::find(context.bodies, self.gating(context), context.sources, has_operations)
        })
    }

    /// Where content from outside gets.
    pub fn flows(&self, context: &Context<'c>) -> &Flows<'c, 'c> {
        self.flows.of(|| {
            let mut handlers: Vec<Func> = context.handlers.iter().map(|handler| handler.func).collect();
            // A command outside the namespace that reaches out is held to the same.
            let others = self.operations(context).iter().map(|operation| operation.handler);
            handlers.extend(others);
            handlers.sort_unstable();
            handlers.dedup();
            Flows::find(context.bodies, context.effects, &self.values, &handlers)
        })
    }

    /// Where values get that rules follow, if there are any.
    pub fn traced(&self) -> Option<&Traced<'c>> {
        self.traced.get()
    }

    /// Makes what rules ask for that follow values.
    pub fn follow(&self, rules: &[Arc<Rule>], context: &Context<'c>) {
        let asks = |is: fn(&Matcher) -> bool| rules.iter().any(|rule| rule.matches.iter().any(is));
        parallel::join(
            || asks(follows_content).then(|| self.flows(context)),
            || is_asked(context, rules).then(|| self.traced.of(|| Traced::find(context, rules))),
        );
    }

    /// The external operations of the project.
    pub fn operations(&self, context: &Context<'c>) -> &Vec<Operation> {
        self.made(&self.operations, || operations(context, self.calls(context)))
    }

    /// The tools that a model may call and that reach an effect.
    pub fn offered(&self, context: &Context<'c>) -> &Tools {
        let graphs = [self.calls(context), self.kept_calls(context)];
        let operations = self.operations(context);
        self.made(&self.offered, || tools(context, operations, graphs))
    }

    /// The tests of the project, with what they speak of.
    pub fn tests(&self, context: &Context<'c>) -> &Tests {
        self.made(&self.tests, || tests(context.program, &context.catalog.checklist))
    }

    /// The same, with what callers hold.
    pub fn guarded(&self, context: &Context<'c>) -> Guarded<'_, 'c, 'c> {
        Guarded::find(context.program, self.gating(context))
    }

    /// The project's gates: functions that do nothing but ask for the phase.
    pub fn asking(&self, context: &Context<'c>) -> &BTreeSet<Func> {
        self.made(&self.asking, || {
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
        let gates = in_production(context.program, self.asking(context).iter().copied());
        gates.map(|gate| (gate.name, gate.at)).collect()
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

    /// Who calls whom, but not from behind model providers and comm operations.
    pub fn calls(&self, context: &Context<'c>) -> &Graph<'c, 'c> {
        self.made(&self.entered, || graph(context, false))
    }

    /// The same for what is kept: what the audit writer keeps is its own business.
    pub fn kept_calls(&self, context: &Context<'c>) -> &Graph<'c, 'c> {
        self.made(&self.kept, || graph(context, true))
    }
}

fn graph<'c>(context: &Context<'c>, is_stored: bool) -> Graph<'c, 'c> {
    let functions = (0..context.program.functions.len() as u32).map(Func);
    let entered: Vec<bool> = functions.map(|func| enters(context, func, is_stored)).collect();
    Graph::new(context.program, |at, func| entered[func.0 as usize] && !context.effects.is_comm_call(at))
}

/// Functions that no test alone runs, as reports name them.
pub fn in_production(
    program: &Program<'_>,
    functions: impl Iterator<Item = Func>,
) -> impl Iterator<Item = Named> {
    functions.filter(|&func| !program.is_test_code(func)).map(|func| named(program, func))
}

/// A function as reports name it.
pub fn named(program: &Program<'_>, func: Func) -> Named {
    let function = program.function(func);
    let at = Place { file: function.file, span: program.ir(func).name_span };
    Named { name: program.short_name(func), path: function.path.to_string(), at }
}

impl Needs {
    fn of(rules: &[Arc<Rule>]) -> Self {
        let all = rules.iter().flat_map(|rule| &rule.matches).map(Self::of_matcher);
        all.fold(Self::default(), Self::and)
    }

    fn of_matcher(matcher: &Matcher) -> Self {
        let none = Self::default();
        match matcher {
            Matcher::Compare(compare) => {
                Self { calls: true, decisions: matches!(compare.words, Words::Phase), ..none }
            }
            Matcher::Value(value) => Self { decisions: matches!(value.words, Words::Phase), ..none },
            Matcher::Reach(reach) => Self { calls: matches!(reach.goal, Goal::Effects { .. }), ..none },
            Matcher::Guard(_) | Matcher::Check(Check::BrokenGuard) => {
                Self { calls: true, gating: true, standing: true, operations: true, ..none }
            }
            Matcher::Check(Check::SwallowedGate | Check::UnusedGuard) => {
                Self { calls: true, gating: true, ..none }
            }
            Matcher::Item(Item { of, question }) => Self {
                calls: true,
                gating: question.asks_for_gates(),
                actions: question.asks_for_approvals(),
                operations: true,
                offered: *of == Subject::Tool,
                tests: question.asks_for_tests(),
                classes: question.asks_for_order(),
                ..none
            },
            Matcher::Record(_) => Self { records: true, ..none },
            Matcher::Check(
                Check::UngatedExecution
                | Check::ApprovingGate
                | Check::FailOpen
                | Check::OpenPolicy
                | Check::UnstructuredVerdict
                | Check::UnclassifiedSkill
                | Check::Runtime(_),
            ) => Self { actions: true, ..none },
            Matcher::Check(Check::UnclassifiedTool | Check::ContaminatedOrder) => {
                Self { calls: true, classes: true, ..none }
            }
            Matcher::Trace(_) => Self { actions: true, ..none },
            _ if follows_content(matcher) => Self { calls: true, operations: true, ..none },
            _ => none,
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            // Which functions are gates of the project depends on what they reach.
            calls: self.calls | other.calls | self.gating | other.gating,
            decisions: self.decisions | other.decisions,
            gating: self.gating | other.gating,
            actions: self.actions | other.actions,
            standing: self.standing | other.standing,
            operations: self.operations | other.operations,
            offered: self.offered | other.offered,
            tests: self.tests | other.tests,
            records: self.records | other.records,
            classes: self.classes | other.classes,
        }
    }
}

/// What a rule waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Nothing that rules share.
    AtOnce,
    /// What `Shared::begin` makes.
    Begun,
    /// What `Shared::prepare` makes.
    Prepared,
    /// Where content gets.
    Followed,
}

impl Stage {
    pub fn of(rule: &Rule) -> Self {
        let needs = rule.matches.iter().map(Needs::of_matcher).fold(Needs::default(), Needs::and);
        if rule.matches.iter().any(|matcher| follows_content(matcher) || traces_values(matcher)) {
            Stage::Followed
        } else if needs.gating || needs.actions || needs.tests || needs.records || needs.classes {
            Stage::Prepared
        } else if needs.calls || needs.decisions || needs.operations {
            Stage::Begun
        } else {
            Stage::AtOnce
        }
    }
}

/// True if it asks where values get that somebody chose.
fn traces_values(matcher: &Matcher) -> bool {
    matches!(matcher, Matcher::Trace(_))
}

/// True if it asks where content gets.
fn follows_content(matcher: &Matcher) -> bool {
    match matcher {
        Matcher::Flow(_) => true,
        Matcher::Item(item) => item.question.follows_content(),
        Matcher::Mutate(wanted) => wanted.is_traced(),
        _ => false,
    }
}
