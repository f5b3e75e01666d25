//! Files that are read after all, because code turns out to run them: by their path, whatever they are called, or by an import
//! that leads into a folder that is not looked at. It reads below the project root only, and each file once.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobSet;

use super::archives;
use super::decode::decode;
use super::discover::FileType;
use super::disk;
use super::read::read_bytes;
use super::texts::Texts;
use super::walk::NEVER;
use super::{Skip, SourceFile};

/// What there is to read, and what was.
#[derive(Clone, Debug, Default)]
pub struct Further {
    /// Real and absolute; `None` for files that never were on a disk.
    pub root: Option<Utf8PathBuf>,
    pub max_bytes: u64,
    pub exclude: GlobSet,
    /// Source files that ignore files hide.
    pub ignored: BTreeSet<Utf8PathBuf>,
    /// What was asked for before.
    pub asked: BTreeSet<Utf8PathBuf>,
    /// Folders in which code lets imports be looked for, relative to the root.
    pub roots: BTreeSet<String>,
    /// Links to folders of the project, each with its folder.
    pub links: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    /// The modules of archives in which code lets imports be looked for, by the path that an import has.
    pub archived: BTreeMap<String, String>,
    /// Files of folders that are otherwise not looked at.
    pub left_out: BTreeSet<Utf8PathBuf>,
}

impl Further {
    /// Names of modules and folders without which no import reaches a file that the walk passed by; `None` if any name may.
    pub fn hints(&self) -> Option<BTreeSet<&str>> {
        if self.roots.iter().any(|root| is_left_out(Utf8Path::new(root))) {
            return None;
        }
        let stems = self.ignored.iter().filter_map(|path| match path.file_stem() {
            Some("__init__") | None => path.parent().and_then(Utf8Path::file_name),
            stem => stem,
        });
        let linked = self.links.keys().filter_map(|link| link.file_name());
        Some(stems.chain(linked).chain(NEVER).collect())
    }

    /// Lists what is to be imported from a folder that is a file: an archive. One that cannot be read is answered with.
    pub fn add_archive(&mut self, root: &Utf8Path) -> Option<(Utf8PathBuf, Skip)> {
        let top = self.root.clone()?;
        let archive = root.ancestors().find(|path| disk::is_file(top.join(path)))?;
        if !self.asked.insert(root.to_owned()) {
            return None;
        }
        match self.bytes(archive) {
            Ok(bytes) => {
                let below = root.strip_prefix(archive).unwrap_or(Utf8Path::new(""));
                let modules = archives::modules(&bytes, archive.as_str(), below.as_str());
                self.archived.extend(modules.into_iter().flatten());
                None
            }
            Err(why) => Some((archive.to_owned(), why)),
        }
    }

    pub fn is_folder(&self, path: &Utf8Path) -> bool {
        self.root.as_ref().is_some_and(|root| disk::is_folder(root.join(path)))
    }

    /// A file that an import leads to: one that the project hides is named, one of a folder that is not looked at is read.
    pub fn imported(&mut self, path: &Utf8Path, file_type: FileType) -> Option<Result<SourceFile, Skip>> {
        if self.ignored.contains(path) {
            return self.asked.insert(path.to_owned()).then_some(Err(Skip::Ignored));
        }
        if !is_left_out(path) && !self.leads_away(path) {
            return None;
        }
        let is_there = self.root.as_ref().is_some_and(|root| disk::is_file(root.join(path)));
        let read = is_there.then(|| self.read(path, file_type, &Texts::default())).flatten();
        self.left_out.extend(read.is_some().then(|| path.to_owned()));
        read
    }

    /// True if a path leads through a link into a folder that is not looked at. What the walk saw has its own name, by which
    /// imports through the link find it.
    fn leads_away(&self, path: &Utf8Path) -> bool {
        let Some(root) = self.root.as_ref().filter(|_| self.is_linked(path)) else { return false };
        let real = disk::real_utf8(&root.join(path));
        real.is_some_and(|real| real.strip_prefix(root).map_or(true, is_left_out))
    }

    fn is_linked(&self, path: &Utf8Path) -> bool {
        path.ancestors().skip(1).any(|folder| self.links.contains_key(folder))
    }

    /// A file that code runs by its path. `None` if it was asked for before, or the configuration excludes it.
    pub fn read(
        &mut self,
        path: &Utf8Path,
        file_type: FileType,
        texts: &Texts,
    ) -> Option<Result<SourceFile, Skip>> {
        if !self.asked.insert(path.to_owned()) || self.exclude.is_match(path) {
            return None;
        }
        let bytes = match texts.bytes_of(path) {
            Some(bytes) => bytes,
            None => self.bytes(path),
        };
        let decoded = bytes.and_then(|bytes| {
            decode(bytes, file_type.encoding_cookie)
                .map_err(|unknown| Skip::UnknownEncoding { name: unknown.0 })
        });
        Some(decoded.map(|decoded| SourceFile {
            path: path.to_owned(),
            text: decoded.text,
            lang: file_type.lang,
            encoding: decoded.encoding,
            lossy: decoded.lossy,
        }))
    }

    fn bytes(&self, path: &Utf8Path) -> Result<Vec<u8>, Skip> {
        let path = self.root.as_ref().and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
        let is_outside = path.is_absolute() || path.starts_with("..") || path.starts_with("~");
        let Some(root) = self.root.as_ref().filter(|_| !is_outside) else { return Err(Skip::OutsideRoot) };
        let missing = |error| Skip::Unreadable { error: super::read::why(error) };
        let real = disk::real(root.join(path)).map_err(missing)?;
        if !real.starts_with(root) {
            return Err(Skip::LinkOutsideRoot);
        }
        read_bytes(&real, self.max_bytes).map_err(Skip::from)
    }
}

/// True for what lies in a folder that is never looked at unless code leads there.
fn is_left_out(path: &Utf8Path) -> bool {
    path.components().any(|part| NEVER.contains(&part.as_str()))
}
