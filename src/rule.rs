//! Rules: data from `rules/<family>/GLxxx-<name>.toml`, loaded and compiled here, and run over the program.
//! A rule produces findings; it never prints, formats a path or looks at the command line.

use serde::Deserialize;
use std::collections::BTreeSet;

use crate::finding::Severity;

/// What a user reads of a rule, from its file.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
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
    #[serde(default, rename = "example")]
    pub examples: Vec<Example>,
}

/// One example: documentation and test in one.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Example {
    pub name: String,
    pub language: String,
    /// May hold several files: `# file: agent/net.py` starts another one.
    pub code: String,
    /// Lines that must report, where the format has no comments.
    #[serde(default)]
    pub errors: Vec<u32>,
}
