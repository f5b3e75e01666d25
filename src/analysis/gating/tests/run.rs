//! Runs the analysis on a module made by hand, and says whether its effect can run without the gate.

use std::collections::BTreeSet;

use camino::Utf8Path;

use super::build::facts;
use super::term::{
    Name, Term, call, define, either, give, name, none, not, op, raise, set, text, truth, when,
};
use crate::analysis::gating::Gating;
use crate::analysis::guards::Bodies;
use crate::catalog::Catalog;
use crate::config;
use crate::ir::{Expr, Op};
use crate::link::{At, Crates, EdgeKind, Func, Program, Target, Unit, link};

const PHASE: &str = include_str!("../../../../rules/catalog/phase.toml");
const GATES: &str = include_str!("../../../../rules/catalog/gates.toml");
const BUILTINS: &str = include_str!("../../../../rules/catalog/python/builtins.toml");
/// Without the hierarchy: what these tests raise is an error of its own.
const EXCEPTIONS: &str = "[exceptions]\nbroad = ['builtins.Exception', 'builtins.BaseException']\n\
    not_there = ['builtins.IndexError', 'builtins.KeyError', 'builtins.LookupError']\n";
const OPERATIONS: &str = include_str!("../../../../rules/catalog/python/operations.toml");
const HOLDERS: &str = include_str!("../../../../rules/catalog/holders.toml");
const RESULTS: &str = include_str!("../../../../rules/catalog/python/results.toml");

/// Links a module and finds its gates.
pub fn analysed<R>(module: Vec<Term>, look: impl FnOnce(&Program<'_>, &Gating) -> R) -> R {
    let files = [
        ("phase", PHASE),
        ("gates", GATES),
        ("builtins", BUILTINS),
        ("holders", HOLDERS),
        ("results", RESULTS),
        ("exceptions", EXCEPTIONS),
        ("python/operations", OPERATIONS),
    ];
    let catalog = Catalog::load(files).expect("it is valid");
    let facts = facts(module);
    let units = [Unit { path: Utf8Path::new("agent.py"), facts: &facts, is_test: false, holds_tests: false }];
    let program = link(&units, Crates::default(), None, &catalog);
    let gating = Gating::find(&Bodies::new(&program, &catalog), &config::Gates::default(), &[]);
    look(&program, &gating)
}

pub fn func(program: &Program<'_>, name: Name) -> Func {
    let mut all = (0..program.functions.len() as u32).map(Func);
    all.find(|&func| program.name(func) == name).expect("it is defined")
}

/// True if no way from `handler` leads to a call of `effect` without the gate.
pub fn is_gated(module: Vec<Term>) -> bool {
    analysed(module, |program, gating| {
        let start = func(program, "handler");
        let (mut seen, mut work) = (BTreeSet::from([start]), vec![start]);
        while let Some(func) = work.pop() {
            if gating.is_decorated(func) {
                continue;
            }
            if runs_effect(program, gating, func) {
                return false;
            }
            for edge in program.edges_from(func).iter().filter(|edge| edge.kind != EdgeKind::Stored) {
                if let Target::Project(next) = edge.to
                    && !gating.is_held(edge.at)
                    && seen.insert(next)
                {
                    work.push(next);
                }
            }
        }
        true
    })
}

/// A call of `effect`, which nobody defines, at which nothing holds.
fn runs_effect(program: &Program<'_>, gating: &Gating, func: Func) -> bool {
    let file = program.function(func).file;
    let facts = program.facts(file);
    program.ir(func).exprs.iter().any(|expr| {
        let Expr::Call { callee, .. } = *facts.expr(expr) else { return false };
        let is_effect = matches!(*facts.expr(callee), Expr::Free(name) if facts.str(name) == "effect");
        is_effect && !gating.is_held(At { file, expr })
    })
}

/// The body of `handler(phase, fast, x)`, beside the gates that most tests need.
pub fn handler(body: Vec<Term>) -> Vec<Term> {
    let mut module = gates();
    module.push(define("handler", ["phase", "fast", "x"], body));
    module
}

#[track_caller]
pub fn gated(body: Vec<Term>) {
    assert!(is_gated(handler(body)), "the gate holds, and that is not seen");
}

#[track_caller]
pub fn ungated(body: Vec<Term>) {
    assert!(!is_gated(handler(body)), "the effect can run without the gate, and that is not seen");
}

pub fn effect() -> Term {
    call("effect", [])
}

pub fn is_open() -> Term {
    op(Op::Eq, name("phase"), text("execution"))
}

/// `gate(phase)`.
pub fn ask(gate: Name) -> Term {
    call(gate, [name("phase")])
}

/// A verdict for either answer.
fn answers(yes: Term, no: Term) -> Vec<Term> {
    vec![either(is_open(), vec![give(yes)], vec![give(no)])]
}

fn gates() -> Vec<Term> {
    let pair = |truth: bool| Term::Seq(vec![self::truth(truth), text("why")]);
    let tagged = |tag: Name, value: Term| Term::Seq(vec![text(tag), value]);
    let record = |status: Name| Term::Record(vec![("status", text(status))]);
    let one_of = Term::Any(vec![is_open(), op(Op::Eq, name("phase"), text("planning"))]);
    vec![
        define("gate", ["phase"], vec![when(not(is_open()), vec![raise("PermissionError")])]),
        define("is_allowed", ["phase"], vec![give(is_open())]),
        define("tuple_gate", ["phase"], answers(pair(true), pair(false))),
        define("result_gate", ["phase"], answers(tagged("ok", text("approved")), tagged("error", none()))),
        define("verdict", ["phase"], answers(record("approved"), record("denied"))),
        define("validator", ["phase"], vec![when(not(one_of), vec![raise("PermissionError")])]),
        define("optional", ["phase", "is_on"], vec![when(name("is_on"), vec![ask("gate")])]),
        define("always_raises", [], vec![raise("PermissionError")]),
        define(
            "with_sentinel",
            ["phase", "work"],
            vec![
                set("answer", ask("is_allowed")),
                when(name("answer"), vec![give(call("work", []))]),
                give(none()),
            ],
        ),
        define("work", [], vec![effect()]),
    ]
}
