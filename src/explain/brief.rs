//! A rule on one screen: what it reports, why that matters, what to do, one piece of code that is reported and one that is not.

use super::{fenced, is_reported, listed, section, severity, title};
use crate::rule::{Example, Rule};

/// So many lines of reasons; the whole page has the others.
const MAX_REASONS: usize = 16;
/// So many lines of each example, if there is a shorter one.
const MAX_CODE: usize = 12;

/// Markdown of at most sixty lines.
pub fn brief(rule: &Rule) -> String {
    let mut page = format!("# {} {}\n\n{}\n\n", rule.id, rule.name, rule.summary);
    page += &format!("Severity: {}. Languages: {}.\n", severity(rule.severity), listed(rule));
    let reasons = reasons(&rule.why);
    if !reasons.is_empty() {
        section(&mut page, "Why", &reasons);
    }
    section(&mut page, "What to do", &rule.help);
    for reported in [true, false] {
        let shortest =
            rule.examples.iter().filter(|example| is_reported(example) == reported && is_plain(example));
        if let Some(example) =
            shortest.min_by_key(|example| example.code.lines().count()).filter(|it| fits(it))
        {
            section(&mut page, &title(example), &fenced(example));
        }
    }
    let all = rule.examples.len();
    page += &format!("\n`gatelint explain {} --examples` shows the whole page, with {all} examples", rule.id);
    if !rule.references.is_empty() {
        page += &format!(".\nSee also: {}", rule.references.join(", "));
    }
    page + ".\n"
}

/// The first paragraphs, as far as they fit; headings begin what only the whole page tells.
fn reasons(why: &str) -> String {
    let before_headings = why.split("\n#").next().unwrap_or_default().trim();
    let mut kept: Vec<&str> = Vec::new();
    let mut lines = 0;
    for paragraph in before_headings.split("\n\n") {
        lines += paragraph.lines().count() + 1;
        if lines > MAX_REASONS && !kept.is_empty() {
            break;
        }
        kept.push(paragraph);
    }
    kept.join("\n\n")
}

/// One that needs no other file and is no known miss.
fn is_plain(example: &Example) -> bool {
    !example.code.contains("file: ") && !example.code.contains("todo-error")
}

fn fits(example: &Example) -> bool {
    example.code.trim_matches('\n').lines().count() <= MAX_CODE
}
