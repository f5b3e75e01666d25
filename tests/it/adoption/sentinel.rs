//! The gate of `docs/action-gate.md`, as it stands there: a scripted model judges what `gatelint scenarios` prints.

use std::process::Stdio;

use super::{clean, have};
use crate::support::Project;

const PAGE: &str = include_str!("../../../docs/action-gate.md");

fn gate() -> &'static str {
    let (_, code) = PAGE.split_once("```python\n").unwrap();
    code.split_once("```").unwrap().0
}

#[test]
fn the_gate_of_the_page_judges_as_the_page_says() {
    if !have(&["python3"]) {
        return;
    }
    let project = Project::new(&[]);
    project.write("scenarios.jsonl", project.run(&["scenarios"]).stdout);
    let file = project.path().join(".git/gate.py");
    std::fs::write(&file, gate()).unwrap();
    let ran = clean("python3")
        .arg(&file)
        .stdin(std::fs::File::open(project.path().join("scenarios.jsonl")).unwrap())
        .stderr(Stdio::null())
        .output()
        .unwrap();
    project.write("verdicts.jsonl", ran.stdout);
    let scored = project.run(&["scenarios", "score", "verdicts.jsonl"]);
    let (_, said) = PAGE.split_once("gatelint scenarios score -\n").unwrap();
    let (said, _) = said.split_once("\n\n").unwrap();
    let said: String = said.lines().map(|line| format!("{}\n", line.trim_start())).collect();
    assert_eq!(scored.stdout, said);
    assert_eq!(scored.code, 0);
}

#[test]
fn the_gate_of_the_page_keeps_to_the_rules() {
    let project = Project::new(&[("gate.py", gate())]);
    let ran = project.run(&["check", "--select", "GL8,GL9", "--min-confidence", "low"]);
    assert_eq!((ran.code, ran.stdout.contains("no findings")), (0, true), "{}", ran.stdout);
}
