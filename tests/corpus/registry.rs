//! What holds for every rule file: the folder is the registry, and its examples are fit to be documentation.

use std::collections::BTreeSet;
use std::sync::Arc;

use camino::Utf8Path;
use gatelint::harness::{Engine, expected};
use gatelint::rule::{Rule, embedded_rules};
use libtest_mimic::{Failed, Trial};

pub fn trials(engine: &Arc<Engine>) -> Vec<Trial> {
    let engine = Arc::clone(engine);
    vec![
        Trial::test("rules::every file of the folder is built in", every_file_is_embedded),
        Trial::test("rules::every rule shows what it reports and what it does not", move || {
            none(engine.rules.iter().flat_map(|rule| complaints(rule)).collect())
        }),
    ]
}

/// A new file is embedded by the next build of the library; without one its tests would be missing in silence.
fn every_file_is_embedded() -> Result<(), Failed> {
    let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let embedded: BTreeSet<&str> = embedded_rules().into_iter().map(|(file, _)| file).collect();
    let on_disk = walkdir::WalkDir::new(&root).into_iter().flatten();
    let missing = on_disk
        .filter_map(|entry| Some(Utf8Path::from_path(entry.path())?.strip_prefix(&root).ok()?.to_string()))
        .filter(|file| file.ends_with(".toml") && !file.starts_with("catalog"))
        .filter(|file| !embedded.contains(file.as_str()))
        .map(|file| format!("rules/{file} is not built in; `cargo clean -p gatelint` and run again"));
    none(missing.collect())
}

fn complaints(rule: &Rule) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut complain = |what: &str| complaints.push(format!("{}: {what}", rule.id));
    let mut names = BTreeSet::new();
    let (mut reported, mut silent) = (false, false);
    for example in rule.examples.iter() {
        if !names.insert(&example.name) {
            complain(&format!("two examples are called `{}`", example.name));
        }
        if !rule.languages.contains(&example.language) {
            complain(&format!("`{}` is written in a language that the rule does not read", example.name));
        }
        let marks = expected(rule, example);
        reported |= !marks.errors.is_empty();
        silent |= marks.errors.is_empty();
    }
    if !reported {
        complain("no example shows what it reports");
    }
    if !silent {
        complain("no example shows what it leaves alone");
    }
    complaints
}

fn none(complaints: Vec<String>) -> Result<(), Failed> {
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n").into()) }
}
