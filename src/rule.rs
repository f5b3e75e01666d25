//! Rules: data from `rules/<family>/GLxxx-<name>.toml`, loaded and compiled here, and run over the program.
//! A rule produces findings; it never prints, formats a path or looks at the command line.

mod check;
mod fingerprint;
mod load;
mod matcher;
mod template;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;

use crate::config::{Layer, LayerSet, RuleNames};
use crate::finding::Severity;

pub use check::{Captures, Checked, Context, check, finding_at};
pub use load::{LoadError, builtin, builtin_catalog, embedded_rules};
pub use matcher::{Check, Matcher};

/// One rule, from its file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// `GL201`.
    pub id: String,
    /// Kebab-case, names the bad pattern.
    pub name: String,
    pub summary: String,
    pub severity: Severity,
    pub languages: BTreeSet<String>,
    /// With captures in braces: `{function}`.
    pub message: String,
    pub help: String,
    #[serde(default)]
    pub references: Vec<String>,
    /// Markdown: what goes wrong, for whom, when it is fine.
    pub why: String,
    #[serde(default)]
    pub scope: Scope,
    #[serde(default, rename = "match")]
    pub matches: Vec<Matcher>,
    #[serde(default, rename = "example")]
    pub examples: Vec<Example>,
}

impl Rule {
    /// True if it follows paths through the program, so that a finding may rest on any of its files.
    pub fn follows_paths(&self) -> bool {
        self.matches.iter().any(|matcher| matches!(matcher, Matcher::Reach(_)))
    }

    pub fn checks(&self, check: Check) -> bool {
        self.matches.iter().any(|matcher| matches!(matcher, Matcher::Check(own) if *own == check))
    }
}

/// The rules of a run.
#[derive(Clone, Debug)]
pub struct RuleSet {
    /// Those that run, sorted by id.
    pub selected: Vec<Arc<Rule>>,
    /// What all are called: a waiver may speak of a rule that does not run.
    pub names: RuleNames,
}

impl RuleSet {
    pub fn new(all: &[Arc<Rule>], is_selected: impl Fn(&Rule) -> bool) -> Self {
        let selected = all.iter().filter(|rule| is_selected(rule)).cloned().collect();
        Self { selected, names: names(all) }
    }

    /// True if the rule of this id runs.
    pub fn runs(&self, id: &str) -> bool {
        self.selected.iter().any(|rule| rule.id == id)
    }
}

/// Whoever names no others knows the built-in ones.
impl From<Vec<Arc<Rule>>> for RuleSet {
    fn from(selected: Vec<Arc<Rule>>) -> Self {
        let builtin = builtin().unwrap_or_default();
        Self { names: names(builtin.iter().chain(&selected)), selected }
    }
}

pub fn names<'r>(rules: impl IntoIterator<Item = &'r Arc<Rule>>) -> RuleNames {
    RuleNames::new(rules.into_iter().map(|rule| (rule.id.as_str(), rule.name.as_str())))
}

/// Where the rule does not apply; the same key for every rule.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// Layers in which it is silent.
    #[serde(default)]
    pub except: Vec<Layer>,
}

impl Scope {
    pub fn excludes(&self, layers: LayerSet) -> bool {
        self.except.iter().any(|&layer| layers.contains(layer))
    }
}

/// One example: documentation and test in one.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    pub name: String,
    pub language: String,
    /// May hold several files: `# file: agent/net.py` starts another one. `# error` marks a line that must report,
    /// `# todo-error` a known miss.
    pub code: String,
    /// Lines that must report, where the format has no comments.
    #[serde(default)]
    pub errors: Vec<u32>,
}
