//! `gatelint mutate`: which changes are made of a guard in each language, which a rule notices, and that nothing is written.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Project, Run};

const PYTHON: &str = "\
import requests

class PhaseError(RuntimeError): pass

def require_execution(phase):
    if phase != \"execution\":
        raise PhaseError(phase)

def handle_search(args, session_id, phase):
    require_execution(phase)
    return requests.get(\"https://x.example\", timeout=30).text

HANDLERS = {\"comm.search\": handle_search}
";

const RUST: &str = "\
pub fn require_execution(phase: &str) -> Result<(), String> {
    if phase != \"execution\" {
        return Err(\"refused\".to_string());
    }
    Ok(())
}

pub struct Search;

impl CommCommand for Search {
    fn namespace(&self) -> &str { \"comm\" }
    fn execute(&self, phase: &str) -> Result<String, String> {
        require_execution(phase)?;
        let text = reqwest::blocking::get(\"https://x.example\").unwrap().text().unwrap();
        Ok(text)
    }
}
";

/// Checked against the schema.
#[track_caller]
fn json(project: &Project, args: &[&str]) -> Value {
    let ran = project.run(&[&["mutate", "--format", "json"], args].concat());
    let value = ran.json();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/gatelint-mutate.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<_> =
        validator.iter_errors(&value).map(|error| format!("{error} at {}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    value
}

/// What each change of the guards in one function makes of its lines, and whether it is noticed.
fn tried(value: &Value, function: &str, guard: &str) -> BTreeMap<String, (String, String)> {
    let of = |mutant: &&Value| mutant["function"] == function && mutant["guard"] == guard;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mutants = value["mutants"].as_array().unwrap().iter().filter(of);
    mutants.map(|mutant| (text(&mutant["change"]), (text(&mutant["after"]), text(&mutant["fate"])))).collect()
}

#[track_caller]
fn check(found: &BTreeMap<String, (String, String)>, change: &str, after: &str) {
    let (text, fate) = found.get(change).unwrap_or_else(|| panic!("no `{change}` in {found:#?}"));
    assert_eq!((text.as_str(), fate.as_str()), (after, "killed"), "{change}");
}

#[test]
fn a_gate_of_python_is_changed_in_six_ways() {
    let project = Project::new(&[("agent.py", PYTHON)]);
    let found = tried(&json(&project, &["--select", "GL2"]), "agent.handle_search", "phase");
    check(&found, "remove", "    pass\n");
    check(&found, "flag", "    if guards_enabled:\n        require_execution(phase)\n");
    check(
        &found,
        "swallow",
        "    try:\n        require_execution(phase)\n    except Exception:\n        pass\n",
    );
    assert_eq!(found["assert"].0, "    assert require_execution(phase) is not False\n");
    let moved = "    pass\n    kept_result = requests.get(\"https://x.example\", timeout=30).text\n    \
                 require_execution(phase)\n    return kept_result\n";
    check(&found, "move", moved);
    let body = tried(&json(&project, &["--select", "GL2"]), "agent.require_execution", "phase");
    // Its only statement is the test, so a body without it is an empty one.
    assert!(body.contains_key("empty") && !body.contains_key("remove"), "{body:#?}");
}

#[test]
fn a_gate_of_rust_is_changed_by_the_same_mechanism() {
    let project = Project::new(&[("src/comm.rs", RUST)]);
    let found = tried(&json(&project, &["--select", "GL2"]), "comm.Search.execute", "phase");
    check(&found, "remove", "        {}\n");
    check(&found, "swallow", "        let _ = require_execution(phase);\n");
    assert_eq!(found["assert"].0, "        debug_assert!(require_execution(phase).is_ok());\n");
    check(&found, "flag", "        if std::env::var(\"GUARDS\").is_ok() { require_execution(phase)?; }\n");
    assert!(found.contains_key("move"), "{found:#?}");
}

#[test]
fn what_goes_through_a_guard_goes_on_without_it() {
    let code = PYTHON
        .replace("    return requests", "    raw = requests")
        .replace(").text\n", ").text\n    return ContentFence.wrap(raw, \"x\")\n")
        .replace("import requests\n", "import requests\nfrom guards import ContentFence\n");
    let project = Project::new(&[("agent.py", &code)]);
    let found = tried(&json(&project, &["--select", "GL4"]), "agent.handle_search", "fence");
    check(&found, "remove", "    return raw\n");
    check(&found, "flag", "    return (ContentFence.wrap(raw, \"x\") if guards_enabled else raw)\n");
    check(
        &found,
        "swallow",
        "    try:\n        return ContentFence.wrap(raw, \"x\")\n    except Exception:\n        return raw\n",
    );
}

#[test]
fn a_bound_is_taken_from_the_call() {
    let project = Project::new(&[("agent.py", PYTHON)]);
    let found = tried(&json(&project, &["--select", "GL605"]), "agent.handle_search", "bound");
    check(&found, "remove", "    return requests.get(\"https://x.example\").text\n");
    check(&found, "empty", "    return requests.get(\"https://x.example\", timeout=None).text\n");
}

#[test]
fn exit_codes_of_mutants() {
    let bounded = PYTHON.replace("    require_execution(phase)\n", "");
    let bounded = Project::new(&[("agent.py", &bounded)]);
    let all = bounded.run(&["mutate"]);
    assert_eq!(all.code, 0, "a finding that is there anyway is not what this is about: {all:?}");
    assert!(all.stdout.contains("3 of 3 changes of 1 guard killed, 0 survived"), "{all:?}");
    let limited = bounded.run(&["mutate", "--limit", "2"]);
    assert_eq!(limited.code, 4, "{limited:?}");
    assert!(limited.stdout.contains("1 change beyond `--limit` not checked"), "{limited:?}");
    let project = Project::new(&[("agent.py", PYTHON)]);
    let survivors = project.run(&["mutate", "--select", "GL101"]);
    assert_eq!(survivors.code, 1, "no rule that is asked looks at gates: {survivors:?}");
    assert!(survivors.stdout.contains("agent.py:10"), "{survivors:?}");
    assert_eq!(Project::new(&[("notes.txt", "")]).run(&["mutate"]).code, 3);
    assert_eq!(Project::new(&[("agent.py", "x = 1\n")]).run(&["mutate"]).code, 3, "there is no guard");
    assert_eq!(project.run(&["mutate", "--select", "GL999"]).code, 2);
}

#[test]
fn no_file_is_written_and_threads_change_nothing() {
    let project = Project::new(&[("agent.py", PYTHON)]);
    let files = || -> Vec<_> {
        let entries = fs::read_dir(project.path()).unwrap().map(|entry| entry.unwrap());
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        names
    };
    let before = files();
    let one = project.run(&["mutate", "--format", "json", "--threads", "1"]);
    let many = project.run(&["mutate", "--format", "json", "--threads", "5"]);
    assert_eq!(one.stdout, many.stdout);
    assert_eq!(files(), before);
    assert_eq!(fs::read_to_string(project.path().join("agent.py")).unwrap(), PYTHON);
}

/// A finding that is there without the change notices nothing.
#[test]
fn what_was_found_before_kills_nothing() {
    let open = PYTHON.replace(
        "    require_execution(phase)\n",
        "    requests.get(\"https://y.example\")\n    require_execution(phase)\n",
    );
    let project = Project::new(&[("agent.py", &open)]);
    let value = json(&project, &["--select", "GL202"]);
    let found = tried(&value, "agent.handle_search", "phase");
    assert!(found.values().all(|(_, fate)| fate == "survived"), "GL202 is there already: {found:#?}");
}

// ---- the documentation

const MARKERS: (&str, &str) = ("<!-- mutants -->\n", "<!-- /mutants -->");

/// The table of the demonstration project is what the command prints, and every survivor has a reason.
#[test]
fn the_table_of_the_docs_is_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ran = Run::new(&["mutate", "fixtures/atlas-agent-clean", "--format", "markdown"]).within(root).ran();
    assert!(ran.code < 2, "{ran:?}");
    let (_, table) = ran.stdout.split_once("\n\n").unwrap();
    let page = root.join("docs/mutation.md");
    let old = fs::read_to_string(&page).unwrap();
    let (before, rest) = old.split_once(MARKERS.0).expect("the page has the marker of the table");
    let (_, after) = rest.split_once(MARKERS.1).expect("the page has the end of the table");
    let new = format!("{before}{}\n{}\n{}{after}", MARKERS.0, table.trim(), MARKERS.1);
    if std::env::var_os("GATELINT_UPDATE").is_some() {
        fs::write(&page, &new).unwrap();
    } else {
        assert_eq!(old, new, "run GATELINT_UPDATE=1 cargo test docs");
    }
    let survivors =
        Run::new(&["mutate", "fixtures/atlas-agent-clean", "--format", "json"]).within(root).ran();
    let json = survivors.json();
    let survivors = json["mutants"].as_array().unwrap().iter().filter(|mutant| mutant["fate"] == "survived");
    let of = |mutant: &Value, key: &str| mutant[key].as_str().unwrap().to_owned();
    let row = |mutant| {
        format!("| `{}` | {} | {} |", of(mutant, "function"), of(mutant, "guard"), of(mutant, "change"))
    };
    let survivors: BTreeSet<String> = survivors.map(row).collect();
    let (_, reasons) = after.split_once("|---|---|---|---|\n").expect("the page has a table of reasons");
    let cells = |line: &str| line.rsplit_once(" | ").map(|(row, _)| format!("{row} |"));
    let explained: BTreeSet<String> =
        reasons.lines().take_while(|line| line.starts_with('|')).filter_map(cells).collect();
    assert_eq!(
        explained, survivors,
        "docs/mutation.md says why each of the survivors survives, and of nothing else"
    );
}

#[test]
fn the_schema_is_printed() {
    let printed = Project::new(&[]).run(&["schema", "mutate"]).stdout;
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/gatelint-mutate.schema.json");
    assert_eq!(printed, fs::read_to_string(committed).unwrap());
}
