//! The words of whoever runs tools, as the catalogue has them (`rules/catalog/sessions.toml`).

use serde::Deserialize;

use super::pattern::wildcard;

/// `[sessions]`: the words of whoever runs tools. `*` stands for anything.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SessionWords {
    /// Methods of a tool that run it.
    runs: Vec<String>,
    /// Functions that run the tool whose name they are given.
    calls: Vec<String>,
    /// Variables and parameters that hold a session.
    session: Vec<String>,
    /// What ends a session, or begins one.
    resets: Vec<String>,
    /// Methods that hand back the same object.
    same: Vec<String>,
    /// Functions that run what they are given side by side.
    joins: Vec<String>,
    /// Names of what tells that internal data was read.
    marks: Vec<String>,
    /// Names of plans.
    plans: Vec<String>,
    /// Names under which a step has its tool.
    steps: Vec<String>,
    /// Functions that validate a plan.
    validates: Vec<String>,
    /// What a prompt says that tells the order of tools.
    prompts: Vec<String>,
}

fn any(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|pattern| wildcard(pattern, name))
}

impl SessionWords {
    /// True for a text that tells a model in which order tools may be called.
    pub fn tells_order(&self, text: &str) -> bool {
        self.prompts.iter().any(|words| text.contains(words.as_str()))
    }

    pub fn runs(&self, name: &str) -> bool {
        any(&self.runs, name)
    }

    pub fn calls(&self, name: &str) -> bool {
        any(&self.calls, name)
    }

    pub fn is_session(&self, name: &str) -> bool {
        any(&self.session, name)
    }

    pub fn resets(&self, name: &str) -> bool {
        any(&self.resets, name)
    }

    pub fn is_same(&self, name: &str) -> bool {
        any(&self.same, name)
    }

    pub fn joins(&self, name: &str) -> bool {
        any(&self.joins, name)
    }

    pub fn marks(&self, name: &str) -> bool {
        any(&self.marks, name)
    }

    pub fn is_plan(&self, name: &str) -> bool {
        any(&self.plans, &name.to_lowercase())
    }

    pub fn is_step(&self, name: &str) -> bool {
        any(&self.steps, name)
    }

    pub fn validates(&self, name: &str) -> bool {
        any(&self.validates, name)
    }

    pub(super) fn append(&mut self, other: Self) {
        self.runs.extend(other.runs);
        self.calls.extend(other.calls);
        self.session.extend(other.session);
        self.resets.extend(other.resets);
        self.same.extend(other.same);
        self.joins.extend(other.joins);
        self.marks.extend(other.marks);
        self.plans.extend(other.plans);
        self.steps.extend(other.steps);
        self.validates.extend(other.validates);
        self.prompts.extend(other.prompts);
    }
}
