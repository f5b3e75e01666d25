//! The few colours outside of what miette draws.

use crate::finding::Severity;

#[derive(Clone, Copy)]
pub struct Paint {
    pub color: bool,
}

impl Paint {
    pub fn bold(self, text: &str) -> String {
        self.sgr("1", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.sgr("2", text)
    }

    /// The colours that miette gives the severities.
    pub fn severity(self, severity: Severity, text: &str) -> String {
        match severity {
            Severity::Error => self.sgr("31", text),
            Severity::Warning => self.sgr("33", text),
            Severity::Note => self.sgr("36", text),
        }
    }

    fn sgr(self, code: &str, text: &str) -> String {
        if self.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
