//! The engine as the command line runs it: rules and catalogue, loaded once for all examples.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::config::Config;
use crate::engine::analyse;
use crate::finding::base::Base;
use crate::finding::{Confidence, Outcome};
use crate::rule::{self, LoadError, Rule};
use crate::source::{Discovered, LineIndex};
use crate::suppress::suppress;
use crate::timings::Timings;

use super::verdict::Mark;

/// What the default report shows.
const SHOWN: Confidence = Confidence::Medium;
#[derive(Debug)]
pub struct Engine {
    /// Sorted by id.
    pub rules: Vec<Arc<Rule>>,
    pub(super) catalog: Catalog,
}

/// What was reported, and the messages of each place.
pub type Reported = BTreeMap<Mark, Vec<String>>;

impl Engine {
    /// `rules` sorted by id.
    pub fn new(rules: Vec<Arc<Rule>>) -> Result<Self, LoadError> {
        Ok(Self { catalog: rule::catalog_for(&rules)?, rules })
    }

    /// The findings that a user sees by default. The caller provides threads with stacks as deep as the command line's.
    pub fn run(
        &self,
        found: Discovered,
        config: &Config,
        base: Option<Base>,
        rules: Vec<Arc<Rule>>,
    ) -> Reported {
        let mut outcome = analyse(found, config, &self.catalog, rules, &mut Timings::start());
        outcome.pending.base = base;
        reported(&suppress(outcome))
    }
}

fn reported(outcome: &Outcome) -> Reported {
    let (mut reported, mut lines) = (Reported::new(), BTreeMap::new());
    let covered = outcome.covered.iter().map(|covered| &covered.finding);
    for finding in outcome.findings.iter().chain(covered).filter(|finding| finding.confidence >= SHOWN) {
        let file = outcome.file(finding.primary.file);
        let line = lines.entry(finding.primary.file).or_insert_with(|| LineIndex::new(&file.text));
        let mark = Mark {
            path: file.path.clone(),
            line: line.line_col(finding.primary.span.lo).line,
            rule: finding.rule.id.clone(),
        };
        reported.entry(mark).or_default().push(finding.message.clone());
    }
    reported
}
