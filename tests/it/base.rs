//! `--base`: what is looser than at the merge base is reported at the line that loosens it, and nothing of the same change
//! takes that back.

use serde_json::Value;

use crate::support::{Project, Ran, Run};

const CONFIG: &str = "[layers]\ncomm = [\"atlas/comm/**\"]\n\n[baseline]\nfile = \"known.json\"\n";
const NET: &str = "import requests\n\n\ndef fetch(city):\n    return requests.get(city)\n";

/// A project and a copy of it, as a workflow provides it.
struct Change {
    now: Project,
    then: Project,
}

impl Change {
    fn new() -> Self {
        Self::of(&[
            ("atlas/__init__.py", ""),
            ("atlas/net.py", NET),
            ("atlas/planner.py", "def plan_trip(city):\n    return [city]\n"),
            ("atlas/comm/net.py", NET),
            ("gatelint.toml", CONFIG),
            ("known.json", "{\"version\": 1, \"rules\": {}, \"findings\": []}"),
        ])
    }

    fn of(files: &[(&str, &str)]) -> Self {
        Self { now: Project::new(files), then: Project::new(files) }
    }

    fn check(&self, args: &[&str]) -> Ran {
        let base = self.then.path().to_str().unwrap();
        self.now.run(&[&["check", "--format", "json", "--base", base], args].concat())
    }

    /// `path:line what` of each loosening.
    #[track_caller]
    fn loosened(&self, args: &[&str]) -> Vec<String> {
        of_rule(&self.check(args))
    }
}

#[track_caller]
fn of_rule(ran: &Ran) -> Vec<String> {
    let report = ran.json();
    let findings = report["findings"].as_array().unwrap().iter().filter(|finding| finding["rule"] == "GL006");
    let shown = |finding: &Value| {
        let (at, text) = (&finding["location"], finding["message"].as_str().unwrap());
        let text = text.strip_suffix(", which is looser than at the merge base").unwrap();
        format!("{}:{} {text}", at["path"].as_str().unwrap(), at["start"]["line"])
    };
    findings.map(shown).collect()
}

#[test]
fn what_did_not_change_is_no_loosening() {
    let change = Change::new();
    assert_eq!(change.loosened(&[]), [""; 0]);
    change.now.write("gatelint.toml", CONFIG.replace("atlas/comm/**", "atlas/comm/net.py"));
    assert_eq!(change.loosened(&[]), [""; 0], "tighter is fine");
    change.now.write("atlas/comm/more.py", NET);
    change.now.write("gatelint.toml", CONFIG);
    assert_eq!(change.loosened(&[]), [""; 0], "a file may come into a folder that was a layer");
    assert_eq!(
        of_rule(&change.now.run(&["check", "--format", "json"])),
        [""; 0],
        "without a base nothing is compared"
    );
}

#[test]
fn each_loosening_stands_where_it_is_written() {
    let change = Change::new();
    let loose = "exclude = [\"atlas/net.py\"]\n".to_owned()
        + &CONFIG.replace("**\"", "**\", \"atlas/planner.py\"")
        + "[[levels]]\npaths = [\"atlas\"]\nrules = { GL201 = \"note\", GL006 = \"off\" }\nreason = \"a\"\n";
    change.now.write("gatelint.toml", loose);
    let found = change.loosened(&[]);
    let wanted = [
        "gatelint.toml:1 `atlas/net.py` in `exclude` leaves out 1 file (`atlas/net.py`) that were scanned",
        "gatelint.toml:3 `atlas/planner.py` in `layers.comm` takes in 1 file (`atlas/planner.py`) that were not in the layer",
        "gatelint.toml:9 `GL201` is `note` instead of `error` in 3 files (`atlas/__init__.py`, …)",
        "gatelint.toml:9 `GL006` is `off` instead of `error` in 3 files (`atlas/__init__.py`, …)",
    ];
    assert_eq!(found, wanted);
    assert_eq!(change.check(&[]).code, 1);
}

