//! How many examples came out how.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;

use super::verdict::{Comparison, Verdict};

#[derive(Debug, Default)]
pub struct Summary(Mutex<BTreeMap<String, Counts>>);

#[derive(Debug, Default)]
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

impl Summary {
    pub fn all_as_expected(&self) -> bool {
        let Ok(groups) = self.0.lock() else { return false };
        groups.values().all(|counts| counts.verdicts.keys().all(|verdict| *verdict == Verdict::AsExpected))
    }

    /// `2 rules, 5 examples: 4 as expected, 1 missing`.
    pub fn total(&self, rules: usize, without: usize) -> String {
        let Ok(groups) = self.0.lock() else { return String::new() };
        let mut all = Counts::default();
        for counts in groups.values() {
            for (&verdict, count) in &counts.verdicts {
                *all.verdicts.entry(verdict).or_default() += count;
            }
            all.known_misses += counts.known_misses;
        }
        let examples = all.verdicts.values().sum();
        let mut text = format!("{}, {}", counted(rules, "rule"), counted(examples, "example"));
        let parts = all.parts();
        if !parts.is_empty() {
            text += &format!(": {}", parts.join(", "));
        }
        if without > 0 {
            text += &format!("; {} without an example", counted(without, "rule"));
        }
        text + "\n"
    }
}

impl Counts {
    fn parts(&self) -> Vec<String> {
        let named = self.verdicts.iter().map(|(verdict, count)| format!("{count} {}", verdict.name()));
        let misses = (self.known_misses > 0).then(|| format!("known misses: {}", self.known_misses));
        named.chain(misses).collect()
    }
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(groups) = self.0.lock() else { return Ok(()) };
        for (group, counts) in groups.iter() {
            writeln!(f, "{group:8}  {}", counts.parts().join(", "))?;
        }
        Ok(())
    }
}
