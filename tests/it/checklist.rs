//! `gatelint checklist`: a project that passes every item, the same with one item broken at a time, the example of the
//! ADR, and the formats.

mod projects;
mod tools;

use std::collections::BTreeMap;
use std::path::Path;

use projects::{Files, classes, patched, seed};

use crate::support::Project;

/// What is known of the only operation of a project, by item.
#[track_caller]
fn verdicts(files: &Files, operation: &str) -> BTreeMap<String, String> {
    let report = report(files, &[]);
    let rows = report["operations"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == operation);
    let row = row.unwrap_or_else(|| panic!("no row `{operation}` in {rows:#?}"));
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let verdicts = row["verdicts"].as_array().unwrap().iter();
    verdicts.map(|verdict| (text(&verdict["item"]), text(&verdict["verdict"]))).collect()
}

fn report(files: &Files, more: &[&str]) -> serde_json::Value {
    let project = project(files);
    let args = ["checklist", "--format", "json", "."].into_iter().chain(more.iter().copied());
    project.run(&args.collect::<Vec<_>>()).json()
}

fn project(files: &Files) -> Project {
    let list: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Project::new(&list)
}

#[track_caller]
fn assert_fails(files: &Files, operation: &str, items: &[&str]) {
    let verdicts = verdicts(files, operation);
    let failed: Vec<&str> =
        verdicts.iter().filter(|(_, verdict)| *verdict == "fail").map(|(item, _)| item.as_str()).collect();
    assert_eq!(failed, items, "{:#}", report(files, &[])["operations"]);
}

#[test]
fn a_complete_operation_passes_all_items() {
    let verdicts = verdicts(&classes(), "comm.lookup");
    assert_eq!(verdicts.len(), 12);
    assert!(verdicts.values().all(|verdict| verdict == "pass"), "{:#}", report(&classes(), &[]));
}

#[test]
fn the_example_of_the_adr_lacks_the_audit_and_nothing_else() {
    assert_fails(&seed(), "comm.lookup", &["GL606"]);
}

#[test]
fn one_broken_item_fails_and_no_other() {
    for (item, operation, patches) in projects::BROKEN {
        let files = patched(classes(), patches);
        let verdicts = verdicts(&files, operation);
        let failed: Vec<&String> =
            verdicts.iter().filter(|(_, verdict)| *verdict == "fail").map(|(item, _)| item).collect();
        assert_eq!(failed, [item], "{patches:?}: {:#}", report(&files, &[])["operations"]);
    }
}

const TEAM_ITEM: &str = r#"
id = "ACME001"
name = "unlimited-operation"
title = "rate limit"
summary = "external operation does not ask the rate limiter"
severity = "error"
message = "`{operation}` does not ask the rate limiter: {evidence}"
help = "call `limiter.acquire()` before the effect"

[[match]]
item.before = { path = ["agentos.limits.acquire"], name = ["limiter.acquire"] }
"#;

#[test]
fn a_team_adds_a_column() {
    let mut files = classes();
    files.insert("rules/acme.toml".to_owned(), TEAM_ITEM.to_owned());
    let answer = |files: &Files| {
        let report = report(files, &["--rules", "rules"]);
        let items = report["items"].as_array().unwrap().clone();
        assert_eq!(
            (items.len(), &items[0]["id"], &items[0]["title"]),
            (13, &"ACME001".into(), &"rate limit".into())
        );
        report["operations"][0]["verdicts"][0].clone()
    };
    assert_eq!(answer(&files)["verdict"], "fail");
    let limited = patched(
        files,
        &[
            (
                "agentos/comm/command.py",
                "from agentos.audit",
                "from agentos.limits import acquire\nfrom agentos.audit",
            ),
            (
                "agentos/comm/command.py",
                "        self.validate_declaration(args)\n",
                "        self.validate_declaration(args)\n        acquire(operation)\n",
            ),
        ],
    );
    let mut limited = limited;
    limited.insert("agentos/limits.py".to_owned(), "def acquire(operation):\n    pass\n".to_owned());
    assert_eq!(answer(&limited)["verdict"], "pass");
}

#[test]
fn json_follows_its_schema() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/gatelint-checklist.schema.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for files in [classes(), seed(), Files::from([("a.py".to_owned(), "x = 1\n".to_owned())])] {
        let report = report(&files, &[]);
        let errors: Vec<_> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
        let totals = &report["totals"];
        let all = ["pass", "fail", "unknown"].map(|word| totals[word].as_u64().unwrap()).iter().sum::<u64>();
        assert_eq!(all, totals["operations"].as_u64().unwrap() * 12);
    }
}

