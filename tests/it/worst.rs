//! Code in which a careless analysis takes exponential time: whatever is nested, calls itself or is long, each run comes
//! to the right verdict, soon. All rules run; the verdict looked at is whether the handler has a way past its gate.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Project, Run};

/// Far more than any of these needs, also on a busy machine; what is exponential takes years.
const LIMIT: Duration = Duration::from_secs(60);

const HEAD: &str = "\
import requests


class PhaseError(Exception):
    pass


def require_execution(phase):
    if phase != 'execution':
        raise PhaseError(phase)


def is_allowed(phase):
    return phase == 'execution'


def send(item):
    requests.post('https://orders.example.org', json=item)


";

/// The report on a module with these definitions.
#[track_caller]
fn report(code: &str) -> Value {
    let project = Project::new(&[("agent.py", &format!("{HEAD}{code}"))]);
    let args = ["check", "--format", "json", "--output", "report.json"];
    let mut command = Run::new(&args).within(project.path()).command();
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > LIMIT {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it takes longer than {LIMIT:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(status.code(), Some(1), "the request itself is reported in any case");
    serde_json::from_slice(&fs::read(project.path().join("report.json")).unwrap()).unwrap()
}

fn count(report: &Value, rule: &str) -> usize {
    report["findings"].as_array().unwrap().iter().filter(|finding| finding["rule"] == rule).count()
}

#[track_caller]
fn gated(code: &str) {
    let report = report(code);
    assert_eq!(count(&report, "GL202"), 0, "{}", report["findings"]);
}

#[track_caller]
fn ungated(code: &str) {
    assert_eq!(count(&report(code), "GL202"), 1);
}

fn indented(levels: usize, lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| format!("{}{line}", "    ".repeat(levels))).collect()
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// The innermost lines inside `count` statements that `around` writes: number and body in, statement out.
fn nested(count: usize, innermost: &str, around: impl Fn(usize, Vec<String>) -> Vec<String>) -> Vec<String> {
    (0..count).fold(lines(innermost), |body, level| around(level, body))
}

/// `head:` around a body, and `tail` behind it.
fn block(head: &str, body: &[String], tail: &str) -> Vec<String> {
    [vec![format!("{head}:")], indented(1, body), lines(tail)].concat()
}

fn handler(body: &[String]) -> String {
    let body = indented(2, body).join("\n");
    format!(
        "class Order:\n    namespace = 'comm'\n\n    def execute(self, phase, items, fast):\n{body}\n\n\n"
    )
}

fn function(name: &str, body: &str) -> String {
    format!("def {name}(phase, items, fast, number=0):\n{}\n\n\n", indented(1, &lines(body)).join("\n"))
}

const GATED: &str = "require_execution(phase)\nsend(items)";
const SKIPPED: &str = "if not fast:\n    require_execution(phase)\nsend(items)";

#[test]
fn twenty_five_nested_while_loops() {
    let whiles = |innermost: &str, tail: &str| {
        let body = nested(25, innermost, |level, body| {
            block(&format!("while items.more({level})"), &[body, lines(tail)].concat(), "")
        });
        handler(&body)
    };
    gated(&whiles(GATED, ""));
    ungated(&whiles(SKIPPED, ""));
    let leaves = "if fast:\n    break\nok = is_allowed(phase)\nif ok:\n    send(items)\n    continue";
    gated(&whiles(GATED, leaves));
    ungated(&whiles(GATED, &leaves.replace("if ok", "if ok or fast")));
}

#[test]
fn flags_that_wander_through_nested_while_loops() {
    let moves: Vec<String> = (0..40).rev().map(|at| format!("f{} = f{at}", at + 1)).collect();
    let starts: Vec<String> = (0..41).map(|at| format!("f{at} = False")).collect();
    let wandering = |innermost: &str| {
        let loops =
            nested(25, &[&moves.join("\n"), innermost].map(str::to_owned).join("\n"), |level, body| {
                block(&format!("while items.more(f{level})"), &body, "    if f3:\n        break")
            });
        handler(&[starts.clone(), loops].concat())
    };
    gated(&wandering("f0 = fast\nif f40:\n    require_execution(phase)\n    send(items)"));
    let report = report(&wandering("f0 = is_allowed(phase)\nif f40:\n    send(items)"));
    // It holds, but a flag that has wandered so far is given up, and that is said.
    assert_eq!((count(&report, "GL202"), &report["given_up"][0]["name"]), (1, &"Order.execute".into()));
}

#[test]
fn twenty_five_nested_for_loops() {
    let fors = |innermost: &str, otherwise: &str| {
        let body = nested(25, innermost, |level, body| {
            let tail = format!("    if item{level}:\n        break\nelse:\n    {otherwise}");
            block(&format!("for item{level} in items"), &body, &tail)
        });
        handler(&body)
    };
    gated(&fors(GATED, "require_execution(phase)"));
    gated(&fors("if is_allowed(phase):\n    send(items)\nif fast:\n    continue", "items.close()"));
    ungated(&fors("if is_allowed(phase) or fast:\n    send(items)", "items.close()"));
}

#[test]
fn twenty_nested_finally_blocks() {
    let finally = |before: &str, innermost: &str| {
        let body = nested(20, innermost, |level, body| {
            let leaves = format!("    if items.x{level}:\n        return {level}");
            block("try", &body, &format!("{leaves}\nfinally:\n    if items.y{level}:\n        send(items)"))
        });
        handler(&[lines(before), body].concat())
    };
    gated(&finally("require_execution(phase)", "send(items)"));
    ungated(&finally("", GATED));
}

#[test]
fn finally_blocks_and_handlers_inside_each_other() {
    let inside = |innermost: &str| {
        let body = nested(20, innermost, |level, body| {
            let head = format!("try:\n    items.log({level})\n    if fast:\n        return {level}\nfinally");
            let lines: Vec<String> = lines(&head);
            let (last, first) = lines.split_last().unwrap();
            [first.to_vec(), block(last, &body, "")].concat()
        });
        handler(&body)
    };
    gated(&inside(GATED));
    ungated(&inside(SKIPPED));
    let handlers = |innermost: &str| {
        let body = nested(20, innermost, |level, body| {
            let attempt = format!("try:\n    items.log({level})");
            let others = "except (ValueError, OSError):\n    raise\nexcept Exception:\n    pass";
            [lines(&attempt), block("except KeyError", &body, others)].concat()
        });
        handler(&body)
    };
    gated(&handlers(GATED));
    ungated(&handlers(SKIPPED));
}

#[test]
fn everything_in_everything() {
    let mixed = |before: &str, innermost: &str| {
        let body = nested(40, innermost, |level, body| match level % 4 {
            0 => block(
                &format!("while items.w{level}"),
                &body,
                "    if fast:\n        continue\n    send(items)",
            ),
            1 => block("try", &body, "except KeyError:\n    items.log(1)\nfinally:\n    send(items)"),
            2 => block(&format!("with items.lock({level}) as held"), &body, "    send(held)"),
            _ => block(
                &format!("for item in items.f{level}"),
                &body,
                "    if item:\n        break\nelse:\n    send(items)",
            ),
        });
        handler(&[lines(before), body].concat())
    };
    gated(&mixed("require_execution(phase)", "send(items)"));
    ungated(&mixed("if fast:\n    require_execution(phase)", "send(items)"));
}

#[test]
fn sixty_nested_branches_with_a_gate_in_every_other_one() {
    let branches = |behind: &str| {
        let body = nested(60, "send(items)", |level, body| {
            let gate = if level.is_multiple_of(2) { "require_execution(phase)" } else { "items.log(1)" };
            block(&format!("if items.x{level}"), &[lines(gate), body].concat(), "else:\n    items.log(2)")
        });
        handler(&[body, lines(behind)].concat())
    };
    gated(&branches("items.log(3)"));
    ungated(&branches("send(items)"));
}

/// `number` functions, each of which calls `calls` others of them: all of them call each other.
fn component(number: usize, calls: usize, ends: &dyn Fn(usize) -> &'static str) -> String {
    let functions = (0..number).map(|at| {
        let call = |nth: usize| {
            let to = (at * nth + nth) % number;
            format!("if items.x{nth}:\n    f{to}(phase, items, 'c{at}', {nth})\n")
        };
        let body: String = (1..=calls).map(call).collect();
        function(&format!("f{at}"), &(body + ends(at)))
    });
    functions.collect::<String>() + &handler(&lines("f0(phase, items, fast)"))
}

#[test]
fn five_hundred_functions_that_call_each_other() {
    for calls in [2, 20] {
        gated(&component(500, calls, &|_| GATED));
        ungated(&component(500, calls, &|at| if at == 250 { SKIPPED } else { GATED }));
        // What each call says by constants might decide.
        ungated(&component(500, calls, &|_| "if fast == 'x':\n    require_execution(phase)\nsend(items)"));
    }
}

#[test]
fn loops_in_functions_that_call_each_other() {
    let looping = |gate: &str| {
        let functions = (0..100).map(|at| {
            let calls: String = (1..6)
                .map(|nth| format!("f{}(phase, items, 'c{at}', {nth})\n", (at * nth + nth) % 100))
                .collect();
            let innermost = format!("if items.more:\n    items.log(1)\n{gate}\n{calls}send(items)");
            let body =
                nested(10, &innermost, |level, body| block(&format!("while items.w{level}"), &body, ""));
            function(&format!("f{at}"), &body.join("\n"))
        });
        functions.collect::<String>() + &handler(&lines("f0(phase, items, fast)"))
    };
    gated(&looping("require_execution(phase)"));
    ungated(&looping("if fast == 'x':\n    require_execution(phase)"));
}

/// What the last one of a ring asks is known of all of them.
#[test]
fn a_ring_of_five_hundred_functions() {
    let ring = |last: &str| {
        let step =
            |at: usize| function(&format!("f{at}"), &format!("return f{}(phase, items, fast)", at + 1));
        let steps: String = (0..499).map(step).collect();
        let last = format!("if items.more:\n    return f0(phase, items, fast)\n{last}");
        steps + &function("f499", &last) + &handler(&lines("f0(phase, items, fast)\nsend(items)"))
    };
    gated(&ring("require_execution(phase)"));
    ungated(&ring("if not fast:\n    require_execution(phase)"));
}

#[test]
fn two_hundred_handlers_that_miss_the_gate() {
    let functions = component(
        200,
        10,
        &|_| "while items:\n    if fast == 'x':\n        require_execution(phase)\n    send(items)",
    );
    let handlers = (1..200).map(|at| {
        handler(&lines(&format!("f{at}(phase, items, fast)"))).replace("Order", &format!("Order{at}"))
    });
    let report = report(&(functions + &handlers.collect::<String>()));
    assert_eq!(count(&report, "GL202"), 200);
}

#[test]
fn chains_of_two_thousand_calls() {
    let chain = |last: &str| {
        let step =
            |at: usize| function(&format!("s{at}"), &format!("return s{}(phase, items, fast)", at + 1));
        let steps: String = (0..1999).map(step).collect();
        steps + &function("s1999", last) + &handler(&lines("s0(phase, items, fast)"))
    };
    gated(&chain(GATED));
    ungated(&chain(SKIPPED));
    let plan = function("plan_order", "s0(phase, items, fast)");
    assert_eq!(count(&report(&(chain("send(items)") + &plan)), "GL201"), 1);
}

#[test]
fn two_thousand_answers_in_one_function() {
    let answers = |test: &str| {
        let asks = (0..2000).map(|at| format!("    x{at} = is_allowed(phase)"));
        let uses = (0..500).map(|at| format!("if {}:\n    send(items)", test.replace('#', &at.to_string())));
        let tried = ["try:".to_owned()].into_iter().chain(asks);
        let caught = lines("except KeyError:\n    return None");
        handler(&lines(&tried.chain(caught).chain(uses).collect::<Vec<_>>().join("\n")))
    };
    gated(&answers("x#"));
    ungated(&answers("x# or fast"));
}
