//! Names by patterns in which `*` stands for any characters: whether one of many fits. Catalogues hold long lists of them, and every
//! name of a program is held against each list, so a list is asked at once: by the whole name, and by its last letter.

use std::borrow::Cow;

use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

/// Which letters a text has, as far as a few bits tell: most names lack some letter of a pattern, and need no closer look.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Letters(u64);

impl Letters {
    pub fn of(text: &str) -> Self {
        Self(text.bytes().fold(0, |bits, byte| bits | 1 << (byte & 63)))
    }

    /// In small letters.
    pub fn of_any_case(text: &str) -> Self {
        Self(text.bytes().fold(0, |bits, byte| bits | 1 << (byte.to_ascii_lowercase() & 63)))
    }

    pub fn has_all(self, of: Self) -> bool {
        of.0 & !self.0 == 0
    }
}

/// The letters of all of them.
impl FromIterator<Letters> for Letters {
    fn from_iter<I: IntoIterator<Item = Letters>>(all: I) -> Self {
        Self(all.into_iter().fold(0, |bits, letters| bits | letters.0))
    }
}

/// A pattern that is taken apart once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Glob {
    /// Before the first `*`; all of a pattern without one.
    first: Box<str>,
    /// Between the first `*` and the last, and behind that.
    rest: Option<(Vec<Box<str>>, Box<str>)>,
    letters: Letters,
}

impl Glob {
    pub fn new(pattern: &str) -> Self {
        let mut parts = pattern.split('*').map(Box::from);
        let first = parts.next().unwrap_or_default();
        let mut rest: Vec<Box<str>> = parts.collect();
        let last = rest.pop();
        let letters = pattern.split('*').map(Letters::of).collect();
        Self { first, rest: last.map(|last| (rest, last)), letters }
    }

    pub fn fits(&self, name: &str) -> bool {
        match &self.rest {
            Some((middle, last)) => fits(&self.first, middle.iter().map(|part| &**part), last, name),
            None => *self.first == *name,
        }
    }

    /// The letter that all names end in that it fits, if there is one.
    fn end(&self) -> Option<u8> {
        let last = self.rest.as_ref().map_or(&self.first, |(_, last)| last);
        last.as_bytes().last().copied()
    }

    /// The pattern itself, if it fits nothing else.
    fn literal(&self) -> Option<&str> {
        self.rest.is_none().then_some(&*self.first)
    }
}

/// True if a pattern fits a name. `*` stands for any characters.
pub fn wildcard(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let (middle, last) = rest.rsplit_once('*').map_or((None, rest), |(middle, last)| (Some(middle), last));
    fits(first, middle.into_iter().flat_map(|middle| middle.split('*')), last, name)
}

/// Greedy from the left, so linear in the product and never exponential.
fn fits<'g>(first: &str, middle: impl Iterator<Item = &'g str>, last: &str, name: &str) -> bool {
    let Some(mut left) = name.as_bytes().strip_prefix(first.as_bytes()) else { return false };
    // Asked first, since most names end in something else.
    if !left.ends_with(last.as_bytes()) {
        return false;
    }
    for part in middle {
        match memmem::find(left, part.as_bytes()) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(last.as_bytes())
}

/// Patterns as they are written, in their order.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "Vec<String>")]
pub struct Globs {
    written: Vec<String>,
    // The keys are the catalogue's own, so a cheap hash is safe against hostile names.
    whole: FxHashSet<Box<str>>,
    /// Those that end in a letter, by that.
    by_end: FxHashMap<u8, Vec<Glob>>,
    /// Those that end in `*`.
    open: Vec<Glob>,
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
        for pattern in written {
            let glob = Glob::new(&pattern);
            match (glob.literal(), glob.end()) {
                (Some(whole), _) => drop(self.whole.insert(whole.into())),
                (None, Some(end)) => self.by_end.entry(end).or_default().push(glob),
                (None, None) => self.open.push(glob),
            }
            self.written.push(pattern);
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
        if self.whole.contains(name) {
            return true;
        }
        let ended = name.as_bytes().last().and_then(|end| self.by_end.get(end));
        let globs = || ended.into_iter().flatten().chain(&self.open);
        globs().next().is_some() && {
            let letters = Letters::of(name);
            globs().any(|glob| letters.has_all(glob.letters) && glob.fits(name))
        }
    }

    /// True if one fits the name in snake_case and without what marks it as private.
    pub fn fit_plain(&self, name: &str) -> bool {
        self.fit(&plain(name))
    }
}

/// Patterns of names; one with a dot means the name of the receiver, too.
#[derive(Clone, Debug, Default)]
pub(super) struct Spellings {
    with_receiver: Globs,
    alone: Globs,
}

impl Extend<String> for Spellings {
    fn extend<I: IntoIterator<Item = String>>(&mut self, written: I) {
        let (with_receiver, alone): (Vec<_>, Vec<_>) =
            written.into_iter().partition(|pattern| pattern.contains('.'));
        self.with_receiver.extend(with_receiver);
        self.alone.extend(alone);
    }
}

impl Spellings {
    /// True if one fits a name with its receiver's, or, whether it is private or not, the name alone.
    pub fn fit(&self, spelled: &str) -> bool {
        let last = spelled.rsplit('.').next().unwrap_or(spelled);
        self.with_receiver.fit(spelled) || self.alone.fit(last.trim_start_matches('_'))
    }
}

/// In snake_case and without what marks it as private.
pub(super) fn plain(name: &str) -> Cow<'_, str> {
    snake_case(name.trim_start_matches('_'))
}

/// `planTask` and `PlanTask` read as `plan_task`. Most names are written so already, and every name of a program is asked for.
pub fn snake_case(name: &str) -> Cow<'_, str> {
    if name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len() + 4);
    let mut previous_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && previous_lower {
            out.push('_');
        }
        previous_lower = c.is_lowercase() || c.is_ascii_digit();
        match c.is_ascii() {
            true => out.push(c.to_ascii_lowercase()),
            false => out.extend(c.to_lowercase()),
        }
    }
    Cow::Owned(out)
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
