//! The forms in which code asks for permission, one test each: those that gate what follows, and those that look like it.

use super::run::{ask, effect, gated, is_open, ungated};
use super::term::{
    Constant, Pattern, Term, attempt, call, each, either, finally, give, name, none, not, op, raise, set,
    text, truth, when,
};
use crate::ir::Op;

#[test]
fn nobody_asks() {
    ungated(vec![effect()]);
}

#[test]
fn a_gate_before_and_a_gate_behind() {
    gated(vec![ask("gate"), effect()]);
    ungated(vec![effect(), ask("gate")]);
}

#[test]
fn branches() {
    ungated(vec![either(name("fast"), vec![set("x", none())], vec![ask("gate")]), effect()]);
    gated(vec![either(name("fast"), vec![ask("gate")], vec![ask("gate")]), effect()]);
    ungated(vec![when(name("fast"), vec![effect(), give(none())]), ask("gate"), effect()]);
}

#[test]
fn exceptions() {
    ungated(vec![attempt(vec![ask("gate")], &[], vec![call("log", [])]), effect()]);
    gated(vec![attempt(vec![ask("gate"), effect()], &[], vec![give(none())])]);
    gated(vec![finally(vec![ask("gate")], vec![call("log", [])]), effect()]);
    let swallowed = Term::Try {
        body: vec![ask("gate")],
        handlers: vec![(vec![], vec![call("log", [])])],
        finally: vec![effect()],
    };
    ungated(vec![swallowed]);
    gated(vec![when(not(ask("is_allowed")), vec![call("always_raises", [])]), effect()]);
}

#[test]
fn answers_yes_or_no() {
    ungated(vec![ask("is_allowed"), effect()]);
    gated(vec![when(not(ask("is_allowed")), vec![raise("PermissionError")]), effect()]);
    gated(vec![
        set("ok", ask("is_allowed")),
        call("log", [name("ok")]),
        when(not(name("ok")), vec![give(truth(false))]),
        effect(),
    ]);
    gated(vec![
        either(name("fast"), vec![set("ok", truth(false))], vec![ask("gate"), set("ok", truth(true))]),
        when(name("ok"), vec![effect()]),
    ]);
}

#[test]
fn answers_kept_in_an_object() {
    let allowed = |of| Term::Field(Box::new(name(of)), "allowed");
    let keeps = |value| Term::Store(Box::new(allowed("x")), Box::new(value));
    gated(vec![keeps(ask("is_allowed")), when(allowed("x"), vec![effect()])]);
    ungated(vec![keeps(ask("is_allowed")), keeps(truth(true)), when(allowed("x"), vec![effect()])]);
    ungated(vec![
        keeps(ask("is_allowed")),
        set("x", call("another", [])),
        when(allowed("x"), vec![effect()]),
    ]);
}

#[test]
fn answers_in_numbers() {
    let number = |value| Term::Lit(Constant::Int(value));
    let counted = || vec![set("n", number(0)), when(ask("is_allowed"), vec![set("n", number(1))])];
    gated([counted(), vec![when(name("n"), vec![effect()])]].concat());
    gated([counted(), vec![when(op(Op::Eq, name("n"), number(1)), vec![effect()])]].concat());
    ungated([counted(), vec![when(not(name("n")), vec![effect()])]].concat());
}

#[test]
fn answers_in_pairs() {
    let both = || Pattern::Seq(vec![Pattern::Var("allowed"), Pattern::Var("why")]);
    let refuse = |of| when(not(name(of)), vec![give(truth(false))]);
    gated(vec![Term::Let(both(), Box::new(ask("tuple_gate"))), refuse("allowed"), effect()]);
    ungated(vec![Term::Let(both(), Box::new(ask("tuple_gate"))), refuse("why"), effect()]);
}

