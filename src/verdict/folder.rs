//! The folder of kept verdicts: one file for each, named by its key and the project, and beside them in the folder of the user
//! the secret that authenticates them. A file comes into being whole or not at all, and any may be missing.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::entry::{self, Entry, MAX_BYTES};
use super::key::Key;
use super::{Unusable, private};
use crate::cli::kept::Folders;
use crate::source::disk::KEPT;

/// Verdicts of one project, and of all.
const MAX_OF_PROJECT: usize = 8;
const MAX_OF_ALL: usize = 128;
const SECRET: &str = "key";
const VERDICT: &str = KEPT[0];
const UNFINISHED: &str = KEPT[1];
/// After so long, whoever began to write a file is gone.
const PATIENCE: Duration = Duration::from_secs(3600);

#[derive(Debug)]
pub struct Folder {
    at: PathBuf,
    secret: [u8; 32],
}

/// How much was removed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Removed {
    pub files: usize,
    pub bytes: u64,
}

impl AddAssign for Removed {
    fn add_assign(&mut self, more: Self) {
        self.files += more.files;
        self.bytes += more.bytes;
    }
}

impl Folder {
    /// The secret always lies in the folder of the user: what comes with a tree cannot know it.
    pub fn open(folders: &Folders) -> Result<Self, Unusable> {
        if !private::IS_KNOWN {
            return Err(Unusable::NoOwners);
        }
        make(&folders.own)?;
        let secret = secret(&folders.own)?;
        let at = folders.named.as_ref().unwrap_or(&folders.own);
        make(at)?;
        Ok(Self { at: fs::canonicalize(at)?, secret })
    }

    /// All that is kept under a key; mostly one or none.
    pub fn entries(&self, key: &Key) -> Vec<Entry> {
        let found = files(&self.at).into_iter().filter(|file| file.key == Some(*key));
        let entry = |file: Named| {
            let bytes = bytes(&file.path)?;
            entry::decode(&bytes, &self.secret, file.name.as_bytes())
        };
        found.filter_map(entry).collect()
    }

    pub fn keep(&self, key: &Key, root: &Path, entry: &Entry) -> io::Result<()> {
        let name = name(key, &project(root));
        let Some(bytes) = entry::encode(entry, &self.secret, name.as_bytes()) else { return Ok(()) };
        put(&self.at, &name, &bytes)?;
        self.prune(key, &name);
        Ok(())
    }

    /// Removes what is superseded, what is too much, and what was never finished. That another run does the same is no harm.
    fn prune(&self, key: &Key, newest: &str) {
        let mut files = files(&self.at);
        files.sort_by_key(|file| (file.name != newest, std::cmp::Reverse(file.modified)));
        let project = |name: &str| name.split('-').nth(1).map(str::to_owned);
        let (mut of_project, mut of_all) = (0, 0);
        for file in files {
            let is_verdict = file.key.is_some();
            of_all += usize::from(is_verdict);
            of_project += usize::from(is_verdict && project(&file.name) == project(newest));
            let is_superseded = file.key == Some(*key) && file.name != newest;
            let is_too_much = project(&file.name) == project(newest) && of_project > MAX_OF_PROJECT;
            let is_stale =
                is_unfinished(&file.name) && file.modified.elapsed().is_ok_and(|elapsed| elapsed > PATIENCE);
            if is_verdict && (is_superseded || is_too_much || of_all > MAX_OF_ALL) || is_stale {
                // Whoever else removed it has done the same.
                let _ = fs::remove_file(&file.path);
            }
        }
    }
}

/// Removes what is known by its name, and the folder if nothing else is in it.
pub fn clean(folder: &Path, with_secret: bool) -> Result<Removed, Unusable> {
    match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Removed::default()),
        _ => check(folder)?,
    }
    let mut removed = Removed::default();
    let secret = with_secret.then(|| named(folder.join(SECRET), SECRET.to_owned())).flatten();
    for file in files(folder).into_iter().chain(secret) {
        fs::remove_file(&file.path)?;
        removed += Removed { files: 1, bytes: file.bytes };
    }
    // Something else may be in it.
    let _ = fs::remove_dir(folder);
    Ok(removed)
}

