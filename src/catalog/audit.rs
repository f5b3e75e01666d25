//! The audit trail: who writes it, how the parameter that names an event is called, and who only warns of an event that is
//! not registered. The lists are data (`rules/catalog/comm.toml`, and `[audit]` of a configuration).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::globs::Globs;
use super::globs::snake_case;
use super::pattern::PatternSet;

/// `[audit]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawAudit {
    pub writers: Vec<String>,
    words: Vec<String>,
    reads: Globs,
    events: Vec<String>,
    warns: Vec<String>,
    keeps: Vec<String>,
    prepares: Vec<String>,
    voids: Vec<String>,
    silence: RawSilence,
}

/// `[audit.silence]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawSilence {
    off: BTreeMap<String, bool>,
    alone: BTreeMap<String, bool>,
    handlers: Vec<String>,
    levels: BTreeMap<String, i64>,
    top: i64,
    level_methods: Vec<String>,
    level_calls: Vec<String>,
    level_of: Vec<String>,
}

/// What makes a writer write nothing.
#[derive(Clone, Default, Debug)]
pub struct Silence {
    /// Attributes by which a writer is switched off, ...
    off: BTreeMap<String, bool>,
    /// ... those by which it is left with its own handlers, and the methods that give it one.
    alone: BTreeMap<String, bool>,
    handlers: Vec<String>,
    levels: BTreeMap<String, i64>,
    top: i64,
    level_methods: Vec<String>,
    level_calls: PatternSet,
    level_of: PatternSet,
}

impl Silence {
    fn add(&mut self, raw: RawSilence) {
        self.off.extend(raw.off);
        self.alone.extend(raw.alone);
        self.handlers.extend(raw.handlers);
        self.levels.extend(raw.levels);
        self.top = self.top.max(raw.top);
        self.level_methods.extend(raw.level_methods);
        raw.level_calls.iter().for_each(|path| self.level_calls.insert(path));
        raw.level_of.iter().for_each(|path| self.level_of.insert(path));
    }

    /// The value of this attribute by which a writer is switched off.
    pub fn off(&self, attribute: &str) -> Option<bool> {
        self.off.get(attribute).copied()
    }

    /// The value of this attribute by which a writer is left with its own handlers.
    pub fn alone(&self, attribute: &str) -> Option<bool> {
        self.alone.get(attribute).copied()
    }

    /// The method gives a writer a handler.
    pub fn adds_handler(&self, method: &str) -> bool {
        self.handlers.iter().any(|known| known == method)
    }

    /// The number behind the constant of a library.
    pub fn level(&self, path: &str) -> Option<i64> {
        self.levels.get(path).copied()
    }

    /// No event is above it.
    pub fn top(&self) -> i64 {
        self.top
    }

    /// The method sets the lowest level that is written.
    pub fn sets_level(&self, method: &str) -> bool {
        self.level_methods.iter().any(|known| known == method)
    }

    /// The function sets the highest level that is not written, of all writers that are `levelled`.
    pub fn disables(&self, path: &str) -> bool {
        self.level_calls.matches(path)
    }

    pub fn is_levelled(&self, path: &str) -> bool {
        self.level_of.matches(path)
    }
}

#[derive(Clone, Default, Debug)]
pub struct Audit {
    writers: PatternSet,
    words: Vec<String>,
    reads: Globs,
    events: Vec<String>,
    warns: Vec<String>,
    keeps: PatternSet,
    prepares: PatternSet,
    voids: Vec<String>,
    pub silence: Silence,
}

impl Audit {
    pub(super) fn add(&mut self, raw: RawAudit) {
        self.words.extend(raw.words);
        self.reads.extend(raw.reads);
        self.events.extend(raw.events);
        self.warns.extend(raw.warns);
        self.voids.extend(raw.voids);
        self.silence.add(raw.silence);
        raw.keeps.iter().for_each(|path| self.keeps.insert(path));
        raw.prepares.iter().for_each(|path| self.prepares.insert(path));
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
        !self.reads.fit_plain(name)
    }

    /// A library function that keeps what it is told, wherever that may be.
    pub fn keeps(&self, path: &str) -> bool {
        self.keeps.matches(path) && !self.prepares.matches(path)
    }

    /// A file that keeps nothing, by its path or by the name of the constant.
    pub fn is_void(&self, file: &str) -> bool {
        self.voids.iter().any(|known| known == file)
    }

    /// Cheap: the name may end the path of such a file.
    pub fn names_void(&self, name: &str) -> bool {
        self.voids.iter().any(|known| known.rsplit('.').next() == Some(name))
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
