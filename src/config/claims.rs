//! What a configuration takes for granted: that a glob matches files, that a name is that of a function, that a library
//! is used. Who has seen the program compares (GL004); a claim that does not hold is usually a slip, and a rule that is
//! silent because of one is worse than a rule that is off.

use std::ops::Range;

use globset::GlobSet;

use super::NamePattern;
use crate::catalog::pattern::PatternSet;

#[derive(Clone, Debug)]
pub struct Claim {
    /// `layers.comm`.
    pub key: &'static str,
    /// As written.
    pub text: String,
    /// Bytes of the configuration file.
    pub span: Range<usize>,
    pub about: About,
    /// True if what it matches is exempted from rules.
    pub exempts: bool,
}

#[derive(Clone, Debug)]
pub enum About {
    /// Files that are scanned.
    Scanned(GlobSet),
    /// Globs of `Config::exclude`, by index.
    Excluded(Range<usize>),
    /// Globs of `Config::prompts`, by index.
    Watched(Range<usize>),
    /// A function of the project or of a library.
    Function(NamePattern),
    /// Calls or imports of a library.
    Library { calls: PatternSet, modules: Vec<String> },
}