/// A regular file with a name of ours.
struct Named {
    path: PathBuf,
    name: String,
    key: Option<Key>,
    modified: SystemTime,
    bytes: u64,
}

fn files(folder: &Path) -> Vec<Named> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let is_ours = key_of(&name).is_some() || is_unfinished(&name);
        is_ours.then(|| named(entry.path(), name)).flatten()
    };
    entries.filter_map(named).collect()
}

fn named(path: PathBuf, name: String) -> Option<Named> {
    let key = key_of(&name);
    let metadata = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
    Some(Named { path, name, key, modified: metadata.modified().ok()?, bytes: metadata.len() })
}

fn name(key: &Key, project: &str) -> String {
    format!("{}-{project}{VERDICT}", blake3::Hash::from_bytes(key.0).to_hex())
}

fn key_of(name: &str) -> Option<Key> {
    let (key, project) = name.strip_suffix(VERDICT)?.split_once('-')?;
    let is_project = project.len() == 16 && project.bytes().all(|byte| byte.is_ascii_hexdigit());
    let key = blake3::Hash::from_hex(key).ok()?;
    is_project.then(|| Key(key.into()))
}

fn is_unfinished(name: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = name.strip_suffix(UNFINISHED).and_then(|stem| stem.split_once('-'));
    parts.is_some_and(|(process, time)| is_number(process) && is_number(time))
}

fn project(root: &Path) -> String {
    blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex()[..16].to_owned()
}

/// The folder of one user, whom nobody else can hand anything.
fn make(folder: &Path) -> Result<(), Unusable> {
    private::make_folder(folder)?;
    check(folder)
}

fn check(folder: &Path) -> Result<(), Unusable> {
    let metadata = fs::symlink_metadata(folder)?;
    if !metadata.is_dir() {
        return Err(Unusable::NoFolder);
    }
    let above = fs::metadata(fs::canonicalize(folder)?.parent().unwrap_or(folder))?;
    if !private::is_ours(&metadata) || private::is_open_to_all(&above) {
        return Err(Unusable::NotPrivate);
    }
    Ok(())
}

/// What is no verdict of ours is as good as none.
fn bytes(path: &Path) -> Option<Vec<u8>> {
    let file = File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    let is_fine = metadata.is_file() && private::is_ours(&metadata) && metadata.len() <= MAX_BYTES;
    let mut bytes = Vec::new();
    is_fine.then(|| file.take(MAX_BYTES).read_to_end(&mut bytes).ok()).flatten()?;
    Some(bytes)
}

/// Written beside its place and renamed. After a crash of the machine it may be short, which its code tells.
fn put(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let beside = folder.join(format!("{}-{}{UNFINISHED}", std::process::id(), since.as_nanos()));
    let written = private::make_file(&beside).and_then(|mut file| file.write_all(bytes));
    let written = written.and_then(|()| fs::rename(&beside, folder.join(name)));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Of two runs that both make one, the last has its way; what the other keeps is not believed.
fn secret(folder: &Path) -> Result<[u8; 32], Unusable> {
    let path = folder.join(SECRET);
    if let Err(error) = fs::symlink_metadata(&path) {
        if error.kind() != io::ErrorKind::NotFound {
            return Err(error.into());
        }
        put(folder, SECRET, &random()?)?;
    }
    let metadata = fs::symlink_metadata(&path)?;
    if !metadata.is_file() || !private::is_secret(&metadata) || metadata.len() != 32 {
        return Err(Unusable::NoKey);
    }
    fs::read(&path)?.try_into().map_err(|_| Unusable::NoKey)
}

fn random() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    // gatelint: allow[GL105] reason="no file of anybody: the system gives random bytes here"
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}
