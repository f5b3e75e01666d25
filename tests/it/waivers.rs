//! Waivers and levels from outside: what every format says of what was taken back, and what a scan of a part can know.

use serde_json::Value;

use crate::support::{Project, Ran};

const NET: &str = "\
import requests  # gatelint: allow[GL101] reason=\"health probe, loopback only\"


def probe(url):
    # gatelint: allow[GL102, GL201] reason=\"health probe, loopback only\"
    return requests.head(url)
";
const PLANNER: &str = "\
from net import probe


def plan_trip(city):
    return probe(city)
";

fn project() -> Project {
    Project::new(&[("net.py", NET), ("planner.py", PLANNER)])
}

fn rules_of(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

fn rules(ran: &Ran) -> Vec<String> {
    rules_of(&ran.json()["findings"])
}

#[test]
fn what_is_waived_is_listed_and_does_not_count() {
    let ran = project().run(&["check", "--format", "json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let report = ran.json();
    assert_eq!(rules(&ran), [""; 0]);
    assert_eq!(report["summary"]["waived"], 3);
    assert_eq!(rules_of(&report["waived"]), ["GL101", "GL102", "GL201"]);
    let path = &report["waived"][2];
    assert_eq!(path["location"]["path"], "planner.py");
    assert_eq!(path["reason"], "health probe, loopback only");
    assert_eq!(path["waiver"]["path"], "net.py");
    assert_eq!(path["waiver"]["start"]["line"], 5);
}

#[test]
fn the_human_report_lists_it_and_sarif_counts_it() {
    let human = project().run(&["check"]).stdout;
    let expected = "\
waived (3)

  net.py:1: GL101 requests: health probe, loopback only
  net.py:6: GL102 requests.head: health probe, loopback only
  planner.py:5: GL201 plan_trip (to net.py:6): health probe, loopback only
";
    assert!(human.contains(expected), "{human}");
    assert!(human.contains("waived  3 findings"), "{human}");
    let concise = project().run(&["check", "--format", "concise"]).stdout;
    assert!(concise.contains("net.py:6:12: waived[GL102] health probe, loopback only\n"), "{concise}");
    let sarif = project().run(&["check", "--format", "sarif"]).json();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 0);
    assert_eq!(sarif["runs"][0]["properties"]["waived"], 3);
}

#[test]
fn hostile_words_of_a_reason_are_shown_not_obeyed() {
    let text = "import requests  # gatelint: allow[GL101] reason=\"\u{1b}[2J \u{202e}x\"\n";
    let project = Project::new(&[("a.py", text)]);
    for format in ["human", "json", "sarif", "markdown"] {
        let out = project.run(&["check", "--format", format]).stdout;
        assert!(!out.contains(['\u{1b}', '\u{202e}']), "{out}");
    }
}

/// Whoever scans a part must not be told to remove what the whole project needs.
#[test]
fn only_a_scan_of_everything_calls_a_waiver_of_paths_unused() {
    let project = project();
    project.write("gone/a.py", "x = 1  # gatelint: allow[GL102] reason=\"the call has gone\"\n");
    let unused = |paths: &[&str]| {
        let args: Vec<_> = ["check", "--format", "json"].iter().chain(paths).copied().collect();
        let ran = project.run(&args);
        let findings = ran.json()["findings"].as_array().unwrap().clone();
        findings
            .iter()
            .filter(|f| f["rule"] == "GL003")
            .map(|f| f["location"]["path"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(unused(&["."]), ["gone/a.py"]);
    // Files are named: their whole project is loaded, and only they are spoken of.
    assert_eq!(unused(&["net.py"]), [""; 0]);
    assert_eq!(unused(&["gone/a.py"]), ["gone/a.py"]);
    // Likewise folders: whether a waiver of a path is used is known all the same.
    assert_eq!(unused(&["gone"]), ["gone/a.py"]);
    project.write("lib/net.py", NET);
    assert_eq!(unused(&["lib"]), ["lib/net.py"]);
    assert_eq!(unused(&["."]), ["gone/a.py", "lib/net.py"]);
}

#[test]
fn rules_that_did_not_run_leave_their_waivers_alone() {
    for args in [["--select", "GL102,GL003"], ["--ignore", "GL101,GL201"]] {
        let args: Vec<_> = ["check", "--format", "json"].into_iter().chain(args).collect();
        let ran = project().run(&args);
        assert_eq!((ran.code, rules(&ran)), (0, Vec::new()), "{ran:?}");
    }
}

#[test]
fn an_invalid_waiver_is_an_error_and_an_unused_one_is_not() {
    let invalid = Project::new(&[("a.py", "x = 1  # gatelint: allow[GL102]\n")]);
    let ran = invalid.run(&["check", "--format", "json"]);
    assert_eq!((ran.code, rules(&ran)), (1, vec!["GL002".to_owned()]), "{ran:?}");
    let unused = Project::new(&[("a.py", "x = 1  # gatelint: allow[GL102] reason=\"x\"\n")]);
    let ran = unused.run(&["check", "--format", "json"]);
    assert_eq!((ran.code, rules(&ran)), (0, vec!["GL003".to_owned()]), "{ran:?}");
    assert_eq!(unused.run(&["check", "--fail-on", "warning"]).code, 1);
}

const LEVELS: &str = "\
[[levels]]
paths = [\"legacy/**\"]
rules = { GL101 = \"off\", direct-network-call = \"warning\" }
reason = \"replaced by ATL-412 in March\"

[[levels]]
paths = [\"legacy/net.py\"]
rules = { GL102 = \"note\" }
reason = \"a probe\"
";

fn legacy() -> Project {
    let code = "import requests\n\nrequests.get(\"x\")\n";
    Project::new(&[
        ("gatelint.toml", LEVELS),
        ("legacy/net.py", code),
        ("legacy/old.py", code),
        ("new.py", code),
    ])
}

#[test]
fn levels_change_findings_of_their_paths_and_say_so() {
    let ran = legacy().run(&["check", "--format", "json"]);
    let report = ran.json();
    let found: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            ["rule", "severity"].map(|key| f[key].as_str().unwrap().to_owned()).join(" ")
                + " "
                + f["location"]["path"].as_str().unwrap()
        })
        .collect();
    let expected = [
        "GL102 error new.py",
        "GL102 warning legacy/old.py",
        "GL102 note legacy/net.py",
        "GL101 note new.py",
    ];
    assert_eq!(found, expected);
    let levels = &report["summary"]["levels"];
    assert_eq!(levels[0]["off"]["GL101"], 2);
    assert_eq!(levels[0]["changed"]["GL102"], 1);
    assert_eq!(levels[1]["changed"]["GL102"], 1, "the last one counts");
    assert_eq!(levels[0]["reason"], "replaced by ATL-412 in March");
    let human = legacy().run(&["check"]).stdout;
    let line = "levels  2 findings switched off (GL101), 1 finding given another severity\n        (GL102): replaced by ATL-412 in March\n";
    assert!(human.contains(line), "{human}");
    let sarif = legacy().run(&["check", "--format", "sarif"]).json();
    let properties = &sarif["runs"][0]["properties"];
    assert_eq!((&properties["switchedOff"], &properties["severityChanged"]), (&2.into(), &2.into()));
}

#[test]
fn what_is_off_does_not_count() {
    let project = legacy();
    assert_eq!(project.run(&["check"]).code, 1);
    assert_eq!(project.run(&["check", "legacy"]).code, 0);
    assert_eq!(project.run(&["check", "legacy", "--isolated"]).code, 1);
}

#[test]
fn a_setting_that_matches_nothing_is_found_in_the_configuration() {
    let config = "[layers]\noperator = [\"scripts/**\", \"lib/x/**\"]\n";
    let project = Project::new(&[("gatelint.toml", config), ("lib/a.py", "x = 1\n")]);
    let at = |paths: &[&str]| {
        let args: Vec<_> = ["check", "--format", "json"].iter().chain(paths).copied().collect();
        let report = project.run(&args).json();
        let messages = report["findings"].as_array().unwrap().iter();
        messages.map(|f| f["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let scripts = "`scripts/**` in `layers.operator` matches no file that is scanned";
    let lib = "`lib/x/**` in `layers.operator` matches no file that is scanned";
    assert_eq!(at(&[]), [scripts, lib]);
    assert_eq!(at(&["lib"]), [""; 0], "the folder was asked about, and not the configuration");
    assert_eq!(at(&["lib/a.py"]), [""; 0], "nobody asked about the configuration");
    let human = project.run(&["check"]);
    assert_eq!(human.code, 0, "{human:?}");
    assert!(human.stdout.contains("╭─[gatelint.toml:2:13]"), "{}", human.stdout);
    let sarif = project.run(&["check", "--format", "sarif"]).json();
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "gatelint.toml");
    assert_eq!(place["region"]["startLine"], 2);
}

#[test]
fn findings_in_the_configuration_stand_behind_those_of_the_code() {
    let project = Project::new(&[
        ("gatelint.toml", "exclude = [\"nothing/**\"]\n"),
        ("a.py", "import requests\n"),
        ("z.py", "import requests\n"),
    ]);
    let report = project.run(&["check", "--format", "json"]).json();
    let paths: Vec<_> =
        report["findings"].as_array().unwrap().iter().map(|f| f["location"]["path"].clone()).collect();
    assert_eq!(paths, ["a.py", "z.py", "gatelint.toml"]);
}

#[test]
fn no_path_of_the_machine_is_shown_for_a_named_configuration() {
    let project = Project::new(&[("ci/strict.toml", "exclude = [\"nothing\"]\n"), ("a.py", "x = 1\n")]);
    let elsewhere = Project::new(&[("other.toml", "exclude = [\"nothing\"]\n")]);
    for (file, shown) in [
        (project.path().join("ci/strict.toml"), "ci/strict.toml"),
        (elsewhere.path().join("other.toml"), "other.toml"),
    ] {
        let report = project.run(&["check", "--format", "json", "--config", file.to_str().unwrap()]).json();
        assert_eq!(report["findings"][0]["location"]["path"], shown);
    }
}

#[test]
fn folders_that_are_never_scanned_may_be_excluded() {
    let project = Project::new(&[
        ("gatelint.toml", "exclude = [\"node_modules/**\", \"__pycache__\"]\n"),
        ("a.py", "x = 1\n"),
        ("node_modules/x/a.py", "x = 1\n"),
        ("__pycache__/a.py", "x = 1\n"),
    ]);
    assert_eq!(rules(&project.run(&["check", "--format", "json"])), [""; 0]);
}

#[test]
fn a_level_for_an_unknown_rule_is_a_mistake() {
    let config = "[[levels]]\npaths = [\"a.py\"]\nrules = { GL999 = \"off\" }\nreason = \"x\"\n";
    let project = Project::new(&[("gatelint.toml", config), ("a.py", "x = 1\n")]);
    let ran = project.run(&["check"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no rule is called `GL999`"), "{}", ran.stderr);
}

/// What is waived where storage is used is not reported again where it was opened.
#[test]
fn a_waived_use_of_storage_does_not_move_to_its_opening() {
    let code = "\
import sqlite3


def plan_trip(city):
    db = sqlite3.connect(city)
    db.execute(\"DELETE FROM plans\")  # gatelint: allow[GL206] reason=\"a scratch file\"
";
    let project = Project::new(&[("a.py", code)]);
    let ran = project.run(&["check", "--format", "json", "--select", "GL206,GL003"]);
    assert_eq!(rules(&ran), [""; 0], "{ran:?}");
    assert_eq!(rules_of(&ran.json()["waived"]), ["GL206"]);
}
