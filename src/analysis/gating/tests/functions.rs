//! Gates across functions: whom they ask about, what is handed on, and functions that call each other.

use super::run::{analysed, ask, effect, func, gated, handler, is_gated, is_open, ungated};
use super::term::{
    Term, call, coroutine, decorated, define, give, name, none, not, op, raise, set, text, when, with,
};
use crate::ir::Op;

/// `handler` with these functions beside it.
fn beside(functions: Vec<Term>, body: Vec<Term>) -> bool {
    let mut module = handler(body);
    module.extend(functions);
    is_gated(module)
}

#[test]
fn a_helper_that_asks() {
    let asks = define("ready", ["p"], vec![call("log", []), call("gate", [name("p")])]);
    assert!(beside(vec![asks.clone()], vec![ask("ready"), effect()]));
    let asks_twice = define("prepared", ["q"], vec![call("ready", [name("q")])]);
    assert!(beside(vec![asks, asks_twice], vec![ask("prepared"), effect()]));
}

#[test]
fn a_gate_that_is_asked_about_something_else() {
    ungated(vec![call("gate", [text("execution")]), effect()]);
    let module = |body: Vec<Term>| {
        let mut module = handler(vec![]);
        module.pop();
        module.push(define("handler", ["execution_phase", "other", "fast"], body));
        is_gated(module)
    };
    assert!(module(vec![call("gate", [name("execution_phase")]), effect()]));
    assert!(!module(vec![call("gate", [name("other")]), effect()]));
    assert!(module(vec![set("p", name("execution_phase")), call("gate", [name("p")]), effect()]));
    assert!(!module(vec![
        set("execution_phase", text("execution")),
        call("gate", [name("execution_phase")]),
        effect()
    ]));
    let other = op(Op::Ne, name("other"), text("execution"));
    assert!(!module(vec![when(other, vec![raise("PermissionError")]), effect()]));
}

#[test]
fn an_argument_by_name_is_the_same_argument() {
    let by_name = |parameter, value: Term| {
        let check = define("check", ["operation", "phase"], vec![ask("gate")]);
        let args = vec![(None, text("comm.x")), (Some(parameter), value)];
        beside(vec![check], vec![Term::Call(Box::new(name("check")), args), effect()])
    };
    assert!(by_name("phase", name("phase")));
    assert!(!by_name("phase", text("execution")));
}

#[test]
fn an_attribute_of_what_is_handed_over() {
    let phase_of = |of| Term::Field(Box::new(name(of)), "phase");
    let refuses = when(op(Op::Ne, phase_of("context"), text("execution")), vec![raise("PermissionError")]);
    let check = define("check", ["context"], vec![refuses]);
    assert!(beside(vec![check.clone()], vec![call("check", [name("x")]), effect()]));
    assert!(beside(
        vec![check],
        vec![
            call("check", [name("x")]),
            when(op(Op::Ne, phase_of("x"), text("execution")), vec![effect()]),
            effect(),
        ]
    ));
}

#[test]
fn functions_that_call_each_other_and_ask() {
    let even = define(
        "even",
        ["phase", "n"],
        vec![
            when(not(name("n")), vec![ask("gate"), give(none())]),
            give(call("odd", [name("phase"), name("n")])),
        ],
    );
    let odd = define("odd", ["phase", "n"], vec![give(call("even", [name("phase"), name("n")]))]);
    let both = vec![even, odd];
    assert!(beside(both.clone(), vec![call("even", [name("phase"), name("x")]), effect()]));
    assert!(beside(both, vec![call("odd", [name("phase"), name("x")]), effect()]));
}

#[test]
fn functions_that_call_each_other_and_one_gets_away() {
    let even = define(
        "even",
        ["phase", "n"],
        vec![
            when(not(name("n")), vec![ask("gate"), give(none())]),
            give(call("odd", [name("phase"), name("n")])),
        ],
    );
    let odd = define(
        "odd",
        ["phase", "n"],
        vec![when(name("n"), vec![give(none())]), give(call("even", [name("phase"), name("n")]))],
    );
    assert!(!beside(vec![even, odd], vec![call("even", [name("phase"), name("x")]), effect()]));
}

#[test]
fn a_function_that_comes_to_its_end_returns_nothing() {
    let silent = define("silent", ["phase"], vec![ask("is_allowed")]);
    let repeats = |answer| Term::While(Some(Box::new(answer)), vec![call("log", [])], vec![]);
    assert!(!beside(vec![silent.clone()], vec![ask("is_allowed"), repeats(ask("silent")), effect()]));
    let endless = vec![ask("is_allowed"), repeats(not(ask("silent"))), effect()];
    assert!(beside(vec![silent.clone()], endless));
    assert!(!beside(vec![silent], vec![when(not(ask("silent")), vec![effect()])]));
}

#[test]
fn functions_that_never_come_back() {
    let forth = define("forth", [], vec![call("back", [])]);
    let back = define("back", [], vec![call("forth", [])]);
    let stuck = beside(vec![forth, back], vec![ask("is_allowed"), call("forth", []), effect()]);
    // Nobody asks inside, so nobody looks; that what follows never runs is not claimed.
    assert!(!stuck);
    let count = define("count", ["phase"], vec![ask("gate"), ask("count")]);
    assert!(beside(vec![count], vec![ask("count"), effect()]));
}

