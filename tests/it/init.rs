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
    let line = |glob: &str| line(&ran.stdout, glob);
    let comm = line("app/communication/**");
    assert!(comm.starts_with('"') && comm.contains("1 network call (requests.get)"), "{comm}");
    assert!(comm.contains("1 phase gate (require_execution)"), "{comm}");
    let named = line("app/comm/**");
    assert!(named.starts_with('#') && named.contains("no gate, and no comm handler leads there"), "{named}");
    assert!(line("app/run/main.py").starts_with('"'), "{}", ran.stdout);
    let thin = "# \"app/db/**\",  # 1 storage call in 1 of 1 file that reaches outside (sqlite3.connect)";
    assert_eq!(line("app/db/**"), thin);
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

const NOTES: &str = "\
from pathlib import Path

ROOT = Path.home() / \".atlas\"


def read():
    return (ROOT / \"notes.md\").read_text()


def write(text):
    (ROOT / \"notes.md\").write_text(text)
";
const AGENT: &str = "\
import subprocess

from agents import function_tool

from atlas.guards import require_execution
from atlas.notes import read


@function_tool
def recall():
    return read()


@function_tool
def run(command, phase):
    require_execution(phase)
    return subprocess.run(command)
";
const SETUP: &str = "[metadata]\nname = atlas\n\n[options.entry_points]\nconsole_scripts =\n    atlas-admin = atlas.admin:main\n";

/// Three providers in folders of their own, a store of three files, programs, and a folder in the home directory.
fn atlas() -> Project {
    let provider = |module: &str, class: &str| {
        format!(
            "import {module}\n\n\ndef ask(text):\n    return {module}.{class}().chat.completions.create(text)\n"
        )
    };
    let project = Project::new(&[
        ("pyproject.toml", "[project]\nname = \"atlas\"\n\n[project.scripts]\natlas = \"atlas.cli:main\"\n"),
        ("setup.cfg", SETUP),
        ("atlas/__init__.py", ""),
        ("atlas/__main__.py", "from atlas.cli import main\n\nmain()\n"),
        ("atlas/admin.py", "import subprocess\n\n\ndef main():\n    subprocess.run([\"true\"])\n"),
        ("atlas/agent.py", AGENT),
        ("atlas/cli.py", "def main():\n    print(1)\n"),
        ("atlas/guards.py", GUARD),
        ("atlas/notes.py", NOTES),
        ("atlas/models/base.py", "class Base:\n    pass\n"),
        ("atlas/store/facts.py", STORE),
        ("atlas/store/goals.py", STORE),
        ("atlas/store/notes.py", STORE),
    ]);
    for (path, module, class) in [
        ("openai/chat.py", "openai", "OpenAI"),
        ("groq/chat.py", "groq", "Groq"),
        ("together/chat.py", "together", "Together"),
    ] {
        project.write(&format!("atlas/models/{path}"), provider(module, class));
    }
    project
}

/// The written line of an entry.
fn line<'t>(text: &'t str, entry: &str) -> &'t str {
    let quoted = format!("\"{entry}\"");
    text.lines().find(|line| line.contains(&quoted)).unwrap_or_else(|| panic!("{entry}: {text}")).trim()
}

fn assert_set(text: &str, entry: &str) {
    assert!(line(text, entry).starts_with('"'), "{entry}: {text}");
}

fn assert_doubtful(text: &str, entry: &str) {
    assert!(line(text, entry).starts_with('#'), "{entry}: {text}");
}

#[test]
fn it_sets_what_the_evidence_is_clear_for() {
    let text = atlas().run(&["init", "--print"]).stdout;
    for entry in ["atlas/models/**", "atlas/store/**", "atlas/cli.py", "atlas/admin.py", "~/.atlas/**"] {
        assert_set(&text, entry);
    }
    assert!(line(&text, "atlas/models/**").contains("3 model provider calls in 3 of 3 files"), "{text}");
    assert!(!text.contains("atlas/models/openai"), "the folder above stands for it: {text}");
    assert!(line(&text, "atlas/cli.py").ends_with("# 1 program of pyproject.toml (atlas)"), "{text}");
    assert!(line(&text, "atlas/admin.py").ends_with("# 1 program of setup.cfg (atlas-admin)"), "{text}");
    assert!(line(&text, "atlas/__main__.py").ends_with("# 1 program run by its folder (atlas)"), "{text}");
    let known = "# recognised already: 1 phase gate, nothing to set (guards.require_execution)";
    assert!(text.contains(known), "{text}");
    assert!(text.contains("# No action gate was recognised"), "{text}");
}

#[test]
fn its_head_says_what_the_agent_can_do() {
    let text = atlas().run(&["init", "--print"]).stdout;
    assert!(text.contains("\n# Agent frameworks, by tools: openai-agents: 2.\n"), "{text}");
    assert!(text.contains("\n# `gatelint commands` lists 2 tools (recall, run)\n"), "{text}");
    let reached = "a process 1, the network 0, a file outside the workspace 1, storage 0.";
    assert!(text.contains(&format!("\n# How many of them can reach: {reached}\n")), "{text}");
}

