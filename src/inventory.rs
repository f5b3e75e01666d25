//! The inventory as plain data: what can be called by name in a project, and what comes of it. `rule` makes it, `report`
//! prints it. Nothing here formats or knows how something was found.

use std::collections::BTreeMap;

use crate::catalog::EffectKind;
use crate::config::{Irreversibility, Sensitivity};
use crate::finding::{Confidence, EntryKind, Place, Step, Via};

/// What is registered, and what the configuration and manifests say of tools by their names, registered or not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    pub listed: Vec<Listed>,
    pub written: BTreeMap<String, Class>,
    pub skills: Vec<Skill>,
}

/// A tool as a gate of actions sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skill {
    pub name: String,
    /// None if nothing says what a call does that cannot be taken back.
    pub class: Option<Irreversibility>,
    /// The names of what a model gives it, if it is registered here.
    pub parameters: Vec<String>,
}

/// What a row of the inventory is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    Command,
    Tool,
    /// A planning function, which nothing registers.
    Planner,
}

/// A command or a tool, or a planning function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    pub kind: Kind,
    /// Whose way to register it is; none for the project's own.
    pub framework: Option<String>,
    /// As callers know it; none where it is not constant.
    pub name: Option<String>,
    /// The dotted path of what runs.
    pub function: String,
    pub handler: Place,
    /// What runs in its place, for callers of another kind.
    pub others: Vec<Other>,
    /// The first line of what the handler says of itself.
    pub description: Option<String>,
    pub registered: Place,
    pub confidence: Confidence,
    /// What it is for an agent; none for a command that people and programs call.
    pub entry: Option<EntryKind>,
    /// How an agent gets there, if it is known to.
    pub via: Option<Via>,
    /// Those of low confidence last; then by kind, the open ones first.
    pub effects: Vec<Reached>,
    /// The dotted paths of the gates that hold on every way to the effects that are gated, in order.
    pub gates: Vec<String>,
    /// So many calls that it reaches may run more than is known.
    pub unresolved: usize,
    /// The libraries that it calls and the catalogue does not know, by name: what they do is not told.
    pub unknown: Vec<UnknownLibrary>,
    /// None if nothing says what it is.
    pub class: Option<Class>,
}

/// Calls of a library that the catalogue does not know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownLibrary {
    /// As it is imported.
    pub name: String,
    /// What the first of the calls calls, and where it is.
    pub callee: String,
    pub place: Place,
    pub calls: usize,
}

/// A function by its dotted path, and where its name stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Other {
    pub function: String,
    pub place: Place,
}

/// Whether a tool brings internal data into a session or reaches outside, and how that is known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Class {
    pub sensitivity: Sensitivity,
    pub reason: Reason,
    pub confidence: Confidence,
}

impl Class {
    /// What the configuration says.
    pub fn configured(sensitivity: Sensitivity) -> Self {
        Self { sensitivity, reason: Reason::Configured, confidence: Confidence::High }
    }
}

/// What says which class a tool is of, from the surest to the least.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// `[tools.NAME]` in the configuration.
    Configured,
    /// It is a command of the comm namespace.
    Comm,
    /// An annotation in the code, as it could be written.
    Annotated(String),
    /// It reaches a call that brings internal data in.
    Reads(String),
    /// It reaches a call that sends what it is given.
    Sends(String),
    /// Its protocol takes it for one that reaches outside unless it says otherwise.
    Protocol(String),
    /// Its name alone.
    Named,
}

impl Reason {
    /// True if somebody said it, or it follows from what the tool does.
    pub fn is_evidence(&self) -> bool {
        !matches!(self, Reason::Protocol(_) | Reason::Named)
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Configured => f.write_str("configured"),
            Reason::Comm => f.write_str("a comm command"),
            Reason::Annotated(annotation) => write!(f, "annotated `{annotation}`"),
            Reason::Reads(callee) => write!(f, "it reads by `{callee}`"),
            Reason::Sends(callee) => write!(f, "it sends by `{callee}`"),
            Reason::Protocol(framework) => {
                write!(f, "{framework} takes tools for open unless they say otherwise")
            }
            Reason::Named => f.write_str("its name alone"),
        }
    }
}

/// A call with an effect that a handler can reach, by the shortest of the surest paths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    pub kind: EffectKind,
    pub confidence: Confidence,
    /// What is called in the end: `requests.get`.
    pub callee: String,
    /// What it does to storage or a file, as far as it tells.
    pub access: Option<Access>,
    /// None if nothing says what it is done to.
    pub target: Option<Target>,
    /// No way leads to this call without a gate.
    pub is_gated: bool,
    /// Nothing says that the file lies outside the workspace, so no rule asks for a gate before it.
    pub is_local: bool,
    pub steps: Vec<Step>,
}

/// What a call does to storage or a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Access {
    Read,
    Write,
    Delete,
}

impl Access {
    pub fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Delete => "delete",
        }
    }
}

/// What an effect is done to: a path, an address, a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// None if only the beginning of it is known.
    pub of: Option<Chosen>,
    /// The constant text, or the constant beginning of what is not constant as a whole.
    pub text: Option<String>,
    /// The parameter of the handler from which it comes.
    pub argument: Option<String>,
}

/// Who chooses a target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Chosen {
    /// The code does.
    Constant,
    /// The code does, and it is a file in the workspace.
    Workspace,
    /// The model or whoever else calls the handler does.
    Caller,
}

impl Chosen {
    pub fn name(self) -> &'static str {
        match self {
            Chosen::Constant => "constant",
            Chosen::Workspace => "workspace",
            Chosen::Caller => "caller",
        }
    }
}

impl Reached {
    /// True for what is more than a guess.
    pub fn counts(&self) -> bool {
        self.confidence > Confidence::Low
    }

    pub fn is_chosen_by(&self, chooser: Chosen) -> bool {
        self.target.as_ref().is_some_and(|target| target.of == Some(chooser))
    }

    /// True if a gate belongs before it. A model may be asked at any time, and the workspace is there to be used.
    fn needs_gate(&self) -> bool {
        self.counts() && self.kind != EffectKind::Llm && (!self.is_local || self.is_chosen_by(Chosen::Caller))
    }

    /// True if it can run without the gate that belongs before it.
    pub fn is_open(&self) -> bool {
        self.needs_gate() && !self.is_gated
    }
}

impl Listed {
    /// True if it reaches something for sure, or nearly so.
    pub fn has_effects(&self) -> bool {
        self.effects.iter().any(Reached::counts)
    }

    /// True if something that it reaches can run without a gate.
    pub fn is_open(&self) -> bool {
        self.effects.iter().any(Reached::is_open)
    }
}
