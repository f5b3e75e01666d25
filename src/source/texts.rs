//! Files of the tree that are no program source: documentation, data, prompts. The walk notes where they are; one is read
//! when a later step asks for it, once, within the limits of source files, and what was read or could not be is kept.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobSet;
use memchr::memmem::Finder;

use super::decode::decode;
use super::disk::may_hold;
use super::read::{Read, read_bytes};
use super::{Skip, Skipped, SourceFile};
use crate::ir::Lang;
use crate::parallel::Lazy;

/// In lower case. What `[prompts] files` names counts whatever it is called.
pub const EXTENSIONS: [&str; 4] = ["json", "md", "rst", "txt"];
/// What is data in any folder, so that one who names such a file wants it looked at.
const DATA: &str = "json";
const MANIFEST: &str = "Cargo.toml";
/// A file over the limit is searched up to here before it counts as skipped: most such files hold nothing of interest.
const MAX_SEARCHED: u64 = 256 << 20;

/// Indexes the texts of a run, in the order of their paths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TextId(pub u32);

/// Where the content of a text is.
#[derive(Clone, Debug)]
pub enum Content {
    /// The real path.
    Disk(Utf8PathBuf),
    /// It was given, or never was on a disk.
    Given(Vec<u8>),
    /// It may not be read.
    Barred(Skip),
}

#[derive(Clone, Debug)]
struct Text {
    /// Relative to the project root, forward slashes.
    path: Utf8PathBuf,
    content: Content,
    decoded: Lazy<Result<SourceFile, Skip>>,
}

/// All texts of the tree, each read at most once as a whole.
#[derive(Debug, Default)]
pub struct Texts {
    list: Vec<Text>,
    max_bytes: u64,
    read_log: Mutex<BTreeMap<Utf8PathBuf, u64>>,
}

/// True if the name of a file says that it is a text.
pub fn is_text(path: &Path) -> bool {
    extension(path).is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
}

/// True for what says how the crates of a folder are called and which of its files they begin in.
pub fn is_manifest(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == MANIFEST)
}

/// True if whoever names the file wants it looked at: it is data, or configured as a prompt.
pub fn is_wanted(path: &Path, watched: &GlobSet) -> bool {
    is_data(path) || watched.is_match(path)
}

/// True if the name of a file says that it is data.
pub fn is_data(path: &Path) -> bool {
    extension(path).is_some_and(|extension| extension == DATA)
}

fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// What was decoded before is kept.
impl Clone for Texts {
    fn clone(&self) -> Self {
        let log = self.read_log.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self { list: self.list.clone(), max_bytes: self.max_bytes, read_log: Mutex::new(log) }
    }
}

impl Texts {
    pub fn new(contents: BTreeMap<Utf8PathBuf, Content>, max_bytes: u64) -> Self {
        let list = contents.into_iter().map(|(path, content)| Text::new(path, content)).collect();
        Self { list, max_bytes, read_log: Mutex::default() }
    }

    /// Takes the place of what the walk found under that path, if it found anything.
    pub fn give(&mut self, path: Utf8PathBuf, bytes: Vec<u8>) {
        let at = self.list.partition_point(|text| text.path < path);
        if self.list.get(at).is_some_and(|text| text.path == path) {
            self.list.remove(at);
        }
        self.list.insert(at, Text::new(path, Content::Given(bytes)));
    }

