//! Which functions ask for the phase in their own text: where a walk begins to be worth its while.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::tables::asks_table;
use crate::analysis::executions::Execution;
use crate::analysis::gates::spelled;
use crate::analysis::guards::{Bodies, Guards, Kept, Promise};
use crate::analysis::stubs;
use crate::analysis::told::{is_given, is_taken};
use crate::catalog::{Catalog, Speaks, Vocabulary};
use crate::config::{self, NamePattern};
use crate::ir::{Expr, ExprId, Facts, FnKind, Jump, Lit, Op, Pat, PatId};
use crate::link::{Edge, Func, Memo, PathId, Program, Target};

/// What is asked before something runs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Question {
    /// Is this the phase for execution?
    #[default]
    Phase,
    /// May this action run?
    Action,
}

/// Which functions ask for the phase in their own text.
#[derive(Clone, Debug, Default)]
pub struct Asks {
    pub question: Question,
    pub by_func: Vec<bool>,
    /// The functions that the configuration vouches for.
    pub vouched: FxHashSet<Func>,
    /// The same with those whose bodies show that they refuse nothing.
    pub vouched_for: FxHashSet<Func>,
    /// Checks of attributions that let everything pass.
    pub passing: FxHashSet<Func>,
    any: bool,
    /// Somebody judges, and not only by words that a person types.
    pub judges: bool,
    /// The project's own judges of actions.
    pub gates: FxHashSet<Func>,
    /// What those call to make their verdicts.
    pub makers: FxHashSet<Func>,
    /// Those of them whose results are what a judge hands back.
    pub speakers: FxHashSet<Func>,
    /// The calls that run tools by their names.
    pub executions: FxHashSet<(Func, ExprId)>,
}

impl Asks {
    pub fn find(bodies: &Bodies<'_, '_>, gates: &config::Gates) -> Self {
        let (program, catalog) = (bodies.program(), bodies.catalog());
        let words = &catalog.phase;
        let breaks = |func: Func, promise| matches!(bodies.kept(func, promise), Kept::Broken(_));
        let vouched_for = vouched(program, &gates.phase_checks);
        let mut vouched = vouched_for.clone();
        // Nobody can vouch for a body that plainly refuses nothing.
        vouched.retain(|&func| !breaks(func, Promise::Gate));
        // A program calls few things, and each of them often.
        let known: Memo<Target, bool> = Memo::default();
        let is_check = |edge: &Edge| {
            let find = || catalog.boundaries.checks_attribution(&program.target_name(edge.to));
            known.of(edge.to, find)
        };
        let checks = program.edges.iter().filter(|edge| is_check(edge)).filter_map(|edge| match edge.to {
            Target::Project(to) => Some(to),
            Target::External(_) => None,
        });
        let checks: FxHashSet<Func> = checks.collect();
        let promise = Promise::Attribution(Guards::Checks);
        let passing = checks.into_iter().filter(|&func| breaks(func, promise)).collect();
        let files = program.files_with(|text| {
            words.naming(text).is_some() || words.is_open(text) || words.may_spell_gate(text)
        });
        let functions = (0..program.functions.len() as u32).map(Func);
        let asks = |func: Func| {
            let file = program.function(func).file;
            (files[file.0 as usize] && asks_in_text(program, catalog, func))
                || calls_gate(program, words, &vouched, func)
                || program.edges_from(func).iter().any(is_check)
        };
        let by_func: Vec<bool> = functions.map(asks).collect();
        let any = by_func.contains(&true);
        Self { by_func, vouched, vouched_for, passing, any, ..Self::default() }
    }

