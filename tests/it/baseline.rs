//! Baselines from outside: what is known stays known when code moves, and what is new fails.

use serde_json::Value;

use crate::support::{Project, Ran};

const FILE: &str = "gatelint-baseline.json";
const NET: &str = "\
import requests


def fetch(url):
    return requests.get(url, timeout=3)


class Client:
    def send(self, url, body):
        return requests.post(url, json=body)


requests.head(\"https://a.example\")
";
const PLANNER: &str = "\
from lib.net import Client, fetch


def plan_trip(city):
    return fetch(city)


def plan_stay(city):
    return Client().send(city, {})
";

/// The project with a baseline of all it has.
fn known() -> Project {
    let project = Project::new(&[("lib/__init__.py", ""), ("lib/net.py", NET), ("planner.py", PLANNER)]);
    let wrote = project.run(&["baseline", "write"]);
    assert_eq!(
        (wrote.code, wrote.stdout.as_str()),
        (0, "gatelint-baseline.json: 5 findings noted (5 new)\n"),
        "{wrote:?}"
    );
    project
}

fn check(project: &Project) -> Ran {
    project.run(&["check", "--baseline", FILE, "--format", "json"])
}

/// Rules of new findings; how many are known, have moved, and are fixed.
#[track_caller]
fn verdict(project: &Project) -> (Vec<String>, [u64; 3]) {
    let report = check(project).json();
    let rules = report["findings"].as_array().unwrap().iter();
    let rules = rules.filter(|finding| finding.get("covered_by").is_none());
    let rules = rules.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect();
    let baseline = &report["summary"]["baseline"];
    let count = |key: &str| baseline[key].as_u64().unwrap();
    assert_eq!(report["fixed"].as_array().unwrap().len() as u64, count("fixed"));
    (rules, [count("known"), count("moved"), count("fixed")])
}

#[track_caller]
fn is_known(project: &Project, moved: u64) {
    assert_eq!(verdict(project), (Vec::new(), [5, moved, 0]));
    assert_eq!(check(project).code, 0);
}

#[track_caller]
fn is_new(project: &Project, rules: &[&str]) {
    let (found, [known, moved, fixed]) = verdict(project);
    assert_eq!(
        (found, known, moved, fixed),
        (rules.iter().map(|rule| (*rule).to_owned()).collect(), 5, 0, 0)
    );
    assert_eq!(check(project).code, 1);
}

#[test]
fn what_was_written_is_known() {
    is_known(&known(), 0);
}

#[test]
fn layout_and_lines_around_do_not_matter() {
    let project = known();
    let text = NET
        .replace("url, timeout=3", "\n        url,\n        timeout=3,\n    ")
        .replace("def fetch", "# about\n\n\ndef fetch");
    project.write("lib/net.py", format!("\"\"\"Net.\"\"\"\n\n{}", text.replace('"', "'")));
    is_known(&project, 0);
}

#[test]
fn a_renamed_file_keeps_its_entries_and_those_of_paths_through_it() {
    let project = known();
    std::fs::remove_file(project.path().join("lib/net.py")).unwrap();
    project.write("lib/web/http.py", NET);
    project.write("lib/web/__init__.py", "");
    project.write("planner.py", PLANNER.replace("lib.net", "lib.web.http"));
    is_known(&project, 5);
}

#[test]
fn a_moved_function_keeps_its_entries() {
    let project = known();
    let (fetch, rest) = NET.split_at(NET.find("class Client").unwrap());
    project.write("lib/net.py", fetch);
    project.write("lib/client.py", format!("import requests\n\n\n{rest}"));
    project.write(
        "planner.py",
        PLANNER.replace("import Client, fetch", "import fetch\nfrom lib.client import Client"),
    );
    let (new, [known, _, fixed]) = verdict(&project);
    // Both files need the library now, which their calls say as well.
    assert_eq!((new, known, fixed), (Vec::new(), 5, 0));
    // Within its file nothing changes.
    project.write("planner.py", PLANNER);
    std::fs::remove_file(project.path().join("lib/client.py")).unwrap();
    project
        .write("lib/net.py", format!("import requests\n\n\n{rest}\n{}", &fetch["import requests".len()..]));
    is_known(&project, 0);
}

#[test]
fn a_copy_is_new() {
    let project = known();
    project.write(
        "lib/copy.py",
        "import requests\n\n\ndef fetch(url):\n    return requests.get(url, timeout=3)\n",
    );
    is_new(&project, &["GL102"]);
    let project = known();
    let twice = "    requests.get(url, timeout=3)\n    return requests.get(url, timeout=3)\n";
    project.write("lib/net.py", NET.replace("    return requests.get(url, timeout=3)\n", twice));
    is_new(&project, &["GL102"]);
}

/// Everything that can silence a function, each with a copy of it in another file: the copy is new.
#[test]
fn what_is_silent_where_it_was_lends_its_entry_to_nothing_else() {
    let copy = "import requests\n\n\ndef fetch(url):\n    return requests.get(url, timeout=3)\n";
    let waived = NET.replace("timeout=3)\n", "timeout=3)  # gatelint: allow[GL102] reason=\"a\"\n");
    let silent: [(&str, &str); 6] = [
        ("lib/net.py", &waived),
        ("gatelint.toml", "[layers]\noperator = [\"lib/net.py\"]\n"),
        ("gatelint.toml", "exclude = [\"lib/net.py\"]\n"),
        (
            "gatelint.toml",
            "[[levels]]\npaths = [\"lib/net.py\"]\nrules = { GL102 = \"off\" }\nreason = \"a\"\n",
        ),
        (".gitignore", "lib/net.py\n"),
        ("gatelint.toml", "[layers]\nllm = [\"lib\"]\n"),
    ];
    for (path, text) in silent {
        let project = known();
        project.write(path, text);
        project.write("other/fetching.py", copy);
        let (new, _) = verdict(&project);
        assert!(new.contains(&"GL102".to_owned()), "{path} {text}: {new:?}");
        assert_eq!(check(&project).code, 1);
        // Taken back, everything is where it was.
        match path {
            "lib/net.py" => project.write(path, NET),
            path => std::fs::remove_file(project.path().join(path)).unwrap(),
        }
        is_new(&project, &["GL102"]);
    }
}

#[test]
fn an_entry_of_an_older_file_follows_its_code_within_its_file_only() {
    let project = known();
    let mut old: Value = serde_json::from_str(&text(&project)).unwrap();
    for entry in old["findings"].as_array_mut().unwrap() {
        let entry = entry.as_object_mut().unwrap();
        assert!(entry.remove("code").is_some());
        entry.remove("function");
    }
    project.write(FILE, old.to_string());
    is_known(&project, 0);
    project.write("lib/net.py", NET.replace("class Client", "class Sender"));
    project.write("planner.py", PLANNER.replace("Client", "Sender"));
    let (new, _) = verdict(&project);
    assert_eq!(new.len(), 1, "a call by another name: {new:?}");
}

#[test]
fn a_new_call_in_a_helper_is_new_where_it_is_and_where_it_is_reached() {
    let project = known();
    project.write("helper.py", "import requests\n\n\ndef look_up(city):\n    return requests.get(city)\n");
    let planner =
        format!("from helper import look_up\n{PLANNER}\n\ndef plan_day(city):\n    return look_up(city)\n");
    project.write("planner.py", planner);
    is_new(&project, &["GL201", "GL102"]);
}

#[test]
fn what_is_fixed_is_told_and_pruned() {
    let project = known();
    project.write("planner.py", "def plan_trip(city):\n    return city\n");
    assert_eq!(verdict(&project), (Vec::new(), [3, 0, 2]));
    for format in ["human", "concise", "github", "markdown"] {
        let ran = project.run(&["check", "--baseline", FILE, "--format", format]);
        assert_eq!(ran.code, 0);
        let words = ran.stdout.replace("known:", "known ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("known 3 findings in gatelint-baseline.json"), "{}", ran.stdout);
        assert!(words.contains("2 findings of gatelint-baseline.json not found any more"), "{}", ran.stdout);
    }
    let pruned = project.run(&["baseline", "prune"]);
    assert_eq!(pruned.stdout, "gatelint-baseline.json: 3 findings noted (2 fixed)\n");
    assert_eq!(verdict(&project), (Vec::new(), [3, 0, 0]));
}

#[test]
fn the_file_only_shrinks() {
    let project = known();
    let before = text(&project);
    project.write("more.py", "import socket\n");
    let ran = project.run(&["baseline", "write"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("1 finding not in `gatelint-baseline.json`"), "{ran:?}");
    assert_eq!(text(&project), before);
    assert_eq!(project.run(&["baseline", "prune"]).code, 0);
    assert_eq!(text(&project), before, "pruning adds nothing");
    let grown = project.run(&["baseline", "write", "--allow-growth"]);
    assert_eq!(grown.stdout, "gatelint-baseline.json: 6 findings noted (1 new)\n");
    assert_eq!(
        text(&project).lines().count(),
        before.lines().count() + 2,
        "one line an entry, and one its rule"
    );
}

fn text(project: &Project) -> String {
    std::fs::read_to_string(project.path().join(FILE)).unwrap()
}

#[test]
fn a_scan_of_a_part_keeps_what_it_does_not_see() {
    let project = known();
    let before = text(&project);
    for part in ["lib", "planner.py"] {
        let ran = project.run(&["check", part, "--baseline", FILE, "--format", "json"]);
        assert_eq!((ran.code, &ran.json()["summary"]["baseline"]["fixed"]), (0, &Value::from(0)), "{ran:?}");
        assert_eq!(project.run(&["baseline", "prune", part]).code, 0);
        assert_eq!(text(&project), before, "{part}");
    }
    let ran = project.run(&["check", "--select", "GL2", "--baseline", FILE, "--format", "json"]);
    let baseline = &ran.json()["summary"]["baseline"];
    assert_eq!(
        (&baseline["known"], &baseline["fixed"], &baseline["unseen"]),
        (&2.into(), &0.into(), &3.into())
    );
}

#[test]
fn a_part_that_is_not_understood_repairs_nothing() {
    let project = known();
    project.write("lib/net.py", "def (((\n\nimport requests\n");
    let ran = check(&project);
    assert_eq!(
        ran.json()["fixed"].as_array().unwrap().iter().filter(|entry| entry["path"] == "lib/net.py").count(),
        0
    );
}

#[test]
fn sarif_has_known_findings_with_their_state() {
    let project = known();
    project.write("more.py", "import socket\n");
    let sarif = project.run(&["check", "--baseline", FILE, "--format", "sarif"]).json();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let count = |state: &str| results.iter().filter(|result| result["baselineState"] == state).count();
    assert_eq!((count("new"), count("unchanged"), results.len()), (1, 5, 7));
}

#[test]
fn a_file_that_is_no_baseline_is_an_error() {
    let project = known();
    for (file, text) in [("none.json", None), ("bad.json", Some("{}")), ("list.json", Some("[1]"))] {
        text.into_iter().for_each(|text| project.write(file, text));
        let ran = project.run(&["check", "--baseline", file]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(file), "{ran:?}");
    }
    project.write(FILE, "{}");
    assert_eq!(project.run(&["baseline", "write", "--allow-growth"]).code, 2);
    assert_eq!(text(&project), "{}", "what is not understood is not replaced");
    assert_eq!(Project::new(&[]).run(&["baseline", "write"]).code, 3);
}

/// The same, with the file named by the configuration.
fn configured() -> Project {
    let project = Project::new(&[
        ("lib/__init__.py", ""),
        ("lib/net.py", NET),
        ("planner.py", PLANNER),
        ("gatelint.toml", "[baseline]\nfile = \"lint/known.json\"\n"),
        ("lint/README", ""),
    ]);
    let wrote = project.run(&["baseline", "write"]);
    assert_eq!(
        (wrote.code, wrote.stdout.as_str()),
        (0, "lint/known.json: 5 findings noted (5 new)\n"),
        "{wrote:?}"
    );
    project
}

#[test]
fn the_configuration_names_the_file_for_every_command() {
    let project = configured();
    let ran = project.run(&["check"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("known   5 findings in lint/known.json\n"), "{ran:?}");
    for flag in ["--no-baseline", "--isolated"] {
        assert_eq!(project.run(&["check", flag]).code, 1, "{flag}");
    }
    project.write("other.json", "{\"version\": 1, \"rules\": {}, \"findings\": []}");
    assert_eq!(project.run(&["check", "--baseline", "other.json"]).code, 1, "the command line says more");
    project.write("planner.py", "");
    let pruned = project.run(&["baseline", "prune"]);
    assert_eq!(pruned.stdout, "lint/known.json: 3 findings noted (2 fixed)\n", "{pruned:?}");
    assert_eq!(project.run(&["check", "--baseline", "a", "--no-baseline"]).code, 2);
}

#[test]
fn a_configured_file_that_is_missing_is_no_green_run() {
    let project = configured();
    std::fs::remove_file(project.path().join("lint/known.json")).unwrap();
    let ran = project.run(&["check"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("cannot read the baseline `lint/known.json`"), "{ran:?}");
    assert_eq!(project.run(&["check", "--no-baseline"]).code, 1);
}

#[cfg(unix)]
#[test]
fn a_configured_file_stays_inside_the_project() {
    let project = configured();
    let outside = tempfile::tempdir().unwrap();
    std::fs::remove_dir_all(project.path().join("lint")).unwrap();
    std::os::unix::fs::symlink(outside.path(), project.path().join("lint")).unwrap();
    for args in [&["check"][..], &["baseline", "write"]] {
        let ran = project.run(args);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("`lint/known.json` is a link out of the project"), "{ran:?}");
    }
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    project.write("gatelint.toml", "[baseline]\nfile = \"../known.json\"\n");
    assert_eq!(project.run(&["check"]).code, 2);
}
