//! Sets of constant texts and what building text does with them; elements of constant lists.

use smallvec::{SmallVec, smallvec};

/// Text that is known as a whole, or only where it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    pub text: String,
    pub whole: bool,
}

/// What an expression can be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    pub list: SmallVec<[Known; 1]>,
    /// There are no others.
    pub complete: bool,
}

/// A loop over a list, a few branches; more is a table, not a constant.
const MAX_VALUES: usize = 16;
/// A longer text is known where it begins: a sum of sums of sums doubles with each line.
const MAX_TEXT: usize = 1 << 16;
/// Longer texts are not kept: as many names as there are lines can each hold the whole file.
const MAX_KEPT: usize = 1 << 12;

impl Values {
    pub fn unknown() -> Self {
        Self { list: SmallVec::new(), complete: false }
    }

    pub(super) fn text(text: &str) -> Self {
        Self { list: smallvec![Known { text: text.to_owned(), whole: true }], complete: true }
    }

    /// The value, if it can be no other.
    pub fn only(self) -> Option<Known> {
        match <[Known; 1]>::try_from(self.list.into_vec()) {
            Ok([only]) if self.complete => Some(only),
            _ => None,
        }
    }

    /// One of several.
    pub(super) fn any(several: impl IntoIterator<Item = Values>) -> Self {
        let mut all = Self { list: SmallVec::new(), complete: true };
        for values in several {
            all.complete &= values.complete;
            for known in values.list {
                if all.list.len() >= MAX_VALUES {
                    all.complete = false;
                } else if !all.list.contains(&known) {
                    all.list.push(known);
                }
            }
            if all.list.len() >= MAX_VALUES && !all.complete {
                break;
            }
        }
        if all.list.is_empty() { Self::unknown() } else { all }
    }

    pub(super) fn is_short(&self) -> bool {
        self.list.iter().map(|known| known.text.len()).sum::<usize>() <= MAX_KEPT
    }

    pub(super) fn or_unknown(mut self) -> Self {
        self.complete = false;
        self
    }

    /// Only the beginning is known.
    pub(super) fn cut(mut self) -> Self {
        self.list.iter_mut().for_each(|known| known.whole = false);
        self
    }

    /// Texts as the words of one line.
    pub fn words(parts: impl Iterator<Item = Values>) -> Self {
        Self::joined(parts, " ")
    }

    /// The parts one behind the other, up to the first that is not known.
    pub(super) fn joined(parts: impl Iterator<Item = Values>, separator: &str) -> Self {
        let mut all = Self::text("");
        for (at, part) in parts.enumerate() {
            if part.list.is_empty() {
                all = all.cut();
                break;
            }
            let before = if at == 0 { "" } else { separator };
            all = all.followed_by(part, before);
            if all.list.iter().any(|known| known.text.len() > MAX_TEXT) {
                all = all.cut();
                all.list.iter_mut().for_each(shorten);
                break;
            }
        }
        all.list.retain(|known| !known.text.is_empty());
        if all.list.is_empty() { Self::unknown() } else { all }
    }

    fn followed_by(mut self, part: Values, separator: &str) -> Self {
        // A long sum of single texts would be copied for each of its parts.
        if let ([head], [tail]) = (&mut self.list[..], &part.list[..]) {
            if head.whole {
                head.text.push_str(separator);
                head.text.push_str(&tail.text);
                head.whole = tail.whole;
            }
            self.complete &= part.complete;
            return self;
        }
        let mut list: SmallVec<[Known; 1]> = SmallVec::new();
        let mut complete = self.complete && part.complete;
        for head in &self.list {
            for tail in &part.list {
                let both = match head.whole {
                    true => {
                        Known { text: format!("{}{separator}{}", head.text, tail.text), whole: tail.whole }
                    }
                    false => head.clone(),
                };
                if list.len() >= MAX_VALUES {
                    complete = false;
                } else if !list.contains(&both) {
                    list.push(both);
                }
            }
        }
        Self { list, complete }
    }

    /// What of these is known to become something else.
    pub(super) fn filter_map(mut self, change: impl Fn(&Known) -> Option<String>) -> Self {
        let before = self.list.len();
        self.list.retain(|known| match change(known) {
            Some(text) => {
                known.text = text;
                true
            }
            None => false,
        });
        self.complete &= self.list.len() == before;
        self.list.iter_mut().filter(|known| known.text.len() > MAX_TEXT).for_each(|known| {
            known.whole = false;
            shorten(known);
        });
        self
    }
}

fn shorten(known: &mut Known) {
    known.text.truncate(known.text.floor_char_boundary(MAX_TEXT));
}

/// An element of a list, or a value that an operation takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Item {
    Text(String),
    Number(i64),
}

impl Item {
    pub(super) fn text(self) -> Option<String> {
        match self {
            Item::Text(text) => Some(text),
            Item::Number(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(text: &str) -> Values {
        Values::text(text)
    }

    #[test]
    fn an_unknown_part_ends_what_is_known() {
        let joined = Values::joined([one("a"), Values::unknown(), one("b")].into_iter(), "/");
        assert_eq!(joined.only(), Some(Known { text: "a".to_owned(), whole: false }));
        assert_eq!(Values::joined([Values::unknown(), one("b")].into_iter(), ""), Values::unknown());
    }

    #[test]
    fn a_branch_multiplies() {
        let branch = Values::any([one("b"), one("c")]);
        let texts = Values::joined([one("a"), branch, one("d")].into_iter(), ".").list;
        assert_eq!(texts.iter().map(|known| known.text.as_str()).collect::<Vec<_>>(), ["a.b.d", "a.c.d"]);
    }

    proptest! {
        #[test]
        fn joining_constants_is_joining_texts(parts in prop::collection::vec("[a-z]{1,3}", 1..6)) {
            let joined = Values::joined(parts.iter().map(|part| one(part)), "/");
            prop_assert_eq!(joined.only(), Some(Known { text: parts.join("/"), whole: true }));
        }

        #[test]
        fn a_union_knows_no_more_than_its_members(
            several in prop::collection::vec(prop::option::of("[a-c]"), 0..5),
        ) {
            let members = several.iter().map(|text| text.as_deref().map_or(Values::unknown(), one));
            let all = Values::any(members);
            let is_known = !several.is_empty() && several.iter().all(Option::is_some);
            prop_assert_eq!(all.complete, is_known);
            for text in several.iter().flatten() {
                prop_assert!(all.list.iter().any(|known| known.text == *text));
            }
        }
    }
}