    /// Sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (TextId, &Utf8Path)> {
        (0..).map(TextId).zip(self.list.iter().map(|text| text.path.as_path()))
    }

    pub fn path(&self, id: TextId) -> &Utf8Path {
        &self.list[id.0 as usize].path
    }

    /// The bytes of a text that was given; `None` if there is none.
    pub fn bytes_of(&self, path: &Utf8Path) -> Option<Result<Vec<u8>, Skip>> {
        let at = self.list.binary_search_by(|text| text.path.as_path().cmp(path)).ok()?;
        Some(self.bytes(&self.list[at]))
    }

    /// What was decoded before; reads nothing.
    pub fn decoded(&self, id: TextId) -> Option<&SourceFile> {
        self.list.get(id.0 as usize)?.decoded.get()?.as_ref().ok()
    }

    /// Reads and decodes. None: it cannot be read, which `skipped` tells from now on.
    pub fn read(&self, id: TextId) -> Option<&SourceFile> {
        let text = &self.list[id.0 as usize];
        text.decoded.of(|| self.bytes(text).and_then(|bytes| decoded(&text.path, bytes))).as_ref().ok()
    }

    /// The same for a text that holds one of these words as they stand. Others are not decoded and not kept, and one that is
    /// too large is no loss if it holds none.
    pub fn mentioning(&self, id: TextId, words: &[impl AsRef<str>]) -> Option<&SourceFile> {
        let text = &self.list[id.0 as usize];
        let done = match text.decoded.get() {
            Some(done) => done,
            None => {
                let found = self.search(text, words)?;
                text.decoded.keep(found)
            }
        };
        done.as_ref().ok().filter(|file| words.iter().any(|word| file.text.contains(word.as_ref())))
    }

    /// None: the words are not there.
    fn search(&self, text: &Text, words: &[impl AsRef<str>]) -> Option<Result<SourceFile, Skip>> {
        let finders: Vec<_> = words.iter().map(|word| Finder::new(word.as_ref())).collect();
        let holds = |bytes: &[u8]| finders.iter().any(|finder| finder.find(bytes).is_some());
        match (self.bytes(text), &text.content) {
            (Ok(bytes), _) => (holds(&bytes) || is_utf16(&bytes)).then(|| decoded(&text.path, bytes)),
            (Err(why @ Skip::TooLarge { .. }), Content::Disk(real)) => {
                let overlap = words.iter().map(|word| word.as_ref().len()).max().unwrap_or_default();
                may_hold(real.as_std_path(), MAX_SEARCHED, overlap, holds).then_some(Err(why))
            }
            (Err(why), _) => Some(Err(why)),
        }
    }

    /// What was asked for and could not be read, sorted by path.
    pub fn skipped(&self) -> impl Iterator<Item = Skipped> {
        let failed = self.list.iter().filter_map(|text| match text.decoded.get() {
            Some(Err(why)) => Some((text, why)),
            _ => None,
        });
        failed.map(|(text, why)| Skipped { path: text.path.to_string(), why: why.clone() })
    }

    /// What was opened, sorted by path.
    pub fn read_log(&self) -> Vec<Read> {
        let log = self.read_log.lock().unwrap_or_else(PoisonError::into_inner);
        log.iter().map(|(path, &bytes)| Read { path: path.clone(), bytes }).collect()
    }

    fn bytes(&self, text: &Text) -> Result<Vec<u8>, Skip> {
        let bytes = match &text.content {
            Content::Given(bytes) => bytes.clone(),
            Content::Barred(why) => return Err(why.clone()),
            Content::Disk(real) => read_bytes(real.as_std_path(), self.max_bytes)?,
        };
        let mut log = self.read_log.lock().unwrap_or_else(PoisonError::into_inner);
        log.insert(text.path.clone(), bytes.len() as u64);
        Ok(bytes)
    }
}

impl Text {
    fn new(path: Utf8PathBuf, content: Content) -> Self {
        Self { path, content, decoded: Lazy::new() }
    }
}

fn decoded(path: &Utf8Path, bytes: Vec<u8>) -> Result<SourceFile, Skip> {
    let decoded = decode(bytes, false).map_err(|unknown| Skip::UnknownEncoding { name: unknown.0 })?;
    Ok(SourceFile {
        path: path.to_owned(),
        text: decoded.text,
        lang: Lang::Python,
        encoding: decoded.encoding,
        lossy: decoded.lossy,
    })
}

/// In which words do not stand byte by byte.
fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(root: &Path, files: &[(&str, Vec<u8>)], max_bytes: u64) -> Texts {
        let content = |name: &str, bytes: &Vec<u8>| {
            std::fs::write(root.join(name), bytes).unwrap();
            (name.into(), Content::Disk(Utf8PathBuf::from_path_buf(root.join(name)).unwrap()))
        };
        Texts::new(files.iter().map(|(name, bytes)| content(name, bytes)).collect(), max_bytes)
    }

    #[test]
    fn only_what_mentions_a_word_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let wide = "\u{feff}a comm.x".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let files = [("a.json", b"comm.x".to_vec()), ("b.json", b"comm".to_vec()), ("c.json", wide)];
        let texts = texts(folder.path(), &files, 100);
        assert!(texts.read_log().is_empty());
        let found = texts.iter().map(|(id, _)| texts.mentioning(id, &["y", "comm.x"]).is_some());
        assert_eq!(found.collect::<Vec<_>>(), [true, false, true]);
        let decoded = texts.iter().map(|(id, _)| texts.decoded(id).is_some());
        assert_eq!(decoded.collect::<Vec<_>>(), [true, false, true]);
        assert_eq!(texts.read(TextId(1)).unwrap().text, "comm", "another may ask for all of it");
        assert_eq!((texts.read_log().len(), texts.skipped().count()), (3, 0));
    }

    #[test]
    fn what_is_too_large_is_a_loss_only_if_it_mentions_a_word() {
        let folder = tempfile::tempdir().unwrap();
        let across = [vec![b' '; (1 << 20) - 2], b"comm.x".to_vec()].concat();
        let files = [("a.json", across), ("b.json", vec![b' '; 3 << 20])];
        let texts = texts(folder.path(), &files, 100);
        assert!(texts.iter().all(|(id, _)| texts.mentioning(id, &["comm.x"]).is_none()));
        let skipped: Vec<_> = texts.skipped().map(|skipped| (skipped.path, skipped.why.code())).collect();
        assert_eq!(skipped, [("a.json".to_owned(), "too-large")]);
    }

    #[test]
    fn what_is_given_takes_the_place_of_a_file() {
        let mut texts = Texts::default();
        for (path, text) in [("b.json", "old"), ("a.json", "x"), ("b.json", "new")] {
            texts.give(path.into(), text.into());
        }
        let found: Vec<_> =
            texts.iter().map(|(id, path)| (path.as_str(), &*texts.read(id).unwrap().text)).collect();
        assert_eq!(found, [("a.json", "x"), ("b.json", "new")]);
    }
}
