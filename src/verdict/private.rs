//! Files and folders of one user: who that is, and whether anybody else could have written there. Where the system does not
//! say so, nothing is private, so nothing is kept.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Whether the system says whom a file belongs to.
pub const IS_KNOWN: bool = cfg!(unix);

/// May write: group and others.
const WRITE: u32 = 0o022;
/// May do anything.
const ALL: u32 = 0o077;

/// Who runs the program, with all that decides which files can be read.
#[cfg(unix)]
pub fn user() -> String {
    use rustix::process;
    let ids = [process::getuid().as_raw(), process::geteuid().as_raw()];
    let groups = [process::getgid().as_raw(), process::getegid().as_raw()];
    let more = process::getgroups().unwrap_or_default();
    format!("{ids:?} {groups:?} {:?}", more.iter().map(|group| group.as_raw()).collect::<Vec<_>>())
}

#[cfg(not(unix))]
pub fn user() -> String {
    String::new()
}

/// True for what belongs to the user and what nobody else can change.
pub fn is_ours(metadata: &Metadata) -> bool {
    is_closed(metadata, WRITE)
}

/// True for what nobody else can even read.
pub fn is_secret(metadata: &Metadata) -> bool {
    is_closed(metadata, ALL)
}

#[cfg(unix)]
fn is_closed(metadata: &Metadata, to: u32) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let user = rustix::process::geteuid();
    user == rustix::process::getuid() && metadata.uid() == user.as_raw() && metadata.mode() & to == 0
}

#[cfg(not(unix))]
fn is_closed(_: &Metadata, _: u32) -> bool {
    false
}

/// True for a folder in which others can replace what is the user's.
#[cfg(unix)]
pub fn is_open_to_all(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    const OTHERS: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    metadata.mode() & OTHERS != 0 && metadata.mode() & STICKY == 0
}

#[cfg(not(unix))]
pub fn is_open_to_all(_: &Metadata) -> bool {
    true
}

pub fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// A file that was not there before.
pub fn make_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(path)
}
