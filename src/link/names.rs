//! The strings of the program, which joining the files has numbered: what each is, which are meant, which stand in a file.

use std::sync::Arc;

use memchr::memchr;

use super::unit::Unit;
use crate::ir::{Strings, Sym};
use crate::parallel;

/// What a module calls itself.
pub(super) const OWN_NAME: &str = "__name__";

pub struct Names<'a> {
    units: &'a [Unit<'a>],
    /// Of a program without files there is none.
    strings: Option<&'a Strings>,
}

impl<'a> Names<'a> {
    pub fn new(units: &'a [Unit<'a>]) -> Self {
        let strings = units.first().map(|unit| &unit.facts.strings);
        let shares =
            |strings: &Arc<Strings>| units.iter().all(|unit| Arc::ptr_eq(&unit.facts.strings, strings));
        assert!(strings.is_none_or(shares), "the files of a program are joined before they are linked");
        Self { units, strings: strings.map(|strings| &**strings) }
    }

    /// The name of a string that some file holds.
    pub fn get(&self, text: &str) -> Option<Sym> {
        self.strings?.find(text)
    }

    pub fn text(&self, name: Sym) -> &'a str {
        self.strings.map_or("", |strings| strings.get(name))
    }

    /// Those of all strings that are the names of something, and meant.
    pub fn which(&self, is_meant: impl Fn(&str) -> bool + Sync + Send) -> Meant {
        self.texts_which(|text| is_name(text) && is_meant(text))
    }

    /// Those of all strings that are meant.
    pub fn texts_which(&self, is_meant: impl Fn(&str) -> bool + Sync + Send) -> Meant {
        let strings: Vec<&str> = self.all().collect();
        Meant::new(parallel::map(strings, is_meant))
    }

    pub fn which_serially(&self, is_meant: impl Fn(&str) -> bool) -> Meant {
        Meant::new(self.all().map(|text| is_name(text) && is_meant(text)).collect())
    }

    fn all(&self) -> impl Iterator<Item = &'a str> {
        self.strings.into_iter().flat_map(Strings::iter)
    }

    /// True if a string of the file is one of those meant.
    pub fn holds_any(&self, file: usize, meant: &Meant) -> bool {
        self.units[file].facts.texts.iter().any(|&name| meant.has(name))
    }
}

/// False for a text of several lines, which is the name of nothing.
fn is_name(text: &str) -> bool {
    memchr(b'\n', text.as_bytes()).is_none()
}

/// The strings that are meant, by name.
#[derive(Debug)]
pub struct Meant(Vec<bool>);

impl Meant {
    pub(super) fn new(names: Vec<bool>) -> Self {
        Self(names)
    }

    /// False for names that were interned later.
    pub fn has(&self, name: Sym) -> bool {
        self.0.get(name.0 as usize) == Some(&true)
    }
}
