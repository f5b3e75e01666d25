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
    assert!(programs.contains("=== "), "no program");
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
    ($($test:ident: $rule:literal in $($file:literal),+;)*) => {$(
        #[test]
        fn $test() {
            $(check($rule, source_of($file), include_str!(concat!("chosen/", $file)));)+
        }
    )*};
}

/// Where the programs of a file are written down.
fn source_of(file: &str) -> &'static str {
    if file.ends_with(".rs.txt") { "src/lib.rs" } else { "agent.py" }
}

programs! {
    code_that_a_model_chooses: "GL411" in "GL411.py.txt", "GL411.rs.txt";
    commands_that_a_model_chooses: "GL412" in "GL412.py.txt", "GL412.rs.txt";
    paths_that_a_model_chooses: "GL413" in "GL413.py.txt", "GL413.rs.txt";
    addresses_that_a_model_chooses: "GL414" in "GL414.py.txt", "GL414.rs.txt";
    queries_that_a_model_chooses: "GL415" in "GL415.py.txt", "GL415.rs.txt";
    content_from_outside_that_is_run: "GL403" in "outside/GL403.py.txt", "outside/GL403.rs.txt";
}

// What agents were really attacked by, with what was done about it.
programs! {
    known_attacks_by_code: "GL411" in "cves/GL411.py.txt";
    known_attacks_by_commands: "GL412" in "cves/GL412.py.txt", "cves/GL412.rs.txt";
    known_attacks_by_paths: "GL413" in "cves/GL413.py.txt", "cves/GL413.rs.txt";
    known_attacks_by_addresses: "GL414" in "cves/GL414.py.txt", "cves/GL414.rs.txt";
    known_attacks_by_queries: "GL415" in "cves/GL415.py.txt";
}
