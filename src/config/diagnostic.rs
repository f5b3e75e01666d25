//! Mistakes in a configuration file: each on its token, all of them together.
//! Plain data; `report` draws them.

use std::fmt;
use std::ops::Range;

use camino::Utf8PathBuf;
use toml::de::DeValue;

/// One mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// Bytes of the file.
    pub span: Range<usize>,
    /// What is wrong and why; may hold text of the file.
    pub message: String,
    /// At the token itself.
    pub label: String,
    /// What to do.
    pub help: Option<String>,
}

/// Every mistake of one file, in its order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistakes {
    /// As it may be shown.
    pub path: Utf8PathBuf,
    pub text: String,
    pub list: Vec<Mistake>,
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.list.len() {
            1 => write!(f, "a mistake in `{}`", self.path),
            many => write!(f, "{many} mistakes in `{}`", self.path),
        }
    }
}

/// The known word nearest to a wrong one, if one is near enough to be meant.
pub fn nearest<'a>(wrong: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = |word: &&'a str| (distance(wrong, word), *word);
    known.iter().map(near).min().filter(|(edits, word)| *edits <= 1 + word.len() / 4).map(|(_, word)| word)
}

/// Levenshtein. Keys longer than any known one are far away; their length is not worth computing with.
fn distance(a: &str, b: &str) -> usize {
    if a.len() > 64 {
        return usize::MAX;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// What a value is, as a message calls it.
pub fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let known = ["exclude", "layers", "planning"];
        assert_eq!(nearest("exlude", &known), Some("exclude"));
        assert_eq!(nearest("layer", &known), Some("layers"));
        assert_eq!(nearest("plannings", &known), Some("planning"));
        assert_eq!(nearest("gates", &known), None);
        assert_eq!(nearest(&"x".repeat(10_000), &known), None);
    }
}
