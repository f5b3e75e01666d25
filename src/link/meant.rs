//! Where strings stand that somebody looks for. Each distinct string of a program is asked about once, so that what asks every
//! expression of it compares numbers.

use super::ids::Module;
use super::names::Meant;
use super::program::Program;
use super::types::{Global, Type};
use crate::ir::ImportId;
use crate::parallel;

impl Program<'_> {
    /// The names and constants of the program that are meant.
    pub fn meant(&self, is_meant: impl Fn(&str) -> bool + Sync + Send) -> Meant {
        self.index.names.which(is_meant)
    }

    /// The same by serial work, for what is made as a lazy value.
    pub(super) fn meant_serially(&self, is_meant: impl Fn(&str) -> bool) -> Meant {
        self.index.names.which_serially(is_meant)
    }

    /// By file, whether one of its names or constants is meant.
    pub fn files_that_hold(&self, meant: &Meant) -> Vec<bool> {
        (0..self.index.units.len()).map(|file| self.index.names.holds_any(file, meant)).collect()
    }

    /// By file, whether one of its names, or a constant that may be one, is meant. Each distinct string is asked for once.
    pub fn files_with(&self, is_meant: impl Fn(&str) -> bool + Sync + Send) -> Vec<bool> {
        self.files_holding(&self.index.names.which(is_meant))
    }

    /// The same of every text that stands there.
    pub fn files_that_say(&self, is_meant: impl Fn(&str) -> bool + Sync + Send) -> Vec<bool> {
        self.files_holding(&self.index.names.texts_which(is_meant))
    }

    fn files_holding(&self, meant: &Meant) -> Vec<bool> {
        parallel::map(0..self.index.units.len(), |file| self.index.names.holds_any(file, meant))
    }

    /// By file, whether a constant that is meant can be named in it: it stands there, or in a file that is imported,
    /// directly or through a package that hands it on.
    pub fn files_that_name(&self, is_meant: impl Fn(&str) -> bool + Sync + Send) -> Vec<bool> {
        let mut files = self.files_with(is_meant);
        for _ in 0..2 {
            let before = files.clone();
            for (file, unit) in self.index.units.iter().enumerate() {
                let imports = unit.facts.import_ids();
                files[file] |=
                    imports.flat_map(|id| self.imported_files(file, id)).any(|other| before[other]);
            }
        }
        files
    }

    /// The file that an import names, and the one that it brings.
    fn imported_files(&self, file: usize, id: ImportId) -> impl Iterator<Item = usize> {
        let brought = match self.index.imported(file, id) {
            Some(Global::Is(Type::Module(module))) => Some(module),
            _ => None,
        };
        [self.index.import_module(id), brought].into_iter().flatten().filter_map(|module| match module {
            Module::File(file) => Some(file),
            Module::Namespace(_) => None,
        })
    }

    /// True if some file holds one of these strings: no constant can be one of them otherwise.
    pub fn holds_text(&self, texts: &[String]) -> bool {
        texts.iter().any(|text| self.index.names.get(text).is_some())
    }
}
