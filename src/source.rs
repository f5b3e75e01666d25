//! The only reader of files: discovery, size caps, decoding, lines. It knows no language's syntax and no rule.

use camino::Utf8PathBuf;

/// Indexes `Outcome::files`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// A file that was read and decoded.
#[derive(Debug)]
pub struct SourceFile {
    /// Relative to the project root, forward slashes.
    pub path: Utf8PathBuf,
    /// Decoded text; spans count bytes of it.
    pub text: String,
}

/// A file that was not analysed, and why.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Skipped {
    pub path: String,
    pub why: Skip,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Skip {
    TooLarge { bytes: u64, limit: u64 },
    Unreadable { error: String },
    NameNotUtf8,
}
