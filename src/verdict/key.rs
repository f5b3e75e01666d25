//! What a verdict is found by: the program, its arguments, where and for whom it runs, and what it prints to. Files are no part
//! of it.

use std::io::{self, IsTerminal as _};

use super::private;
use crate::cli::{CheckArgs, output};

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
    pub fn of(arguments: &str, args: &CheckArgs) -> Option<Self> {
        let folder = std::env::current_dir().ok()?;
        let mut parts = Parts(blake3::Hasher::new());
        parts.add(env!("GATELINT_BUILD").as_bytes());
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
        parts.add(format!("{on_terminal} {width} {:?}", args.format()).as_bytes());
        Some(Self(parts.0.finalize().into()))
    }
}
