//! `gatelint check --add-waivers` from outside: what was shown is waived, nothing else is changed, and what cannot be waived
//! is said. Where comments go in odd layouts is tested beside the code that places them.

use std::fs;

use crate::support::{Project, Ran};

const REASON: &str = "known, ATL-412";
const NET: &str = "\
import requests


def fetch(url):
    return requests.get(url, timeout=3)


def send(url, body):
    return requests.post(
        url,
        json=body,
    )
";
const PLANNER: &str = "\
from lib.net import fetch, send


def plan_trip(city):
    fetch(city)
    return send(city, {})
";

fn project() -> Project {
    Project::new(&[("lib/__init__.py", ""), ("lib/net.py", NET), ("planner.py", PLANNER)])
}

fn add(project: &Project, args: &[&str]) -> Ran {
    project.run(&[&["check", "--add-waivers", REASON], args].concat())
}

fn read(project: &Project, path: &str) -> String {
    fs::read_to_string(project.path().join(path)).unwrap()
}

/// A check afterwards: findings of any severity, and how many are waived.
#[track_caller]
fn left(project: &Project) -> (Vec<String>, usize) {
    let report = project.run(&["check", "--format", "json"]).json();
    let rules = report["findings"].as_array().unwrap().iter();
    let rules = rules.filter(|finding| finding.get("covered_by").is_none());
    let rules = rules.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect();
    (rules, report["waived"].as_array().unwrap().len())
}

#[test]
fn everything_that_is_shown_is_waived_and_the_code_is_the_same() {
    let project = project();
    let ran = add(&project, &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.stderr, "gatelint: waived 3 findings in 2 files: GL102 2, GL201 1\n");
    assert_eq!(left(&project), (Vec::new(), 3));
    let comment = |rule: &str| format!("  # gatelint: allow[{rule}] reason=\"{REASON}\"");
    let net = NET.replace("requests.post(", &format!("requests.post({}", comment("GL102")));
    let behind = comment("GL102");
    let above = format!("    {}\n", behind.trim_start());
    assert_eq!(
        read(&project, "lib/net.py"),
        net.replace("    return requests.get", &(above + "    return requests.get"))
    );
    let planner = read(&project, "planner.py");
    // The second way out of `plan_trip` shows only once the first is closed.
    assert_eq!(planner.matches(&comment("GL201")).count(), 2, "{planner}");
    assert_eq!(planner.replace(&comment("GL201"), ""), PLANNER);
    let again = add(&project, &[]);
    assert_eq!((again.code, again.stderr.as_str()), (0, "gatelint: no waiver was written\n"));
    assert_eq!(read(&project, "planner.py"), planner);
}

#[test]
fn what_a_run_does_not_show_is_not_waived() {
    let named = project();
    assert_eq!(add(&named, &["planner.py"]).code, 0);
    assert_eq!((read(&named, "lib/net.py").as_str(), left(&named).0.len()), (NET, 2));

    let selected = project();
    assert_eq!(add(&selected, &["--select", "GL101"]).code, 0);
    assert_eq!((left(&selected).0.len(), left(&selected).1), (3, 1));

    let known = project();
    assert_eq!(known.run(&["baseline", "write"]).code, 0);
    known.write("new.py", "import socket\n");
    let ran = add(&known, &["--baseline", "gatelint-baseline.json"]);
    assert_eq!(ran.stderr, "gatelint: waived 1 finding in 1 file: GL101 1\n", "{ran:?}");
    assert_eq!(read(&known, "lib/net.py"), NET);
}

#[test]
fn bytes_around_stay_as_they_are() {
    let project = Project::new(&[]);
    let files: [(&str, &[u8], &[u8]); 4] = [
        ("bom.py", b"\xEF\xBB\xBFimport socket\n", b"\xEF\xBB\xBFimport socket  COMMENT\n"),
        ("crlf.py", b"a = 1\r\nimport socket\r\n", b"a = 1\r\nimport socket  COMMENT\r\n"),
        (
            "latin.py",
            b"# coding: latin-1\nimport socket\na = '\xE4'\n",
            b"# coding: latin-1\nimport socket  COMMENT\na = '\xE4'\n",
        ),
        ("end.py", b"import socket", b"import socket  COMMENT"),
    ];
    for (path, bytes, _) in files {
        project.write(path, bytes);
    }
    assert_eq!(add(&project, &[]).code, 0);
    let comment = format!("# gatelint: allow[GL101] reason=\"{REASON}\"");
    for (path, _, expected) in files {
        let at = expected.windows(7).position(|window| window == b"COMMENT").unwrap();
        let expected = [&expected[..at], comment.as_bytes(), &expected[at + 7..]].concat();
        assert_eq!(fs::read(project.path().join(path)).unwrap(), expected, "{path}");
    }
}

#[test]
fn what_an_encoding_cannot_hold_is_left_alone() {
    let latin = b"# coding: latin-1\nimport socket\n";
    let project = Project::new(&[]);
    project.write("latin.py", latin);
    project.write("plain.py", "import socket\n");
    let ran = project.run(&["check", "--add-waivers", "5 €"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("waived 1 finding in 1 file: GL101 1\n"), "{ran:?}");
    assert!(ran.stderr.contains("1 finding could not be waived and stay: GL101 1\n"), "{ran:?}");
    assert!(ran.stderr.contains("nothing was written into latin.py: its encoding cannot hold"), "{ran:?}");
    assert_eq!(fs::read(project.path().join("latin.py")).unwrap(), latin);
}

#[cfg(unix)]
#[test]
fn links_are_not_written_through_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let project = Project::new(&[("code.txt", "import socket\n"), ("run.py", "import socket\n")]);
    symlink("code.txt", project.path().join("link.py")).unwrap();
    let path = project.path().join("run.py");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    let ran = add(&project, &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("nothing was written into link.py: it is a link\n"), "{ran:?}");
    assert_eq!(read(&project, "code.txt"), "import socket\n");
    assert!(read(&project, "run.py").contains("allow[GL101]"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750);
    let names: Vec<_> =
        fs::read_dir(project.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "nothing is left behind: {names:?}");
}

#[test]
fn what_speaks_of_waivers_cannot_be_waived() {
    let text = "a = 1  # gatelint: allow[GL999] reason=\"x\"\n";
    let project = Project::new(&[("a.py", text)]);
    let ran = add(&project, &[]);
    assert_eq!((ran.code, read(&project, "a.py").as_str()), (1, text));
    let expected =
        "gatelint: no waiver was written\ngatelint: 1 finding could not be waived and stay: GL002 1\n";
    assert_eq!(ran.stderr, expected);
}

#[test]
fn a_reason_is_asked_for_and_fits_between_quotes() {
    let project = project();
    for reason in ["", "  ", "two\nlines", "say \"why\"", "\u{202e}hidden"] {
        let ran = project.run(&["check", "--add-waivers", reason]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    }
    assert_eq!(read(&project, "lib/net.py"), NET);
}

#[test]
fn nothing_to_scan_and_what_is_not_understood_keep_their_exit_codes() {
    assert_eq!(add(&Project::new(&[]), &[]).code, 3);
    let partly = Project::new(&[("a.py", "import socket\n"), ("b.py", "# coding: utf-7\n")]);
    assert_eq!(add(&partly, &[]).code, 4);
    assert!(read(&partly, "a.py").contains("allow[GL101]"));
}
