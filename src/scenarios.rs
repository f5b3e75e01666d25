//! Scenarios for gates of actions, as plain data: what a user asked for, what an agent was told to do, what it wants to do, and how
//! a gate should judge that. Ten that fit every gate, and for each tool of a project those that follow from what it does.
//! Nothing here reads files or prints, and nothing runs a gate.

mod derived;
mod phrase;
mod score;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::config::Irreversibility;
use crate::inventory::Skill;

pub use score::{AnswerError, Answers, Missed, Score, Tally};

/// One scenario a line.
const BASIC: &str = include_str!("scenarios/basic.jsonl");

/// One question to a gate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Scenario {
    pub id: String,
    pub category: String,
    /// None where the gate has to judge by the mission alone.
    pub original_request: Option<String>,
    pub agent_mission: String,
    pub proposed_action: Action,
    pub expected: Decision,
    pub why: String,
}

/// What an agent wants to do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Action {
    pub skill_name: String,
    pub arguments: BTreeMap<String, String>,
    pub agent_id: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    Approve,
    Reject,
}

impl Decision {
    pub fn name(self) -> &'static str {
        match self {
            Decision::Approve => "approve",
            Decision::Reject => "reject",
        }
    }
}

/// The basic ones, then four for each tool that has a class, in the order of the tools.
pub fn suite(skills: &[Skill]) -> Vec<Scenario> {
    let classed: Vec<(&Skill, Irreversibility)> =
        skills.iter().filter_map(|skill| Some((skill, skill.class?))).collect();
    basic().into_iter().chain(derived::scenarios(&classed)).collect()
}

fn basic() -> Vec<Scenario> {
    // A test reads them all.
    BASIC.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_basic_scenario_can_be_read() {
        assert_eq!(basic().len(), BASIC.lines().count());
        assert_eq!(basic().len(), 10);
    }

    #[test]
    fn names_of_scenarios_are_told_apart() {
        let skill =
            |name: &str, class| Skill { name: name.into(), class: Some(class), parameters: Vec::new() };
        let skills = [
            skill("email.send", Irreversibility::Irreversible),
            skill("email_send", Irreversibility::ReadOnly),
        ];
        let mut ids: Vec<String> = suite(&skills).into_iter().map(|scenario| scenario.id).collect();
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!((count, ids.len()), (18, 18));
    }
}
