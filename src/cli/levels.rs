//! How severe and how sure, as they are asked for.

use clap::ValueEnum;

use crate::finding::{Confidence, Severity};

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SeverityArg {
    Error,
    Warning,
    Note,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ConfidenceArg {
    Low,
    Medium,
    High,
}

impl From<SeverityArg> for Severity {
    fn from(arg: SeverityArg) -> Self {
        match arg {
            SeverityArg::Error => Severity::Error,
            SeverityArg::Warning => Severity::Warning,
            SeverityArg::Note => Severity::Note,
        }
    }
}

impl From<ConfidenceArg> for Confidence {
    fn from(arg: ConfidenceArg) -> Self {
        match arg {
            ConfidenceArg::Low => Confidence::Low,
            ConfidenceArg::Medium => Confidence::Medium,
            ConfidenceArg::High => Confidence::High,
        }
    }
}
