//! What a verdict is found by: the program, its arguments, where and for whom it runs, and what it prints to. Files are no part
//! of it.

use std::io::{self, IsTerminal as _};

use super::private;
use crate::cli::output;

/// All that decides about colours.
const VARIABLES: [&str; 6] = ["NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "TERM", "COLUMNS"];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key(pub [u8; 32]);

/// What goes into it, each part apart from the others.
struct Parts(blake3::Hasher);

impl Parts {
    fn add(&mut self, part: &[u8]) {
        self.0.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
}

impl Key {
    /// `arguments` are those that a report depends on. `None` if the current folder is gone.
    pub fn of(arguments: &str) -> Option<Self> {
        Self::of_build(env!("GATELINT_BUILD"), arguments)
    }

    fn of_build(build: &str, arguments: &str) -> Option<Self> {
        let folder = std::env::current_dir().ok()?;
        let mut parts = Parts(blake3::Hasher::new());
        parts.add(build.as_bytes());
        parts.add(arguments.as_bytes());
        parts.add(folder.as_os_str().as_encoded_bytes());
        parts.add(private::user().as_bytes());
        for name in VARIABLES {
            let value = std::env::var_os(name);
            parts.add(&[u8::from(value.is_some())]);
            parts.add(value.unwrap_or_default().as_encoded_bytes());
        }
        let on_terminal = io::stdout().is_terminal();
        let width = if on_terminal { output::width() } else { 0 };
        parts.add(format!("{on_terminal} {width}").as_bytes());
        Some(Self(parts.0.finalize().into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_build_and_other_arguments_have_another_key() {
        let key = Key::of_build("a", "b");
        assert_eq!(key, Key::of_build("a", "b"));
        for other in [Key::of_build("b", "b"), Key::of_build("a", "a"), Key::of_build("ab", "")] {
            assert!(other.is_some() && other != key);
        }
    }
}
