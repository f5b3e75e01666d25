//! Which entry speaks of which finding, one to one. An entry first looks for exactly its finding; what then is left on
//! both sides has moved or was renamed, and is matched by less and less. A copy stays new: the entry went to the original.

use std::collections::{HashMap, VecDeque};

use camino::Utf8Path;

use super::Entry;

/// The entry of a finding, by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Match {
    pub entry: usize,
    /// True if not by the fingerprint.
    pub moved: bool,
}

/// What must be equal, and for which entries that is asked.
struct Tier {
    key: for<'e> fn(&'e Entry) -> Option<Key<'e>>,
    only_gone: bool,
}

type Key<'e> = (&'e str, &'e str, &'e str);

/// From the surest to the vaguest. Each tier depends on the two sides of one pair alone, never on how others were matched:
/// so a finding that goes away takes no other's entry with it.
const TIERS: [Tier; 6] = [
    Tier { key: |entry| Some((&entry.rule, "", &entry.fingerprint)), only_gone: false },
    // Something else was renamed that the path leads through, or the function went into a class.
    Tier { key: |entry| Some((&entry.rule, &*entry.path, &entry.content)), only_gone: false },
    // A path that is just as long, by other names: one of them was renamed, or an equal path is found first now.
    Tier { key: |entry| Some((&entry.rule, &*entry.path, entry.outline.as_ref()?)), only_gone: false },
    // The file was renamed, or else code went from one file to another.
    Tier { key: |entry| Some((&entry.rule, "", &entry.content)), only_gone: true },
    Tier { key: |entry| Some((&entry.rule, "", &entry.content)), only_gone: false },
    Tier { key: |entry| Some((&entry.rule, "", entry.outline.as_ref()?)), only_gone: true },
];

/// For each finding its entry, if it is known. `is_gone` tells of files that were looked for and are not there any more.
pub fn assign(known: &[Entry], found: &[Entry], is_gone: impl Fn(&Utf8Path) -> bool) -> Vec<Option<Match>> {
    let mut matches = vec![None; found.len()];
    // The order in which they are given must not matter.
    let (mut entries, mut open) = (sorted(known), sorted(found));
    for (nth, tier) in TIERS.iter().enumerate() {
        let mut waiting: HashMap<Key<'_>, VecDeque<usize>> = HashMap::new();
        for &entry in
            entries.iter().filter(|&&entry| !tier.only_gone || is_gone(Utf8Path::new(&known[entry].path)))
        {
            if let Some(key) = (tier.key)(&known[entry]) {
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
        let one = ("[a-c]", "[a-c]", prop::option::of("[a-b]"), "[1-2]");
        prop::collection::btree_set(one, 0..12).prop_map(|all| {
            let mut entries: Vec<Entry> = all
                .into_iter()
                .map(|(path, content, outline, rule)| Entry {
                    fingerprint: format!("{rule}{path}{content}{outline:?}"),
                    path,
                    rule,
                    content,
                    outline,
                    message: String::new(),
                })
                .collect();
            entries.reverse();
            entries
        })
    }

    fn is_gone(path: &Utf8Path) -> bool {
        path == "c"
    }

    fn new<'f>(known: &[Entry], found: &'f [Entry]) -> Vec<&'f Entry> {
        let matches = assign(known, found, is_gone);
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
            let matches = assign(&known, &found, is_gone);
            prop_assert!(matches[..known.len()].iter().all(|matched| matched.is_some_and(|matched| !matched.moved)));
            prop_assert!(matches[known.len()..].iter().all(Option::is_none));
        }

        #[test]
        fn no_entry_speaks_of_two_findings(known in entries(), found in entries()) {
            let mut used: Vec<_> = assign(&known, &found, is_gone).into_iter().flatten().map(|matched| matched.entry).collect();
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
    }
}
