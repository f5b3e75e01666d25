//! Known findings, written down so that a check fails on new ones only: what an entry is, the file that holds them, and
//! (`matching`) which entry speaks of which finding. What becomes of findings is `suppress`'s part.

mod matching;

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::finding::Finding;

pub use matching::{Fate, Match, assign};

const VERSION: u32 = 1;

/// One known finding. `fingerprint` says which one it is as long as its file keeps its name; the other two hashes are
/// what remains when code moves.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Relative to the project root.
    pub path: String,
    pub rule: String,
    pub fingerprint: String,
    /// Without paths and modules.
    pub content: String,
    /// Only where the path begins and how long it is; none for what is in no function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outline: Option<String>,
    /// The enclosing function by its dotted path, and the beginning of the code: whether both are still there decides
    /// whether the entry may move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// For whoever reads the file; a check does not.
    pub message: String,
}

/// The entries, sorted; no fingerprint stands there twice.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Baseline {
    /// As the user knows the file.
    pub file: String,
    entries: Vec<Entry>,
}

/// Why a file is no baseline.
#[derive(Debug, Error)]
pub enum BaselineError {
    #[error("it is not a file that `gatelint baseline write` writes: {0}")]
    Json(#[from] serde_json::Error),
    #[error("it has version {0}, and this gatelint reads version {VERSION}")]
    Version(u32),
    #[error("the entry `{0}` stands there twice; each finding has one")]
    Twice(String),
}

/// The file as it is read; `rules` only counts, for its readers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(rename = "version")]
    _version: u32,
    #[serde(rename = "rules")]
    _rules: BTreeMap<String, usize>,
    findings: Vec<Entry>,
}

/// To ask for the version before anything else, since the rest depends on it.
#[derive(Deserialize)]
struct Head {
    version: u32,
}

impl Entry {
    pub fn of(finding: &Finding, path: &Utf8Path) -> Self {
        Self {
            path: path.as_str().to_owned(),
            rule: finding.rule.id.clone(),
            fingerprint: finding.fingerprint.clone(),
            content: finding.likeness.content.clone(),
            outline: finding.likeness.outline.clone(),
            function: finding.likeness.function.clone(),
            code: Some(finding.likeness.code.clone()),
            message: finding.message.clone(),
        }
    }
}

impl Baseline {
    pub fn new(file: &str, mut entries: Vec<Entry>) -> Self {
        entries.sort();
        entries.dedup_by(|a, b| a.fingerprint == b.fingerprint);
        Self { file: file.to_owned(), entries }
    }

    pub fn read(file: &str, text: &str) -> Result<Self, BaselineError> {
        let Head { version } = serde_json::from_str(text)?;
        if version != VERSION {
            return Err(BaselineError::Version(version));
        }
        let Document { findings, .. } = serde_json::from_str(text)?;
        let mut seen = BTreeSet::new();
        if let Some(twice) = findings.iter().find(|entry| !seen.insert(&entry.fingerprint)) {
            return Err(BaselineError::Twice(twice.fingerprint.clone()));
        }
        Ok(Self::new(file, findings))
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The file: a count per rule, then one line an entry, so that a change of it is read line by line.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in &self.entries {
            *counts.entry(&entry.rule).or_default() += 1;
        }
        let rules: Vec<String> =
            counts.iter().map(|(rule, count)| format!("    \"{rule}\": {count}")).collect();
        let entries: Result<Vec<String>, _> =
            self.entries.iter().map(|entry| Ok(format!("    {}", serde_json::to_string(entry)?))).collect();
        let block = |open, lines: Vec<String>, close| match lines.is_empty() {
            true => format!("{open}{close}"),
            false => format!("{open}\n{}\n  {close}", lines.join(",\n")),
        };
        let (rules, entries) = (block('{', rules, '}'), block('[', entries?, ']'));
        Ok(format!("{{\n  \"version\": {VERSION},\n  \"rules\": {rules},\n  \"findings\": {entries}\n}}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, fingerprint: &str, outline: Option<&str>) -> Entry {
        Entry {
            path: path.to_owned(),
            rule: "GL102".to_owned(),
            fingerprint: fingerprint.to_owned(),
            content: "c".to_owned(),
            outline: outline.map(str::to_owned),
            function: outline.map(str::to_owned),
            code: outline.map(str::to_owned),
            message: "a \"quoted\"\nmessage".to_owned(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for entries in [vec![], vec![entry("b.py", "2", None), entry("a.py", "1", Some("o"))]] {
            let baseline = Baseline::new("x.json", entries);
            let text = baseline.text().unwrap();
            assert_eq!(Baseline::read("x.json", &text).unwrap(), baseline, "{text}");
        }
    }

    #[test]
    fn the_file_has_one_sorted_line_per_entry() {
        let text =
            Baseline::new("x", vec![entry("b.py", "2", None), entry("a.py", "1", None)]).text().unwrap();
        let lines: Vec<_> = text.lines().filter(|line| line.contains("fingerprint")).collect();
        assert!(lines[0].contains("a.py") && lines[1].contains("b.py"), "{text}");
        assert!(text.contains("\"GL102\": 2"), "{text}");
    }

    #[test]
    fn what_is_no_baseline_is_refused() {
        let one = Baseline::new("x", vec![entry("a.py", "1", None)]).text().unwrap();
        let twice = one.replace(
            "  ]",
            ",\n  {\"path\":\"b\",\"rule\":\"GL1\",\"fingerprint\":\"1\",\"content\":\"\",\"message\":\"\"}]",
        );
        for text in
            ["", "[]", "{\"version\":2}", "{\"version\":1}", &one.replace("content", "contents"), &twice]
        {
            assert!(Baseline::read("x", text).is_err(), "{text}");
        }
        assert!(matches!(Baseline::read("x", &twice), Err(BaselineError::Twice(_))));
        assert!(matches!(Baseline::read("x", "{\"version\":2}"), Err(BaselineError::Version(2))));
    }
}
