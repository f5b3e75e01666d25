//! An edge of the call graph and what is said of it: its place, its target, why it is believed; what became of each call, and
//! all that the search for edges finds.

use std::sync::Arc;

use camino::Utf8PathBuf;
use rustc_hash::FxHashMap;

use super::ids::{Cls, Func, PathId};
use super::picks::Picks;
use super::types::Type;
use crate::finding::Confidence;
use crate::ir::ExprId;
use crate::source::FileId;

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct At {
    pub file: FileId,
    pub expr: ExprId,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Target {
    Project(Func),
    External(PathId),
}

/// How the callee comes to run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EdgeKind {
    /// Called at this expression.
    Call,
    /// Called at this expression, but handed over by somebody else, who is the one to be told.
    CallHanded,
    /// Handed over here and run by whoever receives it (ARCHITECTURE "Linking").
    Passed,
    /// A library that holds it, or is given it, may run it here; content does not take this way.
    Held,
    /// Handed over here and kept; nothing shows that it is run.
    Stored,
}

impl EdgeKind {
    /// True if what the caller gives arrives in the callee.
    pub fn carries_content(self) -> bool {
        !matches!(self, EdgeKind::Held | EdgeKind::Stored)
    }
}

/// Why a call was resolved as it was: the rung of the ladder (ARCHITECTURE "Linking").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rung {
    /// A definition or an import, through re-exports and aliases.
    Import,
    /// `self`, `cls`, `super()` through the class hierarchy.
    Hierarchy,
    /// The inferred type of the receiver or of the callable.
    Type,
    /// A table of handlers.
    Table,
    /// A constant name given to a dynamic import or look-up.
    Dynamic,
    /// An object of a library holds it, or a library is given it.
    Held,
    /// A name that nothing in the program binds.
    Unbound,
    /// A method name that few project classes define.
    MethodName,
}

impl Rung {
    pub fn label(self) -> &'static str {
        match self {
            Rung::Import => "import",
            Rung::Hierarchy => "hierarchy",
            Rung::Type => "type",
            Rung::Table => "table",
            Rung::Dynamic => "dynamic",
            Rung::Held => "held",
            Rung::Unbound => "unbound",
            Rung::MethodName => "method-name",
        }
    }

    /// The same for a reader who has not read how linking works.
    pub fn reason(self) -> &'static str {
        match self {
            Rung::Import => "a definition or an import",
            Rung::Hierarchy => "`self`, `cls` or `super()` and the class hierarchy",
            Rung::Type => "the type that the object or callable is known to have",
            Rung::Table => "a table of handlers",
            Rung::Dynamic => "a constant name",
            Rung::Held => "a library that was given it and may run it",
            Rung::Unbound => "its name alone: nothing binds it",
            Rung::MethodName => "the name of a method that few classes define",
        }
    }
}

/// What is known of the object whose method is called: it decides which overriding methods its own calls mean.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Receiver {
    /// No method, or an object of which only a base class is known.
    Unknown,
    /// An object of exactly this class.
    Exact(Cls),
    /// An object of this class or of one that inherits from it.
    Within(Cls),
    /// The caller's own object (`self.step()`, a nested function).
    Same,
    /// The same, and its class decides between several methods.
    SameDispatched,
    /// No method: an entry of a table, under a key that the caller is given.
    Picked,
    /// The same, of a table that nobody tells apart from many others: sure only if the key is known.
    Pooled,
}

impl Receiver {
    /// Nothing but a base class is known.
    pub fn is_any(self) -> bool {
        matches!(self, Receiver::Unknown | Receiver::Within(_))
    }
}

/// One caller, one callee, one place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    pub from: Func,
    pub at: At,
    pub to: Target,
    pub kind: EdgeKind,
    pub rung: Rung,
    pub confidence: Confidence,
    pub receiver: Receiver,
}

/// What became of one call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Resolution {
    /// At least one project function.
    Resolved(Rung),
    External(Rung),
    Builtin,
    /// Of an unknown object, by a name that the language's own types define.
    LikelyBuiltin,
    /// A parameter is called: the edges stand where the callable is passed.
    Parameter,
    Unresolved,
}

/// One call of the program and what became of it.
#[derive(Clone, Copy, Debug)]
pub struct CallSite {
    pub at: At,
    pub from: Func,
    pub resolution: Resolution,
    /// The class of the project whose object is called, if no class that it is made of has such a method.
    pub lacking: Option<Cls>,
    /// It may call more than is known: too many values of too many kinds meet there.
    pub is_open: bool,
    /// A library was given something here that it may run, and nothing shows when; or it holds too much for anybody to say what.
    pub is_unseen: bool,
}

impl CallSite {
    /// True if it may run something that is not known.
    pub fn may_run_more(&self) -> bool {
        self.resolution == Resolution::Unresolved || self.is_unseen
    }
}

/// What a call runs that no import names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Load {
    pub from: Func,
    pub at: At,
    /// A file relative to the project root; one that leads out of it begins with `..` or `/`. `None`: only the run knows which
    /// file, which module or which text.
    pub path: Option<Utf8PathBuf>,
}

/// What the pass finds.
#[derive(Default)]
pub struct Found {
    pub edges: Vec<Edge>,
    pub calls: Vec<CallSite>,
    pub planning_nodes: Vec<Func>,
    /// Functions with what their decorators are, in order.
    pub decorators: Vec<(Func, ExprId, Target)>,
    /// Functions that a table or a registration keeps, each with the value that stands there.
    pub kept: Vec<(At, Arc<[Func]>)>,
    /// Objects whose attributes are set, each with a class or module that inference knows it to be.
    pub owners: Vec<(At, Type)>,
    /// Calls of what was made of a callable and its first arguments, each with the call that made it.
    pub makers: Vec<(At, Func, ExprId)>,
    /// Files that calls run by their path.
    pub loads: Vec<Load>,
    /// Functions that are given to somebody who keeps them, and where, if there is one such place.
    pub given: FxHashMap<Func, Option<Func>>,
    /// What calls of functions pick that look something up by a key.
    pub picks: Picks,
}
