//! The documents that the project comes from, as an executable specification: a test for each sentence that can be checked,
//! named after it. What they write down as an example is compared byte for byte; white space is ours.

mod action_gate;
mod capture;
mod ordering;
mod runtime_policy;
mod sandbox;

use serde_json::Value;

use crate::support::Project;

/// The lines on which a rule reports.
fn lines(project: &Project, rule: &str) -> Vec<u64> {
    let ran = project.run(&["check", "--select", rule, "--format", "json"]);
    let report = ran.json();
    let of = |finding: &Value| finding["location"]["start"]["line"].as_u64().unwrap();
    report["findings"].as_array().unwrap().iter().map(of).collect()
}
