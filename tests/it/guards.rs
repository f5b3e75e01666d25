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

/// A fence with two methods, both behind so many helpers that hand back what they are given; the second is the nearer one.
fn broken_behind(helpers: usize, nearer: usize, is_swapped: bool) -> Project {
    let method =
        |name: &str, first: usize| format!("    def {name}(self, text):\n        return h{first}(text)\n\n");
    let mut methods = [method("wrap", 0), method("wrap_record", helpers - nearer)];
    if is_swapped {
        methods.swap(0, 1);
    }
    let next = |at: usize| if at + 1 < helpers { format!("h{}(text)", at + 1) } else { "text".to_owned() };
    let helper = |at: usize| format!("\ndef h{at}(text):\n    return {}\n\n", next(at));
    let chain: String = (0..helpers).map(helper).collect();
    Project::new(&[("content_fence.py", &format!("class ContentFence:\n{}{chain}", methods.concat()))])
}

#[test]
fn how_deep_a_guard_is_broken_and_who_is_looked_at_first_does_not_matter() {
    for (helpers, nearer) in [(15, 8), (5_000, 2_500)] {
        for is_swapped in [false, true] {
            let project = broken_behind(helpers, nearer, is_swapped);
            let ran = project.run(&["check", "--select", "GL208", "--format", "json"]);
            assert_eq!(ran.count("GL208"), 2, "{helpers} {is_swapped} {ran:?}");
        }
    }
}

#[test]
fn a_guard_that_is_broken_in_a_recursion_is_found() {
    let ring = "class ContentFence:\n    def wrap(self, text, left=3):\n        return even(text, left)\n\n\n\
                def even(text, left):\n    return text if left == 0 else odd(text, left - 1)\n\n\n\
                def odd(text, left):\n    return even(text, left - 1)\n";
    let ran =
        Project::new(&[("content_fence.py", ring)]).run(&["check", "--select", "GL208", "--format", "json"]);
    assert_eq!(ran.count("GL208"), 1, "{ran:?}");
}

/// `explain --gate` knows what `check` knows: of a change that both rules report, it says that the gate is none, or one of them
/// where the change adds another one.
#[test]
fn a_gate_that_a_change_disables_is_none_for_explain() {
    let table: Table = toml::from_str(include_str!("guards/python.toml")).unwrap();
    let reports = |change: &Change, rule: &str| change.reports.iter().any(|reported| reported == rule);
    let disabled = table.change.iter().filter(|change| reports(change, "GL208") && reports(change, "GL202"));
    let is_believed = |change: &&Change| {
        let ran =
            changed("fixtures/atlas-agent-clean", change).run(&["explain", "--gate", "PhaseGate.check"]);
        let mut said = ran.stdout.lines().filter(|line| line.starts_with('`'));
        said.all(|line| line.contains(" is a phase gate"))
    };
    let believed: Vec<&str> = disabled.filter(is_believed).map(|change| change.name.as_str()).collect();
    assert_eq!(believed, Vec::<&str>::new());
}

const GATE: &str = "\
class PhaseError(Exception):
    pass


class PhaseGate:
    @staticmethod
    def check(operation, execution_phase):
        if execution_phase != 'execution':
            raise PhaseError(operation)


def require_execution(operation, execution_phase):
    if execution_phase != 'execution':
        raise PhaseError(operation)
";

/// By what is replaced and how, what `check` and `explain --gate` say of it.
#[test]
fn what_stands_in_the_place_of_a_gate_is_named_by_check_and_by_explain() {
    let quiet = "lambda *given, **named: None";
    let by = "by something that refuses nothing on any path";
    for (owner, name) in [("guards.PhaseGate", "check"), ("guards", "require_execution")] {
        let ways = [
            format!("{owner}.{name} = {quiet}"),
            format!("setattr({owner}, '{name}', {quiet})"),
            format!("mock.patch.object({owner}, '{name}', {quiet}).start()"),
            format!("mock.patch('{owner}.{name}', {quiet}).start()"),
        ];
        let called = format!("{owner}.{name}");
        let called = called.trim_start_matches("guards.");
        let agent = format!(
            "import guards\nimport requests\n\n\nclass Search:\n    namespace = 'comm'\n\n    \
             def execute(self, query, execution_phase):\n        guards.{called}('comm.search', execution_phase)\n        \
             return requests.get(query)\n"
        );
        for way in ways {
            let policy = format!("import guards\nfrom unittest import mock\n\n{way}\n");
            let project = Project::new(&[("guards.py", GATE), ("agent.py", &agent), ("policy.py", &policy)]);
            let ran = project.run(&["check", "--select", "GL202,GL208", "--format", "json"]);
            assert_eq!((ran.count("GL202"), ran.count("GL208")), (1, 1), "{way}: {ran:?}");
            let findings = ran.json()["findings"].clone();
            let missing =
                findings.as_array().unwrap().iter().find(|finding| finding["rule"] == "GL202").unwrap();
            let said = format!("`{called}`, called at agent.py:9, is replaced at policy.py:4 {by}");
            assert!(missing["message"].as_str().unwrap().ends_with(&said), "{missing:#}");
            assert_eq!(missing["steps"][0]["location"]["path"], "policy.py", "{missing:#}");
            let page = project.run(&["explain", "--gate", called]).stdout;
            assert!(
                page.contains(&format!("is no phase gate: it is replaced at policy.py:4 {by}")),
                "{way}: {page}"
            );
        }
    }
}

#[test]
fn a_gate_that_is_defined_again_is_named_by_check_and_by_explain() {
    let guards = format!("{GATE}\n\ndef require_execution(operation, execution_phase):\n    return None\n");
    let agent = "from guards import require_execution\nimport requests\n\n\nclass Search:\n    namespace = 'comm'\n\n    \
                 def execute(self, query, execution_phase):\n        require_execution('comm.search', execution_phase)\n        \
                 return requests.get(query)\n";
    let project = Project::new(&[("guards.py", &guards), ("agent.py", agent)]);
    let ran = project.run(&["check", "--select", "GL202,GL208", "--format", "json"]);
    assert_eq!((ran.count("GL202"), ran.count("GL208")), (1, 1), "{ran:?}");
    let said = "`require_execution`, called at agent.py:9, refuses nothing on any path (guards.py:17)";
    assert!(ran.stdout.contains(said), "{ran:?}");
    let page = project.run(&["explain", "--gate", "require_execution"]).stdout;
    assert!(
        page.contains("(guards.py:12) is never called: the definition at guards.py:17 takes its place"),
        "{page}"
    );
}