#[test]
fn exit_codes_are_those_of_a_check() {
    let code = |files: &Files, more: &[&str]| {
        let args: Vec<&str> = ["checklist", "."].into_iter().chain(more.iter().copied()).collect();
        project(files).run(&args).code
    };
    assert_eq!(code(&classes(), &[]), 0);
    assert_eq!(code(&seed(), &[]), 1);
    assert_eq!(code(&seed(), &["--exit-zero"]), 0);
    let undocumented = patched(classes(), &[("docs/commands.md", "`comm.lookup`", "`lookup`")]);
    assert_eq!((code(&undocumented, &[]), code(&undocumented, &["--fail-on", "warning"])), (0, 1));
    assert_eq!(code(&Files::from([("a.md".to_owned(), "nothing\n".to_owned())]), &[]), 3);
}

#[test]
fn what_fails_is_a_finding_and_a_waiver_takes_it_away() {
    let findings = |files: &Files| project(files).run(&["check", "--format", "json", "."]).json();
    let of_checklist = |report: &serde_json::Value| {
        let findings = report["findings"].as_array().unwrap().iter();
        findings
            .filter(|finding| finding["rule"].as_str().unwrap().starts_with("GL6"))
            .cloned()
            .collect::<Vec<_>>()
    };
    let found = of_checklist(&findings(&seed()));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((&found[0]["rule"], &found[0]["severity"]), (&"GL606".into(), &"error".into()));
    let place = &found[0]["location"];
    let (path, line) = (place["path"].as_str().unwrap(), place["start"]["line"].as_u64().unwrap() as usize);
    let mut waived = seed();
    let text = waived.get_mut(path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.insert(line - 1, "# gatelint: allow[GL606] reason=\"recorded by the runner\"".to_owned());
    *text = lines.join("\n") + "\n";
    assert!(of_checklist(&findings(&waived)).is_empty());
    // The verdict stays, and says why it does not count.
    let report = report(&waived, &[]);
    let verdicts = report["operations"][0]["verdicts"].as_array().unwrap();
    let audit = verdicts.iter().find(|verdict| verdict["item"] == "GL606").unwrap();
    let last = audit["evidence"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&audit["verdict"], &last["text"]),
        (&"fail".into(), &"waived: recorded by the runner".into())
    );
}

/// The name of a command that a page, a pull request or a terminal would obey.
const HOSTILE: &str = r#"
import subprocess

def handle(args, context):
    return subprocess.run(["x"]).stdout

registry.register("comm.<script>alert(1)</script>|`**x**`\x1b[2J@all", handle)
"#;

#[test]
fn no_format_obeys_the_scanned_tree() {
    let files = Files::from([("comm_commands.py".to_owned(), HOSTILE.to_owned())]);
    let out = |format: &str| project(&files).run(&["checklist", "--format", format, "."]).stdout;
    for format in ["human", "json", "markdown", "html"] {
        assert!(!out(format).contains('\u{1b}'), "{format}");
        assert!(out(format).contains("alert"), "{format}");
    }
    let html = out("html");
    assert!(!html.contains("<script"), "{html}");
    assert!(html.contains("&lt;script&gt;") && html.contains("default-src 'none'"));
    let loads = ["http://", "https://", "src=", "href=", "url(", "@import", "<link", "<img", "onclick"];
    assert!(loads.iter().all(|word| !html.contains(word)), "{html}");
    let markdown = out("markdown");
    assert!(!markdown.contains("**x**") && !markdown.contains("<script"), "{markdown}");
}

#[test]
fn a_page_opens_the_evidence_of_each_cell() {
    let html = project(&seed()).run(&["checklist", "--format", "html", "."]).stdout;
    assert_eq!(html.matches("<td class=").count(), 12);
    assert_eq!(html.matches("<td class=\"fail\"><details><summary>fail</summary>").count(), 1);
    assert_eq!(html.matches("<details>").count(), 13, "each cell, and the operation");
}

#[test]
fn the_matrix_fits_a_terminal() {
    let out = project(&seed()).run(&["checklist", "."]).stdout;
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    assert!(out.starts_with("operation    601 "), "{out}");
    assert!(out.contains("GL606 fail: audit at start and completion"), "{out}");
    assert!(out.trim_end().ends_with("1 operation: 11 pass, 1 fail, 0 unknown"), "{out}");
}
