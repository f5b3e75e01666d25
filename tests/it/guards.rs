//! Changes that disable a guard without a touch of what relies on it: each is made in a copy of a clean project, and the rules
//! that it names must report. `guards/*.toml` holds the changes.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::support::Project;

#[derive(Deserialize)]
struct Table {
    change: Vec<Change>,
}

#[derive(Deserialize)]
struct Change {
    name: String,
    file: String,
    /// What is replaced, if it does not only add something.
    find: Option<String>,
    #[serde(default)]
    replace: String,
    #[serde(default)]
    append: String,
    reports: Vec<String>,
    /// Should be reported, and is not yet.
    #[serde(default)]
    missed: Vec<String>,
}

/// Copies the files below a folder.
fn copy(from: &Path, project: &Project, below: &str) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{below}{}", entry.file_name().to_str().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), project, &format!("{path}/")),
            false => project.write(&path, fs::read(entry.path()).unwrap()),
        }
    }
}

fn clean(base: &str) -> Project {
    let project = Project::new(&[]);
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(base), &project, "");
    project
}

fn changed(base: &str, change: &Change) -> Project {
    let project = clean(base);
    let mut text = fs::read_to_string(project.path().join(&change.file)).unwrap();
    if let Some(find) = &change.find {
        assert!(text.contains(find.as_str()), "{}: nothing to replace", change.name);
        text = text.replacen(find.as_str(), &change.replace, 1);
    }
    text.push_str(&change.append);
    project.write(&change.file, text);
    project
}

/// What a change should have been reported for and was not.
fn missed(base: &str, change: &Change) -> Option<String> {
    let ran = changed(base, change).run(&["check", "--format", "json"]);
    let missing: Vec<&String> = change.reports.iter().filter(|rule| ran.count(rule) == 0).collect();
    let closed: Vec<&String> = change.missed.iter().filter(|rule| ran.count(rule) > 0).collect();
    let is_as_said = missing.is_empty() && closed.is_empty();
    (!is_as_said).then(|| format!("{}: missing {missing:?}, found by now {closed:?}", change.name))
}

#[track_caller]
fn each_is_found(base: &str, table: &str) {
    let ran = clean(base).run(&["check", "--format", "json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let table: Table = toml::from_str(table).unwrap();
    let missed: Vec<String> = table.change.iter().filter_map(|change| missed(base, change)).collect();
    assert!(
        missed.is_empty(),
        "{} of {} are not as said\n{}",
        missed.len(),
        table.change.len(),
        missed.join("\n")
    );
}

#[test]
fn a_guard_that_is_disabled_is_found() {
    each_is_found("fixtures/atlas-agent-clean", include_str!("guards/python.toml"));
}

#[test]
fn a_guard_of_rust_that_is_disabled_is_found() {
    each_is_found("tests/it/guards/crate", include_str!("guards/rust.toml"));
}
