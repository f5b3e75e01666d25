//! What a front end has to say of a file besides what it means: places that it did not understand, and places that a reader may
//! misunderstand.

use super::Span;

/// A place that the front end did not understand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Problem {
    pub span: Span,
    pub kind: ProblemKind,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ProblemKind {
    /// A syntax error: the file is read coarsely.
    HidesCode,
    /// Nesting beyond `frontend::MAX_DEPTH`.
    TooDeep,
    /// The parser was stopped at its budget of steps.
    Budget,
}

/// A place that a reader may take for something else than what runs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Confusable {
    pub span: Span,
    pub kind: ConfusableKind,
    /// The name that it is, or looks like; of a control its number.
    pub reads_as: String,
    /// A function, a class or a parameter is called so here, or a module that is imported.
    pub is_definition: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ConfusableKind {
    /// The language reads the name as another one.
    Normalised,
    /// A word of the name has letters of several scripts; whether it looks like another name the whole program tells.
    Mixed,
    /// A control that changes the order in which the line is shown.
    Bidirectional,
}
