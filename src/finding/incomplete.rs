//! What makes a run incomplete, apart from files that were skipped or only partly understood: parts of the program that were
//! not seen, or not followed to their end. Silence about them proves nothing, so a run that names one is never clean.

use super::Place;

/// One part of the program that was not seen, or not followed to its end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Incomplete {
    pub kind: Gap,
    pub at: Where,
    /// What a reader searches for: a function, a module, a file. The scanned tree's text, not escaped yet.
    pub name: String,
    /// What is not known and what to do about it, in one line and complete in itself.
    pub message: String,
}

/// Where it is to be seen.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Where {
    /// It is about the run itself.
    Run,
    Place(Place),
    /// A file that was not read, relative to the project root.
    Path(String),
}

/// The kinds, in the order of reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Gap {
    /// A function too involved to know every gate in it, or all that it raises.
    GivenUp,
    /// A function that content from outside was not followed into, or not to its end.
    Unfollowed,
}

impl Gap {
    pub const ALL: [Gap; 2] = [Gap::GivenUp, Gap::Unfollowed];

    /// Stable name, for machine-readable reports.
    pub fn code(self) -> &'static str {
        match self {
            Gap::GivenUp => "function-given-up",
            Gap::Unfollowed => "function-unfollowed",
        }
    }

    /// What all of a kind have in common: the head of a list.
    pub fn title(self) -> &'static str {
        match self {
            Gap::GivenUp => "too involved, a gate or an exception may be missed",
            Gap::Unfollowed => "content from outside was not followed to its end",
        }
    }
}

impl Incomplete {
    pub fn given_up((name, at): (String, Place)) -> Self {
        let message = format!(
            "`{name}` has too many paths to know every gate in it and every exception that leaves it; split it"
        );
        Self { kind: Gap::GivenUp, at: Where::Place(at), name, message }
    }

    pub fn unfollowed((name, at): (String, Place)) -> Self {
        let message = format!(
            "content from outside was not followed to its end in `{name}`, so a use of it may be missed; split it"
        );
        Self { kind: Gap::Unfollowed, at: Where::Place(at), name, message }
    }
}
