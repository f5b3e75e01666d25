//! What the user asked for: paths, a list of files, or the text of one file. They say what to report on, not what to know:
//! a path through the project is only seen if the whole project is loaded.

use std::collections::BTreeSet;
use std::io::ErrorKind;

use camino::{Utf8Path, Utf8PathBuf};

use super::discover::{DiscoverOptions, Discovered, RootError, discover, resolve, resolve_one};
use super::disk;
use super::given::give;
use super::read::{ReadError, read_stdin, read_text};
use super::walk::relative;

/// As the command line says it; nothing is read yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    Paths(Vec<Utf8PathBuf>),
    /// A file that lists files, or standard input; names end in this character.
    List {
        from: Option<Utf8PathBuf>,
        separator: char,
    },
    /// Files that changed, some of which may be gone.
    Changed(Vec<Utf8PathBuf>),
    /// Standard input is the text of this file.
    Text(Utf8PathBuf),
}

/// Real paths, absolute, and the text that was given.
#[derive(Debug)]
pub struct Asked {
    paths: Vec<Utf8PathBuf>,
    how: How,
}

#[derive(Debug)]
enum How {
    Paths,
    List { start: Utf8PathBuf },
    Text { bytes: Vec<u8> },
}

/// The files that findings are shown for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reported {
    paths: BTreeSet<Utf8PathBuf>,
    /// True if the files stand for a change: what is new since a baseline may come of it, wherever it stands.
    pub as_changes: bool,
}

impl Reported {
    /// True for a file that was named, and for one in a folder that was.
    pub fn includes(&self, path: &Utf8Path) -> bool {
        path.ancestors().any(|path| self.paths.contains(path))
    }
}

/// A list of every file of a large repository is some megabytes.
const MAX_LIST_BYTES: u64 = 64 << 20;
/// What marks a folder as a project, so that loading all of it is meant.
const MARKS: [&str; 5] = [".git", "gatelint.toml", ".gatelint.toml", "pyproject.toml", "Cargo.toml"];

impl Asked {
    pub fn new(input: Input) -> Result<Self, RootError> {
        match input {
            Input::Paths(paths) => Ok(Self { paths: resolve(&paths)?, how: How::Paths }),
            Input::List { from, separator } => {
                let paths = resolve(&listed(from.as_deref(), separator)?)?;
                let start = resolve_one(Utf8Path::new("."))?;
                Ok(Self { paths, how: How::List { start } })
            }
            Input::Changed(paths) => {
                let start = resolve_one(Utf8Path::new("."))?;
                Ok(Self { paths: resolve(&present(paths))?, how: How::List { start } })
            }
            Input::Text(name) => {
                let path = resolve_new(&name)?;
                let bytes = read_stdin(super::DEFAULT_MAX_BYTES).map_err(RootError::Stdin)?;
                Ok(Self { paths: vec![path], how: How::Text { bytes } })
            }
        }
    }

    /// Where the configuration is looked for.
    pub fn start(&self) -> &Utf8Path {
        match &self.how {
            How::List { start } => start,
            How::Paths | How::Text { .. } => self.paths.first().map_or(Utf8Path::new("."), |path| path),
        }
    }

    /// Loads what is needed; `None` if findings are shown for all of it.
    pub fn discover(
        &self,
        root: &Utf8Path,
        options: &DiscoverOptions,
    ) -> Result<(Discovered, Option<Reported>), RootError> {
        if let Some(outside) = self.paths.iter().find(|path| !path.starts_with(root)) {
            return Err(RootError::OutsideRoot { path: outside.clone(), root: root.to_owned() });
        }
        let whole = vec![root.to_owned()];
        let is_project = MARKS.iter().any(|mark| disk::is_there(root.join(mark)));
        match &self.how {
            How::Paths if !is_project || self.paths.iter().any(|path| path == root) => {
                Ok((discover(&self.paths, root, options)?, None))
            }
            // What is named is scanned even if the walk would leave it out.
            How::Paths => {
                let found = discover(&[whole, self.paths.clone()].concat(), root, options)?;
                Ok((found, Some(self.reported(root, self.paths.iter().any(|path| !disk::is_folder(path))))))
            }
            How::List { .. } => Ok((discover(&whole, root, options)?, Some(self.reported(root, true)))),
            How::Text { bytes } => {
                let whole = if is_project { whole } else { Vec::new() };
                let mut found = discover(&whole, root, options)?;
                for path in &self.paths {
                    give(&mut found, relative(path, root), bytes.clone(), options);
                }
                Ok((found, Some(self.reported(root, false))))
            }
        }
    }

    fn reported(&self, root: &Utf8Path, as_changes: bool) -> Reported {
        Reported { paths: self.paths.iter().map(|path| relative(path, root)).collect(), as_changes }
    }
}

/// Without those that are gone. A link that leads nowhere is left to whoever walks the project, and told there.
fn present(mut paths: Vec<Utf8PathBuf>) -> Vec<Utf8PathBuf> {
    let is_gone = |kind| matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory);
    paths.retain(|path| !disk::kind(path).is_err_and(is_gone));
    paths
}

fn listed(from: Option<&Utf8Path>, separator: char) -> Result<Vec<Utf8PathBuf>, RootError> {
    let text = match from {
        Some(file) => read_text(file.as_std_path(), MAX_LIST_BYTES)
            .map_err(|error| RootError::List { path: file.to_owned(), error })?,
        None => {
            let bytes = read_stdin(MAX_LIST_BYTES).map_err(RootError::Stdin)?;
            String::from_utf8(bytes).map_err(|_| RootError::Stdin(ReadError::NotUtf8))?
        }
    };
    let names = text.split(separator);
    let names = names.map(|name| if separator == '\n' { name.trim_end_matches('\r') } else { name });
    Ok(names.filter(|name| !name.is_empty()).map(Utf8PathBuf::from).collect())
}

/// The real path of a file that need not exist yet.
fn resolve_new(path: &Utf8Path) -> Result<Utf8PathBuf, RootError> {
    if let Ok(found) = resolve_one(path) {
        return Ok(found);
    }
    let folder = path.parent().filter(|folder| !folder.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
    let folder = resolve_one(folder)?;
    Ok(path.file_name().map_or(folder.clone(), |name| folder.join(name)))
}
