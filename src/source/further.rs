//! Files that are read after all, because code turns out to run them: by their path, whatever they are called, or by an import
//! that leads into a folder that is not looked at. It reads below the project root only, and each file once.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobSet;

use super::decode::decode;
use super::discover::FileType;
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
        Some(stems.chain(NEVER).collect())
    }

    /// Those of them that are new and folders.
    pub fn add_roots(&mut self, roots: BTreeSet<&str>) -> Vec<String> {
        let is_new = |root: &&str| !self.roots.contains(*root) && self.is_folder(Utf8Path::new(root));
        let new: Vec<String> = roots.into_iter().filter(is_new).map(str::to_owned).collect();
        self.roots.extend(new.iter().cloned());
        new
    }

    pub fn is_folder(&self, path: &Utf8Path) -> bool {
        self.root.as_ref().is_some_and(|root| root.join(path).is_dir())
    }

    /// A file that an import leads to: one that the project hides is named, one of a folder that is not looked at is read.
    pub fn imported(&mut self, path: &Utf8Path, file_type: FileType) -> Option<Result<SourceFile, Skip>> {
        if self.ignored.contains(path) {
            return self.asked.insert(path.to_owned()).then_some(Err(Skip::Ignored));
        }
        if !is_left_out(path) {
            return None;
        }
        let is_there = self.root.as_ref().is_some_and(|root| root.join(path).is_file());
        let read = is_there.then(|| self.read(path, file_type, &Texts::default())).flatten();
        self.left_out.extend(read.is_some().then(|| path.to_owned()));
        read
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
        let missing = |error: std::io::Error| Skip::Unreadable { error: super::read::why(error.kind()) };
        let real = std::fs::canonicalize(root.join(path)).map_err(missing)?;
        if !real.starts_with(root) {
            return Err(Skip::LinkOutsideRoot);
        }
        read_bytes(&real, self.max_bytes).map_err(Skip::from)
    }
}

/// True for what lies in a folder that is never looked at unless code leads there.
pub fn is_left_out(path: &Utf8Path) -> bool {
    path.components().any(|part| NEVER.contains(&part.as_str()))
}
