//! Shapes in which a careless walk would take exponential time.

use super::run::{ask, effect, gated, ungated};
use super::term::{Term, attempt, call, each, either, finally, name, set, truth, when};

#[test]
fn twenty_five_nested_loops() {
    let nested = |innermost: Vec<Term>| {
        let wrap = |body, _| vec![set("ok", truth(false)), each("item", name("x"), body)];
        (0..25).fold(innermost, wrap)
    };
    let late = vec![when(name("ok"), vec![effect()]), set("ok", ask("is_allowed"))];
    gated(nested(late));
    let wrong = vec![set("ok", truth(true)), when(name("ok"), vec![effect()])];
    ungated(nested(wrong));
}

/// More variables than a loop is given rounds, each holding in the next round what another one holds in this one.
#[test]
fn flags_that_wander_through_nested_loops() {
    const FLAGS: [&str; 30] = [
        "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13", "f14", "f15",
        "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23", "f24", "f25", "f26", "f27", "f28", "f29",
    ];
    let nested = |first: Term| {
        let start = FLAGS.iter().map(|flag| set(flag, truth(false)));
        let moves = FLAGS.windows(2).rev().map(|pair| set(pair[1], name(pair[0])));
        let round: Vec<Term> =
            moves.chain([set(FLAGS[0], first), when(name(FLAGS[29]), vec![effect()])]).collect();
        let looped = (0..5).fold(round, |body, _| vec![each("item", name("x"), body)]);
        start.chain(looped).collect::<Vec<_>>()
    };
    ungated(nested(truth(true)));
    // It holds, but a flag that has wandered so far is given up.
    ungated(nested(ask("is_allowed")));
    let behind_a_gate = |body: Vec<Term>| [vec![ask("gate")], body].concat();
    gated(behind_a_gate(nested(truth(true))));
}

#[test]
fn twenty_nested_finally_blocks() {
    let nested = |innermost: Vec<Term>| {
        let wrap = |body, _| vec![finally(body, vec![when(name("fast"), vec![set("x", call("log", []))])])];
        (0..20).fold(innermost, wrap)
    };
    gated(nested(vec![ask("gate"), effect()]));
    gated([nested(vec![ask("gate")]), vec![effect()]].concat());
    ungated([nested(vec![when(name("x"), vec![ask("gate")])]), vec![effect()]].concat());
}

#[test]
fn twenty_finally_blocks_inside_each_other() {
    let inside = |innermost: Vec<Term>| {
        let wrap = |body, _| vec![finally(vec![when(name("fast"), vec![call("log", [])])], body)];
        (0..20).fold(innermost, wrap)
    };
    gated(inside(vec![ask("gate"), effect()]));
    ungated(inside(vec![effect()]));
}

#[test]
fn twenty_nested_handlers() {
    let nested = |innermost: Vec<Term>, handler: &dyn Fn() -> Vec<Term>| {
        (0..20).fold(innermost, |body, _| vec![attempt(body, &["KeyError"], handler())])
    };
    gated([nested(vec![ask("gate")], &|| vec![Term::Raise(None)]), vec![effect()]].concat());
    let asks = vec![call("parse", []), ask("gate")];
    ungated([nested(asks, &|| vec![call("log", [])]), vec![effect()]].concat());
}

#[test]
fn sixty_nested_branches() {
    let nested = |gate: &dyn Fn(usize) -> Vec<Term>, last: Vec<Term>| {
        (0..60).fold(last, |body, depth| {
            vec![either(name("x"), [gate(depth), body].concat(), vec![call("log", [])])]
        })
    };
    let every_other = |depth: usize| if depth.is_multiple_of(2) { vec![ask("gate")] } else { Vec::new() };
    gated(nested(&every_other, vec![effect()]));
    ungated([nested(&every_other, vec![effect()]), vec![effect()]].concat());
    ungated(nested(&|_| Vec::new(), vec![effect()]));
}
