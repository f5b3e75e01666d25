//! Each change that a verdict can depend on, alone: it is noticed, and what is said then is what an analysis says.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::{AGENT, Cache, assert_same};
use crate::support::Project;

const QUIET: &str = "x = 1\n";
const EXCLUDE: &str = "exclude = [\"a.py\"]\n";

struct Case {
    /// Relative to the project; where the run is made.
    within: &'static str,
    args: &'static [&'static str],
    project: Project,
}

fn case(files: &[(&str, &str)]) -> Case {
    Case { within: ".", args: &["check", "--format", "json"], project: Project::new(files) }
}

/// Runs twice, changes something, and runs again.
#[track_caller]
fn noticed(case: Case, change: impl FnOnce(&Path)) {
    let (cache, Case { within, args, project }) = (Cache::new(), case);
    let folder = project.path().join(within);
    let before = cache.run(&folder, args);
    let kept = cache.kept();
    assert_same(&before, &cache.run(&folder, args));
    assert_eq!((kept.len(), &kept), (1, &cache.kept()), "it is answered from what is kept: {before:?}");
    change(project.path());
    let after = cache.run(&folder, args);
    assert_same(&after, &crate::support::Run::new(args).within(&folder).ran());
    assert_ne!(before.stdout, after.stdout, "the change makes a difference");
}

#[test]
fn another_text() {
    noticed(case(&[("a.py", AGENT)]), |root| fs::write(root.join("a.py"), QUIET).unwrap());
}

/// The time at which the file was changed tells, which no program can set back.
#[test]
fn another_text_of_the_same_length_and_time() {
    let case = case(&[("a.py", AGENT)]);
    // Long enough for the state of the file to count.
    thread::sleep(Duration::from_millis(2500));
    noticed(case, |root| {
        let path = root.join("a.py");
        let times = FileTimes::new().set_modified(fs::metadata(&path).unwrap().modified().unwrap());
        let other = AGENT.replace("get", "put");
        assert_eq!(other.len(), AGENT.len());
        fs::write(&path, other).unwrap();
        File::options().write(true).open(&path).unwrap().set_times(times).unwrap();
    });
}

#[test]
fn a_new_file() {
    noticed(case(&[("a.py", QUIET)]), |root| fs::write(root.join("b.py"), AGENT).unwrap());
}

#[test]
fn a_new_file_in_a_folder_below() {
    noticed(case(&[("a/b/c.py", QUIET)]), |root| fs::write(root.join("a/b/d.py"), AGENT).unwrap());
}

#[test]
fn a_file_less() {
    noticed(case(&[("a.py", QUIET), ("b.py", AGENT)]), |root| fs::remove_file(root.join("b.py")).unwrap());
}

#[test]
fn another_name() {
    noticed(case(&[("a.py", AGENT)]), |root| fs::rename(root.join("a.py"), root.join("b.py")).unwrap());
}

#[test]
fn an_ignore_file() {
    noticed(case(&[("a.py", AGENT)]), |root| fs::write(root.join(".gitignore"), "a.py\n").unwrap());
}

#[test]
fn a_configuration_and_its_text() {
    noticed(case(&[("a.py", AGENT)]), |root| fs::write(root.join("gatelint.toml"), EXCLUDE).unwrap());
    let configured = case(&[("a.py", AGENT), ("gatelint.toml", "exclude = [\"b.py\"]\n")]);
    noticed(configured, |root| fs::write(root.join("gatelint.toml"), EXCLUDE).unwrap());
}

#[test]
fn a_configuration_above() {
    let below = Case { within: "below", ..case(&[("below/a.py", AGENT)]) };
    noticed(below, |root| {
        fs::write(root.join("gatelint.toml"), "exclude = [\"below/a.py\"]\n").unwrap();
    });
}

#[test]
fn a_repository_around() {
    let below = Case { within: "a/b", ..case(&[("a/b/c.py", AGENT)]) };
    noticed(below, |root| fs::create_dir(root.join("a/.git")).unwrap());
}

