//! Names as people write them: functions by dotted path or bare name, `*` within a segment; rules by id or name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::diagnostic::nearest;
use crate::catalog::globs::wildcard;

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

/// What rules are called, whether they are selected or not. A rule has an id and a name; both mean it.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct RuleNames {
    ids: BTreeMap<String, String>,
}

impl RuleNames {
    /// From pairs of id and name.
    pub fn new<'a>(rules: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let words =
            rules.into_iter().flat_map(|(id, name)| [(id.to_ascii_lowercase(), id), (name.into(), id)]);
        Self { ids: words.map(|(word, id)| (word, id.to_owned())).collect() }
    }

    /// These and others.
    pub fn and(mut self, others: Self) -> Self {
        self.ids.extend(others.ids);
        self
    }

    /// Sorted, each once.
    pub fn ids(&self) -> BTreeSet<&str> {
        self.ids.values().map(String::as_str).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The id that a word means, in whatever case it is written.
    pub fn id_of(&self, word: &str) -> Option<&str> {
        self.ids.get(&word.to_ascii_lowercase()).map(String::as_str)
    }

    /// The name that somebody meant who wrote a word that is none. Ids are all alike, so none of them is guessed.
    pub fn nearest(&self, word: &str) -> Option<&str> {
        let is_id = |(word, id): &(&String, &String)| id.eq_ignore_ascii_case(word);
        let names: Vec<&str> =
            self.ids.iter().filter(|pair| !is_id(pair)).map(|(name, _)| name.as_str()).collect();
        nearest(&word.to_ascii_lowercase(), &names)
    }
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

    #[test]
    fn a_rule_is_meant_by_its_id_and_by_its_name() {
        let rules = RuleNames::new([("GL101", "direct-network-import"), ("GL102", "direct-network-call")]);
        for word in ["GL102", "gl102", "direct-network-call"] {
            assert_eq!(rules.id_of(word), Some("GL102"), "{word}");
        }
        assert_eq!(rules.id_of("GL1"), None, "the beginning of several");
        assert_eq!(rules.nearest("direct-network-cal"), Some("direct-network-call"));
        assert_eq!(rules.nearest("GL1020"), None);
        assert_eq!(rules.nearest("no-such-thing"), None);
    }
}
