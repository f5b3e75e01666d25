//! Every way to call a function, family by family: small projects whose planner reaches `net` by one form of call. Where `net`
//! sends, GL201 must say so; in the twin, where it does not, nothing is reported. What is missed stands in `forms/misses.txt`
//! with its reason; what is found does not.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::LazyLock;

use camino::Utf8PathBuf;
use gatelint::harness::{Engine, Reported, configured, discovered};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::support::listed;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/forms");
const MISSES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/forms/misses.txt");
const RULE: &str = "GL201";
const UNCLASSIFIED: &str = "GL702";

/// One test each; a family of the files that is not listed here fails one, too.
macro_rules! families {
    ($language:ident: $($name:ident)*) => {
        mod $language {
            pub const FAMILIES: &[&str] = &[$(stringify!($name)),*];
            $(#[test] fn $name() { super::check(stringify!($language), stringify!($name)); })*
        }
    };
}

families! { python:
    operator subscript formatting truth iteration with awaiting descriptor attribute class protocol exception decorator thread
    asyncio dispatch functools operator_module callback second_order table types injection dataclass pydantic call context queue
    reflection import closure generator method builder project handed handed_back chain overriding model object stored carried
}

families! { rust:
    operator deref drop formatting conversion iteration closure adaptor lazy thread futures traits value dispatch macros module
    builder handed held
}

type Files = BTreeMap<Utf8PathBuf, String>;

/// As much as the command line gives its threads.
const STACK_BYTES: usize = 64 << 20;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new(gatelint::rule::builtin().unwrap()).unwrap());
static THREADS: LazyLock<ThreadPool> =
    LazyLock::new(|| ThreadPoolBuilder::new().stack_size(STACK_BYTES).build().unwrap());

/// A project, and what is added to it where `net` sends and where it does not.
#[derive(Clone, Default)]
struct Case {
    family: String,
    name: String,
    files: Files,
    red: Files,
    twin: Files,
    /// The same registration, and a planner that uses something else.
    idle: Files,
}

/// The families in which a library is given what it may run.
const HELD: [&str; 8] = ["carried", "chain", "handed", "held", "model", "object", "overriding", "stored"];
const OTHER_PYTHON: &str = "
import stranger


def plan_task(text):
    box = stranger.Box(text)
    return box.run(text)
";
const OTHER_RUST: &str = "
pub fn plan_task(text: &str) -> String {
    text.trim().to_string()
}
";

/// What a comment begins with, and the file of a case that is not named.
fn manner(language: &str) -> (&'static str, &'static str) {
    match language {
        "python" => ("# ", "agent.py"),
        _ => ("// ", "src/agent.rs"),
    }
}

/// The cases of a language. What stands before the first of them holds for all.
fn cases(language: &str) -> Vec<Case> {
    let text = fs::read_to_string(format!("{FOLDER}/{language}.txt")).unwrap();
    let (mark, first) = manner(language);
    let mut sections = text.split("\n## ");
    let common = Case::default().read(sections.next().unwrap_or_default(), mark, "");
    let section = |section: &str| {
        let (title, body) = section.split_once('\n').unwrap_or((section, ""));
        let (family, name) =
            title.split_once(": ").unwrap_or_else(|| panic!("`FAMILY: NAME`, not `{title}`"));
        let (family, name) = (family.to_owned(), format!("{language}/{family}/{name}"));
        Case { family, name, ..common.clone() }.read(body, mark, first)
    };
    sections.map(section).collect()
}

