//! Which folders are a layer of their own: those in which most of the files that reach outside reach for the same. The topmost
//! such folder stands for those inside it, and never one that is nearly the whole project.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use super::survey::{Evidence, Files};
use crate::catalog::EffectKind;

/// So many files of a folder have to reach for the same, ...
pub const MIN_FILES: usize = 3;
/// ... and of those that reach outside at all, so many in a hundred.
pub const MIN_PERCENT: usize = 60;
/// A folder with so many in a hundred of all files is the project, and no layer of it. Beside a package lie scripts, examples
/// and other packages, so this is less than nearly all.
const WHOLE_PERCENT: usize = 50;
/// The innermost folder with so many in a hundred of all files has the name of the project.
const NAMING_PERCENT: usize = 80;
/// So many folders are named where the evidence is thin.
const MAX_CANDIDATES: usize = 5;

/// Files of a folder, and what they reach for.
#[derive(Clone, Default)]
pub struct Below {
    pub evidence: Evidence,
    /// Files with a call of the kind.
    pub of_kind: usize,
    /// Files with any call that reaches outside.
    pub calling: usize,
}

/// A folder or a file that a line can name.
pub struct Candidate {
    pub glob: String,
    pub below: Below,
    /// The evidence is clear.
    pub is_layer: bool,
}

impl Below {
    fn add(&mut self, file: &Evidence, kind: EffectKind) {
        self.evidence.add(file);
        self.of_kind += usize::from(file.count(kind) > 0);
        self.calling += usize::from(!file.calls.is_empty());
    }

    /// Code that registers tools is the agent, whatever else it does.
    fn is_layer(&self, kind: EffectKind, files: usize) -> bool {
        self.evidence.opens(kind) > 0
            && self.of_kind >= MIN_FILES
            && self.of_kind * 100 >= self.calling * MIN_PERCENT
            && self.evidence.tools == 0
            && !self.is_whole(files)
    }

    fn is_whole(&self, files: usize) -> bool {
        self.evidence.files * 100 >= files * WHOLE_PERCENT
    }
}

/// The layers, in order, and then the folders with most calls of what is left.
pub fn candidates(files: &Files, kind: EffectKind) -> Vec<Candidate> {
    let tree = Tree::new(files, kind);
    let layers = tree.layers();
    let doubtful = tree.rest(&layers);
    let layers = layers.into_iter().map(|folder| Candidate {
        glob: format!("{}/**", literal(folder)),
        below: tree.folders[folder].clone(),
        is_layer: true,
    });
    layers.chain(doubtful).collect()
}

/// What the project is called where no manifest says it: its files lie in a folder of that name.
pub fn package(files: &Files) -> Option<&str> {
    let mut below: BTreeMap<&Utf8Path, usize> = BTreeMap::new();
    for folder in files.keys().flat_map(|path| path.ancestors().skip(1)) {
        *below.entry(folder).or_default() += 1;
    }
    let whole = below.iter().filter(|(_, count)| **count * 100 >= files.len() * NAMING_PERCENT);
    whole.max_by_key(|(folder, _)| folder.components().count())?.0.file_name()
}

struct Tree<'f> {
    files: &'f Files,
    kind: EffectKind,
    /// Every folder with all that is below it; a folder comes before those inside it.
    folders: BTreeMap<&'f Utf8Path, Below>,
}

impl<'f> Tree<'f> {
    fn new(files: &'f Files, kind: EffectKind) -> Self {
        let mut folders: BTreeMap<&Utf8Path, Below> = BTreeMap::new();
        for (path, evidence) in files {
            for folder in path.ancestors().skip(1) {
                folders.entry(folder).or_default().add(evidence, kind);
            }
        }
        Self { files, kind, folders }
    }

    fn layers(&self) -> Vec<&'f Utf8Path> {
        let mut layers: Vec<&Utf8Path> = Vec::new();
        for (folder, below) in &self.folders {
            let is_inside = layers.last().is_some_and(|layer| folder.starts_with(layer));
            if *folder != "" && !is_inside && below.is_layer(self.kind, self.files.len()) {
                layers.push(folder);
            }
        }
        layers
    }

    fn rest(&self, layers: &[&Utf8Path]) -> Vec<Candidate> {
        let mut folders: BTreeMap<&Utf8Path, Vec<(&Utf8Path, &Evidence)>> = BTreeMap::new();
        let is_left = |path: &Utf8Path| !layers.iter().any(|layer| path.starts_with(layer));
        for (path, evidence) in self.files.iter().filter(|(path, _)| is_left(path)) {
            folders.entry(folder_of(path)).or_default().push((path, evidence));
        }
        let candidates = folders.into_iter().filter_map(|(folder, files)| self.doubtful(folder, &files));
        let mut candidates: Vec<Candidate> = candidates.collect();
        candidates.sort_by_key(|one| Reverse(one.below.evidence.opens(self.kind)));
        candidates.truncate(MAX_CANDIDATES);
        candidates
    }

    /// The files of a folder that would be in the layer, as far as one glob says it.
    fn doubtful(&self, folder: &Utf8Path, files: &[(&Utf8Path, &Evidence)]) -> Option<Candidate> {
        let meant: Vec<&Utf8Path> =
            files.iter().filter(|(_, file)| file.opens(self.kind) > 0).map(|(path, _)| *path).collect();
        let (first, more) = meant.split_first()?;
        let mut below = Below::default();
        files.iter().for_each(|(_, file)| below.add(file, self.kind));
        let whole = &self.folders[folder];
        let has_folders = whole.evidence.files > files.len();
        let glob = match folder.as_str() {
            "" => extensions(&meant),
            _ if !has_folders && !whole.is_whole(self.files.len()) => format!("{}/**", literal(folder)),
            _ if more.is_empty() => literal(first),
            _ => format!("{}/{}", literal(folder), extensions(&meant)),
        };
        Some(Candidate { glob, below, is_layer: false })
    }
}

fn folder_of(path: &Utf8Path) -> &Utf8Path {
    path.parent().unwrap_or(Utf8Path::new(""))
}

/// `*.py`: files by the extensions that they have.
fn extensions(files: &[&Utf8Path]) -> String {
    let extensions: BTreeSet<&str> = files.iter().filter_map(|path| path.extension()).collect();
    let extensions: Vec<&str> = extensions.into_iter().collect();
    match extensions[..] {
        [] => "*".to_owned(),
        [only] => format!("*.{only}"),
        _ => format!("*.{{{}}}", extensions.join(",")),
    }
}

/// A path as a glob that means nothing else.
pub fn literal(path: &Utf8Path) -> String {
    globset::escape(path.as_str())
}
