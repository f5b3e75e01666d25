//! A gate and an effect behind the same condition: reported, and said to be less sure than where the conditions differ.

use serde_json::Value;

use crate::support::Project;

const HEAD: &str = "\
import requests

from agentos.core.chat.guards.phase_gate import PhaseGate


def handle_order(args, context):
";

const TAIL: &str = "

HANDLERS = {'comm.order': handle_order}
";

#[track_caller]
fn finding(body: &str) -> Value {
    let code = format!("{HEAD}{body}{TAIL}");
    let project = Project::new(&[("shop/comm_commands.py", &code)]);
    let report = project.run(&["check", ".", "--select", "GL202", "--format", "json"]).json();
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(1), "{report}");
    report["findings"][0].clone()
}

const SEND: &str = "requests.post('https://orders.example', json=args, timeout=5)";

#[test]
fn the_same_condition_makes_it_less_sure() {
    let same = format!(
        "    if args['live']:
        PhaseGate.check('comm.order', context['phase'])
    total = len(args)
    if not args['live']:
        return total
    else:
        {SEND}
"
    );
    let found = finding(&same);
    assert_eq!(found["confidence"], "medium", "{found}");
    let message = found["message"].as_str().unwrap();
    assert!(message.contains("unless the same test at line 10 always comes out alike"), "{message}");
}

#[test]
fn another_condition_does_not() {
    for test in ["args['urgent']", "not args['live']"] {
        let other = format!(
            "    if args['live']:
        PhaseGate.check('comm.order', context['phase'])
    if {test}:
        {SEND}
"
        );
        let found = finding(&other);
        assert_eq!(found["confidence"], "high", "{found}");
        assert!(!found["message"].as_str().unwrap().contains("unless"), "{found}");
    }
}
