//! Matchers: the few general shapes a rule can ask for. Each knows which captures it offers to the rule's message.

use serde::Deserialize;

use crate::catalog::EffectKind;

/// One `[[match]]`. Externally tagged, so that a mistake has a span (`toml::Spanned` fails under other taggings).
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Matcher {
    /// An import of a module that stands for an effect.
    Import(Effectful),
    /// A call, or a callable handed over to be called, with an effect.
    Call(Effectful),
    /// A path from a function with a role to an effect.
    Reach(Reach),
    /// What no matcher can say, by the name of its check in `rule/check/`.
    Check(Check),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effectful {
    pub effects: Vec<EffectKind>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reach {
    pub from: Role,
    pub effects: Vec<EffectKind>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    Planning,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    UnparsedSource,
    InvalidWaiver,
    UnusedWaiver,
    UnmatchedSetting,
}

impl Matcher {
    /// The names that the rule's message may use.
    pub fn captures(&self) -> &'static [&'static str] {
        match self {
            Matcher::Import(_) => &["module"],
            Matcher::Call(_) => &["callee"],
            Matcher::Reach(_) => &["function", "effect", "callee"],
            Matcher::Check(Check::UnparsedSource | Check::InvalidWaiver) => &["problem"],
            Matcher::Check(Check::UnusedWaiver) => &["rules"],
            Matcher::Check(Check::UnmatchedSetting) => &["key", "text", "nothing"],
        }
    }
}
