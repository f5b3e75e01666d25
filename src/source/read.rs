//! What is read, and why it could not be: regular files only, never more than a limit.
//! It knows bytes, not what they mean.

use std::io::{self, Read as _};
use std::path::Path;

use camino::Utf8PathBuf;
use thiserror::Error;

use super::Skip;
use super::disk::{self, Refusal};

/// An entry of the log of what a verdict depends on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Read {
    /// Relative to the project root.
    pub path: Utf8PathBuf,
    pub bytes: u64,
}

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ReadError {
    #[error("{}", why(*.0))]
    Io(io::ErrorKind),
    #[error("it is not a regular file")]
    NotRegular,
    #[error("{bytes} bytes are over the limit of {limit}")]
    TooLarge { bytes: u64, limit: u64 },
    #[error("it is not UTF-8")]
    NotUtf8,
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        ReadError::Io(error.kind())
    }
}

impl From<Refusal> for ReadError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Io(error) => ReadError::Io(error),
            Refusal::NotRegular => ReadError::NotRegular,
            Refusal::TooLarge { bytes, limit } => ReadError::TooLarge { bytes, limit },
        }
    }
}

impl From<ReadError> for Skip {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NotRegular => Skip::NotRegular,
            ReadError::TooLarge { bytes, limit } => Skip::TooLarge { bytes, limit },
            ReadError::Io(_) | ReadError::NotUtf8 => Skip::Unreadable { error: error.to_string() },
        }
    }
}

/// The reason without the number that differs between systems.
pub fn why(kind: io::ErrorKind) -> String {
    match kind {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        kind => kind.to_string(),
    }
}

/// Reads a regular file.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    disk::whole(path, limit).map_err(ReadError::from)
}

/// Reads a file that has to be UTF-8: configuration, ignore files.
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadError> {
    let bytes = read_bytes(path, limit)?;
    let text = String::from_utf8(bytes).map_err(|_| ReadError::NotUtf8)?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Everything that comes by standard input.
pub fn read_stdin(limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { bytes: bytes.len() as u64, limit });
    }
    Ok(bytes)
}

/// The first bytes of a file that may name an interpreter; of any other file fewer.
pub fn read_head(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    const MARK: u64 = 8;
    let head = disk::head(path, MARK)?;
    match head.windows(2).any(|two| two == b"#!") {
        true => Ok(disk::head(path, limit)?),
        false => Ok(head),
    }
}