    /// Which functions ask whether an action may run, or say so, or run one.
    pub fn of_actions(bodies: &Bodies<'_, '_>, gates: &config::Gates, executions: &[Execution]) -> Self {
        let (program, words) = (bodies.program(), &bodies.catalog().actions);
        let vouched = vouched(program, &gates.action_gates);
        let files = program.files_with(|text| words.may_spell_gate(text));
        let functions = (0..program.functions.len() as u32).map(Func);
        let is_own_gate = |func: Func| {
            let taken: Speaks<'_> = &|fits| is_taken(program, func, fits);
            // A type that only describes an approval is asked nothing.
            let is_run = !matches!(program.ir(func).kind, FnKind::Module | FnKind::ClassBody(_));
            vouched.contains(&func) || is_run && words.is_gate(&program.function(func).path, taken)
        };
        let is_gate: Vec<bool> = functions.clone().map(is_own_gate).collect();
        let spells_gate = |func: Func, call: ExprId| {
            let given: Speaks<'_> = &|fits| is_given(program, func, call, fits);
            spelled(program, func, call).is_some_and(|name| words.is_gate_name(&name, given))
        };
        let may_spell = |func: Func| files[program.function(func).file.0 as usize];
        let names_gate =
            |func: Func| may_spell(func) && program.ir(func).exprs.iter().any(|expr| spells_gate(func, expr));
        // A program calls few things, and each of them often.
        let known: Memo<PathId, bool> = Memo::default();
        let is_judge = |edge: &Edge| match edge.to {
            Target::External(path) => known.of(path, || words.is_gate(program.path(path), &|_| false)),
            Target::Project(to) => is_gate[to.0 as usize],
        };
        let asks_for_words = |func: Func| {
            let is_asked =
                |expr| library_callee(program, func, expr).is_some_and(|path| words.asks_for_words(path));
            may_spell(func) && program.ir(func).exprs.iter().any(is_asked)
        };
        let judges = |func: Func| {
            is_gate[func.0 as usize] || names_gate(func) || program.edges_from(func).iter().any(is_judge)
        };
        let judging: Vec<bool> = functions.map(judges).collect();
        let asks = |func: usize| judging[func] || asks_for_words(Func(func as u32));
        let by_func: Vec<bool> = (0..judging.len()).map(asks).collect();
        let judges = (0..judging.len()).any(|at| judging[at] && !program.is_test_code(Func(at as u32)));
        let gates: FxHashSet<Func> =
            (0..judging.len()).filter(|&at| is_gate[at]).map(|at| Func(at as u32)).collect();
        let makers = makers(bodies, &gates);
        let speakers = speakers(program, &gates, &makers);
        let executions = executions.iter().map(|site| (site.func, site.call)).collect();
        let (any, vouched_for) = (by_func.contains(&true), vouched.clone());
        let question = Question::Action;
        Self {
            question,
            by_func,
            vouched,
            vouched_for,
            any,
            judges,
            gates,
            makers,
            speakers,
            executions,
            ..Self::default()
        }
    }

    pub fn is_empty(&self) -> bool {
        !self.any
    }
}

/// What gates call beside themselves, in their own files: there verdicts are made.
fn makers(bodies: &Bodies<'_, '_>, gates: &FxHashSet<Func>) -> FxHashSet<Func> {
    let (program, catalog) = (bodies.program(), bodies.catalog());
    let callees = |func: &Func| {
        let file = program.function(*func).file;
        // What a constructor hands back is nothing that it says.
        let makes = |edge: &Edge| match *program.facts(edge.at.file).expr(edge.at.expr) {
            Expr::Call { callee, .. } => program.class_named(*func, callee).is_some(),
            _ => true,
        };
        let own = program.edges_from(*func).iter().filter_map(|edge| match edge.to {
            Target::Project(to) if program.function(to).file == file && !makes(edge) => Some(to),
            _ => None,
        });
        own.collect::<Vec<Func>>()
    };
    let mut found: FxHashSet<Func> = FxHashSet::default();
    let mut work: Vec<Func> = gates.iter().copied().collect();
    while let Some(func) = work.pop() {
        work.extend(callees(&func).into_iter().filter(|&next| !gates.contains(&next) && found.insert(next)));
    }
    found.retain(|&func| !stubs::is_empty(program, catalog, func));
    found
}

/// The makers whose results judges hand back as they are, directly or through each other.
fn speakers(program: &Program<'_>, gates: &FxHashSet<Func>, makers: &FxHashSet<Func>) -> FxHashSet<Func> {
    let said = |func: Func| {
        let facts = program.facts(program.function(func).file);
        let calls = program.ir(func).exprs.iter().filter_map(|expr| match *facts.expr(expr) {
            Expr::Jump { kind: Jump::Return, value: Some(value) } => Some(awaited(facts, value)),
            _ => None,
        });
        let edges = calls.flat_map(|call| program.edges_at(func, call));
        let own = edges.filter_map(|edge| match edge.to {
            Target::Project(to) => makers.contains(&to).then_some(to),
            Target::External(_) => None,
        });
        own.collect::<Vec<Func>>()
    };
    let mut found: FxHashSet<Func> = FxHashSet::default();
    let mut work: Vec<Func> = gates.iter().copied().collect();
    while let Some(func) = work.pop() {
        work.extend(said(func).into_iter().filter(|&next| found.insert(next)));
    }
    found
}

/// What is waited for.
fn awaited(facts: &Facts, expr: ExprId) -> ExprId {
    match *facts.expr(expr) {
        Expr::Await(inner) => inner,
        _ => expr,
    }
}

/// The path of what a call calls, if that is no function of the project.
pub fn library_callee<'p>(program: &'p Program<'_>, func: Func, call: ExprId) -> Option<&'p str> {
    let facts = program.facts(program.function(func).file);
    let Expr::Call { callee, .. } = *facts.expr(call) else { return None };
    program.library_path(func, callee)
}

