//! Where a report goes: standard output, or a file that appears only once it is complete, so that nobody uploads half.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};

use camino::{Utf8Path, Utf8PathBuf};
use thiserror::Error;

const MIN_WIDTH: usize = 60;
/// Lines longer than this are hard to read, however wide the window.
const MAX_WIDTH: usize = 120;
const DEFAULT_WIDTH: usize = 80;

#[derive(Debug, Error)]
pub enum WriteError {
    #[error("cannot write the report to `{path}`: {error}")]
    File { path: Utf8PathBuf, error: io::Error },
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
}

/// Writes to the file that was asked for, or else to standard output.
pub fn write(
    file: Option<&Utf8PathBuf>,
    color: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    match file {
        Some(path) => to_file(path, write).map_err(|error| WriteError::File { path: path.clone(), error }),
        None => to_stdout(color, write).map_err(WriteError::Stdout),
    }
}

/// The width of the terminal, within reason.
pub fn width() -> usize {
    terminal_size::terminal_size()
        .map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0).clamp(MIN_WIDTH, MAX_WIDTH))
}

/// Writes to standard output. `anstream` only translates colours for old Windows consoles here: whether there are any
/// was decided before.
pub fn to_stdout(color: bool, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    super::progress::erase();
    let choice = if color { anstream::ColorChoice::Always } else { anstream::ColorChoice::AlwaysAnsi };
    let mut stdout = BufWriter::new(anstream::AutoStream::new(io::stdout().lock(), choice));
    write(&mut stdout)
}

/// Writes beside the file and renames. A device or a pipe cannot be renamed to, so it is written to as it is.
pub fn to_file(path: &Utf8Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        let mut file = BufWriter::new(OpenOptions::new().write(true).open(path)?);
        return write(&mut file).and_then(|()| file.flush());
    }
    let beside = beside(path);
    let written = write_new(&beside, write).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Puts other bytes into a file that is there, all or none, and leaves its permissions as they are.
pub fn replace(path: &Utf8Path, bytes: &[u8]) -> io::Result<()> {
    let permissions = fs::metadata(path)?.permissions();
    if permissions.readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let beside = beside(path);
    let written = write_new(&beside, |out| out.write_all(bytes));
    let written = written.and_then(|()| fs::set_permissions(&beside, permissions));
    let written = written.and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn write_new(path: &Utf8Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut file = BufWriter::new(OpenOptions::new().write(true).create_new(true).open(path)?);
    write(&mut file)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

fn beside(path: &Utf8Path) -> Utf8PathBuf {
    let name = path.file_name().unwrap_or("report");
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}
