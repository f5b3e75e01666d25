//! The audit trail: who writes it, how the parameter that names an event is called, and who only warns of an event that is
//! not registered. The lists are data (`rules/catalog/comm.toml`, and `[audit]` of a configuration).

use serde::Deserialize;

use super::pattern::{PatternSet, wildcard};
use super::selector::snake_case;

/// `[audit]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawAudit {
    pub writers: Vec<String>,
    words: Vec<String>,
    reads: Vec<String>,
    events: Vec<String>,
    warns: Vec<String>,
    keeps: Vec<String>,
    voids: Vec<String>,
}

#[derive(Clone, Default, Debug)]
pub struct Audit {
    writers: PatternSet,
    words: Vec<String>,
    reads: Vec<String>,
    events: Vec<String>,
    warns: Vec<String>,
    keeps: PatternSet,
    voids: Vec<String>,
}

impl Audit {
    pub(super) fn add(&mut self, raw: RawAudit) {
        self.words.extend(raw.words);
        self.reads.extend(raw.reads);
        self.events.extend(raw.events);
        self.warns.extend(raw.warns);
        self.voids.extend(raw.voids);
        raw.keeps.iter().for_each(|path| self.keeps.insert(path));
    }

    pub(super) fn insert(&mut self, writer: &str) {
        self.writers.insert(writer);
    }

    /// True for a function of the audit writer: calling it is no effect.
    pub fn matches(&self, path: &str) -> bool {
        self.writers.matches(path)
    }

    /// True if a function of this path writes the audit trail: it, its class or its module says so.
    pub fn writes(&self, path: &str) -> bool {
        let is_word =
            |name: &str| snake_case(name).split('_').any(|part| self.words.iter().any(|word| word == part));
        self.matches(path) || path.rsplit('.').take(3).any(is_word)
    }

    /// True for a function of the audit trail, by its last name, unless it only reads there or gets it ready.
    pub fn records(&self, name: &str) -> bool {
        let name = snake_case(name.trim_start_matches('_'));
        !self.reads.iter().any(|glob| wildcard(glob, &name))
    }

    /// A library function that keeps what it is told, wherever that may be.
    pub fn keeps(&self, path: &str) -> bool {
        self.keeps.matches(path)
    }

    /// A file that keeps nothing, by its path or by the name of the constant.
    pub fn is_void(&self, file: &str) -> bool {
        self.voids.iter().any(|known| known == file)
    }

    /// True for a parameter that names the event.
    pub fn is_event(&self, parameter: &str) -> bool {
        let name = snake_case(parameter.trim_start_matches('_'));
        self.events.iter().any(|known| *known == name)
    }

    /// True for a call, by its last name, that only tells.
    pub fn only_warns(&self, name: &str) -> bool {
        self.warns.iter().any(|known| known == name)
    }
}
