//! Matchers: the few general shapes a rule can ask for. Each knows which captures it offers to the rule's message.

mod flow;
mod item;

use std::sync::Arc;

use crate::analysis::How;
use crate::catalog::{Access, Catalog, EffectKind, Globs, Vocabulary};

pub use flow::{Flow, GuardKind, Outlet, Trace};
pub use item::{GateQuery, GuardWord, Item, Label, Question, Subject, TestStep, Tested};

/// One `[[match]]`.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// An import of a module that stands for one of these effects.
    Import(Vec<EffectKind>),
    /// A call, or a callable handed over to be called.
    Call(Goal),
    /// A path from a function with a role to a call.
    Reach(Reach),
    /// An effect that can run although nobody has asked for the phase.
    Guard(Guard),
    /// A default, an argument, a key or an assignment with a constant.
    Value(Value),
    /// A test that refuses one constant and lets every other value through to an effect.
    Compare(Compare),
    /// A change of data that loses a key or a text.
    Mutate(Mutate),
    /// Content from outside that gets where it must not.
    Flow(Flow),
    /// A value that somebody chose and that decides something.
    Trace(Trace),
    /// An exception that can leave a function with a role.
    Escape(Role),
    /// A question that is asked of every external operation, or every tool: an item of the checklist.
    Item(Item),
    /// A record that has not the form it should have, by the part of the form.
    Record(Vec<String>),
    /// What no matcher can say, by the name of its check in `rule/check/`.
    Check(Check),
}

/// Which calls are meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Those that the catalogue says have one of these effects; of storage only certain accesses, if any are named.
    Effects {
        kinds: Vec<EffectKind>,
        access: Vec<Access>,
    },
    Named(Named),
}

/// Calls that the rule itself names, by the dotted paths of functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    pub path: Vec<String>,
    pub except: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reach {
    pub from: Role,
    pub goal: Goal,
    /// Only what the function waits for, not what it starts beside itself.
    pub waits: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    pub boundary: Boundary,
    pub effects: Vec<EffectKind>,
}

/// Where somebody must have asked for the phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Boundary {
    /// A handler of a comm command.
    Handler,
    /// A call from outside into the comm layer.
    Entry,
    /// A tool that is no comm command.
    Tool,
    /// A function that hands back what an effect came out as.
    PassThrough,
}

#[derive(Clone, Debug)]
pub struct Value {
    pub words: Words,
    pub at: Vec<Position>,
    /// Names beside it, in the same function or class, with which the constant is fine.
    pub unless: Globs,
}

#[derive(Clone, Debug)]
pub struct Compare {
    pub words: Words,
    pub effects: Vec<EffectKind>,
}

/// How the value is called, and which constants are meant.
#[derive(Clone, Debug)]
pub enum Words {
    /// The catalogue's words for the phase.
    Phase,
    /// The rule's own.
    Own(Arc<Vocabulary>),
}

/// Where a constant can stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// The default of a parameter or a field.
    Default,
    /// What is taken if there is nothing: `.get(key, default)`, `value or default`.
    Fallback,
    /// Handed to a parameter.
    Argument,
    /// Bound to a variable or an attribute.
    Assignment,
    /// Under a key of a record.
    Key,
}

/// What the policy of a runtime for tools speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// What of a tool is logged.
    Logged,
    /// What a model is told of an error.
    Errors,
    /// Under which name a tool of a server is known.
    Names,
    /// Which files of a skill are opened.
    Paths,
    /// Who starts other agents.
    Spawns,
    /// Who takes what a tool throws.
    Uncaught,
    /// How much a tool hands back.
    Results,
    /// Whose work is read.
    Owned,
}

/// What a function is to the agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Planning,
    Tool,
    Capture,
}

/// What must not be lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mutate {
    Keys(LostKeys),
    Texts(LostTexts),
}

impl Mutate {
    /// True if it asks where the value comes from that is changed.
    pub fn is_traced(&self) -> bool {
        matches!(self, Mutate::Keys(_))
    }

    /// True for a text that is what must not be lost.
    pub fn names(&self, text: &str) -> bool {
        match self {
            Mutate::Keys(wanted) => wanted.keys.iter().any(|key| key == text),
            Mutate::Texts(wanted) => wanted.texts.iter().any(|known| known == text),
        }
    }
}

