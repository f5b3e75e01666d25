//! Names by patterns in which `*` stands for any characters: whether one of many fits. Catalogues hold long lists of them, and every
//! name of a program is held against each list, so a list is asked at once: by the whole name, and by its last letter.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use super::pattern::wildcard;
use super::selector::snake_case;

/// Patterns as they are written, in their order.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "Vec<String>")]
pub struct Globs {
    written: Vec<String>,
    // The keys are the catalogue's own, so a cheap hash is safe against hostile names.
    whole: FxHashSet<String>,
    /// Those that end in a letter, by that.
    by_end: FxHashMap<u8, Vec<String>>,
    /// Those that end in `*`.
    open: Vec<String>,
}

impl From<Vec<String>> for Globs {
    fn from(written: Vec<String>) -> Self {
        written.into_iter().collect()
    }
}

impl FromIterator<String> for Globs {
    fn from_iter<I: IntoIterator<Item = String>>(written: I) -> Self {
        let mut globs = Self::default();
        globs.extend(written);
        globs
    }
}

impl Extend<String> for Globs {
    fn extend<I: IntoIterator<Item = String>>(&mut self, written: I) {
        for glob in written {
            match glob.as_bytes().last() {
                Some(b'*') => self.open.push(glob.clone()),
                Some(&end) if glob.contains('*') => self.by_end.entry(end).or_default().push(glob.clone()),
                _ => drop(self.whole.insert(glob.clone())),
            }
            self.written.push(glob);
        }
    }
}

impl IntoIterator for Globs {
    type Item = String;
    type IntoIter = std::vec::IntoIter<String>;

    fn into_iter(self) -> Self::IntoIter {
        self.written.into_iter()
    }
}

impl Globs {
    pub fn iter(&self) -> impl Iterator<Item = &String> {
        self.written.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    /// True if one of the patterns fits the name as it is.
    pub fn fit(&self, name: &str) -> bool {
        let ended = || name.as_bytes().last().and_then(|end| self.by_end.get(end)).into_iter().flatten();
        self.whole.contains(name) || ended().chain(&self.open).any(|glob| wildcard(glob, name))
    }

    /// True if one fits the name in snake_case and without what marks it as private.
    pub fn fit_plain(&self, name: &str) -> bool {
        self.fit(&plain(name))
    }
}

/// In snake_case and without what marks it as private.
pub(super) fn plain(name: &str) -> Cow<'_, str> {
    snake_case(name.trim_start_matches('_'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn they_fit_what_one_of_them_fits(written in prop::collection::vec("[ab*]{0,4}", 0..6), name in "[ab]{0,6}") {
            let globs: Globs = written.iter().cloned().collect();
            prop_assert_eq!(globs.fit(&name), written.iter().any(|glob| wildcard(glob, &name)));
            prop_assert_eq!(globs.into_iter().collect::<Vec<_>>(), written);
        }
    }

    #[test]
    fn names_are_read_plainly() {
        let globs = Globs::from(vec!["*_phase".to_owned(), "run_*".to_owned(), "go".to_owned()]);
        assert!(["_go", "runTool", "APP_PHASE"].iter().all(|name| globs.fit_plain(name)));
        assert!(["gone", "rerun_it"].iter().all(|name| !globs.fit_plain(name)));
    }
}
