//! What the README shows is what gatelint prints: the output between its markers, but for what `[…]` leaves out.

use std::fs;
use std::path::Path;

use crate::support::Run;

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
