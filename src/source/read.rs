//! Opening a file, the only place that does: regular files only, never more than a limit.
//! It knows bytes, not what they mean.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use camino::Utf8PathBuf;
use thiserror::Error;

use super::Skip;

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

/// Reads a regular file. The kind is asked for before opening, since opening a FIFO without a writer blocks,
/// and again on the open file, since the name may point elsewhere by then.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    if !fs::metadata(path)?.is_file() {
        return Err(ReadError::NotRegular);
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(ReadError::NotRegular);
    }
    if metadata.len() > limit {
        return Err(ReadError::TooLarge { bytes: metadata.len(), limit });
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    // It may have grown since, or be one of those whose length reads 0.
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { bytes: bytes.len() as u64, limit });
    }
    Ok(bytes)
}

/// Looks through a regular file that is too large to keep, block by block. True also where that cannot be told: the file
/// cannot be read, or goes on behind the limit. What is looked for is at most `overlap` bytes long.
pub fn may_hold(path: &Path, limit: u64, overlap: usize, holds: impl Fn(&[u8]) -> bool) -> bool {
    const BLOCK: u64 = 1 << 20;
    let Ok(file) = File::open(path) else { return true };
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return true;
    }
    let (mut file, mut block, mut seen) = (file, Vec::new(), 0);
    while seen <= limit {
        block.drain(..block.len().saturating_sub(overlap));
        match (&mut file).take(BLOCK).read_to_end(&mut block) {
            Ok(0) => return false,
            Ok(_) if holds(&block) => return true,
            Ok(read) => seen += read as u64,
            Err(_) => return true,
        }
    }
    true
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
    let file = File::open(path)?;
    let mut head = Vec::new();
    (&file).take(MARK).read_to_end(&mut head)?;
    if head.windows(2).any(|two| two == b"#!") {
        (&file).take(limit - MARK).read_to_end(&mut head)?;
    }
    Ok(head)
}
