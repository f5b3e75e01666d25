//! Which entry speaks of which finding, one to one. An entry first looks for exactly its finding; what then is left on
//! both sides has moved or was renamed, and is matched by less and less. An entry leaves its place only if the place is
//! gone: what is silent where it was, by whatever setting, lends its entry to no other code. A copy stays new: the entry
//! went to the original.

use std::collections::{HashMap, VecDeque};

use super::Entry;

/// The entry of a finding, by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Match {
    pub entry: usize,
    /// True if not by the fingerprint.
    pub moved: bool,
}

/// What became of the code that an entry was written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It stands where it stood, or nothing can be said of it.
    There,
    /// Its function is gone from its file, or the code is.
    Left,
    /// The whole file is gone.
    FileGone,
}

/// What must be equal, and which entries may be matched by that.
struct Tier {
    key: for<'e> fn(&'e Entry) -> Option<Key<'e>>,
    may_move: fn(&Entry, Fate) -> bool,
}

type Key<'e> = [&'e str; 4];

/// From the surest to the vaguest. Each tier depends on the two sides of one pair alone, never on how others were matched:
/// so a finding that goes away takes no other's entry with it.
const TIERS: [Tier; 8] = [
    Tier { key: |entry| Some([&entry.rule, "", "", &entry.fingerprint]), may_move: |_, _| true },
    // In the same function: something else was renamed that the path leads through.
    Tier {
        key: |entry| Some([&entry.rule, &entry.path, function(entry), &entry.content]),
        may_move: |_, _| true,
    },
    // Likewise, a path that is just as long, by other names: one was renamed, or an equal path is found first now.
    Tier {
        key: |entry| Some([&entry.rule, &entry.path, function(entry), entry.outline.as_ref()?]),
        may_move: |_, _| true,
    },
    // The function went into a class.
    Tier { key: |entry| Some([&entry.rule, &entry.path, "", &entry.content]), may_move: in_its_file },
    Tier {
        key: |entry| Some([&entry.rule, &entry.path, "", entry.outline.as_ref()?]),
        may_move: in_its_file,
    },
    // The file was renamed, or else code went from one file to another.
    Tier {
        key: |entry| Some([&entry.rule, "", "", &entry.content]),
        may_move: |_, fate| fate == Fate::FileGone,
    },
    Tier {
        key: |entry| Some([&entry.rule, "", "", &entry.content]),
        may_move: |_, fate| fate != Fate::There,
    },
    Tier {
        key: |entry| Some([&entry.rule, "", "", entry.outline.as_ref()?]),
        may_move: |_, fate| fate == Fate::FileGone,
    },
];

fn function(entry: &Entry) -> &str {
    entry.function.as_deref().unwrap_or_default()
}

/// An entry that does not say where its code was may follow it within its file.
fn in_its_file(entry: &Entry, fate: Fate) -> bool {
    fate != Fate::There || entry.code.is_none()
}

/// For each finding its entry, if it has one. `fate` is asked only for entries whose fingerprint is not found.
pub fn assign(known: &[Entry], found: &[Entry], fate: impl Fn(&Entry) -> Fate) -> Vec<Option<Match>> {
    let mut matches = vec![None; found.len()];
    // The order in which they are given must not matter.
    let (mut entries, mut open) = (sorted(known), sorted(found));
    let mut fates: Vec<Option<Fate>> = vec![None; known.len()];
    for (nth, tier) in TIERS.iter().enumerate() {
        let mut waiting: HashMap<Key<'_>, VecDeque<usize>> = HashMap::new();
        for &entry in &entries {
            let one = &known[entry];
            if nth > 0 && !(tier.may_move)(one, *fates[entry].get_or_insert_with(|| fate(one))) {
                continue;
            }
            if let Some(key) = (tier.key)(one) {
                waiting.entry(key).or_default().push_back(entry);
            }
        }
        let mut taken = vec![false; known.len()];
        open.retain(|&finding| {
            let key = (tier.key)(&found[finding]);
            let entry = key.and_then(|key| waiting.get_mut(&key)?.pop_front());
            if let Some(entry) = entry {
                taken[entry] = true;
                matches[finding] = Some(Match { entry, moved: nth > 0 });
            }
            entry.is_none()
        });
        entries.retain(|&entry| !taken[entry]);
    }
    matches
}

