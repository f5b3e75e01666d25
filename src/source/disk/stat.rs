//! What the file system says of a file without reading it, by which a change is noticed; where that is not enough, the file is
//! read again.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Clocks of file systems go in steps, the coarsest known ones in steps of two seconds.
const STEP: i64 = 2;

/// Seconds and nanoseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Moment {
    pub seconds: i64,
    pub nanos: i64,
}

impl Moment {
    /// `None` if the clock stands before 1970.
    pub fn now() -> Option<Self> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        Some(Self { seconds: i64::try_from(since.as_secs()).ok()?, nanos: since.subsec_nanos().into() })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stat {
    pub length: u64,
    pub modified: Moment,
    /// Of the file or what is said of it; no program can set it back.
    pub changed: Moment,
    pub inode: u64,
    pub device: u64,
}

impl Stat {
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        Some(Self {
            length: metadata.len(),
            modified: Moment { seconds: metadata.mtime(), nanos: metadata.mtime_nsec() },
            changed: Moment { seconds: metadata.ctime(), nanos: metadata.ctime_nsec() },
            inode: metadata.ino(),
            device: metadata.dev(),
        })
    }

    /// Without a time that cannot be set back, only the bytes say whether a file is the same.
    #[cfg(not(unix))]
    pub fn of(_: &Metadata) -> Option<Self> {
        None
    }

    pub fn now(path: &Path) -> Option<Self> {
        Self::of(&fs::metadata(path).ok()?)
    }

    /// True if it may have been changed after a run that began then had read it, and still say the same of itself.
    pub fn is_racy(&self, begun: Moment) -> bool {
        let safe = Moment { seconds: begun.seconds - STEP, ..begun };
        self.modified >= safe || self.changed >= safe
    }
}
