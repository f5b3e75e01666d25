//! What calls do to the outside world, as catalogue files say it: one entry, and what it asks for beside the path.

use serde::Deserialize;

use super::EffectKind;
use super::pattern::PatternSet;
use crate::finding::Confidence;
use crate::ir::Lang;

/// What a call does to storage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Opens a database or a client of one.
    Open,
    Read,
    Write,
    /// The statement that `argument` names tells.
    Sql,
}

impl Access {
    pub const WORDS: [(&'static str, Access); 3] =
        [("open", Access::Open), ("read", Access::Read), ("write", Access::Write)];
}

/// One `[[effect]]`.
#[derive(Clone, Debug)]
pub struct Effect {
    pub kind: EffectKind,
    pub(super) lang: Option<Lang>,
    pub confidence: Confidence,
    pub(super) except: PatternSet,
    pub(super) except_module: PatternSet,
    pub argument: Option<ArgumentTest>,
    /// For storage, where the entry says it.
    pub access: Option<Access>,
}

/// Restricts an effect to calls with, or without, a constant argument.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentTest {
    pub index: Option<usize>,
    pub name: Option<String>,
    /// The argument is given (true) or absent (false).
    pub present: Option<bool>,
    /// It is the receiver of the method that is tested, not an argument.
    #[serde(default)]
    pub receiver: bool,
    /// The argument is a path whose constant part leads out of the workspace.
    #[serde(default)]
    pub outside: bool,
    /// The argument is constant text (true) or anything else (false).
    pub string: Option<bool>,
    /// The constant is none of these; an unknown value passes.
    #[serde(default)]
    pub not: Vec<String>,
    /// The constant starts with one of these; an unknown value fails.
    #[serde(default)]
    pub starts: Vec<String>,
}

impl Effect {
    /// True if calls of that language are meant: `subprocess` is a module here and a crate there.
    pub fn is_of(&self, lang: Lang) -> bool {
        self.lang.is_none_or(|own| own == lang)
    }
}
