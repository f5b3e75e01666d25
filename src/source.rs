//! The only reader of files: discovery, size caps, decoding, lines, and a log of what was read, by one door ([`disk`]).
//! It knows how a language's files are named, but no language's syntax and no rule.

mod archives;
mod asked;
mod codecs;
mod decode;
mod discover;
pub mod disk;
mod excluded;
mod further;
mod given;
mod ignored;
mod lines;
mod links;
mod read;
mod scripts;
mod texts;
mod unread;
mod walk;

use std::fmt;

use camino::Utf8PathBuf;

use crate::ir::Lang;

pub use asked::{Asked, Input, Reported};
pub use decode::{Decoded, Encoding, UnknownEncoding, decode, encode};
pub use discover::{
    DEFAULT_MAX_BYTES, DiscoverOptions, Discovered, Extent, FileType, LANGUAGES, Matched, PYTHON, RootError,
    discover, file_type, resolve,
};
pub use excluded::is_source;
pub use further::Further;
pub use lines::{LineCol, LineIndex};
pub use read::{Read, ReadError, read_bytes, read_stdin, read_text};
pub use texts::{TextId, Texts, is_data, is_manifest, is_text, is_wanted};
pub use unread::Unread;

/// Indexes `Outcome::files`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// A finding may stand in a file that is no source: the configuration is behind the last source, texts are behind it.
impl FileId {
    pub fn of_config(sources: usize) -> Self {
        Self(sources as u32)
    }

    pub fn of_text(sources: usize, text: TextId) -> Self {
        Self(sources as u32 + 1 + text.0)
    }

    pub fn text(self, sources: usize) -> Option<TextId> {
        self.0.checked_sub(sources as u32 + 1).map(TextId)
    }
}

/// A file that was read and decoded.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Relative to the project root, forward slashes.
    pub path: Utf8PathBuf,
    /// Decoded text without byte order mark; spans count bytes of it.
    pub text: String,
    /// What it is lowered as; of no meaning for the configuration and for texts.
    pub lang: Lang,
    /// How the bytes were read; reports that speak of bytes (hashes, UTF-16 columns) need to know.
    pub encoding: Encoding,
    /// True if bytes without meaning were replaced by U+FFFD.
    pub lossy: bool,
}

impl SourceFile {
    /// A file in UTF-8 that never was on a disk, of the language that its name says.
    pub fn new(path: impl Into<Utf8PathBuf>, text: impl Into<String>) -> Self {
        let path = path.into();
        let named = path.extension().unwrap_or_default();
        let language = LANGUAGES.iter().find(|language| language.extensions.contains(&named));
        Self {
            path,
            text: text.into(),
            lang: language.map_or(Lang::Python, |language| language.lang),
            encoding: Encoding::Utf8,
            lossy: false,
        }
    }
}

/// A file that was not analysed, and why.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Skipped {
    /// Relative to the project root, forward slashes; bytes that are no UTF-8 are replaced.
    pub path: String,
    pub why: Skip,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Skip {
    TooLarge {
        bytes: u64,
        limit: u64,
    },
    Unreadable {
        error: String,
    },
    NameNotUtf8,
    /// A FIFO, a socket or a device with the name of a source file.
    NotRegular,
    /// The file declares an encoding in which other bytes than those one sees may be code (`utf-7`, a private codec).
    UnknownEncoding {
        name: String,
    },
    /// A link to a file outside the project root.
    LinkOutsideRoot,
    /// A link to a folder that is not scanned by itself.
    LinkedFolder,
    /// Named by the user, but of no language that gatelint reads.
    UnknownLanguage,
    /// An ignore file hides it, and code that is scanned imports it.
    Ignored,
    /// Code runs a file that is not a part of the project.
    OutsideRoot,
}

impl Skip {
    /// Stable name of the reason, for machine-readable reports.
    pub fn code(&self) -> &'static str {
        match self {
            Skip::TooLarge { .. } => "too-large",
            Skip::Unreadable { .. } => "unreadable",
            Skip::NameNotUtf8 => "name-not-utf8",
            Skip::NotRegular => "not-regular",
            Skip::UnknownEncoding { .. } => "unknown-encoding",
            Skip::LinkOutsideRoot => "link-outside-root",
            Skip::LinkedFolder => "linked-folder",
            Skip::UnknownLanguage => "unknown-language",
            Skip::Ignored => "ignored",
            Skip::OutsideRoot => "outside-root",
        }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Skip::TooLarge { bytes, limit } => write!(f, "{bytes} bytes are over the limit of {limit}"),
            Skip::Unreadable { error } => write!(f, "cannot be read: {error}"),
            Skip::NameNotUtf8 => f.write_str("its name is not UTF-8, so no report can name it; rename it"),
            Skip::NotRegular => f.write_str("it is not a regular file"),
            Skip::UnknownEncoding { name } => {
                write!(f, "it declares the encoding `{name}`; save it as UTF-8")
            }
            Skip::LinkOutsideRoot => f.write_str("it is a link to a file outside the project root"),
            Skip::LinkedFolder => f.write_str(
                "it is a link to a folder that is not scanned; name that folder or `exclude` the link",
            ),
            Skip::UnknownLanguage => f.write_str("it is not written in a language that gatelint reads"),
            Skip::Ignored => {
                f.write_str("an ignore file hides it, and scanned code imports it; use `--no-ignore`")
            }
            Skip::OutsideRoot => f.write_str("scanned code runs it, and it is outside the project root"),
        }
    }
}
