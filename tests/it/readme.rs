//! What the README shows is what gatelint prints: the output between its markers, but for what `[…]` leaves out.

use std::fs;
use std::path::Path;

use yaml_rust2::{Yaml, YamlLoader};

use crate::support::{Project, Run};

const MARKERS: (&str, &str) = ("<!-- output -->", "<!-- /output -->");
const LEFT_OUT: &str = "[…]";
/// What stands behind `cargo run --release --` in the first command.
const MAIN_JOB: &str = "check fixtures/atlas-agent --exit-zero";

#[test]
fn the_output_in_the_readme_is_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains(&format!("cargo run --release -- {MAIN_JOB}\n")), "it is the first command");
    let args: Vec<_> = MAIN_JOB.split(' ').collect();
    let ran = Run::new(&args).within(root).ran();
    assert_eq!(ran.code, 0, "{ran:?}");
    let mut rest = ran.stdout.as_str();
    for shown in shown(&readme).split(LEFT_OUT) {
        let shown = shown.trim_matches('\n');
        match rest.split_once(shown) {
            Some((_, after)) => rest = after,
            None => {
                panic!("gatelint no longer prints this; put what it prints now into the README:\n{shown}")
            }
        }
    }
}

/// The block of code between the markers.
fn shown(readme: &str) -> &str {
    let (_, rest) = readme.split_once(MARKERS.0).expect("the README has the marker of the output");
    let (block, _) = rest.split_once(MARKERS.1).expect("the README has the end of the output");
    let (_, code) = block.split_once("```text\n").expect("a block of text follows the marker");
    code.rsplit_once("```").expect("the block ends").0
}

/// The rule that both documents show is the one that `team.rs` runs.
#[test]
fn the_rule_of_a_team_in_the_documents_is_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let rule = read("tests/it/team-rules/pickle-in-tool.toml");
    let indented: String = rule
        .lines()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("   {line}\n") })
        .collect();
    assert!(read("CONTRIBUTING.md").contains(&indented), "CONTRIBUTING shows the whole file");
    let (head, _) = rule.split_once("\n[[example]]").unwrap();
    let shown = format!("<!-- team rule -->\n```toml\n{head}```\n<!-- /team rule -->");
    assert!(read("README.md").contains(&shown), "the README shows the rule without its examples");
}

/// The YAML between two markers.
fn yaml(name: &str) -> Yaml {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, rest) =
        readme.split_once(&format!("<!-- {name} -->\n```yaml\n")).expect("the marker begins a block");
    let (text, _) = rest.split_once("```").expect("the block ends");
    YamlLoader::load_from_str(text).unwrap().remove(0)
}

fn file(name: &str) -> Yaml {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
    YamlLoader::load_from_str(&text).unwrap().remove(0)
}

#[test]
fn the_hook_in_the_readme_is_there() {
    let shown = &yaml("hook")["repos"][0];
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
fn the_workflow_in_the_readme_names_what_the_action_takes() {
    let workflow = yaml("workflow");
    let step = &workflow["jobs"]["gatelint"]["steps"][1];
    let (_, repository) = env!("CARGO_PKG_REPOSITORY").split_once("github.com/").unwrap();
    let uses = format!("{repository}@v{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(step["uses"].as_str(), Some(uses.as_str()));
    let inputs = &file("action.yml")["inputs"];
    for (name, _) in step["with"].as_hash().unwrap() {
        assert!(inputs.as_hash().unwrap().contains_key(name), "{name:?}");
    }
}