#[test]
fn a_removed_configuration_is_reported_where_it_was() {
    let change = Change::new();
    std::fs::remove_file(change.now.path().join("gatelint.toml")).unwrap();
    let found = change.loosened(&[]);
    assert_eq!(found, ["gatelint.toml:1 the configuration `gatelint.toml` was removed"]);
    for format in ["human", "concise", "github", "markdown", "sarif"] {
        let base = change.then.path().to_str().unwrap();
        let ran = change.now.run(&["check", "--format", format, "--base", base]);
        assert!(ran.code == 1 && ran.stdout.contains("GL006"), "{format}: {ran:?}");
    }
}

#[test]
fn entries_of_a_baseline_may_move_and_not_be_added() {
    let change = Change::new();
    assert_eq!(change.now.run(&["baseline", "write", "--allow-growth"]).code, 0);
    let known = std::fs::read_to_string(change.now.path().join("known.json")).unwrap();
    let found = change.loosened(&[]);
    assert_eq!(found, ["known.json:7 the baseline takes `GL102` in `atlas/net.py` for known",]);
    change.then.write("known.json", &*known);
    assert_eq!(change.loosened(&[]), [""; 0]);
    std::fs::rename(change.now.path().join("atlas/net.py"), change.now.path().join("atlas/web.py")).unwrap();
    assert_eq!(change.now.run(&["baseline", "prune"]).code, 0);
    assert_eq!(change.loosened(&[]), [""; 0], "an entry follows its code");
    change.now.write("atlas/net.py", NET);
    assert_eq!(change.now.run(&["baseline", "write", "--allow-growth"]).code, 0);
    assert_eq!(change.loosened(&[]).len(), 1, "a copy is new");
    std::fs::remove_file(change.then.path().join("known.json")).unwrap();
    change.then.write("gatelint.toml", "");
    let found = change.loosened(&[]);
    assert!(
        found
            .iter()
            .any(|found| found.ends_with("the baseline `known.json` is new and takes 2 findings for known")),
        "{found:?}"
    );
}

#[test]
fn a_waiver_is_the_same_one_in_its_function_only() {
    let change = Change::new();
    let waived = |before: &str| {
        NET.replace("get(city)\n", "get(city)  # gatelint: allow[GL102] reason=\"a probe\"\n")
            .replace("def fetch", before)
    };
    change.now.write("atlas/net.py", waived("def fetch"));
    assert_eq!(change.loosened(&[]), ["atlas/net.py:5 a waiver takes back `GL102` here"]);
    change.then.write("atlas/net.py", waived("x = 1\n\n\ndef fetch"));
    assert_eq!(change.loosened(&[]), [""; 0], "lines around it do not matter");
    std::fs::rename(change.now.path().join("atlas/net.py"), change.now.path().join("atlas/web.py")).unwrap();
    assert_eq!(change.loosened(&[]), [""; 0], "nor does the name of the file");
    change.now.write("atlas/net.py", NET);
    assert_eq!(change.loosened(&[]).len(), 1, "unless that is still there");
    change.now.write("atlas/web.py", waived("# gatelint: allow[GL006] reason=\"a\"\ndef send"));
    assert!(!change.loosened(&[]).is_empty(), "no waiver takes this rule back");
}

#[test]
fn a_level_of_the_merge_base_holds() {
    let change = Change::new();
    let level = "[[levels]]\npaths = [\"gatelint.toml\"]\nrules = { GL006 = \"note\" }\nreason = \"a\"\n";
    change.then.write("gatelint.toml", format!("{CONFIG}{level}"));
    change.now.write("gatelint.toml", format!("exclude = [\"atlas/net.py\"]\n{CONFIG}"));
    let ran = change.check(&[]);
    assert_eq!((of_rule(&ran).len(), ran.code), (1, 0), "{ran:?}");
}

