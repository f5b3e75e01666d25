//! Parts of values, and what a way through the program does to them.

use crate::ir::Sym;

/// One step into a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Key {
    Name(Sym),
    At(u32),
    /// Some element of a sequence.
    Each,
    /// Under a key that is not known.
    Any,
}

impl Key {
    /// True if both may mean the same part. Who goes through a value takes its elements, and not what is under its names.
    pub(super) fn meets(self, other: Key) -> bool {
        match (self, other) {
            (Key::Any, _) | (_, Key::Any) => true,
            (Key::Each, Key::At(_)) | (Key::At(_), Key::Each) => true,
            _ => self == other,
        }
    }
}

/// The part of a value behind a few steps. What is below counts as well, so a way that is too long is cut.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Path {
    /// Behind the last step, `Key::Any` fills.
    keys: [Key; 3],
    len: u8,
}

/// What is left of a path behind another one.
enum Rest {
    Of(Path),
    /// The other one goes on: these are its steps that are left.
    Above(Path),
}

impl Path {
    pub const WHOLE: Self = Self { keys: [Key::Any; 3], len: 0 };

    pub fn of(key: Key) -> Self {
        Self { keys: [key, Key::Any, Key::Any], len: 1 }
    }

    pub(super) fn steps(&self) -> &[Key] {
        &self.keys[..usize::from(self.len)]
    }

    /// The first steps of many; true if some are left.
    fn first(steps: &[Key], behind: &[Key], most: usize) -> (Self, bool) {
        let mut path = Self::WHOLE;
        let most = most.min(path.keys.len());
        for &key in steps.iter().chain(behind).take(most) {
            path.keys[usize::from(path.len)] = key;
            path.len += 1;
        }
        (path, steps.len() + behind.len() > most)
    }

    /// The steps of one behind those of the other; true if there are too many.
    fn then(self, rest: Self) -> (Self, bool) {
        Self::first(self.steps(), rest.steps(), usize::MAX)
    }

    /// True if this is a part of what the other one means.
    pub fn is_within(self, other: Self) -> bool {
        let (own, other) = (self.steps(), other.steps());
        own.len() >= other.len() && own.iter().zip(other).all(|(own, key)| own == key || *key == Key::Any)
    }

    /// The same under whatever key.
    pub fn under_any(self) -> Self {
        if self == Self::WHOLE { self } else { Self::of(Key::Any) }
    }

    fn behind(self, prefix: Self) -> Option<Rest> {
        if !self.steps().iter().zip(prefix.steps()).all(|(own, key)| own.meets(*key)) {
            return None;
        }
        Some(match self.steps().get(prefix.steps().len()..) {
            Some(left) => Rest::Of(Self::first(left, &[], usize::MAX).0),
            None => Rest::Above(Self::first(&prefix.steps()[self.steps().len()..], &[], usize::MAX).0),
        })
    }
}

/// What a way does to the parts of a value: what is under `from` is under `to` in the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Change {
    from: Path,
    to: Path,
    /// Nothing tells parts of it apart any more: a text is made of it.
    is_made: bool,
}

impl Change {
    pub const NONE: Self = Self { from: Path::WHOLE, to: Path::WHOLE, is_made: false };
    pub const MADE: Self = Self { from: Path::WHOLE, to: Path::WHOLE, is_made: true };

    pub fn into(key: Key) -> Self {
        Self { to: Path::of(key), ..Self::NONE }
    }

    pub fn out_of(key: Key) -> Self {
        Self { from: Path::of(key), ..Self::NONE }
    }

    /// Where a part is in the end, if it gets there. What is part of `path` is everything below it.
    pub fn of(self, path: Path) -> Option<Path> {
        match path.behind(self.from)? {
            Rest::Of(rest) if !self.is_made => Some(self.to.then(rest).0),
            Rest::Of(_) | Rest::Above(_) => Some(self.to),
        }
    }

    /// One change and then another.
    pub fn then(self, next: Self) -> Option<Self> {
        Some(match self.to.behind(next.from)? {
            Rest::Of(rest) => {
                let rest = if next.is_made { Path::WHOLE } else { rest };
                let (to, is_cut) = next.to.then(rest);
                Self { from: self.from, to, is_made: self.is_made || next.is_made || is_cut }
            }
            Rest::Above(_) if self.is_made => Self { from: self.from, to: next.to, is_made: true },
            Rest::Above(left) => {
                let (from, is_cut) = self.from.then(left);
                Self { from, to: next.to, is_made: next.is_made || is_cut }
            }
        })
    }

    /// The same by fewer steps, which says no less.
    pub fn cut(self, steps: usize) -> Self {
        let (from, is_vague) = Path::first(self.from.steps(), &[], steps);
        let (to, is_cut) = Path::first(self.to.steps(), &[], steps);
        Self { from, to, is_made: self.is_made || is_vague || is_cut }
    }

    /// The same under whatever keys, which says no less.
    pub fn under_any(self) -> Self {
        let cut = self.cut(1);
        Self { from: cut.from.under_any(), to: cut.to.under_any(), ..cut }
    }

    /// True if this one says all that the other one says.
    pub fn covers(self, other: Self) -> bool {
        if !other.from.is_within(self.from) || !other.to.is_within(self.to) {
            return false;
        }
        let (from, to) = (self.from.steps().len(), self.to.steps().len());
        let (from, to) = (&other.from.steps()[from..], &other.to.steps()[to..]);
        // Some element and some element are two that nobody says are the same.
        let is_exact = || from.iter().all(|key| matches!(key, Key::Name(_) | Key::At(_)));
        self.is_made || !other.is_made && from == to && is_exact()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(at: u32) -> Key {
        Key::Name(Sym(at))
    }

    #[test]
    fn what_is_put_in_comes_out_under_its_key_alone() {
        let put = Change::into(name(1));
        assert_eq!(put.then(Change::out_of(name(1))), Some(Change::NONE));
        assert_eq!(put.then(Change::out_of(name(2))), None);
        assert_eq!(Change::into(Key::At(1)).then(Change::out_of(Key::Each)), Some(Change::NONE));
        assert_eq!(put.then(Change::out_of(Key::Each)), None, "who goes through a record takes its keys");
        assert_eq!(put.then(Change::out_of(Key::Any)), Some(Change::NONE));
    }

    #[test]
    fn a_part_of_what_is_outside_is_outside() {
        assert_eq!(Change::out_of(name(1)).of(Path::WHOLE), Some(Path::WHOLE));
        assert_eq!(Change::MADE.then(Change::out_of(name(1))), Some(Change::MADE));
    }

    #[test]
    fn a_way_that_is_too_long_is_cut_and_means_more() {
        let deep = (0..5).try_fold(Change::NONE, |change, at| change.then(Change::into(name(at))));
        let deep = deep.expect("a way");
        assert!(deep.is_made && deep.to.steps().len() == 3);
        assert!(deep.cut(1).covers(deep) && !deep.covers(deep.cut(1)));
    }
}
