//! How many examples came out how, printed after the tests.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;

use crate::verdict::{Comparison, Verdict};

#[derive(Default)]
pub struct Summary(Mutex<BTreeMap<String, Counts>>);

#[derive(Default)]
struct Counts {
    verdicts: BTreeMap<Verdict, usize>,
    known_misses: usize,
}

impl Summary {
    /// `group` is a rule, or the fixture projects.
    pub fn count(&self, group: &str, comparison: &Comparison) {
        let Ok(mut groups) = self.0.lock() else { return };
        let counts = groups.entry(group.to_owned()).or_default();
        *counts.verdicts.entry(comparison.verdict).or_default() += 1;
        counts.known_misses += comparison.known_misses();
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(groups) = self.0.lock() else { return Ok(()) };
        for (group, counts) in groups.iter() {
            let mut parts: Vec<String> = counts
                .verdicts
                .iter()
                .map(|(verdict, count)| format!("{count} {}", verdict.name()))
                .collect();
            if counts.known_misses > 0 {
                parts.push(format!("known misses: {}", counts.known_misses));
            }
            writeln!(f, "{group:8}  {}", parts.join(", "))?;
        }
        Ok(())
    }
}
