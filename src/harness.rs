//! Runs the examples of rules and says what came out against what their marks demand. The tests of the built-in rules
//! and `gatelint test-rules` both come through here, so that a rule of a team is held to the same.

mod example;
mod run;
mod summary;
mod verdict;

use std::fmt::Write as _;
use std::sync::Arc;

use crate::rule::Rule;

pub use example::{check, configured, discovered, expected, judge, marked};
pub use run::{Engine, Reported};
pub use summary::Summary;
pub use verdict::{Comparison, Expected, Mark, Verdict, compare};

/// The examples of some rules, run.
#[derive(Debug)]
pub struct Tested {
    /// For people; may hold text of rule files.
    pub report: String,
    /// True if every example came out as it says.
    pub passed: bool,
}

/// Runs every example of every rule of the engine.
pub fn test(engine: &Engine) -> Tested {
    let summary = Summary::default();
    let mut report = String::new();
    for rule in &engine.rules {
        let mut lines = format!("{} {}\n", rule.id, rule.name);
        test_rule(engine, rule, &summary, &mut lines);
        report = report + lines.trim_end() + "\n\n";
    }
    let without = engine.rules.iter().filter(|rule| rule.examples.is_empty()).count();
    report += &summary.total(engine.rules.len(), without);
    Tested { report, passed: summary.all_as_expected() }
}

fn test_rule(engine: &Engine, rule: &Arc<Rule>, summary: &Summary, report: &mut String) {
    for example in rule.examples.iter() {
        let comparison = check(engine, rule, example);
        summary.count(&rule.id, &comparison);
        // Writing to a string cannot fail.
        let _ = writeln!(report, "  {:11}  {}", comparison.verdict.name(), example.name);
        if let Some(details) = comparison.details() {
            let _ = writeln!(report, "{details}");
        }
    }
    let reports = |at: usize| !expected(rule, &rule.examples[at]).errors.is_empty();
    let shows = (0..rule.examples.len()).any(reports);
    let lacks = match (rule.examples.len(), shows) {
        (0, _) => {
            "no example: add an `[[example]]` with a line that ends in `# error`, and one that stays silent"
        }
        (_, false) => "no example shows what it reports: mark a line with `# error`",
        _ => return,
    };
    let _ = writeln!(report, "  {lacks}");
}
