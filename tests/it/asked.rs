//! Files by name, by a list and by standard input: the whole project is loaded, and only what was asked for is reported.

use crate::support::{Project, Ran, Run};

const PLANNER: &str = "from atlas.net import fetch\n\n\ndef plan_trip(city):\n    return fetch(city)\n";
const NET: &str = "import requests\n\n\ndef fetch(city):\n    return requests.get(city)\n";

fn project() -> Project {
    let files = [
        ("atlas/__init__.py", ""),
        ("atlas/planner.py", PLANNER),
        ("atlas/net.py", NET),
        ("vendor/other.py", "import socket\n"),
        ("gatelint.toml", "exclude = [\"vendor\"]\n"),
        ("notes.md", ""),
    ];
    Project::new(&files)
}

/// `rule path:line` of each finding.
#[track_caller]
fn found(ran: &Ran) -> Vec<String> {
    let report = ran.json();
    let findings = report["findings"].as_array().unwrap().iter();
    let line = |finding: &serde_json::Value| {
        let at = &finding["location"];
        format!("{} {}:{}", finding["rule"], at["path"], at["start"]["line"]).replace('"', "")
    };
    findings.map(line).collect()
}

fn json(project: &Project, args: &[&str], stdin: &[u8]) -> Ran {
    let args = [&["check", "--format", "json"], args].concat();
    Run::new(&args).within(project.path()).stdin(stdin).ran()
}

#[test]
fn a_named_file_is_reported_and_its_project_is_known() {
    let project = project();
    let ran = json(&project, &["atlas/planner.py"], b"");
    assert_eq!((ran.code, found(&ran)), (1, vec!["GL201 atlas/planner.py:5".to_owned()]));
    assert_eq!(ran.json()["summary"]["files"]["scanned"], 3);
    assert_eq!(ran.json()["summary"]["files"]["reported"], 1);
    let both = json(&project, &["atlas/planner.py", "vendor/other.py"], b"");
    assert_eq!(found(&both), ["GL201 atlas/planner.py:5", "GL101 vendor/other.py:1"]);
    let root = json(&project, &["."], b"");
    assert!(root.json()["summary"]["files"]["reported"].is_null(), "the project is loaded and reported");
    let human = project.run(&["check", "atlas/planner.py"]).stdout;
    assert!(human.contains("files   3 scanned, 1 reported on\n"), "{human}");
}

#[test]
fn a_path_counts_for_each_file_that_it_leads_through() {
    let project = project();
    project.write("atlas/comm/__init__.py", "");
    project.write("atlas/comm/net.py", NET);
    project.write(
        "atlas/helper.py",
        "from atlas.comm.net import fetch\n\n\ndef get(city):\n    return fetch(city)\n",
    );
    project.write(
        "atlas/planner.py",
        "from atlas.helper import get\n\n\ndef plan_trip(city):\n    return get(city)\n",
    );
    for named in
        [&["atlas/helper.py"][..], &["atlas/comm/net.py"], &["atlas/comm"], &["--changed", "atlas/helper.py"]]
    {
        let ran = json(&project, named, b"");
        assert_eq!((ran.code, found(&ran)), (1, vec!["GL201 atlas/planner.py:5".to_owned()]), "{named:?}");
    }
    project.write("other/a.py", "x = 1\n");
    for named in ["other", "other/a.py"] {
        let ran = json(&project, &[named], b"");
        assert_eq!(
            (ran.code, found(&ran), ran.json()["summary"]["files"]["reported"].as_u64()),
            (0, vec![], Some(1))
        );
    }
}

#[test]
fn what_a_baseline_does_not_know_counts_wherever_it_stands() {
    let project = project();
    project.write("other/a.py", "x = 1\n");
    project.write("old.py", "import socket\n");
    let known = ["--baseline", "known.json"];
    assert_eq!(project.run(&["baseline", "write", "--baseline", "known.json"]).code, 0);
    let with = |args: &[&str]| json(&project, &[&known[..], args].concat(), b"");
    assert_eq!(with(&["--changed", "other/a.py"]).code, 0);
    project.write("new.py", "import socket\n");
    for named in [&["--changed", "other/a.py"][..], &["other/a.py"]] {
        let ran = with(named);
        assert_eq!((ran.code, found(&ran)), (1, vec!["GL101 new.py:1".to_owned()]), "{named:?}");
    }
    assert_eq!(with(&["other"]).code, 0, "a folder is a part of the project and no change");
    assert_eq!(
        json(&project, &["--changed", "other/a.py"], b"").code,
        0,
        "without a baseline nothing is new"
    );
}

#[test]
fn a_changed_configuration_speaks_of_every_file() {
    let project = project();
    let ran = json(&project, &["--changed", "gatelint.toml"], b"");
    assert_eq!(found(&ran), ["GL201 atlas/planner.py:5", "GL102 atlas/net.py:5", "GL101 atlas/net.py:1"]);
}

#[test]
fn a_named_file_is_scanned_even_if_excluded() {
    let ran = json(&project(), &["vendor/other.py"], b"");
    assert_eq!(found(&ran), ["GL101 vendor/other.py:1"]);
}

