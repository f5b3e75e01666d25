//! The engine as the command line runs it: built-in rules and catalogue, loaded once for all tests.

use std::collections::BTreeMap;
use std::sync::Arc;

use gatelint::catalog::Catalog;
use gatelint::config::Config;
use gatelint::engine::analyse;
use gatelint::finding::{Confidence, Outcome};
use gatelint::rule::{self, Rule};
use gatelint::source::{Discovered, LineIndex};
use gatelint::suppress::suppress;
use gatelint::timings::Timings;

use crate::verdict::Mark;

/// What the default report shows.
const SHOWN: Confidence = Confidence::Medium;
/// As much as the command line gives its threads.
const STACK_BYTES: usize = 64 << 20;

pub struct Engine {
    /// Sorted by id.
    pub rules: Vec<Arc<Rule>>,
    catalog: Catalog,
    threads: rayon::ThreadPool,
}

/// What was reported, and the messages of each place.
pub type Reported = BTreeMap<Mark, Vec<String>>;

impl Engine {
    pub fn new() -> Self {
        Self {
            rules: rule::builtin().expect("the built-in rules are valid"),
            catalog: rule::builtin_catalog().expect("the built-in catalogue is valid"),
            threads: rayon::ThreadPoolBuilder::new()
                .stack_size(STACK_BYTES)
                .build()
                .expect("threads can be started"),
        }
    }

    /// The findings that a user sees by default.
    pub fn run(&self, found: Discovered, config: &Config, rules: Vec<Arc<Rule>>) -> Reported {
        let outcome = self
            .threads
            .install(|| suppress(analyse(found, config, &self.catalog, rules, &mut Timings::start())));
        reported(&outcome)
    }
}

fn reported(outcome: &Outcome) -> Reported {
    let files = outcome.files.iter().chain([&outcome.config]);
    let lines: Vec<LineIndex<'_>> = files.map(|file| LineIndex::new(&file.text)).collect();
    let mut reported = Reported::new();
    for finding in outcome.findings.iter().filter(|finding| finding.confidence >= SHOWN) {
        let mark = Mark {
            path: outcome.file(finding.primary.file).path.clone(),
            line: lines[finding.primary.file.0 as usize].line_col(finding.primary.span.lo).line,
            rule: finding.rule.id.clone(),
        };
        reported.entry(mark).or_default().push(finding.message.clone());
    }
    reported
}
