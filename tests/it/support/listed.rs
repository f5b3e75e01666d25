//! Lists of cases with a word on each, such as those that are missed and why: `NAME: REASON` in a line, `#` for people.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::{Mutex, PoisonError};

/// Families run side by side, and one reads while another one writes.
static FILES: Mutex<()> = Mutex::new(());

/// The cases of a list, each with what it says.
pub fn read(path: &str) -> BTreeMap<String, String> {
    let _not_while_it_is_written = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let pairs =
        lines.map(|line| line.split_once(": ").unwrap_or_else(|| panic!("`NAME: REASON`, not `{line}`")));
    pairs.map(|(name, reason)| (name.to_owned(), reason.to_owned())).collect()
}

/// The list only shrinks.
pub fn take_out(path: &str, found: &BTreeSet<String>) {
    let _one_at_a_time = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let text = fs::read_to_string(path).unwrap();
    let is_listed = |line: &&str| line.split_once(": ").is_none_or(|(name, _)| !found.contains(name));
    let kept: Vec<&str> = text.lines().filter(is_listed).collect();
    fs::write(path, kept.join("\n") + "\n").unwrap();
}
