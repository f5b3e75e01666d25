//! Names of functions as the configuration writes them: dotted paths or bare names, `*` within a segment.

use std::fmt;

/// A pattern for dotted names. It speaks of the last segments of a name: `draft` means every function of that name,
/// `planner.draft` the one in any module (or class) called `planner`, `atlas.planner.draft` just that one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NamePattern {
    text: String,
}

impl NamePattern {
    /// None unless every segment is an identifier in which `*` may stand.
    pub fn parse(text: &str) -> Option<Self> {
        let segment = |segment: &str| {
            let starts_well = segment.chars().next().is_some_and(|first| !first.is_ascii_digit());
            starts_well && segment.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '*')
        };
        text.split('.').all(segment).then(|| Self { text: text.to_owned() })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn matches(&self, dotted: &str) -> bool {
        let mut names = dotted.rsplit('.');
        self.text.rsplit('.').all(|pattern| names.next().is_some_and(|name| wildcard(pattern, name)))
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// `*` stands for any characters. Greedy from the left, so linear in the product and never exponential.
pub fn wildcard(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let parts: Vec<_> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_speak_of_the_last_segments() {
        let matches = |pattern: &str, name: &str| NamePattern::parse(pattern).unwrap().matches(name);
        assert!(matches("draft", "atlas.planner.draft"));
        assert!(matches("planner.draft", "atlas.planner.draft"));
        assert!(matches("atlas.planner.draft", "atlas.planner.draft"));
        assert!(!matches("other.draft", "atlas.planner.draft"));
        assert!(!matches("x.atlas.planner.draft", "atlas.planner.draft"));
        assert!(!matches("draft", "draft_more"));
    }

    #[test]
    fn a_star_stays_within_its_segment() {
        let matches = |pattern: &str, name: &str| NamePattern::parse(pattern).unwrap().matches(name);
        assert!(matches("draft_*", "a.draft_plan"));
        assert!(matches("*_plan", "a.draft_plan"));
        assert!(matches("d*t_*n", "draft_plan"));
        assert!(matches("a.*", "a.b"));
        assert!(!matches("a.*", "a.b.c"));
        assert!(!matches("ab*ba", "aba"));
    }

    #[test]
    fn nonsense_is_no_pattern() {
        for text in ["", ".", "a..b", "a.", "1a", "a b", "a-b", "a/b", "f()"] {
            assert_eq!(NamePattern::parse(text), None, "{text}");
        }
    }
}