/// Keys of mappings; attributes of objects count only on values that provably are of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LostKeys {
    pub keys: Vec<String>,
    /// The ways to lose a key that are meant.
    pub by: Vec<How>,
    /// Which values are meant; every mapping if this names nothing.
    pub of: Vec<Source>,
    /// A new value that has one of these keys loses nothing.
    pub keeps: Vec<String>,
}

/// Constants in texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LostTexts {
    pub texts: Vec<String>,
    /// And those of the content fence, as the catalogue has them.
    pub of_fence: bool,
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A comm operation.
    Comm,
    /// The function that puts the content fence around a value.
    Fence,
    /// Perhaps that: its keys say so.
    FenceShape,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    ObscuredIo,
    UnparsedSource,
    ConfusableIdentifier,
    InvalidWaiver,
    UnusedWaiver,
    UnmatchedSetting,
    LoosenedPolicy,
    AnalysisGap,
    SwallowedGate,
    UnusedGuard,
    BrokenGuard,
    PipedDownload,
    ResponseMutation,
    UnregisteredEvent,
    AttributionForgery,
    UnclassifiedTool,
    UnclassifiedSkill,
    UngatedExecution,
    ApprovingGate,
    FailOpen,
    OpenPolicy,
    UnstructuredVerdict,
    Runtime(Policy),
    ContaminatedOrder,
}

