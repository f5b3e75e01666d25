//! Kept verdicts, as a user sees them: the same bytes at once while nothing changes, and never anything else. That a run was
//! answered from what is kept is seen by the file, which an analysis writes anew.

mod changes;
mod edits;
mod hostile;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::{Project, Ran, Run};

const AGENT: &str = "import requests\n\n\ndef ask():\n    return requests.get(\"https://a.example\")\n";

/// The cache folder of a user.
pub struct Cache {
    home: TempDir,
}

impl Cache {
    pub fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    pub fn folder(&self) -> PathBuf {
        self.home.path().join("gatelint")
    }

    /// A run that may be answered from what is kept.
    pub fn prepared(&self, within: &Path, args: &[&str]) -> Run {
        let home = self.home.path().to_str().unwrap();
        Run::new(args).within(within).without_env("GATELINT_NO_CACHE").env("XDG_CACHE_HOME", home)
    }

    pub fn run(&self, within: &Path, args: &[&str]) -> Ran {
        self.prepared(within, args).ran()
    }

    /// Every kept verdict, each with what only a new file has.
    pub fn kept(&self) -> BTreeMap<PathBuf, (u64, i64, i64)> {
        kept(&self.folder())
    }
}

pub fn kept(folder: &Path) -> BTreeMap<PathBuf, (u64, i64, i64)> {
    let files = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let verdicts = files.filter(|path| path.extension().is_some_and(|extension| extension == "verdict"));
    let state = |path: &Path| {
        let metadata = fs::metadata(path).unwrap();
        (metadata.ino(), metadata.mtime(), metadata.mtime_nsec())
    };
    verdicts.map(|path| (path.clone(), state(&path))).collect()
}

#[track_caller]
pub fn assert_same(a: &Ran, b: &Ran) {
    assert_eq!((a.code, &a.stdout, &a.stderr), (b.code, &b.stdout, &b.stderr));
}

#[test]
fn a_second_run_says_the_same_in_every_format_without_an_analysis() {
    let (project, cache) = (Project::new(&[("a.py", AGENT), ("b.py", "def f(:\n")]), Cache::new());
    let formats = ["human", "concise", "json", "sarif", "github", "markdown"];
    for (args, number) in formats.map(|format| ["check", "--format", format]).into_iter().zip(1..) {
        let first = cache.run(project.path(), &args);
        let kept = cache.kept();
        assert_eq!(kept.len(), number, "{args:?}: {first:?}");
        let again = cache.run(project.path(), &args);
        assert_eq!(kept, cache.kept(), "{args:?} was answered from what is kept");
        assert_same(&first, &again);
        assert_same(&first, &project.run(&args));
    }
}

#[test]
fn the_exit_code_is_that_of_an_analysis() {
    for (text, code) in [("x = 1\n", 0), (AGENT, 1), ("def f(:\n", 4)] {
        let (project, cache) = (Project::new(&[("a.py", text)]), Cache::new());
        let first = cache.run(project.path(), &["check", "--format", "json"]);
        let kept = cache.kept();
        let again = cache.run(project.path(), &["check", "--format", "json"]);
        assert_eq!((first.code, kept.len(), &kept), (code, 1, &cache.kept()), "{first:?}");
        assert_same(&first, &again);
    }
    let (project, cache) = (Project::new(&[]), Cache::new());
    assert_eq!(cache.run(project.path(), &["check"]).code, 3);
    assert_eq!(cache.run(project.path(), &["check"]).code, 3);
}

#[test]
fn what_writes_reads_standard_input_is_measured_or_failed_is_not_kept() {
    let (project, cache) = (Project::new(&[("a.py", AGENT)]), Cache::new());
    for args in [
        &["check", "--timings"][..],
        &["check", "--output", "report.txt"],
        &["check", "--also", "json=report.json"],
        &["check", "--no-cache"],
        &["check", "--select", "GL999"],
        &["check", "-", "--stdin-filename", "a.py"],
        &["check", "--files-from", "-"],
        &["check", "--config", "missing.toml"],
        &["check", "--add-waivers", "reviewed"],
    ] {
        let ran = cache.run(project.path(), args);
        assert!(cache.kept().is_empty(), "{args:?}: {ran:?}");
    }
    for value in ["1", "yes"] {
        cache.prepared(project.path(), &["check"]).env("GATELINT_NO_CACHE", value).ran();
        assert!(cache.kept().is_empty());
    }
    cache.prepared(project.path(), &["check"]).env("GATELINT_NO_CACHE", "0").ran();
    assert_eq!(cache.kept().len(), 1);
}

#[test]
fn threads_and_progress_are_no_part_of_the_key() {
    let (project, cache) = (Project::new(&[("a.py", AGENT)]), Cache::new());
    cache.run(project.path(), &["check"]);
    let kept = cache.kept();
    cache.run(project.path(), &["check", "--threads", "1", "--no-progress"]);
    assert_eq!((kept.len(), &kept), (1, &cache.kept()));
}

