//! A verdict that is kept: what a check printed, its exit code, and all that it asked of the file system. Where every answer
//! is the same, the run that follows says the same without an analysis. It knows nothing of how a check works; what it cannot
//! believe, read or write is as if it were not there.

mod entry;
mod folder;
mod key;
mod private;

use std::path::Path;

use thiserror::Error;

use crate::Failure;
use crate::cli::kept::{CleanArgs, Folders};
use crate::cli::{self, CheckArgs};
use crate::exit::ExitCode;
use crate::finding::Outcome;
use crate::report;
use crate::source::Skip;
use crate::source::disk::{Moment, Recording};
use entry::Entry;
use folder::{Folder, Removed};
use key::Key;

/// Why a folder holds no verdicts that can be believed.
#[derive(Debug, Error)]
pub enum Unusable {
    #[error("cannot use the folder: {0}")]
    Io(#[from] std::io::Error),
    #[error("it is a link or no folder")]
    NoFolder,
    #[error("it belongs to another user, or others may write there")]
    NotPrivate,
    #[error("this system does not say whom a file belongs to")]
    NoOwners,
    #[error("the file `key` in the cache folder of the user is none; `gatelint clean` removes it")]
    NoKey,
}

/// Where the verdict on a command line is, or will be.
#[derive(Debug)]
pub struct Kept {
    folder: Folder,
    key: Key,
    /// Named by hand: that it is of no use is worth a word.
    is_named: bool,
}

/// What a run said before.
#[derive(Debug)]
pub struct Said {
    pub verdict: ExitCode,
    pub report: Vec<u8>,
}

/// A run whose verdict is to be kept.
#[derive(Debug)]
pub struct Keeping {
    kept: Kept,
    begun: Moment,
    recording: Recording,
}

impl Kept {
    /// `None` if this run is to be made in any case.
    pub fn of(args: &CheckArgs) -> Option<Self> {
        let arguments = args.depends_on()?;
        let folders = args.keep.folders()?;
        let key = Key::of(&arguments)?;
        let is_named = folders.named.is_some();
        match Folder::open(&folders) {
            Ok(folder) => Some(Self { folder, key, is_named }),
            Err(why) => {
                unusable(&why, is_named);
                None
            }
        }
    }

    /// What the same run said, if nothing has changed that it depends on.
    pub fn said(&self) -> Option<Said> {
        let entry = self.folder.entries(&self.key).into_iter().find(|entry| entry.log.holds(entry.begun))?;
        Some(Said { verdict: entry.verdict, report: entry.report })
    }

    /// The clock is read before the first question is asked.
    pub fn begin(self) -> Option<Keeping> {
        let begun = Moment::now()?;
        Some(Keeping { kept: self, begun, recording: Recording::begin()? })
    }
}

impl Keeping {
    /// Keeps what was said, unless another run might say something else of the same files.
    pub fn finish(self, outcome: &Outcome, verdict: ExitCode, report: Vec<u8>) {
        let Self { kept: Kept { folder, key, is_named }, begun, recording } = self;
        let log = recording.finish();
        let coverage = &outcome.coverage;
        let mut skipped = coverage.skipped.iter().chain(&coverage.skipped_elsewhere);
        let is_unread = skipped.any(|skipped| matches!(skipped.why, Skip::Unreadable { .. }));
        if coverage.is_cut() || is_unread || !log.is_sure() {
            return;
        }
        let entry = Entry { begun, verdict, report, log };
        if let Err(why) = folder.keep(&key, outcome.root.as_std_path(), &entry) {
            unusable(&Unusable::from(why), is_named);
        }
    }
}

fn unusable(why: &Unusable, is_named: bool) {
    if is_named {
        cli::remark(&format!("no verdict is kept in the cache folder that was named: {why}"));
    }
}

/// `gatelint clean`.
pub fn clean(args: &CleanArgs) -> Result<ExitCode, Failure> {
    let Some(Folders { own, named }) = args.folders() else { return crate::say("nothing is kept\n") };
    let mut removed = Removed::default();
    let folders = named.map(|named| (named, false)).into_iter().chain([(own, true)]);
    for (folder, with_secret) in folders {
        let cleaned = folder::clean(&folder, with_secret);
        removed += cleaned.map_err(|why| Failure::Clean { folder: shown(&folder), why })?;
    }
    match removed {
        Removed { files: 0, .. } => crate::say("nothing is kept\n"),
        Removed { files, bytes } => {
            let files = report::counted(files, "file");
            crate::say(&format!("removed {files}, {} KiB\n", bytes.div_ceil(1024)))
        }
    }
}

fn shown(path: &Path) -> String {
    report::escape_line(&path.to_string_lossy()).to_string()
}
