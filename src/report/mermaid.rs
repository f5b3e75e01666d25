//! The path of a finding as a small Mermaid graph. GitHub refuses large ones, and nobody reads them.

use super::escape;
use super::places::Places;
use crate::finding::{Finding, Step};

const MAX_NODES: usize = 12;
/// What is left of a longer path before the node that counts the rest; the other nodes stand behind it.
const FIRST: usize = 5;
const LAST: usize = MAX_NODES - FIRST - 1;
/// Of the place and of the text of a node each.
const MAX_CHARS: usize = 60;

/// One node a step, with the numbers of every format; none if the finding is no path.
pub fn path(finding: &Finding, places: &Places) -> Option<String> {
    let steps = &finding.steps;
    let end = steps.len().checked_sub(1)?;
    let left_out = if steps.len() > MAX_NODES { FIRST..steps.len() - LAST } else { 0..0 };
    let mut graph = String::from("flowchart TD\n");
    let mut before = None;
    for (index, step) in steps.iter().enumerate() {
        let text = match left_out.contains(&index) {
            true if index > left_out.start => continue,
            true => format!("\"… {} calls …\"", left_out.len()),
            false => label(index + 1, step, places),
        };
        graph += &format!("    s{index}[{text}]\n");
        if let Some(before) = before {
            graph += &format!("    s{before} --> s{index}\n");
        }
        before = Some(index);
    }
    graph += "    classDef effect stroke:red,stroke-width:3px\n";
    graph += &format!("    class s{end} effect\n");
    Some(graph)
}

fn label(number: usize, step: &Step, places: &Places) -> String {
    let path: Vec<_> = places.path(step.place).chars().collect();
    // The end of a path says more than its beginning.
    let path: String = match path.len().checked_sub(MAX_CHARS) {
        None | Some(0) => path.iter().collect(),
        Some(more) => format!("…{}", path[more..].iter().collect::<String>()),
    };
    let at = format!("{number}. {}:{}", escape::line(&path), places.line(step.place));
    let text = step.text.replace('`', "");
    let text = escape::shortened(&text, MAX_CHARS);
    format!("\"{}<br>{}\"", escape::mermaid(&at), escape::mermaid(&text))
}