#[test]
fn a_manifest() {
    let files = [("a.py", AGENT), ("pyproject.toml", "[project]\nname = \"a\"\n")];
    noticed(case(&files), |root| {
        fs::write(root.join("pyproject.toml"), format!("[tool.gatelint]\n{EXCLUDE}")).unwrap();
    });
}

#[test]
fn a_baseline() {
    let project = Project::new(&[("a.py", AGENT)]);
    assert_eq!(project.run(&["baseline", "write"]).code, 0);
    let text = fs::read(project.path().join("gatelint-baseline.json")).unwrap();
    noticed(case(&[("a.py", AGENT)]), |root| fs::write(root.join("gatelint-baseline.json"), text).unwrap());
}

#[test]
fn a_rule_of_a_team() {
    let rule = include_str!("../team-rules/pickle-in-tool.toml");
    let agent = "import pickle\nfrom langchain_core.tools import tool\n\n\n@tool\ndef remember(data):\n    return pickle.loads(data)\n";
    let files =
        [("a.py", agent), ("rules/a.toml", rule), ("gatelint.toml", "[rules]\npaths = [\"rules\"]\n")];
    noticed(case(&files), |root| fs::write(root.join("rules/a.toml"), "id = 1\n").unwrap());
}

#[test]
fn a_link_that_leads_elsewhere() {
    let case = case(&[("a.py", QUIET), ("node_modules/one.txt", QUIET), ("node_modules/two.txt", AGENT)]);
    symlink("node_modules/one.txt", case.project.path().join("link.py")).unwrap();
    noticed(case, |root| {
        fs::remove_file(root.join("link.py")).unwrap();
        symlink("node_modules/two.txt", root.join("link.py")).unwrap();
    });
}

#[test]
fn a_file_that_is_imported_from_elsewhere() {
    let tool = "from langchain_core.tools import tool\nfrom helper import ask\n\n\n@tool\ndef act(it: str):\n    \"\"\"Acts.\"\"\"\n    ask()\n";
    let files = [("a.py", tool), ("helper.py", "def ask():\n    pass\n")];
    let part = Case { args: &["check", "--format", "json", "a.py"], ..case(&files) };
    noticed(part, |root| fs::write(root.join("helper.py"), AGENT).unwrap());
}

#[test]
fn a_file_in_a_folder_that_is_passed_by() {
    let files = [("a.py", "import node_modules.b\n"), ("node_modules/b.py", QUIET)];
    noticed(case(&files), |root| fs::write(root.join("node_modules/b.py"), AGENT).unwrap());
}

#[test]
fn a_copy_of_the_merge_base() {
    let files = [("a.py", AGENT), ("gatelint.toml", EXCLUDE), ("base.toml", EXCLUDE)];
    let based = Case { args: &["check", "--format", "json", "--base", "base.toml"], ..case(&files) };
    noticed(based, |root| fs::write(root.join("base.toml"), "exclude = []\n").unwrap());
}

/// Some may read what others may not; either way an analysis would say the same.
#[test]
fn permissions() {
    let (project, cache) = (Project::new(&[("a.py", AGENT)]), Cache::new());
    cache.run(project.path(), &["check"]);
    for mode in [0o000, 0o444, 0o755] {
        fs::set_permissions(project.path().join("a.py"), fs::Permissions::from_mode(mode)).unwrap();
        assert_same(&cache.run(project.path(), &["check"]), &project.run(&["check"]));
    }
}

#[test]
fn arguments_folders_and_colours() {
    let (project, cache) = (Project::new(&[("a/a.py", AGENT)]), Cache::new());
    cache.run(project.path(), &["check"]);
    let below = project.path().join("a");
    let others = [
        cache.prepared(project.path(), &["check", "--full"]),
        cache.prepared(&below, &["check"]),
        cache.prepared(project.path(), &["check"]).env("FORCE_COLOR", "1"),
        cache.prepared(project.path(), &["check"]).env("NO_COLOR", "1"),
        cache.prepared(project.path(), &["check"]).env("TERM", "dumb"),
    ];
    for (other, number) in others.into_iter().zip(2..) {
        other.ran();
        assert_eq!(cache.kept().len(), number);
    }
}
