//! Questions to the file system, and how each is asked. Asked again, a question is answered in the same form, so that two
//! answers can be compared by their fingerprints. Nothing is put down here.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileType};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use super::stat::Stat;

const BLOCK: u64 = 1 << 20;

/// How the names of files end that the program keeps for itself, ...
pub const KEPT: [&str; 2] = [".verdict", ".unfinished"];

/// ... and what is in them first. Wherever they lie, they are no part of what is scanned: otherwise each verdict that is kept in
/// a project would change the project. Nothing that begins like this is a script or source text.
pub const MARK: &[u8] = b"gatelint verdict 1\n";

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Question {
    pub path: PathBuf,
    pub what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum What {
    /// Links are followed.
    Kind,
    OwnKind,
    Real,
    Entries,
    Whole {
        limit: u64,
    },
    Head {
        length: u64,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    File,
    Folder,
    Link,
    /// A FIFO, a socket or a device.
    Other,
}

impl From<FileType> for Kind {
    fn from(file_type: FileType) -> Self {
        if file_type.is_file() {
            Kind::File
        } else if file_type.is_dir() {
            Kind::Folder
        } else if file_type.is_symlink() {
            Kind::Link
        } else {
            Kind::Other
        }
    }
}

/// Why there are no bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    Io(ErrorKind),
    NotRegular,
    TooLarge { bytes: u64, limit: u64 },
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Refusal::Io(error.kind())
    }
}

/// What was answered, and the state of the file just before it was read.
pub struct Asked<T> {
    pub value: T,
    pub stat: Option<Stat>,
}

impl<T> Asked<T> {
    fn plain(value: T) -> Self {
        Self { value, stat: None }
    }
}

/// What two answers are compared by.
pub trait Fingerprint {
    fn fingerprint(&self) -> blake3::Hash;
    /// An error that may be gone when the question is asked again, although nothing has changed.
    fn error(&self) -> Option<ErrorKind>;
}

fn failed(error: &impl std::fmt::Debug) -> blake3::Hash {
    blake3::hash(format!("failed {error:?}").as_bytes())
}

/// Bytes are told from failures by what stands before them.
fn of_bytes() -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"bytes ");
    hasher
}

impl Fingerprint for Asked<Result<Kind, ErrorKind>> {
    fn fingerprint(&self) -> blake3::Hash {
        self.value.map_or_else(|error| failed(&error), |kind| blake3::hash(&[kind as u8]))
    }

    fn error(&self) -> Option<ErrorKind> {
        self.value.err()
    }
}

impl Fingerprint for Asked<Result<PathBuf, ErrorKind>> {
    fn fingerprint(&self) -> blake3::Hash {
        let hash = |path: &PathBuf| of_bytes().update(path.as_os_str().as_encoded_bytes()).finalize();
        self.value.as_ref().map_or_else(failed, hash)
    }

    fn error(&self) -> Option<ErrorKind> {
        self.value.as_ref().err().copied()
    }
}

impl Fingerprint for Asked<Result<Vec<(OsString, Kind)>, ErrorKind>> {
    fn fingerprint(&self) -> blake3::Hash {
        let hash = |entries: &Vec<(OsString, Kind)>| {
            let mut hasher = of_bytes();
            for (name, kind) in entries {
                let name = name.as_encoded_bytes();
                hasher.update(&(name.len() as u64).to_le_bytes()).update(name).update(&[*kind as u8]);
            }
            hasher.finalize()
        };
        self.value.as_ref().map_or_else(failed, hash)
    }

    fn error(&self) -> Option<ErrorKind> {
        self.value.as_ref().err().copied()
    }
}

impl Fingerprint for Asked<Result<Vec<u8>, Refusal>> {
    fn fingerprint(&self) -> blake3::Hash {
        self.value.as_ref().map_or_else(failed, |bytes| of_bytes().update(bytes).finalize())
    }

