//! Matchers: the few general shapes a rule can ask for. Each knows which captures it offers to the rule's message.

use crate::analysis::How;
use crate::catalog::EffectKind;

/// One `[[match]]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Matcher {
    /// An import of a module that stands for one of these effects.
    Import(Vec<EffectKind>),
    /// A call, or a callable handed over to be called.
    Call(Goal),
    /// A path from a function with a role to a call.
    Reach(Reach),
    /// A change of data that loses a key or a text.
    Mutate(Mutate),
    /// What no matcher can say, by the name of its check in `rule/check/`.
    Check(Check),
}

/// Which calls are meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Those that the catalogue says have one of these effects.
    Effects(Vec<EffectKind>),
    Named(Named),
}

/// Calls that the rule itself names, by the dotted paths of library functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    pub path: Vec<String>,
    pub except: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reach {
    pub from: Role,
    pub goal: Goal,
}

/// What a function is to the agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Planning,
    Tool,
}

/// What must not be lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mutate {
    Keys(LostKeys),
    Texts(LostTexts),
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
    UnparsedSource,
}

impl Role {
    pub const WORDS: [(&'static str, Role); 2] = [("planning", Role::Planning), ("tool", Role::Tool)];
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
    pub const WORDS: [(&'static str, Check); 1] = [("unparsed-source", Check::UnparsedSource)];
}

impl Matcher {
    /// The names that the rule's message may use.
    pub fn captures(&self) -> &'static [&'static str] {
        match self {
            Matcher::Import(_) => &["module"],
            Matcher::Call(_) => &["callee"],
            Matcher::Reach(Reach { goal: Goal::Effects(_), .. }) => &["function", "effect", "callee"],
            Matcher::Reach(Reach { goal: Goal::Named(_), .. }) => &["function", "callee"],
            Matcher::Mutate(_) => &["what", "how"],
            Matcher::Check(Check::UnparsedSource) => &["problem"],
        }
    }

    /// The calls that it names itself, if it does.
    pub fn named(&self) -> Option<&Named> {
        match self {
            Matcher::Call(Goal::Named(named)) | Matcher::Reach(Reach { goal: Goal::Named(named), .. }) => {
                Some(named)
            }
            _ => None,
        }
    }
}
