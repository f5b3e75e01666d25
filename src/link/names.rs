//! One number per distinct string of the program. Files intern on their own while they are lowered in parallel; here their
//! tables become one.

use std::collections::HashMap;

use hashbrown::DefaultHashBuilder;

use super::meant::Meant;
use crate::ir::{Facts, Sym};
use crate::parallel;

/// A string of the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Name(pub u32);

#[derive(Debug, Default)]
pub struct Names<'a> {
    // A seeded hash: the keys are text of the scanned tree, which may be hostile.
    ids: HashMap<&'a str, Name, DefaultHashBuilder>,
    texts: Vec<&'a str>,
    /// By file, then by `Sym`.
    files: Vec<Vec<Name>>,
}

impl<'a> Names<'a> {
    pub fn new(files: impl Iterator<Item = &'a Facts> + Clone) -> Self {
        let mut names = Names::default();
        // Every second string of a file is known from others.
        names.ids.reserve(files.clone().map(|facts| facts.strings.len()).sum::<usize>() / 2);
        for facts in files {
            let table = facts.strings.iter().map(|text| names.intern(text)).collect();
            names.files.push(table);
        }
        names
    }

    pub fn intern(&mut self, text: &'a str) -> Name {
        let next = Name(self.texts.len() as u32);
        let id = *self.ids.entry(text).or_insert(next);
        if id == next {
            self.texts.push(text);
        }
        id
    }

    /// The name of a string that some file holds, or that was interned before.
    pub fn get(&self, text: &str) -> Option<Name> {
        self.ids.get(text).copied()
    }

    pub fn text(&self, name: Name) -> &'a str {
        self.texts[name.0 as usize]
    }

    /// Those of all strings that are meant.
    pub fn which(&self, is_meant: impl Fn(&str) -> bool + Sync) -> Meant {
        Meant::new(parallel::map(&self.texts, |text| is_meant(text)))
    }

    pub fn which_serially(&self, is_meant: impl Fn(&str) -> bool) -> Meant {
        Meant::new(self.texts.iter().map(|text| is_meant(text)).collect())
    }

    /// True if a string of the file is one of those meant.
    pub fn holds_any(&self, file: usize, meant: &Meant) -> bool {
        self.files[file].iter().any(|&name| meant.has(name))
    }

    pub fn of(&self, file: usize, sym: Sym) -> Name {
        self.files[file][sym.0 as usize]
    }
}
