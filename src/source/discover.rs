//! Which files are scanned: from what the user named to decoded sources, sorted by path.
//! Nothing that looks like a source file is left out in silence: it is scanned, hidden by an ignore file and counted,
//! excluded by the configuration, or reported as skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobSet;
use thiserror::Error;

use super::decode::decode;
use super::disk;
use super::further::Further;
use super::read::{Read, ReadError, read_bytes, read_head, why};
use super::scripts::{HEAD, Interpreters, script_type};
use super::texts::Texts;
use super::unread::{self, Unread};
use super::walk::{Candidate, Walk, relative};
use super::{Skip, Skipped, SourceFile};
use crate::ir::Lang;
use crate::parallel;

/// Generated and vendored giants are larger; hand-written files are not.
pub const DEFAULT_MAX_BYTES: u64 = 4 << 20;

/// How the source files of a language are recognised.
#[derive(Clone, Copy, Debug)]
pub struct FileType {
    pub lang: Lang,
    /// In lower case.
    pub extensions: &'static [&'static str],
    /// What the `#!` line of a script runs.
    pub interpreters: Interpreters,
    /// Whether a comment in the first two lines may declare the encoding.
    pub encoding_cookie: bool,
}

/// Stubs (`.pyi`) hold no calls and would shadow the modules that do.
pub const PYTHON: FileType = FileType {
    lang: Lang::Python,
    extensions: &["py", "pyw"],
    interpreters: Interpreters {
        names: &["python", "pypy", "ipython", "jython", "micropython"],
        runners: &[("uv", "run"), ("pipx", "run"), ("pdm", "run"), ("hatch", "run"), ("rye", "run")],
        quotes: b"'\"",
    },
    encoding_cookie: true,
};
pub const RUST: FileType = FileType {
    lang: Lang::Rust,
    extensions: &["rs"],
    interpreters: Interpreters {
        names: &["rust-script", "cargo", "run-cargo-script"],
        runners: &[],
        quotes: b"",
    },
    encoding_cookie: false,
};

/// What the front ends read.
pub const LANGUAGES: &[FileType] = &[PYTHON, RUST];

/// How the files of a language are recognised.
pub fn file_type(lang: Lang) -> FileType {
    LANGUAGES.iter().copied().find(|known| known.lang == lang).unwrap_or(PYTHON)
}

#[derive(Clone, Debug)]
pub struct DiscoverOptions {
    /// Look at files that ignore files hide, too.
    pub no_ignore: bool,
    /// Relative to the project root.
    pub exclude: GlobSet,
    /// Read only if somebody asks, and whether there is such a file is always known.
    pub watched: GlobSet,
    pub max_bytes: u64,
    pub languages: Vec<FileType>,
}

impl Default for DiscoverOptions {
    fn default() -> Self {
        Self {
            no_ignore: false,
            exclude: GlobSet::empty(),
            watched: GlobSet::empty(),
            max_bytes: DEFAULT_MAX_BYTES,
            languages: LANGUAGES.to_vec(),
        }
    }
}

/// How much of the project was looked at: what is missing in a part may be in the rest.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Extent {
    #[default]
    Whole,
    /// These folders, relative to the project root, and perhaps single files.
    Folders(Vec<Utf8PathBuf>),
}

impl Extent {
    fn new(roots: &[Utf8PathBuf], root: &Utf8Path) -> Self {
        if roots.iter().any(|path| path == root) {
            return Extent::Whole;
        }
        let folders = roots.iter().filter(|path| disk::is_folder(path));
        Extent::Folders(folders.map(|path| relative(path, root)).collect())
    }

    pub fn is_whole(&self) -> bool {
        *self == Extent::Whole
    }

