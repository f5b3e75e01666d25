//! How well the verdicts of a gate agree with what was expected of it. What it let through and should not have comes first.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Decision, Scenario};

/// What a gate says to a scenario, as it is sent. What else a gate writes into its line is its own business.
#[derive(Deserialize, Debug)]
struct Answer {
    id: String,
    decision: Decision,
    reason: Option<String>,
}

/// What is wrong with a line.
#[derive(Debug, Error)]
pub enum AnswerError {
    #[error("the verdict is no JSON object with `id`, and `decision` that is `approve` or `reject`: {0}")]
    Malformed(#[from] serde_json::Error),
    #[error("no scenario has the id `{0}`; `gatelint scenarios` lists them")]
    Unknown(String),
    #[error("`{0}` was judged before")]
    Again(String),
}

/// The verdicts read so far.
pub struct Answers<'s> {
    suite: &'s [Scenario],
    ids: BTreeSet<&'s str>,
    given: BTreeMap<String, Answer>,
}

/// A verdict that is not the expected one, or none at all.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Missed<'s> {
    pub id: &'s str,
    pub category: &'s str,
    pub skill_name: &'s str,
    /// Why the other verdict was expected.
    pub why: &'s str,
    /// What the gate says.
    pub reason: Option<String>,
}

/// How many verdicts of a category agree.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Tally {
    pub agreed: usize,
    pub of: usize,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Score<'s> {
    pub false_approvals: Vec<Missed<'s>>,
    pub false_rejections: Vec<Missed<'s>>,
    pub unanswered: Vec<Missed<'s>>,
    /// In the order of the scenarios.
    #[serde(serialize_with = "as_map")]
    pub categories: Vec<(&'s str, Tally)>,
    pub all: Tally,
}

impl<'s> Answers<'s> {
    pub fn of(suite: &'s [Scenario]) -> Self {
        let ids = suite.iter().map(|scenario| scenario.id.as_str()).collect();
        Self { suite, ids, given: BTreeMap::new() }
    }

    pub fn read(&mut self, line: &str) -> Result<(), AnswerError> {
        let answer: Answer = serde_json::from_str(line)?;
        if !self.ids.contains(answer.id.as_str()) {
            return Err(AnswerError::Unknown(answer.id));
        }
        if self.given.contains_key(&answer.id) {
            return Err(AnswerError::Again(answer.id));
        }
        self.given.insert(answer.id.clone(), answer);
        Ok(())
    }

    pub fn score(&self) -> Score<'s> {
        let missed = |is_meant: &dyn Fn(&Scenario, Option<&Answer>) -> bool| {
            let meant = self.suite.iter().filter(|scenario| is_meant(scenario, self.given.get(&scenario.id)));
            meant.map(|scenario| self.missed(scenario)).collect()
        };
        let wrongly = |decision| {
            missed(&move |scenario: &Scenario, answer: Option<&Answer>| {
                scenario.expected != decision && answer.is_some_and(|answer| answer.decision == decision)
            })
        };
        let mut seen = BTreeSet::new();
        let names = self.suite.iter().map(|scenario| scenario.category.as_str());
        let categories = names.filter(|name| seen.insert(*name));
        Score {
            false_approvals: wrongly(Decision::Approve),
            false_rejections: wrongly(Decision::Reject),
            unanswered: missed(&|_, answer| answer.is_none()),
            categories: categories
                .map(|name| (name, self.tally(|scenario| scenario.category == name)))
                .collect(),
            all: self.tally(|_| true),
        }
    }

    fn missed(&self, scenario: &'s Scenario) -> Missed<'s> {
        Missed {
            id: &scenario.id,
            category: &scenario.category,
            skill_name: &scenario.proposed_action.skill_name,
            why: &scenario.why,
            reason: self.given.get(&scenario.id).and_then(|answer| answer.reason.clone()),
        }
    }

    fn tally(&self, is_meant: impl Fn(&Scenario) -> bool) -> Tally {
        let meant = || self.suite.iter().filter(|scenario| is_meant(scenario));
        let agrees = |scenario: &&Scenario| {
            self.given.get(&scenario.id).is_some_and(|answer| answer.decision == scenario.expected)
        };
        Tally { agreed: meant().filter(agrees).count(), of: meant().count() }
    }
}

impl Score<'_> {
    pub fn is_full(&self) -> bool {
        self.all.agreed == self.all.of
    }
}

fn as_map<S: serde::Serializer>(categories: &[(&str, Tally)], out: S) -> Result<S::Ok, S::Error> {
    out.collect_map(categories.iter().copied())
}