impl Case {
    /// Lines before the first file are of `first`, or for people if there is none.
    fn read(mut self, text: &str, mark: &str, first: &str) -> Self {
        let (mut place, mut path) = ("file", Utf8PathBuf::from(first));
        for line in text.lines() {
            match line.strip_prefix(mark).and_then(|line| line.split_once(": ")) {
                Some((word @ ("file" | "red" | "twin" | "idle"), rest)) => {
                    (place, path) = (word, rest.trim().into());
                    self.place(place).insert(path.clone(), String::new());
                }
                // For who wants to run the case.
                Some(("drive", _)) => {}
                _ if path.as_str().is_empty() => {}
                _ => {
                    let text = self.place(place).entry(path.clone()).or_default();
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
        self
    }

    fn place(&mut self, word: &str) -> &mut Files {
        match word {
            "red" => &mut self.red,
            "twin" => &mut self.twin,
            "idle" => &mut self.idle,
            _ => &mut self.files,
        }
    }

    /// What is reported of a project with these files besides.
    fn run(&self, more: &Files) -> Reported {
        let files: Files =
            self.files.iter().chain(more).map(|(at, text)| (at.clone(), text.clone())).collect();
        let config = configured(&files).unwrap();
        let found = discovered(&files, &config);
        THREADS.install(|| ENGINE.run(found, &config, None, ENGINE.rules.clone()))
    }

    fn is_found(&self) -> bool {
        self.run(&self.red).keys().any(|mark| mark.rule == RULE)
    }

    /// What is registered and never used is not accused; nor is it if somebody else uses it than the planner, who uses another
    /// object of a library.
    fn is_quiet_if_idle(&self) -> bool {
        let idle = if self.idle.is_empty() { self.left_to_others() } else { self.idle.clone() };
        let files: Files =
            self.red.iter().chain(&idle).map(|(at, text)| (at.clone(), text.clone())).collect();
        idle.is_empty() || self.run(&files).keys().all(|mark| mark.rule != RULE)
    }

    /// The files with another planner; none if they have more than one.
    fn left_to_others(&self) -> Files {
        let is_held = HELD.contains(&self.family.as_str());
        let files = || self.files.iter().chain(&self.red);
        let plans = |text: &String| text.matches("def plan").count() + text.matches("fn plan").count();
        if !is_held || files().map(|(_, text)| plans(text)).sum::<usize>() != 1 {
            return Files::new();
        }
        let planned =
            files().find(|(_, text)| text.contains("def plan_task(") || text.contains("fn plan_task("));
        let Some((at, text)) = planned else { return Files::new() };
        let other = if text.contains("def plan_task(") { OTHER_PYTHON } else { OTHER_RUST };
        Files::from([(at.clone(), text.replace("plan_task", "carry_out") + other)])
    }

    /// No rule has anything to say of the twin but that its tools, which do nothing, are of no class.
    fn is_harmless(&self) -> bool {
        self.run(&self.twin).keys().all(|mark| mark.rule == UNCLASSIFIED)
    }
}

fn check(language: &str, family: &str) {
    let misses = listed::read(MISSES);
    let family = family.replace('_', " ");
    let mut complaints = Vec::new();
    let mut found = BTreeSet::new();
    for case in cases(language).into_iter().filter(|case| case.family == family) {
        if !case.is_harmless() {
            complaints.push(format!("{}: the twin is noisy", case.name));
        }
        if !case.is_quiet_if_idle() {
            complaints.push(format!("{}: what is never used is accused", case.name));
        }
        match (case.is_found(), misses.get(&case.name)) {
            (true, Some(reason)) => {
                let how = "take it out of misses.txt (GATELINT_UPDATE=1 does)";
                complaints.push(format!("{}: found now, so {how}: {reason}", case.name));
                found.insert(case.name);
            }
            (false, None) => complaints.push(format!("{}: not found", case.name)),
            (true, None) | (false, Some(_)) => {}
        }
    }
    if std::env::var_os("GATELINT_UPDATE").is_some() {
        listed::take_out(MISSES, &found);
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_family_is_run() {
    for (language, families) in [("python", python::FAMILIES), ("rust", rust::FAMILIES)] {
        let found: BTreeSet<String> =
            cases(language).into_iter().map(|case| case.family.replace(' ', "_")).collect();
        let run: BTreeSet<String> = families.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(found, run, "{language}");
    }
}

/// A miss of a case that does not exist would be believed for ever.
#[test]
fn every_listed_case_exists() {
    let cases: Vec<Case> = ["python", "rust"].into_iter().flat_map(cases).collect();
    let names: BTreeSet<&String> = cases.iter().map(|case| &case.name).collect();
    assert_eq!(names.len(), cases.len(), "two cases have one name");
    let misses = listed::read(MISSES);
    let stale: Vec<&String> = misses.keys().filter(|name| !names.contains(name)).collect();
    assert!(stale.is_empty(), "misses.txt: {stale:?}");
}

#[test]
fn there_are_as_many_as_the_languages_have() {
    let [python, rust] = ["python", "rust"].map(|language| cases(language).len());
    assert!(python >= 900 && rust >= 200, "{python} cases of Python, {rust} of Rust");
    let left = |case: &Case| !case.idle.is_empty() || !case.left_to_others().is_empty();
    let idle = ["python", "rust"].into_iter().flat_map(cases).filter(left).count();
    assert!(idle >= 150, "{idle} cases with a planner that does not use what is registered");
}
