//! Where content comes from and what runs it, beyond what the effects say: names of runners that the code does not show,
//! processes that run nothing of what they are given, and what a download that is run looks like in a shell. Data
//! (`rules/catalog/flow.toml`); who follows values is `analysis`.

use serde::Deserialize;

use super::pattern::PatternSet;
use super::pattern::wildcard;

/// `[flow]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFlow {
    #[serde(default)]
    runners: Vec<String>,
    #[serde(default)]
    harmless: Vec<String>,
    #[serde(default)]
    downloads: Vec<String>,
    #[serde(default)]
    interpreters: Vec<String>,
}

#[derive(Clone, Default, Debug)]
pub struct Flow {
    runners: Vec<String>,
    harmless: PatternSet,
    /// Programs that print what they fetch.
    pub downloads: Vec<String>,
    /// Programs that run what they read.
    pub interpreters: Vec<String>,
}

impl Flow {
    pub(super) fn add(&mut self, raw: RawFlow) {
        self.runners.extend(raw.runners);
        raw.harmless.iter().for_each(|path| self.harmless.insert(path));
        self.downloads.extend(raw.downloads);
        self.interpreters.extend(raw.interpreters);
    }

    /// True for a name of a command's own runner: its result is from outside, wherever the code for it is.
    pub fn runs_command(&self, name: &str) -> bool {
        self.runners.iter().any(|glob| wildcard(glob, name.trim_start_matches('_')))
    }

    /// True for a process that runs nothing of what it is given.
    pub fn is_harmless(&self, path: &str) -> bool {
        self.harmless.matches(path)
    }
}
