//! Parts of values, and what a way through the program does to them.

use crate::ir::Sym;

/// One step into a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Key {
    /// An entry of a record.
    Name(Sym),
    /// What the file holds that it names. It is no part that is taken by accident.
    File,
    /// The names of its entries.
    Names,
    /// An attribute of an object. Who does not say which one takes none.
    Attr(Sym),
    At(u32),
    /// An element at this position or behind it.
    From(u32),
    /// Some element of a sequence.
    Each,
    /// Under a key that is not known.
    Any,
}

impl Key {
    /// True for an element, wherever it stands.
    pub(super) fn is_position(self) -> bool {
        matches!(self, Key::At(_) | Key::From(_) | Key::Each | Key::Any)
    }

    /// An attribute and an entry of one name are the same part.
    pub(super) fn named(self) -> Key {
        match self {
            Key::Attr(name) => Key::Name(name),
            other => other,
        }
    }

    /// True if both may mean the same part. Who goes through a value takes its elements, and not what is under its names.
    pub(super) fn meets(self, other: Key) -> bool {
        match (self, other) {
            // An object may be read as a record, and a record as an object.
            (Key::Attr(own), Key::Attr(name) | Key::Name(name)) | (Key::Name(name), Key::Attr(own)) => {
                own == name
            }
            (Key::Attr(_), _) | (_, Key::Attr(_)) => false,
            (Key::File | Key::Names, _) | (_, Key::File | Key::Names) => self == other,
            (Key::Any, _) | (_, Key::Any) => true,
            (Key::Each | Key::From(_), Key::Each | Key::From(_)) => true,
            (Key::Each, Key::At(_)) | (Key::At(_), Key::Each) => true,
            (Key::From(first), Key::At(at)) | (Key::At(at), Key::From(first)) => first <= at,
            _ => self == other,
        }
    }
}

/// The part of a value behind a few steps. What is below counts as well.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Path {
    /// Behind the last step, `Key::Any` fills.
    keys: [Key; 3],
    len: u8,
    /// Nothing is taken out of it by a name: it is a text, or there were more steps that nobody knows any more.
    is_cut: bool,
}

/// What is left of a path behind another one.
enum Rest {
    Of(Path),
    /// The other one goes on: these are its steps that are left.
    Above(Path),
}

impl Path {
    pub const WHOLE: Self = Self { keys: [Key::Any; 3], len: 0, is_cut: false };

    pub fn of(key: Key) -> Self {
        Self { keys: [key, Key::Any, Key::Any], len: 1, is_cut: false }
    }

    /// The same, of a text: nothing is taken out of it by a name.
    #[must_use]
    pub fn of_text(self) -> Self {
        Self { is_cut: true, ..self }
    }

    /// What is under a name; everything without one.
    pub fn of_field(name: Option<Sym>) -> Self {
        name.map_or(Self::WHOLE, |name| Self::of(Key::Name(name)))
    }

    /// The outermost step; none for the whole.
    pub fn first_step(self) -> Option<Key> {
        self.keys().first().copied()
    }

    /// True if it may hold something under this name.
    pub fn may_be_under(self, name: Sym) -> bool {
        self.first_step().is_none_or(|step| step.meets(Key::Name(name)))
    }

    pub fn keys(&self) -> &[Key] {
        &self.keys[..usize::from(self.len)]
    }

    /// The first steps of it.
    fn first(self, most: usize) -> Self {
        Self::joined(self.keys(), &[], most, self.is_cut)
    }

    fn joined(steps: &[Key], behind: &[Key], most: usize, is_cut: bool) -> Self {
        let mut path = Self::WHOLE;
        let most = most.min(path.keys.len());
        for &key in steps.iter().chain(behind).take(most) {
            path.keys[usize::from(path.len)] = key;
            path.len += 1;
        }
        path.is_cut = is_cut || steps.len() + behind.len() > most;
        path
    }

    /// The steps of one behind those of the other.
    fn then(self, rest: Self) -> Self {
        let behind = if self.is_cut { &[] } else { rest.keys() };
        Self::joined(self.keys(), behind, usize::MAX, self.is_cut || rest.is_cut)
    }

