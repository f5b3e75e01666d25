//! The only door to the file system for all that a check reads: what is where, the bytes of a file, the entries of a folder.
//! It knows neither projects nor languages. While a recording lasts, each question is put down with its answer.
//!
//! There is one recording for the whole process, and no value that is handed on. The questions come from five layers and from
//! all threads of the pool, a process does one check, and a question that is not part of it can only add to what has to be the
//! same. So whoever asks cannot forget to say for whom.

mod ask;
mod log;
mod stat;
mod tree;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

pub use ask::{Answer, KEPT, Kind, MARK, Question, Refusal, What};
pub use log::Log;
pub use stat::{Moment, Stat};
pub use tree::{Entry, Tree};

use ask::Asked;

static RECORDED: Mutex<Option<Log>> = Mutex::new(None);
/// Spares the lock where nobody records.
static IS_RECORDING: AtomicBool = AtomicBool::new(false);

/// As long as it lives, questions are put down.
#[derive(Debug)]
pub struct Recording(());

impl Recording {
    /// `None` while another one lasts.
    pub fn begin() -> Option<Self> {
        let mut recorded = recorded();
        if recorded.is_some() {
            return None;
        }
        *recorded = Some(Log::default());
        IS_RECORDING.store(true, Ordering::SeqCst);
        Some(Self(()))
    }

    pub fn finish(self) -> Log {
        recorded().take().unwrap_or_default()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        IS_RECORDING.store(false, Ordering::SeqCst);
        recorded().take();
    }
}

fn recorded() -> MutexGuard<'static, Option<Log>> {
    RECORDED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn note(path: &Path, what: What, answer: impl FnOnce() -> Answer) {
    if !IS_RECORDING.load(Ordering::Relaxed) {
        return;
    }
    let (question, answer) = (Question { path: path.to_owned(), what }, answer());
    if let Some(log) = recorded().as_mut() {
        log.put(question, answer);
    }
}

fn noted<T>(path: &Path, what: What, asked: Asked<T>) -> Asked<T>
where
    Asked<T>: ask::Fingerprint,
{
    note(path, what, || Answer::of(&asked));
    asked
}

/// What there is; links are followed.
pub fn kind(path: impl AsRef<Path>) -> Result<Kind, ErrorKind> {
    let path = path.as_ref();
    noted(path, What::Kind, ask::kind(path)).value
}

/// What there is under this very name, which may be a link.
pub fn own_kind(path: impl AsRef<Path>) -> Result<Kind, ErrorKind> {
    let path = path.as_ref();
    noted(path, What::OwnKind, ask::own_kind(path)).value
}

pub fn is_file(path: impl AsRef<Path>) -> bool {
    kind(path) == Ok(Kind::File)
}

pub fn is_folder(path: impl AsRef<Path>) -> bool {
    kind(path) == Ok(Kind::Folder)
}

pub fn is_there(path: impl AsRef<Path>) -> bool {
    kind(path).is_ok()
}

/// The absolute path without links.
pub fn real(path: impl AsRef<Path>) -> Result<PathBuf, ErrorKind> {
    let path = path.as_ref();
    noted(path, What::Real, ask::real(path)).value
}

/// The same where it can be named.
pub fn real_utf8(path: &Utf8Path) -> Option<Utf8PathBuf> {
    Utf8PathBuf::from_path_buf(real(path).ok()?).ok()
}

/// Sorted by name; without what the program keeps for itself.
pub fn entries(path: &Path) -> Result<Vec<(OsString, Kind)>, ErrorKind> {
    noted(path, What::Entries, ask::entries(path)).value
}

/// The bytes of a regular file that is no longer than the limit.
pub fn whole(path: &Path, limit: u64) -> Result<Vec<u8>, Refusal> {
    noted(path, What::Whole { limit }, ask::whole(path, limit)).value
}

/// The first bytes of a regular file.
pub fn head(path: &Path, length: u64) -> Result<Vec<u8>, Refusal> {
    noted(path, What::Head { length }, ask::head(path, length)).value
}

/// Looks through a regular file block by block, each with the end of the one before. True also where that cannot be told: the
/// file cannot be read, or goes on behind the limit. What is looked for is at most `overlap` bytes long.
pub fn may_hold(path: &Path, limit: u64, overlap: usize, holds: impl Fn(&[u8]) -> bool) -> bool {
    let (found, length, answer) = ask::search(path, limit, overlap, holds);
    note(path, What::Head { length }, || answer);
    found
}
