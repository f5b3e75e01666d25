//! Which entries the ignore files of the tree hide, as git decides it: the deepest file that speaks decides, its last
//! matching line wins, and what lies in a hidden folder is hidden. Only ignore files inside the project root count
//! (no global or per-clone ones), so that a result does not depend on the machine.

use std::path::Path;

use camino::Utf8Path;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::Skip;
use super::disk::{self, Kind};
use super::read::read_text;

/// In order of precedence. `.ignore` is read as well since people use it to narrow what tools look at.
const NAMES: [&str; 2] = [".ignore", ".gitignore"];
const MAX_BYTES: u64 = 1 << 20;

/// The ignore files that hold for one folder and everything below.
#[derive(Default)]
pub struct Frame {
    files: [Option<Gitignore>; 2],
    /// A repository inside the repository: git's ignore files above do not speak for it.
    is_repository: bool,
}

/// An ignore file that was read, or could not be.
pub struct Opened {
    pub name: &'static str,
    pub result: Result<u64, Skip>,
}

impl Frame {
    /// A file that cannot be read hides nothing: rather too much is scanned than too little.
    pub fn open(folder: &Utf8Path, opened: &mut Vec<Opened>) -> Self {
        let files = NAMES.map(|name| {
            let path = folder.join(name);
            // Like git, no link: its content would come from elsewhere.
            if disk::own_kind(&path).map_or(true, |kind| kind == Kind::Link) {
                return None;
            }
            let text = match read_text(path.as_std_path(), MAX_BYTES) {
                Ok(text) => text,
                Err(error) => {
                    opened.push(Opened { name, result: Err(error.into()) });
                    return None;
                }
            };
            opened.push(Opened { name, result: Ok(text.len() as u64) });
            compile(folder, &text)
        });
        Self { files, is_repository: disk::own_kind(folder.join(".git")).is_ok() }
    }
}

/// A line that is no pattern is passed over, as git does.
fn compile(folder: &Utf8Path, text: &str) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|patterns| !patterns.is_empty())
}

/// `frames` from the project root downwards; the path has to lie below the last of them.
pub fn hides(frames: &[Frame], path: &Path, is_dir: bool) -> bool {
    (0..NAMES.len()).find_map(|which| verdict(frames, which, path, is_dir)).unwrap_or(false)
}

fn verdict(frames: &[Frame], which: usize, path: &Path, is_dir: bool) -> Option<bool> {
    let stops_at_repository = NAMES[which] == ".gitignore";
    for frame in frames.iter().rev() {
        match frame.files[which].as_ref().map_or(Match::None, |patterns| patterns.matched(path, is_dir)) {
            Match::Ignore(_) => return Some(true),
            Match::Whitelist(_) => return Some(false),
            Match::None => {}
        }
        if stops_at_repository && frame.is_repository {
            return None;
        }
    }
    None
}
