//! The known misses under rewrites, each with its reason: `misses.toml` beside this file.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

const FILE: &str = include_str!("misses.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    #[serde(default)]
    miss: Vec<Miss>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Miss {
    tests: Vec<String>,
    reason: String,
}

/// Reasons by the name of the test.
pub struct Misses(BTreeMap<String, String>);

impl Misses {
    pub fn read() -> Self {
        let listed: Listed = toml::from_str(FILE).expect("the list of known misses is valid");
        let named = |miss: Miss| miss.tests.into_iter().map(move |test| (test, miss.reason.clone()));
        Self(listed.miss.into_iter().flat_map(named).collect())
    }

    pub fn reason(&self, test: &str) -> Option<String> {
        self.0.get(test).cloned()
    }

    /// Entries for which there is no test.
    pub fn stale(&self, tests: &BTreeSet<&str>) -> Vec<&str> {
        self.0.keys().map(String::as_str).filter(|name| !tests.contains(name)).collect()
    }
}
