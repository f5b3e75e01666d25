//! Rules: data from `rules/<family>/GLxxx-<name>.toml` and from the folders of a team, loaded and compiled here, and run
//! over the program. A rule produces findings; it never prints, formats a path or looks at the command line.

mod builtin;
mod check;
mod file;
mod fingerprint;
mod matcher;
mod team;
mod template;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::config::{Layer, LayerSet};
use crate::finding::Severity;

pub use builtin::{builtin, builtin_catalog, embedded_rules};
pub use check::{Context, check};
pub use matcher::Matcher;
pub use team::{LoadError, TeamError, team};

/// What rules and their examples may be written for.
pub const LANGUAGES: [&str; 1] = ["python"];

/// One rule, from its file.
#[derive(Clone, Debug)]
pub struct Rule {
    /// `GL201`; a team's own has another prefix.
    pub id: String,
    /// Kebab-case, names the bad pattern.
    pub name: String,
    pub summary: String,
    pub severity: Severity,
    pub languages: BTreeSet<String>,
    /// With captures in braces: `{function}`.
    pub message: String,
    pub help: String,
    pub references: Vec<String>,
    /// Markdown: what goes wrong, for whom, when it is fine. A team may leave it out.
    pub why: String,
    pub scope: Scope,
    pub matches: Vec<Matcher>,
    pub examples: Vec<Example>,
}

/// Where the rule applies; the same keys for every rule.
#[derive(Clone, Default, Debug)]
pub struct Scope {
    /// Layers in which it is silent.
    pub except: Vec<Layer>,
    /// Where it reports at all; everywhere if this names nothing.
    pub only: Vec<Only>,
}

/// A place that a rule is confined to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Only {
    Layer(Layer),
    /// The text of a tool, with the functions defined inside.
    Tool,
}

impl Scope {
    pub fn excludes(&self, layers: LayerSet) -> bool {
        self.except.iter().any(|&layer| layers.contains(layer))
    }
}

/// One example: documentation and test in one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    pub name: String,
    pub language: String,
    /// May hold several files: `# file: agent/net.py` starts another one. `# error` marks a line that must report,
    /// `# todo-error` a known miss.
    pub code: String,
    /// Lines that must report, where the format has no comments.
    pub errors: Vec<u32>,
}

/// The built-in catalogue, and what the rules name besides it: a call of the language itself is followed only if
/// somebody asks for it.
pub fn catalog_for(rules: &[Arc<Rule>]) -> Result<Catalog, LoadError> {
    let mut catalog = builtin_catalog()?;
    let named = rules.iter().flat_map(|rule| &rule.matches).filter_map(Matcher::named);
    catalog.watch(named.flat_map(|named| &named.path));
    Ok(catalog)
}
