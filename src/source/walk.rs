//! One walk over each root, collecting candidates, counting what ignore files hide and setting links aside.
//! It opens ignore files only; deciding what a candidate holds is `discover`'s part.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};

use super::discover::{DiscoverOptions, FileType, Matched};
use super::disk::{self, Entry, Kind, Tree};
use super::excluded;
use super::ignored::{Frame, Opened, hides};
use super::read::{Read, why};
use super::texts::{Content, is_manifest, is_text, is_wanted};
use super::{Skip, Skipped, unread};

/// Folders in which no project keeps code of its own; what an import reaches there is read all the same (see `further`).
pub const NEVER: [&str; 5] = [".git", ".hg", ".svn", "__pycache__", "node_modules"];

/// A file that may be a source file.
pub struct Candidate {
    /// Where to read it.
    pub real: Utf8PathBuf,
    /// None: its name says nothing; its first line decides.
    pub file_type: Option<FileType>,
    /// True if the user named this very file.
    pub named: bool,
}

pub struct Walk<'a> {
    pub root: &'a Utf8Path,
    options: &'a DiscoverOptions,
    /// By path relative to the project root.
    pub candidates: BTreeMap<Utf8PathBuf, Candidate>,
    /// Likewise; what is no source file.
    pub texts: BTreeMap<Utf8PathBuf, Content>,
    pub manifests: BTreeMap<Utf8PathBuf, Content>,
    pub skipped: BTreeSet<Skipped>,
    pub ignored: BTreeSet<Utf8PathBuf>,
    /// Source files of languages that are not read.
    pub unread: BTreeSet<Utf8PathBuf>,
    /// Modules that are no source.
    pub compiled: BTreeSet<Utf8PathBuf>,
    /// Source files that are excluded.
    pub left_out: BTreeSet<Utf8PathBuf>,
    pub links: BTreeSet<Utf8PathBuf>,
    /// Those that lead to a folder below one that is scanned, each with that folder.
    pub folder_links: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    pub read_log: Vec<Read>,
    pub matched: Matched,
}

/// The folders from the start of a walk down to the entry that is looked at.
struct Descent {
    /// Ignore files, from the project root downwards.
    frames: Vec<Frame>,
    /// How many of them are above the start.
    above: usize,
    /// Whether each folder since the start is hidden.
    hidden: Vec<bool>,
}

impl Descent {
    /// Leaves the folders that do not hold an entry of that depth.
    fn leave(&mut self, depth: usize) {
        self.hidden.truncate(depth);
        self.frames.truncate(self.above + depth);
    }

    fn enter(&mut self, hidden: bool, frame: Frame) {
        self.hidden.push(hidden);
        self.frames.push(frame);
    }

    /// What lies in a hidden folder is hidden.
    fn hides(&self, entry: &Entry) -> bool {
        let above = self.hidden.last().copied().unwrap_or(false);
        above || (entry.depth > 0 && hides(&self.frames, &entry.path, entry.kind == Kind::Folder))
    }
}

impl<'a> Walk<'a> {
    pub fn new(root: &'a Utf8Path, options: &'a DiscoverOptions) -> Self {
        Self {
            root,
            options,
            candidates: BTreeMap::new(),
            texts: BTreeMap::new(),
            manifests: BTreeMap::new(),
            skipped: BTreeSet::new(),
            ignored: BTreeSet::new(),
            unread: BTreeSet::new(),
            compiled: BTreeSet::new(),
            left_out: BTreeSet::new(),
            links: BTreeSet::new(),
            folder_links: BTreeMap::new(),
            read_log: Vec::new(),
            matched: Matched::default(),
        }
    }

    /// What the user named is scanned, whatever ignore files and `exclude` say of itself.
    pub fn root(&mut self, path: &Utf8Path) {
        if disk::is_folder(path) {
            self.folder(path);
            return;
        }
        let file_type = self.file_type(path.as_std_path());
        let name = relative(path, self.root);
        if file_type.is_none() && is_wanted(name.as_std_path(), &self.options.watched) {
            self.texts.insert(name, Content::Disk(path.to_owned()));
        } else {
            self.candidates.insert(name, Candidate { real: path.to_owned(), file_type, named: true });
        }
    }

    fn folder(&mut self, start: &Utf8Path) {
        let in_environment = is_environment(start.as_std_path());
        let frames = self.frames_above(start);
        let mut descent = Descent { above: frames.len(), frames, hidden: Vec::new() };
        let mut tree = Tree::new(start.as_std_path());
        while let Some(entry) = tree.next() {
            match entry {
                Ok(entry) if self.entry(&entry, in_environment, &mut descent) => {}
                Ok(_) => tree.skip_folder(),
                Err((path, error)) => self.skip_os(&path, Skip::Unreadable { error: why(error) }),
            }
        }
    }

    /// False for a folder that is not to be entered.
    fn entry(&mut self, entry: &Entry, in_environment: bool, descent: &mut Descent) -> bool {
        let is_folder = entry.kind == Kind::Folder;
        descent.leave(entry.depth);
        if entry.depth > 0 && self.excluded(&entry.path) {
            excluded::list(entry, self.root, &self.options.languages, &mut self.left_out);
            return !is_folder;
        }
        if entry.depth > 0 && self.never(entry, in_environment) {
            return !is_folder;
        }
        let hidden = descent.hides(entry);
        if is_folder {
            let frame = if hidden { Frame::default() } else { self.frame(&entry.path) };
            descent.enter(hidden, frame);
        } else {
            self.file(entry, hidden);
        }
        true
    }