/// A test against the word that opens the gate, a call that is spelled like a gate, or a table of answers.
fn asks_in_text(program: &Program<'_>, catalog: &Catalog, func: Func) -> bool {
    let words = &catalog.phase;
    let is_gate = |call| spelled(program, func, call).is_some_and(|name| words.is_gate_name(&name));
    tests_phase(program, words, func)
        || program.ir(func).exprs.iter().any(|expr| is_gate(expr) || asks_table(program, catalog, func, expr))
}

/// A test against the word that opens the gate.
pub fn tests_phase(program: &Program<'_>, words: &Vocabulary, func: Func) -> bool {
    program.ir(func).exprs.iter().any(|expr| asks_phase(program, words, func, expr))
}

/// True for an expression that is such a test.
pub fn asks_phase(program: &Program<'_>, words: &Vocabulary, func: Func, expr: ExprId) -> bool {
    let facts = program.facts(program.function(func).file);
    let is_word =
        |expr: ExprId| constant(program, words, func, expr).is_some_and(|text| words.is_open(&text));
    // `Some("execution")`
    let is_open = |expr: &ExprId| match *facts.expr(*expr) {
        Expr::Call { args, .. } => matches!(facts.list(args), [only] if is_word(only.value)),
        _ => is_word(*expr),
    };
    match *facts.expr(expr) {
        Expr::Op { op: Op::Eq | Op::Ne | Op::Is | Op::IsNot, args } => facts.list(args).iter().any(is_open),
        Expr::Op { op: Op::In | Op::NotIn, args } => facts
            .list(args)
            .get(1)
            .is_some_and(|&set| program.members(func, set).iter().any(|text| words.is_open(text))),
        Expr::Match { arms, .. } => {
            facts.list(arms).iter().any(|arm| names_open(program, words, func, arm.pat))
        }
        _ => false,
    }
}

/// The call that the body is, whatever is made of its result.
pub fn only_call(program: &Program<'_>, func: Func) -> Option<ExprId> {
    let facts = program.facts(program.function(func).file);
    let Expr::Block(body) = *facts.expr(program.ir(func).body) else { return None };
    let mut statements = facts.list(body).iter().filter(|&&id| !matches!(facts.expr(id), Expr::Lit(_)));
    let (Some(&only), None) = (statements.next(), statements.next()) else { return None };
    let returned = match *facts.expr(only) {
        Expr::Jump { kind: Jump::Return, value: Some(value) } => value,
        _ => only,
    };
    let called = awaited(facts, returned);
    matches!(facts.expr(called), Expr::Call { .. }).then_some(called)
}

fn names_open(program: &Program<'_>, words: &Vocabulary, func: Func, pat: PatId) -> bool {
    let facts = program.facts(program.function(func).file);
    let inner = |pats: &[PatId]| pats.iter().any(|&pat| names_open(program, words, func, pat));
    match *facts.pat(pat) {
        Pat::Value(value) => constant(program, words, func, value).is_some_and(|text| words.is_open(&text)),
        Pat::Or(pats) => inner(facts.list(pats)),
        Pat::Seq { items, .. } => inner(facts.list(items)),
        Pat::As { pat, .. } => inner(&[pat]),
        Pat::Ctor { items, .. } => inner(facts.list(items)),
        _ => false,
    }
}

/// The functions that one of these names means, by where they are defined or by where they are imported from.
fn vouched(program: &Program<'_>, names: &[NamePattern]) -> FxHashSet<Func> {
    if names.is_empty() {
        return FxHashSet::default();
    }
    let is_meant = |path: &str| names.iter().any(|name| name.matches(path));
    let own = (0..program.functions.len() as u32).map(Func);
    let own = own.filter(|&func| is_meant(&program.function(func).path));
    let others = program.other_names().into_iter().filter(|(_, path)| is_meant(path)).map(|(func, _)| func);
    own.chain(others).collect()
}

fn calls_gate(program: &Program<'_>, words: &Vocabulary, vouched: &FxHashSet<Func>, func: Func) -> bool {
    program.edges_from(func).iter().any(|edge| match edge.to {
        Target::External(path) => words.is_gate(program.path(path)),
        Target::Project(to) => vouched.contains(&to),
    })
}

/// The text an expression is known to be; of an enumeration's member that has none, its name.
pub fn constant(program: &Program<'_>, words: &Vocabulary, func: Func, expr: ExprId) -> Option<Arc<str>> {
    let facts = program.facts(program.function(func).file);
    match *facts.expr(expr) {
        Expr::Lit(Lit::Str(text)) => Some(facts.str(text).into()),
        Expr::Free(_) | Expr::Field { .. } | Expr::Var(_) => {
            if let Some(text) = program.text(func, expr) {
                return Some(text.into());
            }
            let Expr::Field { name, .. } = *facts.expr(expr) else { return None };
            let word = facts.str(name).to_lowercase();
            program.is_member_of_enum(func, expr).then(|| match words.is_word(&word) {
                true => word.into(),
                false => facts.str(name).into(),
            })
        }
        _ => None,
    }
}
