//! Source files that the configuration excludes: listed and never read, so that reports can say how many there are.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::discover::FileType;
use super::disk::{Entry, Kind, Tree};
use super::walk::{NEVER, relative};

/// Adds what lies in an excluded folder, or the excluded file itself.
pub fn list(entry: &Entry, root: &Utf8Path, languages: &[FileType], excluded: &mut BTreeSet<Utf8PathBuf>) {
    let mut tree = Tree::new(&entry.path);
    while let Some(entry) = tree.next() {
        let Ok(entry) = entry else { continue };
        if entry.kind == Kind::Folder && is_never(&entry) {
            tree.skip_folder();
        }
        let path = Utf8Path::from_path(&entry.path).filter(|path| is_source(path, languages));
        if let Some(path) = path.filter(|_| entry.kind == Kind::File) {
            excluded.insert(relative(path, root));
        }
    }
}

fn is_never(entry: &Entry) -> bool {
    entry.name().to_str().is_some_and(|name| NEVER.contains(&name))
}

/// By extension; excluded files are not opened to see whether they are scripts.
pub fn is_source(path: &Utf8Path, languages: &[FileType]) -> bool {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    languages.iter().any(|language| language.extensions.contains(&extension.as_str()))
}
