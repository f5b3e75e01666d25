//! What a reader sees first: by entry point and worst first, each cause once, in words that mean something to the project.

use std::sync::Arc;

use gatelint::explain;
use gatelint::rule::{Rule, builtin};
use serde_json::Value;

use crate::support::Project;

const SERVER: &str = "
from mcp.server.fastmcp import FastMCP
import notes

mcp = FastMCP(\"notes\")

@mcp.tool()
def run(command: str) -> str:
    return notes.execute(command)

@mcp.tool()
def fetch(url: str) -> str:
    return notes.download(url)
";

const NOTES: &str = "
import subprocess
import requests

def execute(command):
    return subprocess.run(command, shell=True, capture_output=True).stdout[:100]

def download(url):
    return requests.get(url, timeout=9).text[:100]
";

fn server() -> Project {
    Project::new(&[("server.py", SERVER), ("notes.py", NOTES)])
}

fn findings(project: &Project, args: &[&str]) -> Vec<Value> {
    let all = [&["check", "--format", "json"], args].concat();
    let report: Value = serde_json::from_str(&project.run(&all).stdout).expect("a report");
    report["findings"].as_array().expect("findings").clone()
}

fn rules(findings: &[Value]) -> Vec<&str> {
    findings.iter().filter_map(|finding| finding["rule"].as_str()).collect()
}

#[test]
fn a_group_for_each_tool_the_worst_first() {
    let text = server().run(&["check"]).stdout;
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("no `{what}` in\n{text}"));
    assert!(at("tool `run`  server.py:8") < at("error[GL412]"), "{text}");
    assert!(at("error[GL412]") < at("tool `fetch`  server.py:12"), "{text}");
    assert!(at("tool `fetch`  server.py:12") < at("warning[GL414]"), "{text}");
    assert!(text.contains("\n  also starts a process: GL103 notes.py:6 (subprocess.run)\n"), "{text}");
    // That it is open says nothing that the value does not.
    assert!(!text.contains("error[GL204]") && text.contains("\n  also GL204 phase-gate-bypass"), "{text}");
}

#[test]
fn an_import_is_covered_by_its_calls() {
    let project = server();
    let all = findings(&project, &[]);
    let import = all.iter().find(|finding| finding["rule"] == "GL101").expect("the import is told");
    let call = all.iter().find(|finding| finding["rule"] == "GL102").expect("the call is told");
    assert_eq!((&import["covered_by"], import["severity"].as_str()), (&call["fingerprint"], Some("note")));
    let text = project.run(&["check"]).stdout;
    assert!(!text.contains("GL101"), "{text}");
    let alone = findings(&project, &["--select", "GL101"]);
    assert!(alone.iter().all(|finding| finding.get("covered_by").is_none()), "{alone:?}");
}

#[test]
fn a_covered_finding_is_in_no_baseline_and_a_waiver_covers_it() {
    let project = server();
    project.run(&["baseline", "write"]);
    let baseline = std::fs::read_to_string(project.path().join("gatelint-baseline.json")).unwrap();
    assert!(baseline.contains("GL102") && !baseline.contains("GL101"), "{baseline}");
    assert_eq!(project.run(&["check"]).code, 0);
    let waived = NOTES
        .replace("    return requests", "    # gatelint: allow[GL102] reason=\"known\"\n    return requests");
    let project = Project::new(&[("notes.py", &waived)]);
    let all = findings(&project, &["--select", "GL101,GL102"]);
    assert!(all.iter().all(|finding| finding["covered_by"].is_string()), "{all:?}");
}

/// What is milder, or less sure and hidden, would make a red line green.
#[test]
fn nothing_milder_covers_an_error() {
    let project = server();
    project.write(
        "gatelint.toml",
        "[[levels]]\npaths = [\"notes.py\"]\nrules = { GL102 = \"warning\" }\nreason = \"old\"\n",
    );
    let all = findings(&project, &["--select", "GL101,GL102"]);
    let import = all.iter().find(|finding| finding["rule"] == "GL101").expect("the import is told");
    assert!(import.get("covered_by").is_none() && import["severity"] == "error", "{import}");
    assert_eq!(project.run(&["check", "--select", "GL101,GL102"]).code, 1);
}

/// What covers it must be shown: a further access to the own folder counts in the file that is asked about.
#[test]
fn a_file_that_is_asked_about_keeps_what_others_cover() {
    let access = |name: &str| {
        format!(
            "from pathlib import Path\n\ndef f():\n    return (Path.home() / \".atlas\" / \"{name}\").read_text()\n"
        )
    };
    let project = Project::new(&[("atlas/a.py", &access("a")), ("atlas/b.py", &access("b"))]);
    let covered = |args: &[&str]| {
        let all = findings(&project, &[&["--select", "GL105"], args].concat());
        all.iter().map(|finding| finding.get("covered_by").is_some()).collect::<Vec<_>>()
    };
    assert_eq!(covered(&[]), [false, true]);
    assert_eq!(covered(&["atlas/b.py"]), [false]);
}

#[test]
fn every_format_has_one_order() {
    let project = server();
    let json = findings(&project, &[]);
    let counted: Vec<&str> = json
        .iter()
        .filter(|it| it.get("covered_by").is_none())
        .filter_map(|it| it["rule"].as_str())
        .collect();
    let concise = project.run(&["check", "--format", "concise"]).stdout;
    let lines = concise.lines().filter_map(|line| line.split_once('[')?.1.split_once(']'));
    assert_eq!(lines.map(|(rule, _)| rule).collect::<Vec<_>>(), counted);
    assert_eq!(counted[..2], ["GL412", "GL414"]);
}

#[test]
fn a_project_without_a_comm_layer_is_told_nothing_of_one() {
    let told = |findings: &[Value]| findings.iter().any(|it| it["help"].as_str().unwrap().contains("comm.*"));
    let alone = findings(&server(), &["--select", "GL1,GL2"]);
    assert!(rules(&alone).contains(&"GL102") && !told(&alone), "{alone:?}");
    let with = Project::new(&[("notes.py", NOTES), ("app/comm/send.py", "def send(x):\n    return x\n")]);
    let with = findings(&with, &["--select", "GL1,GL2"]);
    assert!(rules(&with).contains(&"GL102") && told(&with), "{with:?}");
}

#[test]
fn without_an_entry_point_a_report_says_what_it_looked_for() {
    let project = Project::new(&[("notes.py", NOTES)]);
    let text = project.run(&["check"]).stdout;
    assert!(text.contains("`[[registration]]`"), "{text}");
}

#[test]
fn a_rule_is_explained_on_one_screen() {
    let rules: Vec<Arc<Rule>> = builtin().expect("the rules are valid");
    for rule in rules {
        let page = explain::brief(&rule);
        assert!(page.lines().count() <= 60, "{}: {} lines", rule.id, page.lines().count());
        assert!(page.contains("--examples"), "{page}");
    }
}
