//! Files that the program turns out to run although the walk took them for no source or passed them by: named by a constant
//! path, or imported from a folder that is not looked at. What cannot be read is skipped, which makes the run incomplete.

use camino::Utf8Path;

use crate::ir::{self, Facts};
use crate::link::{MAIN, Program};
use crate::source::{Further, Skipped, SourceFile, Texts, file_type};

/// What was read, and what could not be.
#[derive(Default)]
pub struct More {
    pub files: Vec<SourceFile>,
    pub skipped: Vec<Skipped>,
}

pub fn unread(program: &Program<'_>, further: &mut Further, texts: &Texts) -> More {
    let mut more = More::default();
    further.roots = program.added_roots().iter().cloned().collect();
    for root in program.added_roots() {
        let unread = further.add_archive(Utf8Path::new(root));
        more.skipped.extend(unread.map(|(path, why)| Skipped { path: path.into_string(), why }));
    }
    for (path, by) in program.unread_loads() {
        let path = if further.is_folder(path) { path.join(MAIN) } else { path.to_owned() };
        let read = further.read(&path, file_type(program.facts(by).lang), texts);
        more.add(path.as_str(), read);
    }
    let imports = program.wanted_files(further.hints().as_ref());
    for (path, by) in imports {
        let read = further.imported(&path, file_type(program.facts(by).lang));
        more.add(path.as_str(), read);
    }
    more
}

impl More {
    fn add(&mut self, path: &str, read: Option<Result<SourceFile, crate::source::Skip>>) {
        match read {
            Some(Ok(file)) => self.files.push(file),
            Some(Err(why)) => self.skipped.push(Skipped { path: path.to_owned(), why }),
            None => {}
        }
    }
}

/// Puts files that were read later where their paths belong; answers with the facts of all in the same order, joined.
pub fn add(
    files: &mut Vec<SourceFile>,
    facts: &[Facts],
    more: Vec<SourceFile>,
    lowered: &[Facts],
) -> Vec<Facts> {
    let known = std::mem::take(files).into_iter().zip(facts);
    let mut all: Vec<_> = known.chain(more.into_iter().zip(lowered)).collect();
    all.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    all.dedup_by(|(a, _), (b, _)| a.path == b.path);
    let facts = ir::join(all.iter().map(|(_, facts)| *facts));
    files.extend(all.into_iter().map(|(file, _)| file));
    facts
}
