//! The examples of a rule: documentation and test in one. A run has no use for them, and they are most of a rule file.

use std::ops::Deref;

use crate::parallel::Lazy;

/// What opens each of them; they stand at the end of a rule file.
const HEAD: &str = "\n[[example]]";

/// One example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    pub name: String,
    pub language: String,
    /// May hold several files: `# file: agent/net.py` starts another one. `# error` marks a line that must report,
    /// `# todo-error` a known miss.
    pub code: String,
    /// Lines that must report, where the format has no comments.
    pub errors: Vec<u32>,
}

/// Those of one rule. Those of a built-in rule are read when somebody first asks for them.
#[derive(Clone, Debug)]
pub struct Examples {
    make: fn(&str) -> Vec<Example>,
    text: &'static str,
    made: Lazy<Vec<Example>>,
}

impl Examples {
    /// What `make` makes of this end of a rule file. A test reads every file as a whole, so no mistake hides here.
    pub fn later(text: &'static str, make: fn(&str) -> Vec<Example>) -> Self {
        Self { make, text, made: Lazy::new() }
    }
}

impl Deref for Examples {
    type Target = [Example];

    fn deref(&self) -> &[Example] {
        self.made.of(|| (self.make)(self.text))
    }
}

impl From<Vec<Example>> for Examples {
    fn from(made: Vec<Example>) -> Self {
        let examples = Self::later("", |_| Vec::new());
        examples.made.put(made);
        examples
    }
}

/// A rule file before its examples, and they.
pub fn split(text: &'static str) -> (&'static str, &'static str) {
    text.split_at(text.find(HEAD).unwrap_or(text.len()))
}
