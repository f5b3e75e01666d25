//! Symbolic links, judged after the walk, when it is known what is scanned anyway.
//! A link to a file is read if the file lies inside the project root and is not scanned under its own name; a link to
//! a folder is never followed, and reported unless its folder is scanned.

use std::collections::HashSet;
use std::path::PathBuf;

use camino::{Utf8Path, Utf8PathBuf};

use super::disk;
use super::texts::Content;
use super::walk::{Candidate, Walk, relative};
use super::{Skip, Skipped};

impl Walk<'_> {
    pub fn follow_links(&mut self, root: &Utf8Path, roots: &[Utf8PathBuf]) {
        // What only its first line could make a source is none yet, and its name under a link may say more.
        let sources = self.candidates.values().filter(|candidate| candidate.file_type.is_some());
        let mut seen: HashSet<PathBuf> =
            sources.map(|candidate| candidate.real.as_std_path().to_owned()).collect();
        // A file may be a text by its own name and code by that of a link.
        let texts = self.texts.values().filter_map(|text| match text {
            Content::Disk(real) => Some(real.as_std_path().to_owned()),
            Content::Given(_) | Content::Barred(_) => None,
        });
        let mut seen_texts: HashSet<PathBuf> = texts.collect();
        for link in std::mem::take(&mut self.links) {
            // A link to nothing, or in a circle, has no code behind it.
            let Ok(target) = disk::real(root.join(&link)) else { continue };
            let is_folder = disk::is_folder(&target);
            let file_type = self.file_type(link.as_std_path());
            let inside = target.starts_with(root);
            let is_text = file_type.is_none() && self.is_text(root.join(&link).as_std_path());
            if is_text && !is_folder {
                if !inside || seen_texts.insert(target.clone()) {
                    self.texts.insert(link, content(target, inside));
                }
                continue;
            }
            let why = if is_folder {
                let scanned = roots.iter().any(|path| target.starts_with(path));
                if scanned {
                    // Imports may lead through it.
                    let target = Utf8PathBuf::from_path_buf(target).unwrap_or_default();
                    self.folder_links.insert(link, relative(&target, root));
                    continue;
                }
                Skip::LinkedFolder
            } else if file_type.is_none() || (inside && !seen.insert(target.clone())) {
                continue;
            } else if !inside {
                Skip::LinkOutsideRoot
            } else if let Ok(real) = Utf8PathBuf::from_path_buf(target) {
                self.candidates.insert(link, Candidate { real, file_type, named: false });
                continue;
            } else {
                Skip::NameNotUtf8
            };
            self.skipped.insert(Skipped { path: link.into_string(), why });
        }
    }
}

/// A text that nobody asks for is no loss, whatever its link leads to.
fn content(target: PathBuf, inside: bool) -> Content {
    if !inside {
        return Content::Barred(Skip::LinkOutsideRoot);
    }
    Utf8PathBuf::from_path_buf(target).map_or(Content::Barred(Skip::NameNotUtf8), Content::Disk)
}
