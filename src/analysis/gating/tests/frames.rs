//! Where control goes: handlers, `finally`, loops with ends of all kinds, arms that nobody takes.

use super::run::{ask, effect, gated, handler, is_gated, ungated};
use super::term::{
    Constant, Pattern, Term, attempt, call, each, finally, give, name, none, not, op, raise, set, text,
    truth, when, with,
};
use crate::ir::Op;

#[test]
fn a_handler_for_another_error_takes_no_refusal() {
    gated(vec![attempt(vec![ask("gate")], &["KeyError"], vec![call("log", [])]), effect()]);
    gated(vec![attempt(vec![ask("gate")], &["KeyError", "OSError"], vec![call("log", [])]), effect()]);
    ungated(vec![attempt(vec![ask("gate")], &["KeyError", "Exception"], vec![call("log", [])]), effect()]);
    ungated(vec![attempt(vec![ask("gate")], &["PermissionError"], vec![call("log", [])]), effect()]);
    ungated(vec![
        attempt(vec![call("parse", []), ask("gate")], &["KeyError"], vec![call("log", [])]),
        effect(),
    ]);
}

#[test]
fn a_handler_that_raises_again_lets_it_out() {
    gated(vec![attempt(vec![ask("gate")], &[], vec![call("log", []), Term::Raise(None)]), effect()]);
    gated(vec![attempt(vec![ask("gate")], &[], vec![raise("Other")]), effect()]);
    let inner = attempt(vec![ask("gate")], &[], vec![Term::Raise(None)]);
    ungated(vec![attempt(vec![inner], &[], vec![call("log", [])]), effect()]);
}

#[test]
fn suppress_takes_what_it_names() {
    let suppressing = |class| {
        let mut module = handler(vec![with(call("suppress", [name(class)]), vec![ask("gate")]), effect()]);
        module.insert(0, Term::Import("contextlib", "suppress"));
        is_gated(module)
    };
    assert!(suppressing("KeyError"));
    assert!(!suppressing("Exception"));
    assert!(!suppressing("PermissionError"));
}

#[test]
fn finally_takes_place_on_every_way() {
    gated(vec![finally(vec![ask("gate"), effect()], vec![call("log", [])])]);
    ungated(vec![finally(vec![ask("gate")], vec![effect()])]);
    gated(vec![finally(vec![call("log", [])], vec![ask("gate")]), effect()]);
    gated(vec![finally(vec![when(name("fast"), vec![give(none())])], vec![ask("gate")]), effect()]);
    // The refusal ends in the `return`, and no way leads to what follows.
    gated(vec![finally(vec![ask("gate")], vec![give(none())]), effect()]);
}

#[test]
fn a_flag_that_a_finally_sets_is_what_it_sets() {
    gated(vec![
        set("ok", truth(true)),
        finally(vec![call("log", [])], vec![set("ok", ask("is_allowed"))]),
        when(name("ok"), vec![effect()]),
    ]);
    ungated(vec![
        set("ok", ask("is_allowed")),
        finally(vec![call("log", [])], vec![set("ok", truth(true))]),
        when(name("ok"), vec![effect()]),
    ]);
}

#[test]
fn a_function_that_swallows_in_a_finally_guarantees_nothing() {
    let mut module = handler(vec![ask("careless"), effect()]);
    let careless = vec![finally(vec![ask("gate")], vec![give(none())])];
    module.push(super::term::define("careless", ["phase"], careless));
    assert!(!is_gated(module));
    let mut module = handler(vec![ask("careful"), effect()]);
    let careful = vec![finally(vec![ask("gate")], vec![call("log", [])])];
    module.push(super::term::define("careful", ["phase"], careful));
    assert!(is_gated(module));
}

