//! What speaks for a line of the proposal, as one short comment: counts, and as many names as there is room for. Names come
//! from the scanned tree, so they are made safe here.

use crate::report;

/// A reason is no longer than this, ...
pub const MAX_CHARS: usize = 100;
/// ... and names no more than so many things of a kind.
const MAX_NAMES: usize = 3;
/// A longer dotted name is shown by its ends: `openai…create`.
const MAX_NAME: usize = 32;

/// One thing that speaks for a line, with examples.
pub struct Part {
    text: String,
    names: Vec<String>,
}

impl Part {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), names: Vec::new() }
    }

    pub fn naming<'n>(text: impl Into<String>, names: impl IntoIterator<Item = &'n String>) -> Self {
        let mut shown: Vec<String> = Vec::new();
        for name in names {
            let name = report::escape_line(&short(name)).into_owned();
            if !shown.contains(&name) {
                shown.push(name);
            }
        }
        Self { text: text.into(), names: shown }
    }

    /// `12 network calls (requests.get, requests.post and 3 more)`.
    fn told(&self, most: usize) -> String {
        let shown = &self.names[..most.min(self.names.len())];
        match (shown, self.names.len() - shown.len()) {
            ([], _) => self.text.clone(),
            (_, 0) => format!("{} ({})", self.text, shown.join(", ")),
            (_, more) => format!("{} ({} and {more} more)", self.text, shown.join(", ")),
        }
    }
}

/// The parts in one line that stands behind a setting.
pub fn reason(parts: &[Part]) -> String {
    fitted(parts, MAX_NAMES, MAX_CHARS)
}

/// The parts in one line of so many characters, with up to so many names for each.
pub fn fitted(parts: &[Part], names: usize, chars: usize) -> String {
    let told = |most| parts.iter().map(|part| part.told(most)).collect::<Vec<_>>().join(", ");
    let fits = |text: &String| text.chars().count() <= chars;
    (0..=names).rev().map(told).find(fits).unwrap_or_else(|| cut(&told(0), chars))
}

fn short(name: &str) -> String {
    if name.chars().count() <= MAX_NAME {
        return name.to_owned();
    }
    match (name.split_once('.'), name.rsplit_once('.')) {
        (Some((first, _)), Some((_, last))) => cut(&format!("{first}…{last}"), MAX_NAME),
        _ => cut(name, MAX_NAME),
    }
}

fn cut(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    text.chars().take(chars.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_names_stand_there_as_fit() {
        let names: Vec<String> = (0..5).map(|nth| format!("library_{nth}.client.open")).collect();
        let part = || Part::naming("5 calls", &names);
        let one = reason(&[part()]);
        assert!(one.ends_with("library_2.client.open and 2 more)"), "{one}");
        let three = reason(&[part(), part(), part()]);
        assert_eq!(three, "5 calls, 5 calls, 5 calls");
        assert_eq!(fitted(&[part()], 5, 6), "5 cal…");
    }

    #[test]
    fn a_long_name_is_shown_by_its_ends_and_once() {
        let long = |last: &str| format!("provider.AsyncClient.beta.chat.{last}.create");
        let part = Part::naming("2 calls", &[long("completions"), long("responses")]);
        assert_eq!(reason(&[part]), "2 calls (provider…create)");
    }
}
