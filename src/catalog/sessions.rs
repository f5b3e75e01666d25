//! The words of whoever runs tools, as the catalogue has them (`rules/catalog/sessions.toml`).

use serde::Deserialize;

use super::globs::Globs;

/// `[sessions]`: the words of whoever runs tools. `*` stands for anything.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SessionWords {
    /// Methods of a tool that run it.
    runs: Globs,
    /// Functions that run the tool whose name they are given.
    calls: Globs,
    /// Variables and parameters that hold a session.
    session: Globs,
    /// What ends a session, or begins one.
    resets: Globs,
    /// Methods that hand back the same object.
    same: Globs,
    /// Functions that run what they are given side by side.
    joins: Globs,
    /// Names of what tells that internal data was read.
    marks: Globs,
    /// Names of plans.
    plans: Globs,
    /// Names under which a step has its tool.
    steps: Globs,
    /// Functions that validate a plan.
    validates: Globs,
    /// What a prompt says that tells the order of tools.
    prompts: Vec<String>,
}

impl SessionWords {
    /// True for a text that tells a model in which order tools may be called.
    pub fn tells_order(&self, text: &str) -> bool {
        self.prompts.iter().any(|words| text.contains(words.as_str()))
    }

    pub fn runs(&self, name: &str) -> bool {
        self.runs.fit(name)
    }

    pub fn calls(&self, name: &str) -> bool {
        self.calls.fit(name)
    }

    pub fn is_session(&self, name: &str) -> bool {
        self.session.fit(name)
    }

    pub fn resets(&self, name: &str) -> bool {
        self.resets.fit(name)
    }

    pub fn is_same(&self, name: &str) -> bool {
        self.same.fit(name)
    }

    pub fn joins(&self, name: &str) -> bool {
        self.joins.fit(name)
    }

    pub fn marks(&self, name: &str) -> bool {
        self.marks.fit(name)
    }

    pub fn is_plan(&self, name: &str) -> bool {
        self.plans.fit(&name.to_lowercase())
    }

    pub fn is_step(&self, name: &str) -> bool {
        self.steps.fit(name)
    }

    pub fn validates(&self, name: &str) -> bool {
        self.validates.fit(name)
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
