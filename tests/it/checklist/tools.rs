//! The matrix of tools: a project without commands of the namespace has one row for each tool that reaches an effect.

use std::collections::BTreeMap;

use super::{Files, project, report};

/// One tool that passes every item, and what it needs around it.
const CAREFUL: &str = r#"
import subprocess
from typing import Literal

from agents import function_tool
from audit import log_audit_event

@function_tool(needs_approval=True, annotations={"readOnlyHint": False, "openWorldHint": False})
def build(target: Literal["docs", "wheel"]) -> str:
    log_audit_event("started", "build")
    try:
        done = subprocess.run(["make", target], cwd="/srv", env={"PATH": "/usr/bin"}, timeout=60, capture_output=True)
        return done.stdout.decode()
    finally:
        log_audit_event("ended", "build")

@function_tool
def add(left: int, right: int) -> int:
    return left + right
"#;

const CONFIG: &str = "[tools.build]\nsensitivity = \"external\"\n";

fn careful() -> Files {
    let files = [("agent.py", CAREFUL), ("gatelint.toml", CONFIG)];
    files.map(|(path, text)| (path.to_owned(), text.to_owned())).into()
}

/// One item each, and what breaks it.
const BROKEN: [(&str, &str, &str); 6] = [
    ("GL521", "\"readOnlyHint\": False", "\"readOnlyHint\": True"),
    ("GL621", "needs_approval=True, ", ""),
    ("GL623", ", timeout=60", ""),
    ("GL624", "    log_audit_event(\"started\", \"build\")\n", ""),
    ("GL625", "target: Literal[\"docs\", \"wheel\"]) -> str:", "target: list) -> str:"),
    (
        "GL622",
        "@function_tool\ndef add(left: int, right: int) -> int:\n    return left + right\n",
        "import requests\n\n@function_tool(needs_approval=True, sensitivity=\"internal_source\")\ndef mail(number: int) -> str:\n    return requests.get(f\"https://mail.example/{number}\", timeout=20).text\n",
    ),
];

fn verdicts(files: &Files) -> BTreeMap<String, String> {
    let report = report(files, &[]);
    let rows = report["tools"]["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == "build");
    let row = row.unwrap_or_else(|| panic!("no row `build` in {rows:#?}"));
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let verdicts = row["verdicts"].as_array().unwrap().iter();
    verdicts.map(|verdict| (text(&verdict["item"]), text(&verdict["verdict"]))).collect()
}

#[test]
fn a_careful_tool_passes_all_items_and_what_computes_is_no_row() {
    let verdicts = verdicts(&careful());
    assert_eq!(verdicts.len(), 6);
    assert!(verdicts.values().all(|verdict| verdict == "pass"), "{:#}", report(&careful(), &[])["tools"]);
    let totals = &report(&careful(), &[])["tools"]["totals"];
    assert_eq!((&totals["tools"], &totals["without_effect"]), (&1.into(), &1.into()));
}

#[test]
fn one_broken_item_does_not_pass_and_no_other() {
    for (item, old, new) in BROKEN {
        let mut files = careful();
        let text = files.get_mut("agent.py").unwrap();
        assert!(text.contains(old), "`{old}`");
        *text = text.replace(old, new);
        let verdicts = verdicts(&files);
        let failed: Vec<&String> =
            verdicts.iter().filter(|(_, verdict)| *verdict != "pass").map(|(item, _)| item).collect();
        assert_eq!(failed, [item], "{:#}", report(&files, &[])["tools"]);
    }
}

#[test]
fn a_check_asks_tools_only_on_request() {
    let mut files = careful();
    let text = files.get_mut("agent.py").unwrap();
    *text = text.replace("needs_approval=True, ", "");
    let found = |more: &[&str]| {
        let args = ["check", "--format", "json", "."].into_iter().chain(more.iter().copied());
        let report = project(&files).run(&args.collect::<Vec<_>>()).json();
        let findings = report["findings"].as_array().unwrap().iter();
        findings.filter(|finding| finding["rule"] == "GL621").count()
    };
    assert_eq!((found(&[]), found(&["--select", "GL621"])), (0, 1));
}

#[test]
fn every_format_has_the_tools() {
    let out = |format: &str| project(&careful()).run(&["checklist", "--format", format, "."]).stdout;
    let human = out("human");
    assert!(human.starts_with("tool       521  621 "), "{human}");
    assert!(
        human.trim_end().ends_with("1 tool (1 other without an effect): 6 pass, 0 fail, 0 unknown"),
        "{human}"
    );
    assert!(out("markdown").contains("| item | <code>build</code> |"), "{}", out("markdown"));
    assert_eq!(out("html").matches("<td class=\"pass\">").count(), 6);
}

#[test]
fn operations_and_tools_stand_one_below_the_other() {
    let mut files = super::classes();
    files.insert("tools.py".to_owned(), CAREFUL.to_owned());
    let out = project(&files).run(&["checklist", "."]).stdout;
    let (operations, tools) = (out.find("\n1 operation: ").unwrap(), out.find("\ntool  ").unwrap());
    assert!(operations < tools, "{out}");
}

const TEAM_ITEM: &str = r#"
id = "ACME002"
name = "unmetered-tool"
title = "meter"
summary = "tool that is not metered"
severity = "error"
message = "`{operation}` is not metered: {evidence}"
help = "call `meter.count()` before the effect"

[[match]]
tool.before = { path = ["acme.meter.count"], name = ["meter.count"] }
"#;

#[test]
fn a_team_asks_tools_in_the_checklist_and_in_a_check() {
    let mut files = careful();
    files.insert("rules/acme.toml".to_owned(), TEAM_ITEM.to_owned());
    let matrix = report(&files, &["--rules", "rules"]);
    assert_eq!(matrix["tools"]["items"][0]["title"], "meter");
    assert_eq!(matrix["tools"]["rows"][0]["verdicts"][0]["verdict"], "fail");
    let checked = project(&files).run(&["check", "--format", "json", "--rules", "rules", "."]).json();
    let findings = checked["findings"].as_array().unwrap();
    assert_eq!(findings.iter().filter(|finding| finding["rule"] == "ACME002").count(), 1);
}