    fn error(&self) -> Option<ErrorKind> {
        match self.value {
            Err(Refusal::Io(error)) => Some(error),
            Ok(_) | Err(Refusal::NotRegular | Refusal::TooLarge { .. }) => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    pub fingerprint: [u8; 32],
    /// Of a file that was read: its state just before.
    pub stat: Option<Stat>,
    /// False for an error that comes and goes.
    pub lasts: bool,
}

impl Answer {
    pub fn of<T>(asked: &Asked<T>) -> Self
    where
        Asked<T>: Fingerprint,
    {
        let is_plain = |error| matches!(error, ErrorKind::NotFound | ErrorKind::NotADirectory);
        Self {
            fingerprint: asked.fingerprint().into(),
            stat: asked.stat,
            lasts: asked.error().is_none_or(is_plain),
        }
    }

    fn found(fingerprint: blake3::Hash, stat: Option<Stat>) -> Self {
        Self { fingerprint: fingerprint.into(), stat, lasts: true }
    }
}

/// Asks anew.
pub fn answer(question: &Question) -> Answer {
    let path = question.path.as_path();
    match question.what {
        What::Kind => Answer::of(&kind(path)),
        What::OwnKind => Answer::of(&own_kind(path)),
        What::Real => Answer::of(&real(path)),
        What::Entries => Answer::of(&entries(path)),
        What::Whole { limit } => Answer::of(&whole(path, limit)),
        What::Head { length } => search(path, length.saturating_sub(1), 0, |_| false).2,
    }
}

pub fn kind(path: &Path) -> Asked<Result<Kind, ErrorKind>> {
    let found = fs::metadata(path).map(|metadata| metadata.file_type().into());
    Asked::plain(found.map_err(|error| error.kind()))
}

pub fn own_kind(path: &Path) -> Asked<Result<Kind, ErrorKind>> {
    let found = fs::symlink_metadata(path).map(|metadata| metadata.file_type().into());
    Asked::plain(found.map_err(|error| error.kind()))
}

pub fn real(path: &Path) -> Asked<Result<PathBuf, ErrorKind>> {
    Asked::plain(fs::canonicalize(path).map_err(|error| error.kind()))
}

pub fn entries(path: &Path) -> Asked<Result<Vec<(OsString, Kind)>, ErrorKind>> {
    let listed = || -> io::Result<Vec<_>> {
        let entry = |entry: io::Result<fs::DirEntry>| {
            let entry = entry?;
            Ok((entry.file_name(), entry.file_type()?.into()))
        };
        fs::read_dir(path)?.map(entry).collect()
    };
    let sorted = listed().map(|mut entries| {
        entries.retain(|(name, kind)| *kind != Kind::File || !is_kept(path, name));
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        entries
    });
    Asked::plain(sorted.map_err(|error| error.kind()))
}

fn is_kept(folder: &Path, name: &OsStr) -> bool {
    let is_named = KEPT.iter().any(|end| name.as_encoded_bytes().ends_with(end.as_bytes()));
    is_named && head(&folder.join(name), MARK.len() as u64).value.is_ok_and(|bytes| bytes == MARK)
}

pub fn whole(path: &Path, limit: u64) -> Asked<Result<Vec<u8>, Refusal>> {
    let read = || -> Result<(Vec<u8>, Option<Stat>), Refusal> {
        let (file, length, stat) = open(path)?;
        if length > limit {
            return Err(Refusal::TooLarge { bytes: length, limit });
        }
        let mut bytes = Vec::with_capacity(length as usize + 1);
        file.take(limit + 1).read_to_end(&mut bytes)?;
        // It may have grown since, or be one of those whose length reads 0.
        if bytes.len() as u64 > limit {
            return Err(Refusal::TooLarge { bytes: bytes.len() as u64, limit });
        }
        Ok((bytes, stat))
    };
    asked(read())
}

pub fn head(path: &Path, length: u64) -> Asked<Result<Vec<u8>, Refusal>> {
    let read = || -> Result<(Vec<u8>, Option<Stat>), Refusal> {
        let (file, _, stat) = open(path)?;
        let mut bytes = Vec::new();
        file.take(length).read_to_end(&mut bytes)?;
        Ok((bytes, stat))
    };
    asked(read())
}

fn asked(read: Result<(Vec<u8>, Option<Stat>), Refusal>) -> Asked<Result<Vec<u8>, Refusal>> {
    match read {
        Ok((bytes, stat)) => Asked { value: Ok(bytes), stat },
        Err(refusal) => Asked::plain(Err(refusal)),
    }
}

/// The kind is asked for before opening, since opening a FIFO without a writer blocks, and again on the open file, since the
/// name may point elsewhere by then.
fn open(path: &Path) -> Result<(File, u64, Option<Stat>), Refusal> {
    if !fs::metadata(path)?.is_file() {
        return Err(Refusal::NotRegular);
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(Refusal::NotRegular);
    }
    Ok((file, metadata.len(), Stat::of(&metadata)))
}

/// Whether a file may hold what is looked for, how much of its beginning decided that, and the answer of that beginning.
pub fn search(path: &Path, limit: u64, overlap: usize, holds: impl Fn(&[u8]) -> bool) -> (bool, u64, Answer) {
    let refused = |refusal| (true, 0, Answer::of(&Asked::plain(Err::<Vec<u8>, _>(refusal))));
    let (mut file, stat) = match open(path) {
        Ok((file, _, stat)) => (file, stat),
        Err(refusal) => return refused(refusal),
    };
    let (mut block, mut seen, mut hasher) = (Vec::new(), 0, of_bytes());
    while seen <= limit {
        block.drain(..block.len().saturating_sub(overlap));
        let kept = block.len();
        let wanted = BLOCK.min(limit + 1 - seen);
        match (&mut file).take(wanted).read_to_end(&mut block) {
            // That it ends here is part of the answer.
            Ok(0) => return (false, seen + 1, Answer::found(hasher.finalize(), stat)),
            Ok(read) => seen += read as u64,
            Err(error) => return refused(error.into()),
        }
        hasher.update(&block[kept..]);
        if holds(&block) {
            break;
        }
    }
    (true, seen, Answer::found(hasher.finalize(), stat))
}