#[test]
fn without_a_project_a_file_stands_for_itself() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.py"), "from b import x\n").unwrap();
    std::fs::write(folder.path().join("b.py"), "import requests\n").unwrap();
    let ran = Run::new(&["check", "--isolated", "--format", "json", "a.py"]).within(folder.path()).ran();
    assert_eq!(ran.json()["summary"]["files"]["scanned"], 1);
}

#[test]
fn a_list_names_what_is_reported() {
    let project = project();
    let planner = ["GL201 atlas/planner.py:5"];
    assert_eq!(found(&json(&project, &["--files-from", "-"], b"atlas/planner.py\n")), planner);
    assert_eq!(
        found(&json(&project, &["--files-from", "-"], b"notes.md\r\natlas/planner.py\r\n\r\n")),
        planner
    );
    assert_eq!(
        found(&json(&project, &["--files-from", "-", "--null"], b"atlas/planner.py\0notes.md\0")),
        planner
    );
    assert_eq!(found(&json(&project, &["--files-from", "-", "-0"], b"atlas/planner.py")), planner);
    project.write("list.txt", "atlas/net.py\nvendor/other.py\n");
    let net = ["GL201 atlas/planner.py:5", "GL102 atlas/net.py:5", "GL101 atlas/net.py:1"];
    assert_eq!(found(&json(&project, &["--files-from", "list.txt"], b"")), net, "`exclude` holds for a list");
}

#[test]
fn a_list_without_source_files_is_nothing_to_scan() {
    let project = project();
    for list in [&b""[..], b"notes.md\n", b"vendor/other.py\n"] {
        assert_eq!(json(&project, &["--files-from", "-"], list).code, 3);
    }
    let gone = json(&project, &["--files-from", "-"], b"gone.py\n");
    assert_eq!(gone.code, 2);
    assert_eq!(gone.stderr, "error: cannot scan `gone.py`: no such file or folder\n");
    let stderr = json(&project, &["--files-from", "none.txt"], b"").stderr;
    assert_eq!(stderr, "error: cannot read the list of files `none.txt`: no such file or folder\n");
    assert_eq!(json(&project, &["--files-from", "-"], b"\xff\n").code, 2);
}

#[test]
fn files_that_changed_say_what_is_reported() {
    let project = project();
    project.write("--exit-zero", "#!/usr/bin/env python3\nimport socket\n");
    let changed = |names: &[&str]| json(&project, &[&["--changed", "--"], names].concat(), b"");
    let planner =
        changed(&["gone.py", "notes.md", "atlas/planner.py", "notes.md/gone.py", "vendor/other.py"]);
    assert_eq!((planner.code, found(&planner)), (1, vec!["GL201 atlas/planner.py:5".to_owned()]));
    for nothing in [&["gone.py"][..], &["notes.md"], &["vendor/other.py"], &["gone/a.py", "notes.md"]] {
        let ran = changed(nothing);
        assert_eq!((ran.code, found(&ran).len()), (0, 0), "{nothing:?}");
    }
    assert_eq!(changed(&["--exit-zero", "atlas/net.py"]).code, 1, "a name is no option");
    project.write("large.py", "#".repeat(5 << 20));
    assert_eq!(changed(&["large.py"]).code, 4, "what was not read counts where it changed");
    assert_eq!(changed(&["gone.py"]).code, 0, "and stops no other change");
    for wrong in [&["--changed"][..], &["--changed", "--files-from", "-"]] {
        assert_eq!(json(&project, wrong, b"").code, 2);
    }
}

#[test]
fn standard_input_takes_the_place_of_a_file() {
    let project = project();
    let stdin = |name: &str, text: &str| json(&project, &["-", "--stdin-filename", name], text.as_bytes());
    let edited = PLANNER.replace("plan_trip", "\n\ndef plan_journey");
    let edited = edited.replace("def \n\ndef", "\n\ndef");
    assert_eq!(found(&stdin("atlas/planner.py", &edited)), ["GL201 atlas/planner.py:7"]);
    assert_eq!(found(&stdin("atlas/planner.py", "x = 1\n")), [""; 0]);
    assert_eq!(found(&stdin("atlas/new.py", PLANNER)), ["GL201 atlas/new.py:5"], "it need not exist yet");
    assert_eq!(found(&stdin("vendor/other.py", "import requests\n")), ["GL101 vendor/other.py:1"]);
    assert_eq!(stdin("notes.md", "x").code, 4);
    assert_eq!(stdin("none/a.py", "x").code, 2);
}

#[test]
fn standard_input_needs_a_name_and_stands_alone() {
    let project = project();
    let stderr = |args: &[&str]| {
        let ran = json(&project, args, b"");
        assert_eq!(ran.code, 2, "{args:?}");
        ran.stderr
    };
    assert!(stderr(&["-"]).contains("say which by `--stdin-filename NAME`"));
    assert!(stderr(&["--stdin-filename", "a.py"]).contains("add `-`"));
    assert!(stderr(&["-", "atlas", "--stdin-filename", "a.py"]).contains("`-` stands alone"));
    assert!(stderr(&["--files-from", "-", "--stdin-filename", "a.py"]).contains("add `-`"));
    assert!(stderr(&["--files-from", "-", "atlas"]).contains("cannot be used with"));
    assert!(stderr(&["--null"]).contains("--files-from"));
}