#[test]
fn what_it_sets_is_valid_and_adds_no_finding() {
    let project = atlas();
    let before = project.run(&["check", "--format", "json"]);
    let printed = project.run(&["init", "--print"]).stdout;
    assert_eq!(project.run(&["init", "--print"]).stdout, printed);
    assert_eq!(project.run(&["init"]).code, 0);
    let after = project.run(&["check", "--format", "json"]);
    let findings = |ran: &crate::support::Ran| ran.json()["findings"].as_array().unwrap().len();
    assert_eq!(after.count("GL004"), 0, "{after:?}");
    assert!(findings(&after) < findings(&before), "{before:?} {after:?}");
    assert_eq!((after.count("GL104"), after.count("GL105")), (0, 0), "{after:?}");
    let long =
        printed.lines().filter_map(|line| line.split_once(",  # ")).map(|(_, why)| why.chars().count());
    assert!(long.max() <= Some(100), "{printed}");
}

/// Two files, a share below the threshold, a folder with tools, one access, and a program that is the agent: none of these is
/// clear.
#[test]
fn where_the_evidence_is_thin_nothing_is_set() {
    let other = "import subprocess\n\nsubprocess.run([\"true\"])\n";
    let home = "import os\n\nopen(os.path.expanduser(\"~/.atlas/a\"))\n";
    let tool = "import sqlite3\n\nfrom agents import function_tool\n\n\n@function_tool\n\
                def find(text):\n    return sqlite3.connect(text)\n";
    let project = Project::new(&[
        ("pyproject.toml", "[project]\nname = \"atlas\"\n\n[project.scripts]\natlas = \"atlas.run:main\"\n"),
        ("atlas/run.py", AGENT),
        ("atlas/few/a.py", STORE),
        ("atlas/few/b.py", STORE),
        ("atlas/home.py", home),
        ("atlas/mixed/a.py", STORE),
        ("atlas/mixed/b.py", STORE),
        ("atlas/mixed/c.py", STORE),
        ("atlas/mixed/d.py", other),
        ("atlas/mixed/e.py", other),
        ("atlas/mixed/f.py", other),
        ("atlas/tools/a.py", STORE),
        ("atlas/tools/b.py", STORE),
        ("atlas/tools/c.py", tool),
    ]);
    let text = project.run(&["init", "--print"]).stdout;
    for entry in ["atlas/few/**", "atlas/mixed/**", "atlas/tools/**", "~/.atlas/**", "atlas/run.py"] {
        assert_doubtful(&text, entry);
    }
    assert!(line(&text, "atlas/tools/**").contains("# 1 tool here, "), "{text}");
    assert!(line(&text, "atlas/run.py").contains("# 2 tools registered here, "), "{text}");
    assert!(text.lines().all(|line| line.starts_with(['#', '[', ' ']) || line.is_empty()), "{text}");
}

/// A store is a layer of a project, and the whole of a project is none.
#[test]
fn the_whole_project_is_no_layer() {
    let project = Project::new(&[
        ("atlas/a.py", STORE),
        ("atlas/b.py", STORE),
        ("atlas/c.py", STORE),
        ("atlas/d/e.py", "x = 1\n"),
    ]);
    let text = project.run(&["init", "--print"]).stdout;
    assert_doubtful(&text, "atlas/*.py");
    assert!(!text.contains("\"atlas/**\""), "{text}");
}

/// Most of the files is a package of a project, whatever lies beside it.
#[test]
fn a_package_beside_scripts_is_no_layer() {
    let project = Project::new(&[
        ("atlas/a/b.py", STORE),
        ("atlas/c/d.py", STORE),
        ("atlas/e/f.py", STORE),
        ("scripts/g.py", "x = 1\n"),
        ("scripts/h.py", "x = 1\n"),
    ]);
    let text = project.run(&["init", "--print"]).stdout;
    assert!(!text.contains("\"atlas/**\"") && !text.contains("\nstorage = ["), "{text}");
}

#[test]
fn without_a_manifest_the_package_names_the_project() {
    let project = Project::new(&[("atlas/__init__.py", ""), ("atlas/notes.py", NOTES)]);
    assert_set(&project.run(&["init", "--print"]).stdout, "~/.atlas/**");
}

#[test]
fn binaries_of_a_workspace_are_programs() {
    let main = "fn main() {\n    atlas_store::open();\n    println!(\"done\");\n}\n";
    let library = "pub fn open() {\n    let _ = std::process::Command::new(\"true\").status();\n}\n";
    let bin = "[package]\nname = \"atlas-cli\"\n\n[[bin]]\nname = \"extra\"\npath = \"extra/run.rs\"\n";
    let project = Project::new(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        ("crates/cli/Cargo.toml", bin),
        ("crates/cli/src/main.rs", main),
        ("crates/cli/src/bin/sync.rs", main),
        ("crates/cli/extra/run.rs", main),
        ("crates/store/Cargo.toml", "[package]\nname = \"atlas-store\"\n"),
        ("crates/store/src/lib.rs", library),
    ]);
    let text = project.run(&["init", "--print"]).stdout;
    for (path, name) in [("src/main.rs", "atlas-cli"), ("src/bin/sync.rs", "sync"), ("extra/run.rs", "extra")]
    {
        let entry = format!("crates/cli/{path}");
        assert_set(&text, &entry);
        let why = format!("# 1 program of Cargo.toml ({name})");
        assert!(line(&text, &entry).ends_with(&why), "{text}");
    }
    assert_eq!(project.run(&["init"]).code, 0);
    assert_eq!(project.run(&["check", "--format", "json"]).count("GL004"), 0);
}