    /// The ignore files of the folders between the project root and a scanned folder hold for it, too.
    fn frames_above(&mut self, start: &Utf8Path) -> Vec<Frame> {
        let above = start.ancestors().skip(1).take_while(|folder| folder.starts_with(self.root));
        let above: Vec<_> = above.map(Utf8Path::as_std_path).collect();
        above.into_iter().rev().map(|folder| self.frame(folder)).collect()
    }

    fn frame(&mut self, folder: &Path) -> Frame {
        let Some(folder) = Utf8Path::from_path(folder).filter(|_| !self.options.no_ignore) else {
            return Frame::default();
        };
        let mut opened = Vec::new();
        let frame = Frame::open(folder, &mut opened);
        for Opened { name, result } in opened {
            let path = relative(&folder.join(name), self.root);
            match result {
                Ok(bytes) => self.read_log.push(Read { path, bytes }),
                Err(why) => {
                    self.skipped.insert(Skipped { path: path.into_string(), why });
                }
            }
        }
        frame
    }

    fn file(&mut self, entry: &Entry, hidden: bool) {
        if is_manifest(&entry.path) {
            return self.manifest(entry, hidden);
        }
        let file_type = self.file_type(&entry.path);
        let is_file = entry.kind == Kind::File;
        let is_link = entry.kind == Kind::Link;
        if file_type.is_none() && is_file && !hidden {
            self.unread(&entry.path);
        }
        // Its first line decides.
        let may_be_script = is_file && !hidden && file_type.is_none();
        let is_text = file_type.is_none() && !hidden && self.is_text(&entry.path);
        if file_type.is_none() && !may_be_script && !is_text && (!is_link || hidden) {
            return;
        }
        let Some(path) = Utf8Path::from_path(&entry.path) else {
            if file_type.is_some() {
                self.skip_os(&entry.path, Skip::NameNotUtf8);
            }
            return;
        };
        let name = relative(path, self.root);
        if is_link && !hidden {
            self.links.insert(name);
        } else if hidden {
            self.ignored.insert(name);
        } else if is_file {
            if is_text {
                self.texts.entry(name.clone()).or_insert(Content::Disk(path.to_owned()));
            }
            let candidate = Candidate { real: path.to_owned(), file_type, named: false };
            self.candidates.entry(name).or_insert(candidate);
        } else if is_text {
            self.texts.entry(name).or_insert(Content::Barred(Skip::NotRegular));
        } else {
            self.skipped.insert(Skipped { path: name.into_string(), why: Skip::NotRegular });
        }
    }

    fn unread(&mut self, path: &Path) {
        let name = || relative(&Utf8PathBuf::from(path.to_string_lossy().into_owned()), self.root);
        if unread::extension(path).is_some() {
            self.unread.insert(name());
        } else if unread::is_compiled(path) {
            self.compiled.insert(name());
        }
    }

    /// Nobody reports on a manifest, so one that cannot be used is none.
    fn manifest(&mut self, entry: &Entry, hidden: bool) {
        if let (true, Some(path)) = (entry.kind == Kind::File && !hidden, Utf8Path::from_path(&entry.path)) {
            self.manifests.insert(relative(path, self.root), Content::Disk(path.to_owned()));
        }
    }

    /// By extension.
    pub fn file_type(&self, path: &Path) -> Option<FileType> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let known = |file_type: &&FileType| file_type.extensions.contains(&extension.as_str());
        self.options.languages.iter().find(known).copied()
    }

    /// A file of the tree that is no source, but may be asked for.
    pub fn is_text(&self, path: &Path) -> bool {
        is_text(path) || self.options.watched.is_match(path.strip_prefix(self.root).unwrap_or(path))
    }

    fn excluded(&mut self, path: &Path) -> bool {
        let path = path.strip_prefix(self.root).unwrap_or(path);
        self.matched.excludes(path, self.options)
    }

    /// What excludes such a folder, or what is in it, is not wrong; it is only not needed.
    fn never(&mut self, entry: &Entry, in_environment: bool) -> bool {
        let never = never(entry, in_environment);
        if never {
            self.excluded(&entry.path.join("*"));
        }
        never
    }

    fn skip_os(&mut self, path: &Path, why: Skip) {
        let path = path.strip_prefix(self.root).unwrap_or(path);
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        self.skipped.insert(Skipped { path: parts.join("/"), why });
    }
}

/// With forward slashes, whatever the platform.
pub fn relative(path: &Utf8Path, root: &Utf8Path) -> Utf8PathBuf {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.iter().collect::<Vec<_>>().join("/").into()
}

fn never(entry: &Entry, in_environment: bool) -> bool {
    if entry.kind != Kind::Folder {
        return false;
    }
    let name = entry.name().to_str().unwrap_or_default();
    NEVER.contains(&name) || (in_environment && name == "site-packages") || is_environment(&entry.path)
}

/// A virtual environment. The folder of its programs is asked for as well, so that a stray `pyvenv.cfg` hides nothing.
fn is_environment(folder: &Path) -> bool {
    disk::is_file(folder.join("pyvenv.cfg"))
        && ["bin", "Scripts", "lib"].iter().any(|name| disk::is_folder(folder.join(name)))
}
