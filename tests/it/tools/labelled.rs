//! Programs with the tools that they offer: as users of frameworks write them (`frameworks.txt`), and as projects do that have
//! none (`own.txt`). A head, code, and a line for each tool. `misses.txt` lists those that are not understood yet.

use std::collections::BTreeSet;
use std::path::Path;

use super::tools_of;
use crate::support::listed;

const MISSES: &str = "tests/it/tools/misses.txt";

/// `== framework: form`, code, `-> Class.method = name`.
fn check(file: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("tests/it/tools").join(file)).unwrap();
    let missed = listed::read(MISSES);
    assert!(text.contains("\n-> "), "{file} has no labels");
    let mut wrong = Vec::new();
    let blocks = text.split("\n== ").map(|block| block.trim_start_matches("== "));
    for block in blocks {
        let (head, body) = block.split_once('\n').expect("code follows the head");
        let (labels, code): (Vec<_>, Vec<_>) = body.lines().partition(|line| line.starts_with("-> "));
        let tools = labels.iter().map(|label| label[3..].to_owned()).filter(|label| label != "none");
        let wanted: BTreeSet<String> = tools.collect();
        let first = if head.starts_with("rust ") { "src/lib.rs" } else { "agent.py" };
        let found = tools_of(&format!("# file: {first}\n{}", code.join("\n")));
        match (wanted == found, missed.contains_key(&head.replace(": ", ", "))) {
            (true, false) | (false, true) => {}
            (true, true) => wrong.push(format!("{head}: is understood, and stands in {MISSES}")),
            (false, false) => wrong.push(format!("{head}: expected {wanted:?}, found {found:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tools_of_frameworks() {
    check("frameworks.txt");
}

#[test]
fn tools_of_projects_without_a_framework() {
    check("own.txt");
}
