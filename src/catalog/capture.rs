//! What a capture function is called, which of its parameters carry the response, and who keeps the session. The lists are
//! data (`rules/catalog/capture.toml`); who asks is `analysis`.

use serde::Deserialize;

use super::globs::Globs;
use super::globs::snake_case;
use super::pattern::PatternSet;

/// `[capture]`.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Capture {
    prefix: Vec<String>,
    about: Vec<String>,
    response: Globs,
    not_response: Globs,
    sessions: Globs,
    session_classes: Globs,
    detaches: PatternSet,
}

impl Capture {
    pub(super) fn add(&mut self, other: Capture) {
        self.prefix.extend(other.prefix);
        self.about.extend(other.about);
        self.response.extend(other.response);
        self.not_response.extend(other.not_response);
        self.sessions.extend(other.sessions);
        self.session_classes.extend(other.session_classes);
        self.detaches.extend([other.detaches]);
    }

    /// True if a function of this name captures declarations.
    pub fn selects(&self, name: &str) -> bool {
        let name = snake_case(name.trim_start_matches('_'));
        self.prefix.iter().any(|prefix| name.starts_with(prefix.as_str()))
            && self.about.iter().any(|word| name.contains(word.as_str()))
    }

    /// True for a call that starts what it is given and does not wait for it.
    pub fn detaches(&self, path: &str) -> bool {
        self.detaches.matches(path)
    }

    /// True if a parameter of this name carries the response.
    pub fn is_response(&self, parameter: &str) -> bool {
        !self.is_other(parameter) && self.response.fit_plain(parameter)
    }

    /// True if a parameter of this name carries something else.
    pub fn is_other(&self, parameter: &str) -> bool {
        self.not_response.fit_plain(parameter)
    }

    /// True for a class that keeps sessions.
    pub fn is_of_session(&self, class: &str) -> bool {
        self.session_classes.fit(class)
    }

    /// True for a function, by its last name, that reads or marks the session.
    pub fn keeps_session(&self, name: &str) -> bool {
        self.sessions.fit_plain(name)
    }
}

#[cfg(test)]
mod tests {
    use crate::catalog::Catalog;

    #[test]
    fn names_that_capture_and_parameters_that_carry_the_response() {
        let text = include_str!("../../rules/catalog/capture.toml");
        let capture = Catalog::load([("capture.toml", text)]).unwrap().capture;
        for name in ["capture_declarations", "_capture_external_info", "captureDeclarations"] {
            assert!(capture.selects(name), "{name}");
        }
        for name in ["capture_screen", "declarations", "recapture_declarations", "parse_declarations"] {
            assert!(!capture.selects(name), "{name}");
        }
        for name in ["response", "response_content", "response_metadata", "metadata", "modelReply", "content"]
        {
            assert!(capture.is_response(name), "{name}");
        }
        for name in ["session", "session_metadata", "session_id", "response_queue", "user_message", "self"] {
            assert!(!capture.is_response(name), "{name}");
        }
    }
}
