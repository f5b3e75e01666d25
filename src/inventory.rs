//! The inventory as plain data: what can be called by name in a project, and what comes of it. `rule` makes it, `report`
//! prints it. Nothing here formats or knows how something was found.

use std::collections::BTreeMap;

use crate::catalog::{EffectKind, RegistrationKind};
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

/// A command or a tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    pub kind: RegistrationKind,
    /// Whose way to register it is; none for the project's own.
    pub framework: Option<String>,
    /// As callers know it; none where it is not constant.
    pub name: Option<String>,
    /// The dotted path of what runs.
    pub function: String,
    pub handler: Place,
    pub registered: Place,
    pub confidence: Confidence,
    /// What it is for an agent; none for a command that people and programs call.
    pub entry: Option<EntryKind>,
    /// How an agent gets there, if it is known to.
    pub via: Option<Via>,
    /// One for each kind, in the order of the kinds.
    pub effects: Vec<Reached>,
    /// The dotted paths of the gates that hold on every way to the effects that are gated, in order.
    pub gates: Vec<String>,
    /// So many calls that it reaches may run more than is known.
    pub unresolved: usize,
    /// None if nothing says what it is.
    pub class: Option<Class>,
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

/// An effect that a handler can reach, by the shortest of the surest paths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    pub kind: EffectKind,
    pub confidence: Confidence,
    /// What is called in the end: `requests.get`.
    pub callee: String,
    /// No way leads to an effect of this kind without a gate.
    pub is_gated: bool,
    pub steps: Vec<Step>,
}

impl Listed {
    /// True if something that it reaches can run without a gate. A model may be asked at any time.
    pub fn is_open(&self) -> bool {
        self.effects.iter().any(|effect| !effect.is_gated && effect.kind != EffectKind::Llm)
    }
}