    /// True if everything around a path was looked at, too.
    pub fn holds(&self, path: &Utf8Path) -> bool {
        match self {
            Extent::Whole => true,
            Extent::Folders(folders) => folders.iter().any(|folder| path.starts_with(folder)),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Discovered {
    /// Sorted by path.
    pub files: Vec<SourceFile>,
    /// Sorted by path.
    pub skipped: Vec<Skipped>,
    /// Source files of languages that are not read.
    pub unread: Unread,
    /// Modules that are no source, by the path that an import of them has.
    pub compiled: BTreeMap<String, String>,
    /// Source files that the configuration excludes.
    pub excluded: BTreeSet<Utf8PathBuf>,
    /// Everything that was opened up to here and decided the above, sorted by path.
    pub read_log: Vec<Read>,
    pub extent: Extent,
    pub matched: Matched,
    /// Not read yet.
    pub texts: Texts,
    /// Likewise: what tells which files belong to which crate.
    pub manifests: Texts,
    /// What was not opened and may be after all, and the source files that ignore files hide.
    pub further: Further,
}

/// Which globs were of use, by their index.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Matched {
    pub exclude: BTreeSet<usize>,
    pub watched: BTreeSet<usize>,
}

impl Matched {
    /// True if the file or folder is left out; one that is not may be watched.
    pub fn excludes(&mut self, path: &Path, options: &DiscoverOptions) -> bool {
        let by = options.exclude.matches(path);
        if by.is_empty() {
            self.watched.extend(options.watched.matches(path));
        }
        self.exclude.extend(&by);
        !by.is_empty()
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RootError {
    #[error("cannot scan `{path}`: {}", why(*error))]
    Unusable { path: Utf8PathBuf, error: std::io::ErrorKind },
    #[error("cannot scan `{path}`: its real name is not UTF-8, so no report can name it; rename it")]
    NotUtf8 { path: Utf8PathBuf },
    #[error("cannot scan `{path}`: it is outside the project root `{root}`; scan it in a run of its own")]
    OutsideRoot { path: Utf8PathBuf, root: Utf8PathBuf },
    #[error("cannot read the list of files `{path}`: {error}")]
    List { path: Utf8PathBuf, error: ReadError },
    #[error("cannot read standard input: {0}")]
    Stdin(ReadError),
}

/// What the user named, as real absolute paths. A link that is named is followed.
pub fn resolve(paths: &[Utf8PathBuf]) -> Result<Vec<Utf8PathBuf>, RootError> {
    paths.iter().map(|path| resolve_one(path)).collect()
}

pub fn resolve_one(path: &Utf8Path) -> Result<Utf8PathBuf, RootError> {
    let real = disk::real(path).map_err(|error| RootError::Unusable { path: path.to_owned(), error })?;
    Utf8PathBuf::from_path_buf(real).map_err(|_| RootError::NotUtf8 { path: path.to_owned() })
}

/// Finds, reads and decodes. `roots` and `root` are real absolute paths (see `resolve`); every path that comes out is
/// relative to `root`.
pub fn discover(
    roots: &[Utf8PathBuf],
    root: &Utf8Path,
    options: &DiscoverOptions,
) -> Result<Discovered, RootError> {
    if let Some(outside) = roots.iter().find(|path| !path.starts_with(root)) {
        return Err(RootError::OutsideRoot { path: outside.clone(), root: root.to_owned() });
    }
    let mut walk = Walk::new(root, options);
    for path in roots {
        walk.root(path);
    }
    walk.follow_links(root, roots);
    Ok(Discovered { extent: Extent::new(roots, root), ..open_all(walk, options) })
}

fn open_all(walk: Walk, options: &DiscoverOptions) -> Discovered {
    let Walk {
        root,
        candidates,
        mut texts,
        manifests,
        skipped,
        ignored: mut hidden,
        left_out: mut excluded,
        mut unread,
        compiled,
        mut read_log,
        matched,
        folder_links,
        ..
    } = walk;
    let mut skipped: Vec<_> = skipped.into_iter().collect();
    hidden.retain(|path| !candidates.contains_key(path));
    excluded.retain(|path| !candidates.contains_key(path));
    let further = Further {
        root: Some(root.to_owned()),
        max_bytes: options.max_bytes,
        exclude: options.exclude.clone(),
        ignored: hidden,
        links: folder_links,
        ..Further::default()
    };
    let candidates: Vec<_> = candidates.into_iter().collect();
    let opened: Vec<_> = parallel::map(candidates, |(path, candidate)| open(path, &candidate, options));
    let mut files = Vec::with_capacity(opened.len());
    for result in opened {
        match result {
            Opened::Source(file, bytes) => {
                read_log.push(Read { path: file.path.clone(), bytes });
                // A script may be called like a text.
                texts.remove(&file.path);
                unread.remove(&file.path);
                files.push(file);
            }
            Opened::NoSource => {}
            Opened::Skipped(skip) => skipped.push(skip),
        }
    }
    skipped.sort();
    skipped.dedup();
    read_log.sort();
    read_log.dedup();
    let (texts, manifests) = (Texts::new(texts, options.max_bytes), Texts::new(manifests, options.max_bytes));
    let compiled = unread::modules(compiled.into_iter());
    Discovered {
        files,
        skipped,
        excluded,
        unread: unread::count(unread.into_iter()),
        compiled,
        read_log,
        extent: Extent::default(),
        matched,
        texts,
        manifests,
        further,
    }
}

enum Opened {
    Source(SourceFile, u64),
    /// No script, or one of another language.
    NoSource,
    Skipped(Skipped),
}

fn open(path: Utf8PathBuf, candidate: &Candidate, options: &DiscoverOptions) -> Opened {
    let skip = |why| Opened::Skipped(Skipped { path: path.to_string(), why });
    let Some(file_type) = candidate.file_type.or_else(|| by_interpreter(candidate, &options.languages))
    else {
        return if candidate.named { skip(Skip::UnknownLanguage) } else { Opened::NoSource };
    };
    let bytes = match read_bytes(candidate.real.as_std_path(), options.max_bytes) {
        Ok(bytes) => bytes,
        Err(error) => return skip(error.into()),
    };
    let read = bytes.len() as u64;
    match decode(bytes, file_type.encoding_cookie) {
        Ok(decoded) => Opened::Source(
            SourceFile {
                path,
                text: decoded.text,
                lang: file_type.lang,
                encoding: decoded.encoding,
                lossy: decoded.lossy,
            },
            read,
        ),
        Err(unknown) => skip(Skip::UnknownEncoding { name: unknown.0 }),
    }
}

/// A file whose name says nothing and that cannot be opened is not known to be a source file, so it is passed over.
fn by_interpreter(candidate: &Candidate, languages: &[FileType]) -> Option<FileType> {
    script_type(&read_head(candidate.real.as_std_path(), HEAD).ok()?, languages)
}
