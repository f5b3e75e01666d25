//! Rules as SARIF describes them. Texts are fixed per rule, since code scanning keeps one description for a whole
//! repository.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::explain;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;

/// Limits of code scanning.
const MAX_DESCRIPTION: usize = 1024;
const MAX_TAGS: usize = 10;

/// Every selected rule once, sorted by id.
pub struct RuleTable {
    rules: Vec<Arc<Rule>>,
    index: BTreeMap<String, usize>,
}

impl RuleTable {
    /// A finding of a rule that was not selected would be a mistake elsewhere; it still gets its description.
    pub fn new(selected: &[Arc<Rule>], findings: &[&Finding]) -> Self {
        let by_id: BTreeMap<_, _> = selected
            .iter()
            .chain(findings.iter().map(|finding| &finding.rule))
            .map(|rule| (rule.id.clone(), Arc::clone(rule)))
            .collect();
        let index = by_id.keys().cloned().zip(0..).collect();
        Self { rules: by_id.into_values().collect(), index }
    }

    pub fn index(&self, id: &str) -> Option<usize> {
        self.index.get(id).copied()
    }

    pub fn descriptors(&self) -> Vec<Value> {
        self.rules.iter().map(|rule| descriptor(rule)).collect()
    }
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.name,
        "shortDescription": { "text": cut(&rule.summary) },
        "fullDescription": { "text": cut(full(rule)) },
        "help": { "text": explain::plain(rule), "markdown": explain::markdown(rule) },
        "defaultConfiguration": { "level": rule.severity },
        "properties": {
            "tags": tags(rule),
            "precision": "high",
            "problem.severity": problem_severity(rule.severity),
            "security-severity": security_severity(rule.severity),
        },
    })
}

/// A team may leave out why; code scanning wants some text.
fn full(rule: &Rule) -> &str {
    let why = rule.why.trim();
    if why.is_empty() { &rule.summary } else { why }
}

/// As long as code scanning takes it.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_DESCRIPTION - 1) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// `CWE-696` and `OWASP-ASI02:2026` become the tags that viewers group by.
fn tags(rule: &Rule) -> Vec<String> {
    let mut tags = vec!["security".to_owned(), "gatelint".to_owned()];
    for reference in &rule.references {
        if let Some(number) = reference.strip_prefix("CWE-") {
            tags.push(format!("external/cwe/cwe-{number}"));
        } else if let Some(item) = reference.strip_prefix("OWASP-") {
            tags.push(format!("external/owasp/{}", item.to_ascii_lowercase()));
        }
    }
    tags.truncate(MAX_TAGS);
    tags
}

fn problem_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "recommendation",
    }
}

/// A red line is high, a strong smell medium, information low.
fn security_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "8.5",
        Severity::Warning => "5.5",
        Severity::Note => "2.0",
    }
}
