//! Rules: data from `rules/<family>/GLxxx-<name>.toml`, loaded and compiled here, and run over the program.
//! A rule produces findings; it never prints, formats a path or looks at the command line.

mod check;
mod fingerprint;
mod load;
mod matcher;
mod template;

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::config::{Layer, LayerSet};
use crate::finding::Severity;

pub use check::{Context, check};
pub use load::{LoadError, builtin, builtin_catalog, embedded_rules};
pub use matcher::Matcher;

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
