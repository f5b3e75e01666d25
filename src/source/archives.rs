//! Archives in which code lets imports be looked for: which modules they hold is read from their list of contents. What is in
//! them is compressed code that nobody reads.

use std::collections::BTreeMap;

/// The end of an archive, the signature of an entry of its list, and how long both are without what varies.
const END: &[u8] = b"PK\x05\x06";
const END_LEN: usize = 22;
const ENTRY: &[u8] = b"PK\x01\x02";
const ENTRY_LEN: usize = 46;
/// A comment may stand behind the end.
const MAX_COMMENT: usize = 1 << 16;
/// What is imported from an archive.
const MODULES: [&str; 2] = [".py", ".pyc"];

/// The modules of an archive by the path that an import of them has; `None` if it is none. `below` is a folder in it.
pub(super) fn modules(bytes: &[u8], archive: &str, below: &str) -> Option<BTreeMap<String, String>> {
    let names = names(bytes)?;
    let place = |name: &String| {
        let name =
            if below.is_empty() { name.as_str() } else { name.strip_prefix(below)?.strip_prefix('/')? };
        let place = MODULES.iter().find_map(|extension| name.strip_suffix(extension))?;
        Some((place.strip_suffix("/__init__").unwrap_or(place).to_owned(), archive.to_owned()))
    };
    Some(names.iter().filter_map(place).collect())
}

fn names(bytes: &[u8]) -> Option<Vec<String>> {
    let tail = bytes.len().saturating_sub(END_LEN + MAX_COMMENT);
    let end = tail + bytes.get(tail..)?.windows(END.len()).rposition(|window| window == END)?;
    let length = number(bytes.get(..end + END_LEN)?, end + 12, 4)?;
    // Something else may stand before the archive, so its own offsets are not asked.
    let mut at = end.checked_sub(length)?;
    let mut names = Vec::new();
    while at < end && bytes.get(at..)?.starts_with(ENTRY) {
        let length = |offset| number(bytes, at + offset, 2);
        let (name, extra, comment) = (length(28)?, length(30)?, length(32)?);
        let name = bytes.get(at + ENTRY_LEN..at + ENTRY_LEN + name)?;
        at += ENTRY_LEN + name.len() + extra + comment;
        names.push(String::from_utf8_lossy(name).into_owned());
    }
    Some(names)
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let digits = bytes.get(at..at + length)?;
    Some(digits.iter().rev().fold(0, |number, &digit| (number << 8) | usize::from(digit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive of empty files.
    fn archive(names: &[&str]) -> Vec<u8> {
        let entry = |name: &&str| {
            let mut entry = [ENTRY, &[0; ENTRY_LEN - 4]].concat();
            entry[28] = name.len() as u8;
            [&entry, name.as_bytes()].concat()
        };
        let list = names.iter().map(entry).collect::<Vec<_>>().concat();
        let mut end = [END, &[0; END_LEN - 4]].concat();
        end[12] = list.len() as u8;
        [b"#!/bin/x\n", list.as_slice(), &end].concat()
    }

    #[test]
    fn an_archive_says_which_modules_it_holds() {
        let bytes = archive(&["helper.py", "a/__init__.py", "a/b.pyc", "a.txt"]);
        let found = |below| modules(&bytes, "lib.zip", below).unwrap().into_keys().collect::<Vec<_>>();
        assert_eq!(found(""), ["a", "a/b", "helper"]);
        assert_eq!(found("a"), ["__init__", "b"]);
    }

    #[test]
    fn what_is_no_archive_is_none() {
        let whole = archive(&["helper.py"]);
        assert!((0..whole.len()).all(|cut| modules(&whole[..cut], "a", "").is_none()));
        for text in [
            &b"data"[..],
            b"",
            END,
            b"PK\x05\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        ] {
            assert_eq!(modules(text, "a", ""), None);
        }
    }
}
