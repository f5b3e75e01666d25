//! `gatelint init` from outside: what it proposes is what the code shows, is a valid configuration, and replaces nothing.

use crate::support::Project;

const GUARD: &str = "\
def require_execution(phase):
    if phase != \"execution\":
        raise PermissionError(phase)
";
const SERVICE: &str = "\
import requests

from app.communication.guard import require_execution


def search(query, phase):
    require_execution(phase)
    return requests.get(query)
";
const MAIL: &str = "\
import requests


def send(text):
    return requests.post(\"https://mail.example\", data=text)
";
const STORE: &str = "\
import sqlite3


def connect():
    return sqlite3.connect(\"a.db\")
";

fn project() -> Project {
    Project::new(&[
        ("pyproject.toml", "[project]\nname = \"app\"\n\n[project.scripts]\napp = \"app.run.main:cli\"\n"),
        ("app/__init__.py", ""),
        ("app/communication/__init__.py", ""),
        ("app/communication/guard.py", GUARD),
        ("app/communication/service.py", SERVICE),
        ("app/comm/mail.py", MAIL),
        ("app/db/store.py", STORE),
        ("app/run/main.py", "def cli():\n    pass\n"),
        ("tests/test_db.py", STORE),
    ])
}

#[test]
fn it_proposes_what_behaviour_speaks_for_and_names_the_evidence() {
    let ran = project().run(&["init", "--print"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let line = |glob: &str| {
        let quoted = format!("\"{glob}\"");
        ran.stdout
            .lines()
            .find(|line| line.contains(&quoted))
            .unwrap_or_else(|| panic!("{glob}: {}", ran.stdout))
            .trim()
    };
    let comm = line("app/communication/**");
    assert!(comm.starts_with('"') && comm.contains("1 network call (requests.get)"), "{comm}");
    assert!(comm.contains("1 phase gate (require_execution)"), "{comm}");
    let named = line("app/comm/**");
    assert!(named.starts_with('#') && named.contains("no gate, and no comm handler leads there"), "{named}");
    assert!(line("app/run/main.py").starts_with('"'), "{}", ran.stdout);
    assert!(line("app/db/**").contains("1 storage call (sqlite3.connect), of 1 in all"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("test_db"), "{}", ran.stdout);
}

#[test]
fn what_it_writes_is_a_configuration_that_matches_and_is_never_replaced() {
    let project = project();
    let printed = project.run(&["init", "--print"]).stdout;
    assert!(!project.path().join("gatelint.toml").exists());
    let wrote = project.run(&["init"]);
    assert_eq!(wrote.code, 0);
    assert!(
        wrote.stdout.contains("no longer in the comm layer, so more is reported there: `app/comm/**`"),
        "{wrote:?}"
    );
    let written = std::fs::read_to_string(project.path().join("gatelint.toml")).unwrap();
    assert_eq!(written, printed);
    let ran = project.run(&["check", "--format", "json"]);
    assert_eq!((ran.code, ran.count("GL004")), (1, 0), "{ran:?}");
    // `app/comm` is left for a person to decide, so it counts as agent code until then.
    assert_eq!((ran.count("GL101"), ran.count("GL102")), (1, 1), "{ran:?}");
    project.write("gatelint.toml", "# mine\n");
    let again = project.run(&["init"]);
    assert_eq!(again.code, 2, "{again:?}");
    assert!(again.stderr.contains("`gatelint.toml` configures this project already"), "{again:?}");
    assert_eq!(std::fs::read_to_string(project.path().join("gatelint.toml")).unwrap(), "# mine\n");
    assert_eq!(project.run(&["init", "--print"]).stdout, printed, "`--print` proposes as if there were none");
}

#[test]
fn odd_names_make_no_file_that_cannot_be_read() {
    let project = Project::new(&[
        ("a [b]{c}\"'#/comm/net.py", SERVICE),
        ("a [b]{c}\"'#/comm/guard.py", GUARD),
        ("b.py", "x = 1\n"),
    ]);
    assert_eq!(project.run(&["init"]).code, 0);
    let ran = project.run(&["check", "--format", "json"]);
    assert_ne!(ran.code, 2, "{ran:?}");
    assert_eq!(ran.count("GL004"), 0, "{ran:?}");
}

#[test]
fn nothing_to_scan_writes_nothing() {
    let project = Project::new(&[("README.md", "")]);
    assert_eq!(project.run(&["init"]).code, 3);
    assert!(!project.path().join("gatelint.toml").exists());
}

/// What the default globs took for the comm layer is in the file, set or with the reason why not.
#[test]
fn no_default_glob_goes_without_a_word() {
    let project = project();
    project.write("other/communication/paths.py", "import subprocess\n\nsubprocess.run([\"true\"])\n");
    let before = project.run(&["check", "--format", "json"]);
    let wrote = project.run(&["init"]);
    let after = project.run(&["check", "--format", "json"]);
    assert!(after.count("GL103") > before.count("GL103"), "{after:?}");
    let written = std::fs::read_to_string(project.path().join("gatelint.toml")).unwrap();
    for glob in ["app/comm/**", "other/communication/**"] {
        assert!(wrote.stdout.contains(&format!("`{glob}`")), "{wrote:?}");
        assert!(written.contains(&format!("# \"{glob}\",  # ")), "{written}");
    }
    assert!(written.contains("replaces the default globs"), "{written}");
}

/// A file without a line that is set changes nothing, so what would help is still said, by `check` and by examples.
#[test]
fn without_evidence_the_hints_stay() {
    let project = Project::new(&[("app/main.py", MAIL)]);
    let hint = "may talk to the outside";
    let before = project.run(&["check"]);
    assert!(before.stdout.contains(hint), "{before:?}");
    assert_eq!(project.run(&["init"]).stdout.lines().count(), 1);
    let written = std::fs::read_to_string(project.path().join("gatelint.toml")).unwrap();
    for example in ["# comm = [\"agent/comm/**\"]", "# storage = [\"agent/store/**\"]"] {
        assert!(written.contains(example), "{written}");
    }
    let after = project.run(&["check"]);
    assert!(after.stdout.contains(hint), "{after:?}");
}
