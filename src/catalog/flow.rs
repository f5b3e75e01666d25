//! Where content comes from and what runs it, beyond what the effects say: names of runners that the code does not show,
//! processes that run nothing of what they are given, and what a download that is run looks like in a shell. Data
//! (`rules/catalog/flow.toml`); who follows values is `analysis`.

use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::globs::Globs;
use super::pattern::PatternSet;

/// `[flow]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFlow {
    #[serde(default)]
    runners: Globs,
    #[serde(default)]
    harmless: Vec<String>,
    #[serde(default)]
    downloads: Vec<String>,
    #[serde(default)]
    interpreters: Vec<String>,
    keys: Option<usize>,
    #[serde(default)]
    checked: Vec<String>,
    #[serde(default)]
    given: Vec<String>,
    #[serde(default)]
    injected: Vec<String>,
    #[serde(default)]
    schemas: Vec<String>,
    #[serde(default)]
    wordless: Globs,
    #[serde(default)]
    texts: Vec<String>,
}

#[derive(Clone, Default, Debug)]
pub struct Flow {
    runners: Globs,
    harmless: PatternSet,
    /// Programs that print what they fetch.
    pub downloads: Vec<String>,
    /// Programs that run what they read.
    pub interpreters: Vec<String>,
    /// Of a value, more keys than this are not told apart.
    pub keys: usize,
    checked: PatternSet,
    given: PatternSet,
    injected: FxHashSet<String>,
    /// Attributes of tools that say of which types the arguments are.
    pub schemas: Vec<String>,
    wordless: Globs,
    texts: PatternSet,
}

impl Flow {
    pub(super) fn add(&mut self, raw: RawFlow) {
        self.runners.extend(raw.runners);
        raw.harmless.iter().for_each(|path| self.harmless.insert(path));
        self.downloads.extend(raw.downloads);
        self.interpreters.extend(raw.interpreters);
        self.keys = raw.keys.unwrap_or(self.keys);
        raw.checked.iter().for_each(|path| self.checked.insert(path));
        raw.given.iter().for_each(|path| self.given.insert(path));
        self.injected.extend(raw.injected);
        self.schemas.extend(raw.schemas);
        self.wordless.extend(raw.wordless);
        raw.texts.iter().for_each(|path| self.texts.insert(path));
    }

    /// True for the type of a parameter that is what it says, whoever fills it: a number, a day.
    pub fn is_checked(&self, path: &str) -> bool {
        self.checked.matches(path)
    }

    /// True for the name of a parameter under which frameworks give objects of their own.
    pub fn is_injected(&self, name: &str) -> bool {
        self.injected.contains(name)
    }

    /// True for the type of a parameter that is filled with what a model says.
    pub fn is_given(&self, path: &str) -> bool {
        self.given.matches(path)
    }

    /// True for a name of a command's own runner: its result is from outside, wherever the code for it is.
    pub fn runs_command(&self, name: &str) -> bool {
        self.runners.fit(name.trim_start_matches('_'))
    }

    /// True for a type whose values are texts.
    pub fn is_text(&self, path: &str) -> bool {
        self.texts.matches(path)
    }

    /// True for a call of a model that hands back no words: vectors, numbers of tokens.
    pub fn is_wordless(&self, callee: &str) -> bool {
        let last = callee.rsplit('.').next().unwrap_or(callee);
        self.wordless.fit(last) || self.wordless.fit(callee)
    }

    /// True for a process that runs nothing of what it is given.
    pub fn is_harmless(&self, path: &str) -> bool {
        self.harmless.matches(path)
    }
}