#[test]
fn answers_with_a_status() {
    let status = || Term::Field(Box::new(name("verdict_of")), "status");
    let refused = op(Op::Ne, status(), text("approved"));
    gated(vec![set("verdict_of", ask("verdict")), when(refused, vec![give(truth(false))]), effect()]);
    let of_another_kind = op(Op::Ne, status(), text("unknown"));
    ungated(vec![set("verdict_of", ask("verdict")), when(of_another_kind, vec![effect()])]);
}

#[test]
fn answers_with_a_tag() {
    let both = || Pattern::Seq(vec![Pattern::Var("tag"), Pattern::Var("value")]);
    let hands_on = when(op(Op::Eq, name("tag"), text("error")), vec![give(name("value"))]);
    gated(vec![Term::Let(both(), Box::new(ask("result_gate"))), hands_on, effect()]);
    ungated(vec![Term::Let(Pattern::Wild, Box::new(ask("result_gate"))), effect()]);
    let ok = || Pattern::Seq(vec![Pattern::Value(Constant::Text("ok")), Pattern::Wild]);
    let of = || Box::new(ask("result_gate"));
    gated(vec![Term::Match(of(), vec![(ok(), vec![effect()]), (Pattern::Wild, vec![])])]);
    ungated(vec![Term::Match(of(), vec![(Pattern::Wild, vec![effect()])])]);
    ungated(vec![Term::Match(of(), vec![(Pattern::Or(vec![ok(), Pattern::Wild]), vec![effect()])])]);
    ungated(vec![Term::Match(of(), vec![(ok(), vec![]), (Pattern::Wild, vec![effect()])])]);
}

#[test]
fn and_or_not() {
    let all = || Term::All(vec![name("x"), ask("is_allowed")]);
    let any = || Term::Any(vec![name("x"), ask("is_allowed")]);
    gated(vec![when(all(), vec![effect()])]);
    ungated(vec![when(any(), vec![effect()])]);
    let neither = Term::Any(vec![not(name("x")), not(ask("is_allowed"))]);
    gated(vec![when(neither, vec![give(truth(false))]), effect()]);
    gated(vec![set("ok", all()), when(name("ok"), vec![effect()])]);
    ungated(vec![set("ok", any()), when(name("ok"), vec![effect()])]);
}

#[test]
fn loops() {
    ungated(vec![each("item", name("x"), vec![ask("gate")]), effect()]);
    gated(vec![ask("gate"), each("item", name("x"), vec![effect()])]);
    gated(vec![each("item", name("x"), vec![ask("gate"), effect()])]);
    let found = when(ask("is_allowed"), vec![set("ok", truth(true)), Term::Break]);
    gated(vec![
        set("ok", truth(false)),
        each("item", name("x"), vec![found]),
        when(name("ok"), vec![effect()]),
    ]);
}

#[test]
fn what_only_looks_like_a_gate() {
    ungated(vec![ask("validator"), effect()]);
    ungated(vec![call("optional", [name("phase"), name("x")]), effect()]);
    let denied = op(Op::Eq, name("phase"), text("planning"));
    ungated(vec![when(denied, vec![raise("PermissionError")]), effect()]);
    ungated(vec![Term::Assert(Box::new(is_open())), effect()]);
}

#[test]
fn a_test_in_the_function_itself() {
    gated(vec![when(not(is_open()), vec![raise("PermissionError")]), effect()]);
    gated(vec![when(is_open(), vec![effect()])]);
    let words = Term::Seq(vec![text("execution")]);
    gated(vec![when(op(Op::NotIn, name("phase"), words), vec![give(none())]), effect()]);
    let words = Term::Seq(vec![text("execution"), text("planning")]);
    ungated(vec![when(op(Op::NotIn, name("phase"), words), vec![give(none())]), effect()]);
}

#[test]
fn a_closure_that_the_gate_runs() {
    gated(vec![call("with_sentinel", [name("phase"), name("work")])]);
    gated(vec![call("with_sentinel", [name("phase"), Term::Lambda(Box::new(effect()))])]);
    ungated(vec![call("run_later", [name("phase"), Term::Lambda(Box::new(effect()))])]);
}
