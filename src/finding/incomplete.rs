//! Analysis gaps: parts of the program that were not seen, or not analysed to their end. Silence about them proves nothing. A gap
//! with a place becomes a finding of GL007, so that it can be baselined, waived and narrowed like any other; what concerns the
//! run as a whole stays here.

use std::collections::BTreeMap;

use super::Place;
use crate::limits::{Part, Reached};
use crate::source::Unread;

/// One part of the program that was not seen, or not analysed to its end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Incomplete {
    pub kind: Gap,
    pub at: Where,
    /// What a reader searches for: a function, a module, a file. The scanned tree's text, not escaped yet.
    pub name: String,
    /// The dotted path of the function that it is about; empty if it is about none.
    pub function: String,
    /// What is not known and what may be missed for it, in one line and complete in itself.
    pub message: String,
}

/// A function, or a class, that a gap is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Named {
    /// As reports name it.
    pub name: String,
    /// Its dotted path.
    pub path: String,
    pub at: Place,
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
    /// A function of which not every gate, record or exception is known.
    GivenUp,
    /// A function that content from outside was not followed into, or not to its end.
    Unfollowed,
    /// A file that was only partly parsed.
    Partial,
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
    pub const ALL: [Gap; 8] = [
        Gap::GivenUp,
        Gap::Unfollowed,
        Gap::Partial,
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
            Gap::Partial => "partly-parsed",
            Gap::Lossy => "lossy-text",
            Gap::Unseen => "unseen-module",
            Gap::MostlyUnread => "mostly-unread",
            Gap::Unresolved => "unresolved-calls",
            Gap::LimitReached => "limit-reached",
        }
    }

    pub fn of_code(code: &str) -> Option<Self> {
        Gap::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// What all of a kind have in common: the head of a list.
    pub fn title(self) -> &'static str {
        match self {
            Gap::GivenUp => "not every gate, record and exception is known",
            Gap::Unfollowed => "content from outside was not followed to its end",
            Gap::Partial => "only partly parsed, calls may be missing",
            Gap::Lossy => "code in an encoding that was not understood",
            Gap::Unseen => "modules of the project whose source was not seen",
            Gap::MostlyUnread => "more than half of the source files was not read",
            Gap::Unresolved => "calls that an agent reaches are not resolved",
            Gap::LimitReached => "the run reached a limit and did not finish",
        }
    }

    /// What a kind is counted as: `3 functions not followed to their end`.
    pub fn counted(self) -> &'static str {
        match self {
            Gap::GivenUp => "with unknown gates",
            Gap::Unfollowed => "with content not followed",
            Gap::Partial => "partly parsed",
            Gap::Lossy => "in an unknown encoding",
            Gap::Unseen => "without source",
            Gap::MostlyUnread => "mostly unread",
            Gap::Unresolved => "with unresolved calls",
            Gap::LimitReached => "cut by a limit",
        }
    }
}

impl Incomplete {
    fn of(kind: Gap, named: Named, message: String) -> Self {
        let Named { name, path, at } = named;
        Self { kind, at: Where::Place(at), name, function: path, message }
    }

    fn at(kind: Gap, at: Place, name: String, message: String) -> Self {
        Self { kind, at: Where::Place(at), name, function: String::new(), message }
    }

    fn of_run(kind: Gap, name: String, message: String) -> Self {
        Self { kind, at: Where::Run, name, function: String::new(), message }
    }

    pub fn given_up(named: Named) -> Self {
        let message = format!(
            "not every gate, audit record and exception in `{}` is known, so a call in it may be reported without need, or be \
             missed",
            named.name
        );
        Self::of(Gap::GivenUp, named, message)
    }

    pub fn unfollowed(named: Named) -> Self {
        let message = format!(
            "content from outside was not followed to its end in `{}`, so a use of it may be missed",
            named.name
        );
        Self::of(Gap::Unfollowed, named, message)
    }

    /// `what` stands in the way of the parser.
    pub fn partial(at: Place, what: &str) -> Self {
        let message = format!("this file was only partly parsed ({what}), so a call in it may be missed");
        Self::at(Gap::Partial, at, String::new(), message)
    }

    pub fn lossy(at: Place) -> Self {
        let message = "a name or a text here has bytes that mean nothing in the encoding of the file, so what it names may be missed";
        Self::at(Gap::Lossy, at, String::new(), message.to_owned())
    }

    /// `why` says what stands in the place of the source.
    pub fn unseen(module: String, at: Place, why: &str) -> Self {
        let message = format!("`{module}` {why}, so an effect behind it may be missed");
        Self::at(Gap::Unseen, at, module, message)
    }

    pub fn mostly_unread(unread: &Unread, read: usize) -> Self {
        let count: usize = unread.values().sum();
        let extensions: Vec<String> = unread.keys().map(|extension| format!("`.{extension}`")).collect();
        let message = format!(
            "{count} source files ({}) are of languages that gatelint does not read, {read} were read: what an agent does \
             there is in no report",
            extensions.join(", ")
        );
        Self::of_run(Gap::MostlyUnread, String::new(), message)
    }

    /// `named.at` is the first of so many calls.
    pub fn unresolved(named: Named, calls: usize) -> Self {
        let calls = if calls == 1 { "a call".to_owned() } else { format!("{calls} calls") };
        let message = format!(
            "an agent reaches `{}`, and {calls} in it may run more than is known, so an effect behind them may be missed",
            named.name
        );
        Self::of(Gap::Unresolved, named, message)
    }

    pub fn too_many_ancestors(named: Named) -> Self {
        let message = format!(
            "not all ancestors of the class `{}` are known, so a method that it inherits may be missed",
            named.name
        );
        let function = String::new();
        Self { function, ..Self::of(Gap::GivenUp, named, message) }
    }

    /// `named.at` is the first of the calls that may mean anything.
    pub fn open_call(named: Named) -> Self {
        let message = format!(
            "a call in `{}` may mean more functions than are followed, so an effect behind it may be missed",
            named.name
        );
        Self::of(Gap::GivenUp, named, message)
    }

    pub fn limit_reached(reached: Reached, part: Part, name: String) -> Self {
        let (at, what) = match part {
            Part::File => (Where::Path(name.clone()), "the file was not read to its end"),
            Part::Rule => (Where::Run, "the rule was not run to its end"),
        };
        let message = format!("`{name}`: {what}; {reached}, give it more or look at less");
        Self { kind: Gap::LimitReached, at, name, function: String::new(), message }
    }

    /// What a finding says of it.
    pub fn captures(&self) -> BTreeMap<&'static str, String> {
        let said = [("kind", self.kind.code()), ("name", self.name.as_str()), ("gap", self.message.as_str())];
        said.into_iter().map(|(key, text)| (key, text.to_owned())).collect()
    }
}
