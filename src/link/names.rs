//! One number per distinct string of the program. Files intern on their own while they are lowered in parallel; here their
//! tables become one.

use std::collections::HashMap;

use hashbrown::DefaultHashBuilder;
use rayon::prelude::*;

use crate::ir::{Facts, Sym};

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
    pub fn new(files: impl Iterator<Item = &'a Facts>) -> Self {
        let mut names = Names::default();
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

    /// By name, whether it is meant.
    pub fn which(&self, is_meant: impl Fn(&str) -> bool + Sync) -> Vec<bool> {
        self.texts.par_iter().map(|text| is_meant(text)).collect()
    }

    /// True if a string of the file is one of those meant.
    pub fn holds_any(&self, file: usize, meant: &[bool]) -> bool {
        self.files[file].iter().any(|name| meant.get(name.0 as usize) == Some(&true))
    }

    pub fn of(&self, file: usize, sym: Sym) -> Name {
        self.files[file][sym.0 as usize]
    }
}