#[test]
fn a_context_manager_gates_its_block_if_it_asks_before_it_yields() {
    let manager = |body: Vec<Term>| decorated(name("contextmanager"), "gating", ["phase"], body);
    let within = |body: Vec<Term>| beside(vec![manager(body)], vec![with(ask("gating"), vec![effect()])]);
    assert!(within(vec![ask("gate"), Term::Yield]));
    assert!(!within(vec![Term::Yield, ask("gate")]));
    assert!(!within(vec![when(name("fast"), vec![ask("gate")]), Term::Yield]));
    assert!(!within(vec![super::term::either(is_open(), vec![Term::Yield], vec![Term::Yield]),]));
    // Nothing has run when the call alone comes back.
    let made = manager(vec![ask("gate"), Term::Yield]);
    assert!(!beside(vec![made], vec![ask("gating"), effect()]));
}

#[test]
fn a_context_manager_that_another_function_makes() {
    let inner = define("asking", ["phase"], vec![ask("gate"), Term::Yield]);
    let outer = decorated(name("contextmanager"), "gating", ["phase"], vec![give(ask("asking"))]);
    assert!(beside(vec![inner, outer], vec![with(ask("gating"), vec![effect()])]));
}

/// `def inner(phase): …; run(phase)` as a decorator makes it.
fn wrapper(before: Vec<Term>) -> Term {
    let body = before.into_iter().chain([give(call("run", [name("phase")]))]).collect();
    define("inner", ["phase"], body)
}

#[test]
fn a_decorator_that_asks_first() {
    let decorated_by = |before: Vec<Term>| {
        let decorator = define("guarded", ["run"], vec![wrapper(before), give(name("inner"))]);
        let work = decorated(name("guarded"), "job", ["phase"], vec![effect()]);
        beside(vec![decorator, work], vec![ask("job")])
    };
    assert!(decorated_by(vec![ask("gate")]));
    assert!(!decorated_by(vec![ask("is_allowed")]));
    assert!(!decorated_by(vec![call("log", [])]));
}

#[test]
fn a_decorator_that_is_made_for_an_operation() {
    let made = |before: Vec<Term>| {
        let decorate = define("decorate", ["run"], vec![wrapper(before), give(name("inner"))]);
        let factory = define("guarded", ["operation"], vec![decorate, give(name("decorate"))]);
        let work = decorated(call("guarded", [text("comm.x")]), "job", ["phase"], vec![effect()]);
        beside(vec![factory, work], vec![ask("job")])
    };
    assert!(made(vec![ask("gate")]));
    assert!(!made(vec![call("log", [])]));
}

#[test]
fn a_closure_is_run_in_the_approved_arm_only() {
    let both_arms = define(
        "run_anyway",
        ["phase", "work"],
        vec![when(ask("is_allowed"), vec![give(call("work", []))]), call("log", []), give(call("work", []))],
    );
    let other_arm = define(
        "run_refused",
        ["phase", "work"],
        vec![when(not(ask("is_allowed")), vec![give(call("work", []))])],
    );
    let given = |gate| vec![call(gate, [name("phase"), name("work")])];
    assert!(!beside(vec![both_arms], given("run_anyway")));
    assert!(!beside(vec![other_arm], given("run_refused")));
    let handed_on = define(
        "run_checked",
        ["phase", "work"],
        vec![give(call("with_sentinel", [name("phase"), name("work")]))],
    );
    assert!(beside(vec![handed_on], given("run_checked")));
}

#[test]
fn a_coroutine_asks_when_it_is_awaited() {
    let gate = coroutine("gate_later", ["phase"], vec![ask("gate")]);
    let awaited = Term::Await(Box::new(ask("gate_later")));
    assert!(beside(vec![gate.clone()], vec![awaited, effect()]));
    assert!(!beside(vec![gate.clone()], vec![ask("gate_later"), effect()]));
    let kept = vec![set("task", ask("gate_later")), Term::Await(Box::new(name("task"))), effect()];
    assert!(beside(vec![gate.clone()], kept));
    assert!(!beside(vec![gate], vec![set("task", ask("gate_later")), effect()]));
}

#[test]
fn a_gate_that_is_defined_and_not_called() {
    gated(vec![set("check", name("gate")), call("check", [name("phase")]), effect()]);
    ungated(vec![set("check", name("gate")), effect()]);
    ungated(vec![set("check", Term::Lambda(Box::new(ask("gate")))), effect()]);
}

#[test]
fn what_is_a_gate_by_what_it_does() {
    let module = handler(vec![ask("gate"), effect()]);
    analysed(module, |program, gating| {
        let guarantees =
            |name| gating.summary(func(program, name)).is_some_and(|summary| summary.guarantees());
        let tells = |name| gating.summary(func(program, name)).is_some_and(|summary| summary.tells());
        assert!(guarantees("gate") && !guarantees("validator") && !guarantees("optional"));
        assert!(!guarantees("is_allowed") && tells("is_allowed") && tells("tuple_gate") && tells("verdict"));
        assert!(!tells("validator") && !tells("optional"));
    });
}
