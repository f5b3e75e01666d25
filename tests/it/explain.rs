//! `gatelint explain --gate` and `--path`: what they say of functions and of findings.

use crate::support::Project;

const GUARDS: &str = r#"
class Refused(Exception):
    pass

def require_execution(phase):
    if phase != "execution":
        raise Refused(phase)

def known_phase(phase):
    if phase not in ("planning", "execution"):
        raise ValueError(phase)

def is_execution(phase):
    return phase == "execution"

def check(operation, phase):
    if operation.startswith("comm."):
        require_execution(phase)

def optional(gate, phase):
    if gate:
        require_execution(phase)

def behind_gate(work, phase):
    require_execution(phase)
    return work()

def unrelated(phase):
    return phase.title()
"#;

const COMMANDS: &str = r#"
import requests
from guards import require_execution

class Search:
    namespace = "comm"

    def execute(self, query, phase, fast=False):
        if not fast:
            require_execution(phase)
        return self.ask(query)

    def ask(self, query):
        return requests.get(query).text
"#;

fn project() -> Project {
    Project::new(&[("guards.py", GUARDS), ("comm/commands.py", COMMANDS)])
}

#[track_caller]
fn says(function: &str, expected: &[&str]) {
    let ran = project().run(&["explain", "--gate", function]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for text in expected {
        assert!(ran.stdout.contains(text), "{function}: {}", ran.stdout);
    }
}

#[test]
fn a_gate_is_one_by_what_it_does() {
    says(
        "guards.require_execution",
        &["(guards.py:5)", "is a phase gate: it comes back only where `phase` is `execution`"],
    );
    says("is_execution", &["is a phase gate that answers", "line 14: returns without the gate"]);
    says("behind_gate", &["is a phase gate: it comes back only where `phase` is `execution`"]);
}

#[test]
fn what_is_no_gate_is_told_with_the_return_that_breaks_it() {
    let validator = "not passed when `phase not in (\"planning\", \"execution\")` is false";
    says("known_phase", &["is no phase gate", validator]);
    says(
        "optional",
        &[
            "asks for the phase on some ways only",
            "its end is reached without the gate, not passed when `gate` is false",
        ],
    );
    says("unrelated", &["neither it nor what it calls compares anything with `execution`"]);
    says("guards.check", &["not passed when `operation.startswith(\"comm.\")` is false"]);
}

#[test]
fn a_function_that_is_not_there_is_an_error() {
    let ran = project().run(&["explain", "--gate", "nobody"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no function is called `nobody`"), "{}", ran.stderr);
}

#[test]
fn a_path_is_told_with_reasons_and_the_gates_that_would_cut_it() {
    let project = project();
    let report = project.run(&["check", "--format", "json", "--output", "report.json", "--select", "GL202"]);
    assert_eq!(report.code, 1, "{report:?}");
    let text = std::fs::read_to_string(project.path().join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let fingerprint = report["findings"][0]["fingerprint"].as_str().unwrap();
    let again = project.run(&["explain", "--path", &fingerprint[..8]]).stdout;
    for expected in [
        "GL202 missing-phase-gate (high confidence)\ncomm/commands.py:11\n",
        "the phase gate is not passed when `fast` is true",
        "  1. comm/commands.py:11 `Search.execute` calls `Search.ask`\n     resolved by `self`, `cls` or `super()`",
        "`requests.get` is known as the network, high confidence",
        "cuts the path:\n     `require_execution` (guards.py:5)\n",
    ] {
        assert!(again.contains(expected), "{expected}\n{again}");
    }
    let kept = project.run(&["explain", "--path", fingerprint, "--report", "report.json"]);
    assert_eq!(kept.code, 0, "{kept:?}");
    assert!(kept.stdout.starts_with("GL202 missing-phase-gate"), "{}", kept.stdout);
}

#[test]
fn a_value_is_told_with_what_would_make_it_harmless() {
    let tool = "import os\nfrom langchain_core.tools import tool\n\n@tool\ndef ping(host: str) -> str:\n    os.system('ping ' + host)\n";
    let project = Project::new(&[("agent.py", tool)]);
    let report = project.run(&["check", "--format", "json", "--select", "GL412"]).stdout;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let fingerprint = report["findings"][0]["fingerprint"].as_str().unwrap();
    let page = project.run(&["explain", "--path", fingerprint]).stdout;
    for expected in [
        "the model fills `host` of `ping`",
        "ends the path:\n     a test that leaves few values",
        "`shlex.quote`",
        "an approval or a gate of actions",
    ] {
        assert!(page.contains(expected), "{expected}\n{page}");
    }
    assert!(!page.contains("phase gate"), "{page}");
}

#[test]
fn a_fingerprint_that_is_unknown_or_ambiguous_is_an_error() {
    let project = project();
    let unknown = project.run(&["explain", "--path", "zz"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("no finding has the fingerprint `zz`"), "{}", unknown.stderr);
    let ambiguous = project.run(&["explain", "--path", ""]);
    assert!(ambiguous.stderr.contains("several findings"), "{}", ambiguous.stderr);
    project.write("other.json", "[]");
    let other = project.run(&["explain", "--path", "aa", "--report", "other.json"]);
    assert_eq!(other.code, 2);
    assert!(other.stderr.contains("not one that `--format json` writes"), "{}", other.stderr);
}

#[test]
fn a_question_is_needed() {
    assert_eq!(project().run(&["explain"]).code, 2);
}