impl Role {
    pub const WORDS: [(&'static str, Role); 3] =
        [("planning", Role::Planning), ("tool", Role::Tool), ("capture", Role::Capture)];
}

impl Boundary {
    pub const WORDS: [(&'static str, Boundary); 4] = [
        ("handler", Boundary::Handler),
        ("entry", Boundary::Entry),
        ("tool", Boundary::Tool),
        ("pass-through", Boundary::PassThrough),
    ];
}

impl Position {
    pub const WORDS: [(&'static str, Position); 5] = [
        ("default", Position::Default),
        ("fallback", Position::Fallback),
        ("argument", Position::Argument),
        ("assignment", Position::Assignment),
        ("key", Position::Key),
    ];
}

impl Words {
    pub fn of<'w>(&'w self, catalog: &'w Catalog) -> &'w Vocabulary {
        match self {
            Words::Phase => &catalog.phase,
            Words::Own(words) => words,
        }
    }
}

impl Source {
    pub const WORDS: [(&'static str, Source); 3] =
        [("comm", Source::Comm), ("fence", Source::Fence), ("fence-shape", Source::FenceShape)];
}

impl Mutate {
    /// How a key is lost, as a rule names it.
    pub const WAYS: [(&'static str, How); 6] = [
        ("delete", How::Delete),
        ("pop", How::Pop),
        ("blank", How::Blank),
        ("overwrite", How::Overwrite),
        ("filter", How::Filter),
        ("clear", How::Clear),
    ];
}

impl Check {
    pub const WORDS: [(&'static str, Check); 31] = [
        ("obscured-io", Check::ObscuredIo),
        ("unparsed-source", Check::UnparsedSource),
        ("confusable-identifier", Check::ConfusableIdentifier),
        ("invalid-waiver", Check::InvalidWaiver),
        ("unused-waiver", Check::UnusedWaiver),
        ("unmatched-setting", Check::UnmatchedSetting),
        ("loosened-policy", Check::LoosenedPolicy),
        ("analysis-gap", Check::AnalysisGap),
        ("swallowed-gate", Check::SwallowedGate),
        ("unused-guard", Check::UnusedGuard),
        ("ungated-execution", Check::UngatedExecution),
        ("approving-gate", Check::ApprovingGate),
        ("fail-open", Check::FailOpen),
        ("open-policy", Check::OpenPolicy),
        ("raw-payload-logging", Check::Runtime(Policy::Logged)),
        ("debug-tool-errors", Check::Runtime(Policy::Errors)),
        ("unsafe-tool-name", Check::Runtime(Policy::Names)),
        ("unchecked-skill-path", Check::Runtime(Policy::Paths)),
        ("nested-spawn", Check::Runtime(Policy::Spawns)),
        ("unbounded-tool-result", Check::Runtime(Policy::Results)),
        ("unowned-subagent-read", Check::Runtime(Policy::Owned)),
        ("unstructured-verdict", Check::UnstructuredVerdict),
        ("uncaught-tool-exception", Check::Runtime(Policy::Uncaught)),
        ("unclassified-tool", Check::UnclassifiedTool),
        ("unclassified-skill", Check::UnclassifiedSkill),
        ("contaminated-order", Check::ContaminatedOrder),
        ("broken-guard", Check::BrokenGuard),
        ("piped-download", Check::PipedDownload),
        ("response-mutation", Check::ResponseMutation),
        ("unregistered-event", Check::UnregisteredEvent),
        ("attribution-forgery", Check::AttributionForgery),
    ];
}

impl Matcher {
    /// The names that the rule's message may use.
    pub fn captures(&self) -> &'static [&'static str] {
        match self {
            Matcher::Import(_) => &["module"],
            Matcher::Call(_) => &["callee", "place"],
            Matcher::Reach(Reach { goal: Goal::Named(_), waits: false, .. }) => &["function", "callee"],
            Matcher::Reach(_) => &["function", "effect", "callee"],
            Matcher::Guard(_) => &["function", "caller", "effect", "callee", "missing"],
            Matcher::Value(_) => &["problem", "name", "value"],
            Matcher::Compare(_) => &["problem", "name", "value", "function", "effect", "callee"],
            Matcher::Check(Check::ObscuredIo) => &["target", "how"],
            Matcher::Record(_)
            | Matcher::Check(Check::UnparsedSource | Check::InvalidWaiver | Check::ConfusableIdentifier) => {
                &["problem"]
            }
            Matcher::Check(Check::SwallowedGate) => &["problem", "function"],
            Matcher::Check(Check::UnusedGuard) => &["guard"],
            Matcher::Check(Check::UngatedExecution) => &["callee", "missing"],
            Matcher::Check(Check::ApprovingGate) => &["gate"],
            Matcher::Check(Check::FailOpen | Check::OpenPolicy) => &["gate", "when", "problem"],
            Matcher::Check(Check::UnstructuredVerdict) => &["gate", "problem"],
            Matcher::Check(Check::Runtime(policy)) => match policy {
                Policy::Logged => &["callee", "what"],
                Policy::Errors | Policy::Names | Policy::Results | Policy::Owned => &["function"],
                Policy::Paths | Policy::Uncaught => &["callee"],
                Policy::Spawns => &["tool"],
            },
            Matcher::Check(Check::UnclassifiedSkill) => &["tool"],
            Matcher::Check(Check::UnclassifiedTool) => &["tool", "why"],
            Matcher::Check(Check::ContaminatedOrder) => &["tool", "source"],
            Matcher::Check(Check::BrokenGuard) => &["guard", "fault"],
            Matcher::Check(Check::UnusedWaiver) => &["rules"],
            Matcher::Check(Check::LoosenedPolicy) => &["what"],
            Matcher::Check(Check::AnalysisGap) => &["kind", "name", "gap"],
            Matcher::Check(Check::UnmatchedSetting) => &["key", "text", "nothing"],
            Matcher::Mutate(_) => &["what", "how"],
            Matcher::Flow(_) => &["function", "callee", "sink"],
            Matcher::Trace(_) | Matcher::Check(Check::PipedDownload) => {
                &["function", "callee", "what", "source"]
            }
            Matcher::Escape(_) => &["function", "exception"],
            Matcher::Item(_) => Question::CAPTURES,
            Matcher::Check(Check::ResponseMutation) => &["function", "problem"],
            Matcher::Check(Check::UnregisteredEvent) => &["function", "event"],
            Matcher::Check(Check::AttributionForgery) => &["key", "value"],
        }
    }

    /// The calls that it names itself, if it does.
    pub fn named(&self) -> Option<&Named> {
        match self {
            Matcher::Call(Goal::Named(it)) | Matcher::Reach(Reach { goal: Goal::Named(it), .. }) => Some(it),
            _ => None,
        }
    }
}
