//! A walk over all that lies below a folder, the entries of each folder sorted by name. Links are not followed, except for one
//! where the walk begins.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

use super::ask::Kind;
use super::{entries, is_folder, own_kind};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub path: PathBuf,
    /// A link is one, wherever it leads.
    pub kind: Kind,
    /// 0 for where the walk begins.
    pub depth: usize,
}

impl Entry {
    pub fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }
}

/// Each folder comes before what is in it. An error names the path that cannot be listed.
#[derive(Debug)]
pub struct Tree {
    start: Option<PathBuf>,
    /// What is left of each folder down to the last entry.
    left: Vec<(PathBuf, IntoIter<(OsString, Kind)>)>,
    /// The last entry, if it is a folder that is to be listed.
    entered: Option<PathBuf>,
}

impl Tree {
    pub fn new(start: &Path) -> Self {
        Self { start: Some(start.to_owned()), left: Vec::new(), entered: None }
    }

    /// Passes by what is in the last entry.
    pub fn skip_folder(&mut self) {
        self.entered = None;
    }

    fn first(&mut self, path: PathBuf) -> Result<Entry, (PathBuf, ErrorKind)> {
        let kind = own_kind(&path).map_err(|error| (path.clone(), error))?;
        if kind == Kind::Folder || (kind == Kind::Link && is_folder(&path)) {
            self.entered = Some(path.clone());
        }
        Ok(Entry { path, kind, depth: 0 })
    }

    fn following(&mut self) -> Option<Entry> {
        loop {
            let depth = self.left.len();
            let (folder, left) = self.left.last_mut()?;
            let Some((name, kind)) = left.next() else {
                self.left.pop();
                continue;
            };
            let path = folder.join(name);
            self.entered = (kind == Kind::Folder).then(|| path.clone());
            return Some(Entry { path, kind, depth });
        }
    }
}

impl Iterator for Tree {
    type Item = Result<Entry, (PathBuf, ErrorKind)>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(start) = self.start.take() {
            return Some(self.first(start));
        }
        if let Some(folder) = self.entered.take() {
            match entries(&folder) {
                Ok(listed) => self.left.push((folder, listed.into_iter())),
                Err(error) => return Some(Err((folder, error))),
            }
        }
        self.following().map(Ok)
    }
}