fn sorted(entries: &[Entry]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&at| &entries[at]);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Few values, so that many are alike. A fingerprint stands for its path and content, as real ones do.
    fn entries() -> impl Strategy<Value = Vec<Entry>> {
        let one = (
            "[a-c]",
            "[a-c]",
            prop::option::of("[a-b]"),
            "[1-2]",
            prop::option::of("[f-g]"),
            prop::option::of("[x-y]"),
        );
        prop::collection::btree_set(one, 0..12).prop_map(|all| {
            let mut entries: Vec<Entry> = all
                .into_iter()
                .map(|(path, content, outline, rule, function, code)| Entry {
                    fingerprint: format!("{rule}{path}{content}{outline:?}{function:?}{code:?}"),
                    path,
                    rule,
                    content,
                    outline,
                    function,
                    code,
                    message: String::new(),
                })
                .collect();
            entries.reverse();
            entries
        })
    }

    /// As a tree would have it: a file is gone for all its entries, and so is a function.
    fn fate(entry: &Entry) -> Fate {
        match (entry.path.as_str(), function(entry), entry.code.as_deref()) {
            ("c", ..) => Fate::FileGone,
            (_, "g", Some(_)) | (_, _, Some("y")) => Fate::Left,
            _ => Fate::There,
        }
    }

    fn new<'f>(known: &[Entry], found: &'f [Entry]) -> Vec<&'f Entry> {
        let matches = assign(known, found, fate);
        let mut new: Vec<_> = found
            .iter()
            .zip(matches)
            .filter(|(_, matched)| matched.is_none())
            .map(|(entry, _)| entry)
            .collect();
        new.sort();
        new
    }

    proptest! {
        #[test]
        fn what_was_written_is_known(known in entries()) {
            prop_assert!(new(&known, &known).is_empty());
        }

        #[test]
        fn what_was_written_is_known_beside_anything_else(known in entries(), more in entries()) {
            let mut found = known.clone();
            found.extend(more.into_iter().filter(|entry| !known.contains(entry)));
            let matches = assign(&known, &found, fate);
            prop_assert!(matches[..known.len()].iter().all(|matched| matched.is_some_and(|matched| !matched.moved)));
            prop_assert!(matches[known.len()..].iter().all(Option::is_none));
        }

        #[test]
        fn no_entry_speaks_of_two_findings(known in entries(), found in entries()) {
            let mut used: Vec<_> = assign(&known, &found, fate).into_iter().flatten().map(|matched| matched.entry).collect();
            let count = used.len();
            used.sort_unstable();
            used.dedup();
            prop_assert_eq!(used.len(), count);
        }

        #[test]
        fn order_does_not_matter(known in entries(), found in entries()) {
            let reversed = |entries: &[Entry]| -> Vec<Entry> { entries.iter().rev().cloned().collect() };
            let other = reversed(&found);
            prop_assert_eq!(new(&known, &found), new(&reversed(&known), &other));
        }

        #[test]
        fn a_finding_that_goes_away_makes_no_other_new(known in entries(), found in entries(), at in 0usize..12) {
            prop_assume!(at < found.len());
            let mut fewer = found.clone();
            fewer.remove(at);
            let before = new(&known, &found);
            for entry in new(&known, &fewer) {
                prop_assert!(before.contains(&entry), "{:?}", entry);
            }
        }

        #[test]
        fn an_entry_leaves_its_place_only_if_that_is_gone(known in entries(), found in entries()) {
            for (found, matched) in found.iter().zip(assign(&known, &found, fate)) {
                let Some(entry) = matched.map(|matched| &known[matched.entry]) else { continue };
                if fate(entry) == Fate::There {
                    prop_assert_eq!(&entry.path, &found.path);
                    prop_assert!(function(entry) == function(found) || entry.code.is_none(), "{:?} {:?}", entry, found);
                }
            }
        }

        /// Whatever silences a function, what is new elsewhere stays new.
        #[test]
        fn what_falls_silent_makes_nothing_else_known(known in entries(), found in entries(), path in "[a-b]", name in "[f-g]") {
            let of = |entry: &&Entry| entry.path == path && function(entry) == name;
            let known: Vec<Entry> = known.into_iter().filter(|entry| !of(&entry) || fate(entry) == Fate::There && entry.code.is_some()).collect();
            let found: Vec<Entry> = found.into_iter().filter(|entry| !of(&entry) || known.contains(entry)).collect();
            let before = new(&known, &found);
            let left: Vec<Entry> = found.iter().filter(|entry| !of(entry)).cloned().collect();
            let after = new(&known, &left);
            for entry in before.iter().filter(|entry| !of(entry)) {
                prop_assert!(after.contains(entry), "{:?}", entry);
            }
        }
    }
}
