//! A rule as text for people: `gatelint explain`, `docs/rules/`, the help of a SARIF rule. One renderer for all three,
//! so they never say different things. It knows rules as data, not how they are checked.

mod brief;
mod gate;
mod path;

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;

use crate::finding::Severity;
use crate::report::escape_block;
use crate::rule::{Example, Rule};

pub use brief::brief;
pub use gate::{Asked as AskedGate, gate};
pub use path::{PathError, path};

/// The page of a rule, as Markdown.
pub fn markdown(rule: &Rule) -> String {
    let mut page = format!("# {} {}\n\n{}\n\n", rule.id, rule.name, rule.summary);
    page += &format!("Severity: {}. Languages: {}.\n", severity(rule.severity), listed(rule));
    if !rule.why.is_empty() {
        section(&mut page, "Why", &rule.why);
    }
    section(&mut page, "What to do", &rule.help);
    for advice in &rule.advice {
        page += &format!("\nWhere it becomes {}: {}.\n", advice.to.join(" or "), advice.help);
    }
    if let Some(wording) = &rule.without_comm {
        page += &format!("\nIn a project without a comm layer: {}.\n", wording.help);
    }
    for example in rule.examples.iter() {
        section(&mut page, &title(example), &fenced(example));
    }
    if !rule.references.is_empty() {
        let references: Vec<_> = rule.references.iter().map(|reference| format!("- {reference}")).collect();
        section(&mut page, "References", &references.join("\n"));
    }
    page
}

/// The same without markup, for viewers that show plain text.
pub fn plain(rule: &Rule) -> String {
    format!("{}\n\n{}", rule.help.trim(), rule.why.trim()).trim_end().to_owned()
}

fn section(page: &mut String, title: &str, body: &str) {
    *page += &format!("\n## {title}\n\n{}\n", body.trim());
}

fn listed(rule: &Rule) -> String {
    rule.languages.iter().cloned().collect::<Vec<_>>().join(", ")
}

fn title(example: &Example) -> String {
    let Example { name, code, .. } = example;
    if is_reported(example) {
        format!("Example: {name} (reported)")
    } else if has_mark(code, "todo-error") {
        // The head says it once.
        format!("Example: {} (known miss)", name.strip_prefix("known miss: ").unwrap_or(name))
    } else {
        format!("Example: {name} (silent)")
    }
}

fn is_reported(example: &Example) -> bool {
    !example.errors.is_empty() || has_mark(&example.code, "error")
}

/// True if a line is marked as one that must report, or as one that should.
fn has_mark(code: &str, mark: &str) -> bool {
    ["#", "//"].iter().any(|comment| code.contains(&format!("{comment} {mark}")))
}

/// The fence is longer than any run of backticks inside, so code cannot end it.
fn fenced(example: &Example) -> String {
    let mut longest = 0;
    let mut run = 0;
    for c in example.code.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(3.max(longest + 1));
    // A control that turns a line around must not do so on the page.
    let code = escape_block(example.code.trim_matches('\n'));
    format!("{fence}{}\n{code}\n{fence}", example.language)
}

/// The table of `gatelint rules`.
pub fn table(rules: &[Arc<Rule>]) -> String {
    let names = rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let ids = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut table = String::new();
    for rule in rules {
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "{:ids$}  {:7}  {:names$}  {}",
            rule.id,
            severity(rule.severity),
            rule.name,
            rule.summary
        );
    }
    table
}

#[derive(Serialize)]
struct Listing<'a> {
    version: u32,
    rules: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    name: &'a str,
    severity: Severity,
    languages: Vec<&'a str>,
    summary: &'a str,
    help: &'a str,
    references: &'a [String],
}

/// The same as data, versioned like the `json` report.
pub fn listing(rules: &[Arc<Rule>]) -> impl Serialize {
    Listing { version: 1, rules: rules.iter().map(|rule| entry(rule)).collect() }
}

fn entry(rule: &Rule) -> Entry<'_> {
    Entry {
        id: &rule.id,
        name: &rule.name,
        severity: rule.severity,
        languages: rule.languages.iter().map(String::as_str).collect(),
        summary: &rule.summary,
        help: &rule.help,
        references: &rule.references,
    }
}

/// As every format writes it.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}
