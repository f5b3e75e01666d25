//! Source files that the configuration excludes: listed and never read, so that reports can say how many there are.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use walkdir::{DirEntry, WalkDir};

use super::discover::FileType;
use super::walk::{NEVER, relative};

/// Adds what lies in an excluded folder, or the excluded file itself.
pub fn list(entry: &DirEntry, root: &Utf8Path, languages: &[FileType], excluded: &mut BTreeSet<Utf8PathBuf>) {
    let is_needed = |entry: &DirEntry| !entry.file_type().is_dir() || !is_never(entry);
    let entries = WalkDir::new(entry.path()).follow_links(false).into_iter().filter_entry(is_needed);
    for entry in entries.flatten().filter(|entry| entry.file_type().is_file()) {
        if let Some(path) = Utf8Path::from_path(entry.path()).filter(|path| is_source(path, languages)) {
            excluded.insert(relative(path, root));
        }
    }
}

fn is_never(entry: &DirEntry) -> bool {
    entry.file_name().to_str().is_some_and(|name| NEVER.contains(&name))
}

/// By extension; excluded files are not opened to see whether they are scripts.
pub fn is_source(path: &Utf8Path, languages: &[FileType]) -> bool {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    languages.iter().any(|language| language.extensions.contains(&extension.as_str()))
}
