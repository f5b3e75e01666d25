//! What the documents show is real: the report in the README is what gatelint prints, but for what `[…]` leaves out, and the
//! hook, the workflow and the rule of a team on the other pages are those that work.

use std::fs;
use std::path::Path;

use yaml_rust2::{Yaml, YamlLoader};

use crate::support::{Project, Run};

const README: &str = "README.md";
/// Where the hook and the workflow are shown.
const HOOKS: &str = "docs/hooks-and-ci.md";
/// Where the rule of a team is shown.
const RULES: &str = "docs/custom-rules.md";
const MARKERS: (&str, &str) = ("<!-- output -->\n```text\n", "```\n<!-- /output -->");
const LEFT_OUT: &str = "[…]";
/// What stands behind `cargo run --release --` in the command whose report is shown.
const SHOWN_JOB: &str = "check fixtures/notes-mcp --exit-zero";

fn text(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

#[test]
fn the_output_in_the_readme_is_real() {
    let readme = text(README);
    let command = format!("cargo run --release -- {SHOWN_JOB}\n");
    assert!(readme.contains(&command), "{README} says how to get what it shows: {command}");
    let args: Vec<_> = SHOWN_JOB.split(' ').collect();
    let ran = Run::new(&args).within(Path::new(env!("CARGO_MANIFEST_DIR"))).ran();
    assert_eq!(ran.code, 0, "{ran:?}");
    if let Some(part) = stale(shown(&readme), &ran.stdout) {
        panic!("{}", remedy(part, &ran.stdout));
    }
}

/// The first part of what is shown that gatelint does not print, behind the parts before it.
fn stale<'a>(shown: &'a str, printed: &str) -> Option<&'a str> {
    let mut rest = printed;
    for part in shown.split(LEFT_OUT).map(|part| part.trim_matches('\n')) {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return Some(part),
        }
    }
    None
}

fn remedy(part: &str, printed: &str) -> String {
    format!(
        "{README} shows a report that gatelint no longer prints. Replace the whole block between `<!-- output -->` and \
         `<!-- /output -->` by what stands below under `printed`. A line `{LEFT_OUT}` may take the place of any lines.\n\n\
         === not printed, or not in this order:\n{part}\n\n=== printed by `gatelint {SHOWN_JOB}`:\n{printed}"
    )
}

/// The block of code between the markers.
fn shown(readme: &str) -> &str {
    let (_, rest) = readme.split_once(MARKERS.0).expect("the README has the marker and a block of text");
    rest.split_once(MARKERS.1).expect("the block ends before the second marker").0
}

#[test]
fn what_is_left_out_hides_no_other_line() {
    assert_eq!(stale("a\n[…]\nc\n", "a\nb\nc\n"), None);
    assert_eq!(stale("c\n\n[…]\n\na\n", "a\nb\nc\n"), Some("a"));
    assert_eq!(stale("a\nc\n", "a\nb\nc\n"), Some("a\nc"));
}

/// The rule that both documents show is the one that `team.rs` runs.
#[test]
fn the_rule_of_a_team_in_the_documents_is_real() {
    let rule = text("tests/it/team-rules/pickle-in-tool.toml");
    let indented: String = rule
        .lines()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("   {line}\n") })
        .collect();
    assert!(text("CONTRIBUTING.md").contains(&indented), "CONTRIBUTING shows the whole file");
    let (head, _) = rule.split_once("\n[[example]]").unwrap();
    let shown = format!("<!-- team rule -->\n```toml\n{head}```\n<!-- /team rule -->");
    assert!(text(RULES).contains(&shown), "{RULES} shows the rule without its examples");
}

/// The YAML between two markers of a page.
fn yaml(page: &str, name: &str) -> Yaml {
    let page = text(page);
    let (_, rest) =
        page.split_once(&format!("<!-- {name} -->\n```yaml\n")).expect("the marker begins a block");
    let (text, _) = rest.split_once("```").expect("the block ends");
    YamlLoader::load_from_str(text).unwrap().remove(0)
}

fn file(name: &str) -> Yaml {
    YamlLoader::load_from_str(&text(name)).unwrap().remove(0)
}

#[test]
fn the_hook_in_the_documents_is_there() {
    let shown = &yaml(HOOKS, "hook")["repos"][0];
    assert_eq!(shown["repo"].as_str(), Some(env!("CARGO_PKG_REPOSITORY")));
    assert_eq!(shown["rev"].as_str(), Some(concat!("v", env!("CARGO_PKG_VERSION"))));
    let hook = &shown["hooks"][0];
    let offered = file(".pre-commit-hooks.yaml");
    assert!(offered.as_vec().unwrap().iter().any(|one| one["id"] == hook["id"]), "{hook:?}");
    let args: Vec<_> = hook["args"].as_vec().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    assert_eq!(args.last(), Some(&"--"));
    let project = Project::new(&[("a.py", "x = 1\n")]);
    assert_eq!(project.run(&["baseline", "write"]).code, 0);
    let ran = project.run(&[&["check", "--changed"], &args[..], &["a.py"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn the_workflow_in_the_documents_names_what_the_action_takes() {
    let workflow = yaml(HOOKS, "workflow");
    for step in [&workflow["jobs"]["gatelint"]["steps"][1], &yaml(README, "step")[0]] {
        let (_, repository) = env!("CARGO_PKG_REPOSITORY").split_once("github.com/").unwrap();
        let uses = format!("{repository}@v{}", env!("CARGO_PKG_VERSION"));
        assert_eq!(step["uses"].as_str(), Some(uses.as_str()));
        let inputs = &file("action.yml")["inputs"];
        for (name, _) in step["with"].as_hash().unwrap() {
            assert!(inputs.as_hash().unwrap().contains_key(name), "{name:?}");
        }
    }
}