#[test]
fn eight_verdicts_of_a_project_stay() {
    let (project, cache) = (Project::new(&[("a.py", AGENT)]), Cache::new());
    let ids = ["GL1", "GL2", "GL3", "GL4", "GL101", "GL102", "GL103", "GL104", "GL105", "GL201"];
    for id in ids {
        cache.run(project.path(), &["check", "--select", id]);
    }
    assert_eq!(cache.kept().len(), 8);
    let kept = cache.kept();
    cache.run(project.path(), &["check", "--select", "GL201"]);
    assert_eq!(kept, cache.kept(), "the newest are there");
}

#[test]
fn runs_at_once_do_not_disturb_each_other() {
    let (project, cache) = (Project::new(&[("a.py", AGENT)]), Cache::new());
    let expected = project.run(&["check"]);
    std::thread::scope(|scope| {
        let run = || assert_same(&expected, &cache.run(project.path(), &["check"]));
        for _ in 0..6 {
            scope.spawn(run);
        }
    });
    assert_same(&expected, &cache.run(project.path(), &["check"]));
    let kept = cache.kept();
    assert_same(&expected, &cache.run(project.path(), &["check"]));
    assert_eq!((kept.len(), &kept), (1, &cache.kept()));
    let names = fs::read_dir(cache.folder()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.count(), 2, "a verdict and the key, and nothing unfinished");
}

#[test]
fn clean_removes_what_is_known_and_nothing_else() {
    let (project, cache) = (Project::new(&[("a.py", AGENT)]), Cache::new());
    let clean = || cache.run(project.path(), &["clean"]);
    assert_eq!((clean().code, clean().stdout.as_str()), (0, "nothing is kept\n"));
    cache.run(project.path(), &["check"]);
    let name = cache.kept().into_keys().next().unwrap();
    let foreign = cache.folder().join("notes.verdict");
    fs::write(&foreign, "mine").unwrap();
    let link = cache.folder().join(format!("{}-0123456789abcdef.verdict", "0".repeat(64)));
    std::os::unix::fs::symlink(&foreign, &link).unwrap();
    let ran = clean();
    assert!(ran.code == 0 && ran.stdout.starts_with("removed 2 files, "), "{ran:?}");
    assert!(!name.exists() && foreign.exists() && link.is_symlink());
    fs::remove_file(foreign).unwrap();
    fs::remove_file(link).unwrap();
    clean();
    cache.run(project.path(), &["check"]);
    clean();
    assert!(!cache.folder().exists(), "an empty folder goes, too");
}

#[test]
fn a_folder_that_is_named_holds_verdicts_and_no_key() {
    let (project, cache) = (Project::new(&[("a.py", AGENT)]), Cache::new());
    let named = tempfile::tempdir().unwrap();
    let folder = named.path().join("kept");
    let args = ["check", "--cache-dir", folder.to_str().unwrap()];
    cache.run(project.path(), &args);
    assert_eq!((kept(&folder).len(), cache.kept().len()), (1, 0));
    assert!(!folder.join("key").exists() && cache.folder().join("key").exists());
    let before = kept(&folder);
    cache.prepared(project.path(), &["check"]).env("GATELINT_CACHE_DIR", folder.to_str().unwrap()).ran();
    assert_eq!(before, kept(&folder), "the variable says the same");
    fs::write(folder.join("key"), "somebody's").unwrap();
    cache.run(project.path(), &["clean", "--cache-dir", folder.to_str().unwrap()]);
    assert!(kept(&folder).is_empty() && folder.join("key").exists(), "a key there is none of ours");
}

#[test]
fn a_script_with_the_name_of_a_verdict_is_scanned() {
    let script = format!("#!/usr/bin/env python3\n{AGENT}");
    for name in ["a.verdict", "1-2.unfinished"] {
        let project = Project::new(&[(name, script.as_str())]);
        assert_eq!(project.run(&["check"]).code, 1, "{name}");
    }
}

/// Where only the project is kept from run to run. What comes with a change is not believed there either.
#[test]
fn verdicts_may_lie_in_the_project() {
    let (project, cache) = (Project::new(&[("a.py", AGENT)]), Cache::new());
    let (folder, args) = (project.path().join("kept"), ["check", "--cache-dir", "kept"]);
    let first = cache.run(project.path(), &args);
    let before = kept(&folder);
    assert_eq!((first.code, before.len()), (1, 1), "{first:?}");
    assert_same(&first, &cache.run(project.path(), &args));
    assert_eq!(before, kept(&folder), "it was answered from there");
    let other = Cache::new();
    assert_same(&first, &other.run(project.path(), &args));
    assert_ne!(before, kept(&folder), "another user has another secret");
    project.write("kept/b.py", AGENT);
    assert_ne!(first.stdout, other.run(project.path(), &args).stdout, "all else that lies there is scanned");
}

#[test]
fn what_was_checked_out_anew_is_compared_by_its_bytes() {
    let (project, cache) = (Project::new(&[("a.py", AGENT)]), Cache::new());
    let first = cache.run(project.path(), &["check"]);
    let kept = cache.kept();
    fs::remove_file(project.path().join("a.py")).unwrap();
    project.write("a.py", AGENT);
    assert_same(&first, &cache.run(project.path(), &["check"]));
    assert_eq!(kept, cache.kept());
}
