//! Mutations as plain data: a guard and where it stands, what was done to it, and whether a rule noticed. `rule` finds the
//! guards, `changes` writes each change into the text of a file, `report` prints what came of it. Nothing here checks.

pub mod changes;
mod edit;
mod statements;
mod verdicts;

use std::collections::BTreeMap;

use crate::catalog::Bound;
use crate::finding::Place;
use crate::frontend::spelling::Stub;
use crate::ir::{ExprId, Func};
use crate::source::FileId;

pub use changes::changes;
pub use edit::{apply, difference};

/// What a guard watches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GuardKind {
    Phase,
    Attribution,
    Fence,
    Audit,
    Declaration,
    Action,
    Bound(Bound),
}

impl GuardKind {
    pub fn name(self) -> &'static str {
        match self {
            GuardKind::Phase => "phase gate",
            GuardKind::Attribution => "attribution guard",
            GuardKind::Fence => "content fence",
            GuardKind::Audit => "audit record",
            GuardKind::Declaration => "declaration check",
            GuardKind::Action => "action gate",
            GuardKind::Bound(bound) => bound.noun(),
        }
    }
}

/// How a guard is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// A call; what it comes back with is worth something only if it guards a value.
    Call {
        call: ExprId,
        guards_value: bool,
    },
    /// A comparison or a match in the function's own text.
    Test(ExprId),
    /// Above the function.
    Decorator(ExprId),
    /// The body of the guard itself, and what it comes back with once it does nothing.
    Body(Stub),
    /// A named argument, or a call in a chain, that bounds what is started.
    Argument {
        call: ExprId,
        at: usize,
    },
    Built(ExprId),
}

/// A guard of the project.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    pub kind: GuardKind,
    pub form: Form,
    pub file: FileId,
    /// The function in whose text it stands.
    pub function: Func,
    /// The dotted path of that function.
    pub within: String,
    /// What is asked, as a reader knows it.
    pub name: String,
    /// Expressions of the same function that lead to an external effect, in the order of their places.
    pub effects: Vec<ExprId>,
}

/// The guards of a project, in the order of their places.
#[derive(Clone, Default, Debug)]
pub struct Guards {
    pub found: Vec<Guard>,
    /// Calls of guards in functions that no handler, tool or planning function runs and that lead to none.
    pub outside: usize,
}

/// What is done to a guard.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Change {
    Removed,
    Emptied,
    Moved,
    Flagged,
    Swallowed,
    Asserted,
}

impl Change {
    pub fn name(self) -> &'static str {
        match self {
            Change::Removed => "removed",
            Change::Emptied => "emptied",
            Change::Moved => "moved behind the effect",
            Change::Flagged => "put under a flag",
            Change::Swallowed => "its error swallowed",
            Change::Asserted => "put into an assertion",
        }
    }

    /// For programs.
    pub fn code(self) -> &'static str {
        match self {
            Change::Removed => "remove",
            Change::Emptied => "empty",
            Change::Moved => "move",
            Change::Flagged => "flag",
            Change::Swallowed => "swallow",
            Change::Asserted => "assert",
        }
    }
}

/// One changed project: one guard, one change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutant {
    /// Indexes `Guards::found`.
    pub guard: usize,
    pub change: Change,
    /// Where the guard stands in the text as it is.
    pub place: Place,
    /// The text of the file with the change.
    pub text: String,
}

/// What a check says of a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// These rules have findings that they did not have before.
    Killed(Vec<String>),
    /// The analysis does not see all of it any more, and says so.
    Incomplete,
    /// Findings that do not count come from these rules.
    Survived(Vec<String>),
}

/// A mutant that was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trial {
    pub kind: GuardKind,
    pub name: String,
    pub within: String,
    pub change: Change,
    pub place: Place,
    /// The lines that differ, as they are and as they were tried.
    pub lines: (String, String),
    pub fate: Fate,
}

/// Why a mutant was not checked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Skip {
    /// The changed text is not understood.
    Unparsed,
    /// The program is the same.
    Same,
    /// Another change gives the same text.
    Repeated,
}

impl Skip {
    pub fn name(self) -> &'static str {
        match self {
            Skip::Unparsed => "does not parse",
            Skip::Same => "changes nothing",
            Skip::Repeated => "is the same as another",
        }
    }

    pub fn code(self) -> &'static str {
        match self {
            Skip::Unparsed => "unparsed",
            Skip::Same => "same",
            Skip::Repeated => "repeated",
        }
    }
}

/// What came of all mutants.
#[derive(Clone, Default, Debug)]
pub struct Tried {
    /// In the order of the guards and changes.
    pub trials: Vec<Trial>,
    pub guards: usize,
    /// Guards that stand where no agent gets.
    pub outside: usize,
    pub skipped: BTreeMap<Skip, usize>,
    /// Mutants beyond the limit.
    pub untried: usize,
}

impl Trial {
    pub fn survived(&self) -> bool {
        matches!(self.fate, Fate::Survived(_))
    }
}

impl Tried {
    pub fn survivors(&self) -> impl Iterator<Item = &Trial> {
        self.trials.iter().filter(|trial| trial.survived())
    }

    pub fn killed(&self) -> usize {
        self.trials.len() - self.survivors().count()
    }
}