    /// True if this is a part of what the other one means.
    pub fn is_within(self, other: Self) -> bool {
        self == other || self.is_below(other) && (!other.is_cut || self.is_cut && self.len == other.len)
    }

    fn is_below(self, other: Self) -> bool {
        let is_same = |at: usize| other.keys[at] == self.keys[at] || other.keys[at] == Key::Any;
        // What is in a file that a value names is no part of the value.
        let is_of_value = || !self.keys().iter().skip(usize::from(other.len)).any(|key| *key == Key::File);
        self.len >= other.len && (0..usize::from(other.len)).all(is_same) && is_of_value()
    }

    /// The same under whatever key; which attribute of an object it is nobody knows then, so none is taken out of it.
    pub fn under_any(self) -> Self {
        if self.len == 0 { Self::WHOLE } else { Self::of(Key::Any) }
    }

    /// The same, if there is room for all steps: "some part of it" is no place.
    fn extended(self, rest: Self) -> Option<Self> {
        let is_room = usize::from(self.len + rest.len) <= self.keys.len();
        is_room.then(|| Self::joined(self.keys(), rest.keys(), usize::MAX, self.is_cut || rest.is_cut))
    }

    /// True if it is in the file that is named, and not what names it.
    pub fn is_in_file(self) -> bool {
        self.keys().contains(&Key::File)
    }

    /// What is made of a whole object tells of none of its attributes for certain, and of nothing in a file.
    fn is_of_object(self) -> bool {
        self.keys().iter().any(|key| matches!(key, Key::Attr(_) | Key::File | Key::Names))
    }

    /// None if it is another part, or if nobody knows whether it is: of what was cut nobody takes a part that has a name.
    fn behind(self, prefix: Self) -> Option<Rest> {
        if !self.keys().iter().zip(prefix.keys()).all(|(own, key)| own.meets(*key)) {
            return None;
        }
        match self.keys().get(prefix.keys().len()..) {
            Some(left) if left.is_empty() || !prefix.is_cut => {
                Some(Rest::Of(Self::joined(left, &[], usize::MAX, self.is_cut)))
            }
            None if !self.is_cut => {
                let left = &prefix.keys()[self.keys().len()..];
                Some(Rest::Above(Self::joined(left, &[], usize::MAX, prefix.is_cut)))
            }
            Some(_) | None => None,
        }
    }
}

/// What a way does to the parts of a value: what is under `from` is under `to` in the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Change {
    from: Path,
    to: Path,
    /// Nothing tells parts of it apart any more: a text is made of it.
    is_made: bool,
    /// It stands for so many others that nobody tells them apart.
    is_joined: bool,
}

impl Change {
    pub const NONE: Self = Self { from: Path::WHOLE, to: Path::WHOLE, is_made: false, is_joined: false };
    pub const MADE: Self = Self { from: Path::WHOLE, to: Path::WHOLE, is_made: true, is_joined: false };

    pub fn into(key: Key) -> Self {
        Self { to: Path::of(key), ..Self::NONE }
    }

    pub fn out_of(key: Key) -> Self {
        Self { from: Path::of(key), ..Self::NONE }
    }

    /// Where a part is in the end, if it gets there. What is part of `path` is everything below it.
    pub fn of(self, path: Path) -> Option<Path> {
        match path.behind(self.from)? {
            Rest::Of(rest) if self.is_made && !self.is_joined && rest.is_of_object() => None,
            Rest::Of(rest) if !self.is_made && !self.is_joined => self.to.extended(rest),
            // Who chooses a path chooses nothing of what is in the file.
            Rest::Above(left) if left.is_in_file() => None,
            Rest::Of(_) | Rest::Above(_) => Some(self.to),
        }
    }

