//! A list of the proposed file: lines that are set, lines behind `#`, and an example where there are none.

use super::reasons::{Part, reason};

/// An entry of a list with what speaks for it.
pub struct Line {
    pub entry: String,
    pub why: Vec<Part>,
    /// Set, or only written down.
    pub is_set: bool,
    /// The files that it stands for.
    pub files: usize,
}

/// What a list is about, and what an entry of it looks like.
pub struct About {
    pub key: &'static str,
    pub head: String,
    pub example: &'static str,
}

/// One `key = [...]`. One without a set line leaves the defaults as they are, so it is a comment as a whole.
pub fn list(about: &About, lines: &[Line]) -> String {
    let About { key, head, example } = about;
    if lines.is_empty() {
        // An empty list as an example would switch default globs off once it is set.
        return format!(
            "# {head}\n# Nothing was seen that speaks for one; it would be set like this:\n# {key} = [{example}]\n"
        );
    }
    let off = if lines.iter().any(|line| line.is_set) { "" } else { "# " };
    let entries: String = lines.iter().map(entry).collect();
    format!("# {head}\n{off}{key} = [\n{entries}{off}]\n")
}

fn entry(line: &Line) -> String {
    let mark = if line.is_set { "" } else { "# " };
    // What JSON writes without control characters is a string of TOML.
    let entry = serde_json::Value::String(line.entry.clone()).to_string();
    format!("    {mark}{entry},  # {}\n", reason(&line.why))
}
