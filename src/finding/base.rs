//! What a project allowed at the merge base of a change, as plain data: for the comparison with what it allows now.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::Severity;
use crate::baseline::Baseline;
use crate::config::{Config, Loosening, RuleNames};

/// The policy at the merge base, beside that of now.
#[derive(Debug)]
pub struct Base {
    pub was: Config,
    pub is: Config,
    /// What the keys of the two configurations tell by themselves.
    pub keys: Vec<Loosening>,
    /// Where the root of the project lies in the repository now, and where it lay.
    pub roots: [Utf8PathBuf; 2],
    /// None if only a configuration was given.
    pub tree: Option<Tree>,
    pub names: RuleNames,
    /// Of every rule, by id, as its file says it.
    pub severities: BTreeMap<String, Severity>,
}

/// What lay beside the configuration.
#[derive(Debug, Default)]
pub struct Tree {
    /// None if there was none.
    pub baseline: Option<Baseline>,
    pub waivers: Vec<Waiving>,
}

/// What makes a waiver the same one, wherever its lines are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Waiving {
    /// Relative to the root of the project.
    pub path: Utf8PathBuf,
    pub rule: String,
    /// The function that it stands in or speaks of; empty outside functions.
    pub function: String,
    pub reason: String,
}

impl Base {
    /// The path that a file of the project had below the root of then.
    pub fn path(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let [now, then] = &self.roots;
        let whole = now.join(path);
        whole.strip_prefix(then).ok().map(Utf8Path::to_owned)
    }

    /// The severity of a rule in a file by a configuration; none if it is off there.
    pub fn severity(&self, config: &Config, rule: &str, path: &Utf8Path) -> Option<Severity> {
        let level = config.levels.iter().rev().find_map(|level| level.of(rule, path, &self.names));
        match level {
            Some(level) => level.severity(),
            None => self.severities.get(rule).copied().or(Some(Severity::Error)),
        }
    }
}

/// As a configuration says it; none is off.
pub fn word(severity: Option<Severity>) -> &'static str {
    match severity {
        None => "`off`",
        Some(Severity::Note) => "`note`",
        Some(Severity::Warning) => "`warning`",
        Some(Severity::Error) => "`error`",
    }
}