    /// One change and then another.
    pub fn then(self, next: Self) -> Option<Self> {
        let is_joined = self.is_joined || next.is_joined;
        Some(match self.to.behind(next.from)? {
            Rest::Of(rest) if next.is_made && !is_joined && rest.is_of_object() => return None,
            Rest::Of(rest) => {
                let rest = if next.is_made || next.is_joined { Path::WHOLE } else { rest };
                let to = next.to.extended(rest)?;
                Self { from: self.from, to, is_made: self.is_made || next.is_made, is_joined }
            }
            Rest::Above(left) if self.is_made && left.is_in_file() => return None,
            Rest::Above(_) if self.is_made || self.is_joined => {
                Self { from: self.from, to: next.to, is_made: self.is_made, is_joined }
            }
            Rest::Above(left) => {
                Self { from: self.from.then(left), to: next.to, is_made: next.is_made, is_joined }
            }
        })
    }

    /// The same by fewer steps; none if nobody could tell any more where it is, or that it comes out of a file.
    pub fn cut(self, steps: usize) -> Option<Self> {
        let is_lost = self.from.keys().iter().skip(steps).any(|key| *key == Key::File);
        let is_room = self.to.keys().len() <= steps && !is_lost;
        is_room.then(|| Self { from: self.from.first(steps), ..self })
    }

    /// True if it stands for many that are not told apart.
    pub fn is_joined(self) -> bool {
        self.is_joined
    }

    /// True if it is put into an attribute of an object.
    pub fn is_into_object(self) -> bool {
        matches!(self.to.first_step(), Some(Key::Attr(_) | Key::File | Key::Names))
    }

    /// The same under whatever keys, which says no less.
    pub fn under_any(self) -> Self {
        Self { from: self.from.under_any(), to: self.to.under_any(), is_made: self.is_made, is_joined: true }
    }

    /// True if this one says all that the other one says.
    pub fn covers(self, other: Self) -> bool {
        if self == other {
            return true;
        }
        if self.is_joined {
            let joined = other.under_any();
            return joined.from.is_below(self.from) && joined.to.is_below(self.to);
        }
        if other.is_joined || !other.from.is_within(self.from) || !other.to.is_within(self.to) {
            return false;
        }
        let (from, to) = (self.from.keys().len(), self.to.keys().len());
        let (from, to) = (&other.from.keys()[from..], &other.to.keys()[to..]);
        // Some element and some element are two that nobody says are the same.
        let is_exact = || {
            from.iter()
                .all(|key| matches!(key, Key::Name(_) | Key::Attr(_) | Key::At(_) | Key::File | Key::Names))
        };
        match (self.is_made, other.is_made) {
            // What is made of the whole is not made of what is an attribute there.
            (true, true) => from.is_empty(),
            (false, false) => from == to && is_exact(),
            _ => false,
        }
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
        assert_eq!(Change::into(Key::From(1)).then(Change::out_of(Key::At(0))), None, "it stands behind");
        assert_eq!(Change::into(Key::From(1)).then(Change::out_of(Key::At(2))), Some(Change::NONE));
        assert_eq!(put.then(Change::out_of(Key::Each)), None, "who goes through a record takes its keys");
        assert_eq!(put.then(Change::out_of(Key::Any)), Some(Change::NONE));
    }

    #[test]
    fn a_part_of_what_is_outside_is_outside() {
        assert_eq!(Change::out_of(name(1)).of(Path::WHOLE), Some(Path::WHOLE));
        assert_eq!(Change::MADE.then(Change::out_of(name(1))), Some(Change::MADE));
        assert_eq!(Change::out_of(Key::File).of(Path::WHOLE), None, "a file is no part of its path");
        assert_eq!(Change::MADE.then(Change::out_of(Key::File)), None);
    }

    #[test]
    fn what_lies_too_deep_is_nowhere() {
        let put =
            |steps: u32| (0..steps).try_fold(Change::NONE, |change, at| change.then(Change::into(name(at))));
        assert!(put(3).is_some() && put(4).is_none());
        let taken = (0..5).try_fold(Change::NONE, |change, at| change.then(Change::out_of(name(at))));
        let taken = taken.expect("all of what is given is more than a part of it");
        assert_eq!(taken.of(Path::WHOLE), Some(Path::WHOLE));
    }
}
