//! How sure gatelint is of something. A bottom layer of its own, since link grades edges with it, the catalogue grades
//! entries, and a finding carries the grade of its weakest link.

use serde::{Deserialize, Serialize};

/// The weakest link of a chain decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// A name only.
    Low,
    /// A registered name, or one inferred hop.
    Medium,
    /// Resolved by import, type or constant.
    High,
}

impl Confidence {
    /// As every text writes it.
    pub fn label(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }
}