#[test]
fn the_else_of_a_loop_is_run_unless_it_breaks() {
    let looped = |body: Vec<Term>, otherwise: Vec<Term>| {
        Term::For(Pattern::Var("item"), Box::new(name("x")), body, otherwise)
    };
    gated(vec![looped(vec![call("log", [])], vec![ask("gate")]), effect()]);
    ungated(vec![looped(vec![when(name("item"), vec![Term::Break])], vec![ask("gate")]), effect()]);
    gated(vec![
        looped(vec![when(name("item"), vec![ask("gate"), Term::Break])], vec![ask("gate")]),
        effect(),
    ]);
}

#[test]
fn an_endless_loop_is_left_by_its_breaks_only() {
    for test in [None, Some(Box::new(truth(true)))] {
        let endless = |body: Vec<Term>| Term::While(test.clone(), body, vec![]);
        gated(vec![endless(vec![when(ask("is_allowed"), vec![Term::Break])]), effect()]);
        gated(vec![endless(vec![ask("gate"), Term::Break]), effect()]);
        ungated(vec![endless(vec![when(name("fast"), vec![Term::Break]), ask("gate")]), effect()]);
    }
}

#[test]
fn what_a_loop_changes_is_not_what_it_was() {
    ungated(vec![
        set("ok", ask("is_allowed")),
        each("item", name("x"), vec![set("ok", truth(true))]),
        when(name("ok"), vec![effect()]),
    ]);
    // Moves one step a round.
    let moved = vec![
        set("c", name("b")),
        set("b", name("a")),
        set("a", truth(true)),
        when(name("c"), vec![effect()]),
    ];
    let start = |flag| set(flag, truth(false));
    ungated(vec![start("a"), start("b"), start("c"), each("item", name("x"), moved)]);
}

#[test]
fn a_pattern_asks_for_the_phase() {
    let phase = |arms| Term::Match(Box::new(name("phase")), arms);
    let word = |word| Pattern::Value(Constant::Text(word));
    gated(vec![phase(vec![(word("execution"), vec![effect()]), (Pattern::Wild, vec![])])]);
    ungated(vec![phase(vec![(word("planning"), vec![]), (Pattern::Wild, vec![effect()])])]);
    let both = Pattern::Or(vec![word("execution"), word("planning")]);
    ungated(vec![phase(vec![(both, vec![effect()])])]);
    gated(vec![
        phase(vec![(word("execution"), vec![call("log", [])]), (Pattern::Wild, vec![give(none())])]),
        effect(),
    ]);
    let approved = Pattern::Record(vec![("status", word("approved"))]);
    gated(vec![Term::Match(Box::new(ask("verdict")), vec![(approved, vec![effect()])])]);
}

#[test]
fn nothing_is_run_where_nobody_comes() {
    let among = |body: Vec<Term>| gated([vec![ask("is_allowed")], body].concat());
    among(vec![give(none()), effect()]);
    among(vec![call("always_raises", []), effect()]);
    among(vec![call("log", [call("always_raises", []), effect()])]);
    among(vec![set("on", truth(false)), when(name("on"), vec![effect()])]);
    among(vec![when(op(Op::Eq, text("a"), text("b")), vec![effect()])]);
    among(vec![set("done", truth(true)), when(not(name("done")), vec![effect()])]);
    among(vec![Term::All(vec![truth(false), effect()])]);
    among(vec![when(Term::Any(vec![truth(true), effect()]), vec![call("log", [])])]);
    among(vec![Term::While(Some(Box::new(truth(true))), vec![call("log", [])], vec![]), effect()]);
    among(vec![finally(vec![give(none())], vec![call("log", [])]), effect()]);
    let endless = Term::While(Some(Box::new(truth(true))), vec![set("x", none())], vec![]);
    among(vec![finally(vec![endless], vec![effect()])]);
}

/// What fails without a call is not looked for, but what held before the `try` holds in the handler.
#[test]
fn a_handler_that_nothing_is_known_to_reach() {
    let divides = |handler: Vec<Term>| {
        attempt(vec![set("n", op(Op::Div, name("x"), name("fast")))], &["ZeroDivisionError"], handler)
    };
    gated(vec![ask("gate"), divides(vec![effect()])]);
    ungated(vec![ask("is_allowed"), divides(vec![effect()])]);
}
