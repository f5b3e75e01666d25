//! Exit codes: the verdict in one number, the same for every format. A scan that did not see everything is never clean.

use crate::finding::{Confidence, Finding, Outcome, Severity};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitCode {
    /// Everything was looked at and nothing was found at or above `--fail-on`.
    Clean,
    Findings,
    /// Wrong usage or configuration, or an internal error: there is no verdict.
    Error,
    NothingToScan,
    /// Something was skipped, only partly understood or not followed to its end, and no finding says so already.
    Incomplete,
}

impl ExitCode {
    pub fn code(self) -> u8 {
        match self {
            ExitCode::Clean => 0,
            ExitCode::Findings => 1,
            ExitCode::Error => 2,
            ExitCode::NothingToScan => 3,
            ExitCode::Incomplete => 4,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(exit: ExitCode) -> Self {
        Self::from(exit.code())
    }
}

/// What of an outcome decides.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    pub fail_on: Severity,
    /// What is hidden does not count.
    pub min_confidence: Confidence,
}

/// Rules about the scan itself. They do not stand in for findings in the code, so they leave exit 4 as it is.
const ABOUT_THE_SCAN: [&str; 4] = ["GL001", "GL003", "GL004", "GL007"];

impl Threshold {
    pub fn counts(self, finding: &Finding) -> bool {
        finding.severity >= self.fail_on && finding.confidence >= self.min_confidence
    }
}

/// True for a finding in the code, not about the scan.
pub fn is_about_code(finding: &Finding) -> bool {
    !ABOUT_THE_SCAN.contains(&finding.rule.id.as_str())
}

pub fn exit_code(outcome: &Outcome, threshold: Threshold) -> ExitCode {
    let counted = outcome.findings.iter().filter(|finding| threshold.counts(finding));
    let (about_code, about_scan): (Vec<_>, Vec<_>) = counted.partition(|finding| is_about_code(finding));
    let coverage = &outcome.coverage;
    if coverage.is_cut() {
        ExitCode::Incomplete
    } else if !about_code.is_empty() {
        ExitCode::Findings
    } else if !outcome.is_complete() {
        ExitCode::Incomplete
    } else if !about_scan.is_empty() {
        ExitCode::Findings
    } else if outcome.files.is_empty() || coverage.reported == Some(0) {
        ExitCode::NothingToScan
    } else {
        ExitCode::Clean
    }
}
