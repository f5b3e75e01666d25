//! Sets of names that analyses ask about (`[[names]]`): each says what its names are, and a language or a library adds to it in
//! its own folder. One sort of entry for what needs no more than a list. Knows no program.

use rustc_hash::FxHashMap;
use serde::Deserialize;

/// What the names of a set are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameSet {
    /// Libraries whose functions look at a module that they are given and do not keep it.
    InspectingLibrary,
    /// Packages that do nothing by themselves and hold modules of network libraries.
    NetworkPackage,
    /// Libraries that build statements of databases by functions.
    StatementLibrary,
    /// Their functions, by last name: for statements that change something, and for those that only read.
    WritingStatement,
    ReadingStatement,
    /// Calls that are given a path, by their last name or the last two: what they do to it, ...
    ReadingCall,
    WritingCall,
    DeletingCall,
    /// ... and those whose mode says it; without a mode they read.
    OpeningCall,
    /// The first words of statements that delete, in small letters.
    DeletingStatement,
    /// Arguments by name: an open folder that a path is relative to, ...
    FolderArgument,
    /// ... what stands for what is not there, ...
    DefaultArgument,
    /// ... and what a field starts as, or what makes it; the first that is given counts.
    FieldDefault,
    /// Functions of a collection that make an empty one, whatever they are given.
    SizedConstructor,
}

/// `[[names]]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawNames {
    are: NameSet,
    names: Vec<String>,
}

/// Compiled.
#[derive(Clone, Debug, Default)]
pub struct Names(FxHashMap<NameSet, Vec<String>>);

impl Names {
    pub(super) fn add(&mut self, raw: Vec<RawNames>) {
        raw.into_iter().for_each(|set| self.0.entry(set.are).or_default().extend(set.names));
    }

    /// In the order in which they are written.
    pub fn of(&self, set: NameSet) -> &[String] {
        self.0.get(&set).map_or(&[], Vec::as_slice)
    }

    pub fn has(&self, set: NameSet, name: &str) -> bool {
        self.of(set).iter().any(|known| known == name)
    }
}
