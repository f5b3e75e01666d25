//! What makes a run incomplete, apart from files that were skipped or only partly understood: parts of the program that were
//! not seen, or not followed to their end. Silence about them proves nothing, so a run that names one is never clean.

use super::Place;
use crate::limits::{Part, Reached};
use crate::source::Unread;

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
    /// A function too involved to know every gate and record in it, or all that it raises.
    GivenUp,
    /// A function that content from outside was not followed into, or not to its end.
    Unfollowed,
    /// Bytes of a file that are code and no text.
    Lossy,
    /// A module of the project that is no source, or that is not in the tree.
    Unseen,
    /// Most of the source files are of languages that are not read; counts where the user is strict.
    MostlyUnread,
    /// Calls that an agent's entry points reach and that nothing resolves; counts where the user is strict.
    Unresolved,
    /// A file or a rule that was not finished when the run reached a limit.
    LimitReached,
}

impl Gap {
    pub const ALL: [Gap; 7] = [
        Gap::GivenUp,
        Gap::Unfollowed,
        Gap::Lossy,
        Gap::Unseen,
        Gap::MostlyUnread,
        Gap::Unresolved,
        Gap::LimitReached,
    ];

    /// Stable name, for machine-readable reports.
    pub fn code(self) -> &'static str {
        match self {
            Gap::GivenUp => "function-given-up",
            Gap::Unfollowed => "function-unfollowed",
            Gap::Lossy => "lossy-text",
            Gap::Unseen => "unseen-module",
            Gap::MostlyUnread => "mostly-unread",
            Gap::Unresolved => "unresolved-calls",
            Gap::LimitReached => "limit-reached",
        }
    }

    /// What all of a kind have in common: the head of a list.
    pub fn title(self) -> &'static str {
        match self {
            Gap::GivenUp => "too involved, a gate, a record or an exception may be missed",
            Gap::Unfollowed => "content from outside was not followed to its end",
            Gap::Lossy => "code in an encoding that was not understood",
            Gap::Unseen => "modules of the project whose source was not seen",
            Gap::MostlyUnread => "more than half of the source files was not read",
            Gap::Unresolved => "calls that an agent reaches are not resolved",
            Gap::LimitReached => "the run reached a limit and did not finish",
        }
    }
}

impl Incomplete {
    pub fn given_up((name, at): (String, Place)) -> Self {
        let message =
            format!("`{name}` has too many paths to know every gate, record and exception on them; split it");
        Self { kind: Gap::GivenUp, at: Where::Place(at), name, message }
    }

    pub fn unfollowed((name, at): (String, Place)) -> Self {
        let message = format!(
            "content from outside was not followed to its end in `{name}`, so a use of it may be missed; split it"
        );
        Self { kind: Gap::Unfollowed, at: Where::Place(at), name, message }
    }

    pub fn lossy(at: Place) -> Self {
        let message =
            "a name or a text here has bytes that mean nothing in the encoding of the file; save it as UTF-8";
        Self { kind: Gap::Lossy, at: Where::Place(at), name: String::new(), message: message.to_owned() }
    }

    /// `why` says what stands in the place of the source.
    pub fn unseen(module: String, at: Place, why: &str) -> Self {
        let message = format!(
            "`{module}` {why}, so what it does is not known; scan its source, or check it by other means"
        );
        Self { kind: Gap::Unseen, at: Where::Place(at), name: module, message }
    }

    pub fn mostly_unread(unread: &Unread, read: usize) -> Self {
        let count: usize = unread.values().sum();
        let extensions: Vec<String> = unread.keys().map(|extension| format!("`.{extension}`")).collect();
        let message = format!(
            "{count} source files ({}) are of languages that gatelint does not read, {read} were read: what an agent does \
             there is in no report; check them by other means",
            extensions.join(", ")
        );
        Self { kind: Gap::MostlyUnread, at: Where::Run, name: String::new(), message }
    }

    /// `at` is the first of so many calls.
    pub fn unresolved(name: String, at: Place, calls: usize) -> Self {
        let calls = if calls == 1 { "a call".to_owned() } else { format!("{calls} calls") };
        let message = format!(
            "an agent reaches `{name}`, and {calls} in it are not resolved; annotate the types of the receivers"
        );
        Self { kind: Gap::Unresolved, at: Where::Place(at), name, message }
    }

    pub fn too_many_ancestors((name, at): (String, Place)) -> Self {
        let message = format!(
            "the class `{name}` has too many ancestors to know all that it inherits; shorten the chain"
        );
        Self { kind: Gap::GivenUp, at: Where::Place(at), name, message }
    }

    /// `at` is the first of the calls that may mean anything.
    pub fn open_call(name: String, at: Place) -> Self {
        let message = format!(
            "`{name}` makes a call here that may mean more functions than are followed; annotate the type of what is called"
        );
        Self { kind: Gap::GivenUp, at: Where::Place(at), name, message }
    }

    pub fn limit_reached(reached: Reached, part: Part, name: String) -> Self {
        let (at, what) = match part {
            Part::File => (Where::Path(name.clone()), "the file was not read to its end"),
            Part::Rule => (Where::Run, "the rule was not run to its end"),
        };
        let message = format!("`{name}`: {what}; {reached}, give it more or look at less");
        Self { kind: Gap::LimitReached, at, name, message }
    }
}