#[test]
fn a_copy_of_the_repository_and_one_of_the_project_are_both_understood() {
    let files = [
        (".git/HEAD", ""),
        ("gatelint.toml", "[layers]\ncomm = [\"part/comm\"]\n"),
        ("part/gatelint.toml", "[layers]\ncomm = [\"comm\"]\n"),
        ("part/comm/net.py", NET),
        ("part/agent.py", NET),
    ];
    let change = Change::of(&files);
    let check = |base: &str| {
        let base = change.then.path().join(base);
        let args = ["check", "--format", "json", "--base", base.to_str().unwrap(), "part"];
        of_rule(&Run::new(&args).within(change.now.path()).ran())
    };
    for base in ["", "part", "part/gatelint.toml"] {
        change.now.write("part/gatelint.toml", "[layers]\ncomm = [\"comm\"]\n");
        assert_eq!(check(base), [""; 0], "{base}");
        change.now.write("part/gatelint.toml", "[layers]\ncomm = [\"comm\", \"agent.py\"]\n");
        assert_eq!(check(base).len(), 1, "{base}");
    }
    // Another configuration speaks for the folder now.
    std::fs::remove_file(change.then.path().join("part/gatelint.toml")).unwrap();
    let found = check("");
    assert_eq!(
        found,
        ["part/gatelint.toml:2 `agent.py` in `layers.comm` takes in 1 file (`agent.py`) that were not in the layer"]
            .map(|found| found.replace("part/", ""))
    );
}

#[test]
fn a_copy_that_cannot_be_read_is_an_error() {
    let change = Change::new();
    let ran = change.now.run(&["check", "--base", "nowhere"]);
    assert!(ran.code == 2 && ran.stderr.contains("`--base` names a copy of the merge base"), "{ran:?}");
    change.then.write("gatelint.toml", "nonsense = 1\n");
    let ran = change.check(&[]);
    assert!(ran.code == 2 && ran.stderr.contains("at the merge base"), "{ran:?}");
    change.then.write("gatelint.toml", CONFIG);
    change.then.write("known.json", "{}");
    assert_eq!(change.check(&[]).code, 2);
}

#[test]
fn what_is_exempted_is_said_in_every_format() {
    let project = Project::new(&[
        (
            "atlas/planner.py",
            "def plan_trip(city):\n    return [city]\n\n\ndef plan_day(city):\n    return [city]\n",
        ),
        ("atlas/comm/net.py", NET),
        ("cli/main.py", "x = 1\n"),
        ("vendor/a/b.py", "x = 1\n"),
        ("vendor/c.py", "x = 1\n"),
        ("tests/test_a.py", "x = 1\n"),
        (
            "gatelint.toml",
            "exclude = [\"vendor\"]\n[layers]\noperator = [\"cli\"]\n[planning]\nnot_functions = [\"plan_day\"]\n\
             [[levels]]\npaths = [\"atlas\"]\nrules = { GL104 = \"off\" }\nreason = \"a\"\n",
        ),
    ]);
    let lines = [
        "layers files by layer: 1 comm, 1 operator, 1 test, 2 excluded",
        "plan 1 function taken out of planning (`atlas.planner.plan_day`)",
        "off rules switched off: GL105, GL104 in 2 files",
    ];
    for format in ["human", "concise", "github", "markdown"] {
        let ran = project.run(&["check", "--format", format, "--ignore", "GL105"]);
        let marks = [("&#58;", ":"), ("&#95;", "_"), ("&#41;", ")"), ("<code>", ""), ("</code>", "")];
        let plain = marks.iter().fold(ran.stdout.clone(), |text, (mark, sign)| text.replace(mark, sign));
        let plain = plain.replace(": ", " ").replace('`', "");
        let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        for line in lines {
            let line = line.replace(": ", " ").replace('`', "");
            assert!(words.contains(&line), "{format}, {line}: {}", ran.stdout);
        }
    }
    let json = project.run(&["check", "--format", "json", "--ignore", "GL105"]).json();
    let policy = serde_json::json!({
        "layers": { "comm": 1, "llm": 0, "operator": 1, "storage": 0, "test": 1 },
        "excluded": 2,
        "not_planning": ["atlas.planner.plan_day"],
        "off": ["GL105"],
        "off_in": { "GL104": 2 },
    });
    assert_eq!(json["summary"]["policy"], policy);
    let sarif = project.run(&["check", "--format", "sarif", "--ignore", "GL105"]).json();
    assert_eq!(sarif["runs"][0]["properties"]["policy"], policy);
}
