//! What a model chooses, and what comes from outside, on programs as agents have them: each line that is marked must be reported by the rule of its file, and no
//! other line. Half of the programs are the safe twins of the others. `misses.txt` lists what is not found yet.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::Project;

fn marked(source: &str) -> BTreeSet<u64> {
    (1..).zip(source.lines()).filter(|(_, line)| line.ends_with(" error")).map(|(at, _)| at).collect()
}

fn found(rule: &str, file: &str, source: &str) -> BTreeSet<u64> {
    let project = Project::new(&[(file, source)]);
    let report = project.run(&["check", ".", "--select", rule, "--format", "json"]).stdout;
    let report: Value = serde_json::from_str(&report).expect("a report");
    let lines = report["findings"].as_array().expect("findings").iter();
    lines.filter_map(|finding| finding["location"]["start"]["line"].as_u64()).collect()
}

fn check(rule: &str, file: &str, programs: &str) {
    let missed: BTreeSet<&str> = include_str!("chosen/misses.txt").lines().collect();
    let mut wrong = Vec::new();
    for program in programs.split("=== ").filter(|program| !program.trim().is_empty()) {
        let (name, source) = program.split_once('\n').expect("a name");
        let (wanted, found) = (marked(source), found(rule, file, source));
        match (wanted == found, missed.contains(&*format!("{rule} {name}"))) {
            (true, false) => {}
            (true, true) => wrong.push(format!("{rule} {name}: is found, and stands in misses.txt")),
            (false, true) => assert!(found.is_subset(&wanted), "{rule} {name}: too much in {found:?}"),
            (false, false) => wrong.push(format!("{rule} {name}: expected {wanted:?}, found {found:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

macro_rules! programs {
    ($folder:literal: $($test:ident: $rule:literal;)*) => {$(
        #[test]
        fn $test() {
            check($rule, "agent.py", include_str!(concat!($folder, $rule, ".py.txt")));
            check($rule, "src/lib.rs", include_str!(concat!($folder, $rule, ".rs.txt")));
        }
    )*};
}

programs! {
    "chosen/":
    code_that_a_model_chooses: "GL411";
    commands_that_a_model_chooses: "GL412";
    paths_that_a_model_chooses: "GL413";
    addresses_that_a_model_chooses: "GL414";
    queries_that_a_model_chooses: "GL415";
}

// What agents were really attacked by, with what was done about it.
programs! {
    "chosen/cves/":
    known_attacks_by_code: "GL411";
    known_attacks_by_commands: "GL412";
    known_attacks_by_paths: "GL413";
    known_attacks_by_addresses: "GL414";
    known_attacks_by_queries: "GL415";
}

programs! {
    "chosen/outside/":
    content_from_outside_that_is_run: "GL403";
}
