//! The steps of a path, one line each, for a reader who has just read the line above.

use crate::finding::Finding;
use crate::report::escape;
use crate::report::places::Places;

/// A longer path is shown by its two ends; the other formats hold all of it.
const MAX_STEPS: usize = 8;
/// What is left of either end.
const ENDS: usize = 3;

/// The numbers are those of every format, whatever is left out.
pub fn lines(finding: &Finding, places: &Places) -> Vec<String> {
    let steps = &finding.steps;
    let left_out = if steps.len() > MAX_STEPS { ENDS..steps.len() - ENDS } else { 0..0 };
    let mut lines = Vec::new();
    let mut before = finding.message.as_str();
    for (index, step) in steps.iter().enumerate() {
        if left_out.contains(&index) {
            if index == left_out.start {
                lines.push(format!("… {} more steps …", left_out.len()));
            }
            before = "";
            continue;
        }
        let path = escape::line(places.path(step.place));
        let text = unless_known(&step.text, before);
        lines.push(format!("{}. {path}:{} {}", index + 1, places.line(step.place), escape::line(text)));
        before = leading_name(&step.text).map_or("", |(_, rest)| rest);
    }
    lines
}

/// The step without the name of the function it happens in, if the line above ends with the call of that function.
fn unless_known<'t>(text: &'t str, before: &str) -> &'t str {
    match leading_name(text) {
        Some((name, rest)) if before.contains(name) => rest.trim_start(),
        _ => text,
    }
}

/// The name in backticks at the beginning, and what follows it.
fn leading_name(text: &str) -> Option<(&str, &str)> {
    let end = text.strip_prefix('`')?.find('`')? + 2;
    Some(text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::unless_known;

    #[test]
    fn a_name_is_left_out_where_the_line_above_says_it() {
        assert_eq!(unless_known("`b` calls `c`", " calls `b`"), "calls `c`");
        assert_eq!(unless_known("`b` calls `c`", " hands over `b`, which is run"), "calls `c`");
        assert_eq!(unless_known("`b` calls `c`", " calls `x.b`"), "`b` calls `c`");
        assert_eq!(unless_known("it ends", " calls `b`"), "it ends");
    }
}
