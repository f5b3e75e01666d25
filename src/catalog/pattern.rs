//! Dotted-path patterns: `*` matches within one segment, `**` one or more whole segments. Compiled once, indexed by their
//! first literal segment or their last, because a catalogue holds hundreds of them and a program names thousands of paths.

use memchr::{memchr, memrchr};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use smallvec::SmallVec;

use super::globs::Glob;

/// One compiled pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern(Vec<Segment>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Segment {
    Literal(Box<str>),
    /// Contains `*`.
    Glob(Glob),
    /// `**`.
    Many,
}

impl Pattern {
    /// Any text is a pattern; empty segments match empty segments only.
    pub fn new(text: &str) -> Self {
        Self(text.split('.').map(Segment::new).collect())
    }

    #[cfg(test)]
    fn matches(&self, path: &str) -> bool {
        let segments: Vec<&str> = path.split('.').collect();
        match_segments(&self.0, &segments)
    }

    /// The last segment, where the pattern says it literally: most patterns can be told apart by it.
    fn last_literal(&self) -> Option<&str> {
        match self.0.last() {
            Some(Segment::Literal(text)) => Some(text),
            _ => None,
        }
    }

    fn first_literal(&self) -> Option<&str> {
        match self.0.first() {
            Some(Segment::Literal(text)) => Some(text),
            _ => None,
        }
    }
}

impl Segment {
    fn new(text: &str) -> Self {
        match text {
            "**" => Segment::Many,
            _ if text.contains('*') => Segment::Glob(Glob::new(text)),
            _ => Segment::Literal(text.into()),
        }
    }
}

fn match_segments(pattern: &[Segment], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((Segment::Many, rest)), Some((_, tail))) => {
            match_segments(rest, tail) || match_segments(pattern, tail)
        }
        (Some((segment, rest)), Some((head, tail))) => {
            segment_matches(segment, head) && match_segments(rest, tail)
        }
        _ => false,
    }
}

fn segment_matches(segment: &Segment, text: &str) -> bool {
    match segment {
        Segment::Literal(literal) => **literal == *text,
        Segment::Glob(glob) => glob.fits(text),
        Segment::Many => false,
    }
}

/// The first and the last segment of a path. Every path of a program is asked, and most are short.
fn ends(path: &str) -> (&str, &str) {
    let first = memchr(b'.', path.as_bytes()).map_or(path, |dot| &path[..dot]);
    let last = memrchr(b'.', path.as_bytes()).map_or(path, |dot| &path[dot + 1..]);
    (first, last)
}

/// Patterns with a value each.
#[derive(Clone, Debug)]
pub struct PatternMap<T> {
    // The keys are the catalogue's own, so a cheap hash is safe against hostile paths.
    by_first: FxHashMap<Box<str>, Vec<(Pattern, T)>>,
    /// Those that begin with no literal segment and end in one.
    by_last: FxHashMap<Box<str>, Vec<(Pattern, T)>>,
    others: Vec<(Pattern, T)>,
}

impl<T> Default for PatternMap<T> {
    fn default() -> Self {
        Self { by_first: FxHashMap::default(), by_last: FxHashMap::default(), others: Vec::new() }
    }
}

impl<T: Copy> PatternMap<T> {
    pub fn insert(&mut self, text: &str, value: T) {
        let pattern = Pattern::new(text);
        let list = match (pattern.first_literal(), pattern.last_literal()) {
            (Some(first), _) => self.by_first.entry(first.into()).or_default(),
            (None, Some(last)) => self.by_last.entry(last.into()).or_default(),
            (None, None) => &mut self.others,
        };
        list.push((pattern, value));
    }

    /// Adds the patterns of another map after one's own.
    pub fn append(&mut self, other: &Self) {
        for (own, others) in [(&mut self.by_first, &other.by_first), (&mut self.by_last, &other.by_last)] {
            for (segment, patterns) in others {
                own.entry(segment.clone()).or_default().extend(patterns.iter().cloned());
            }
        }
        self.others.extend(other.others.iter().cloned());
    }

    /// The values of all patterns that match, in order of insertion within each index.
    pub fn all<'a>(&'a self, path: &'a str) -> impl Iterator<Item = T> + 'a {
        let (first, last) = ends(path);
        // Most paths meet no pattern that ends like them, and need not be split.
        let mut segments: Option<SmallVec<[&str; 12]>> = None;
        let indexed = self.by_first.get(first).into_iter().chain(self.by_last.get(last)).flatten();
        indexed
            .chain(&self.others)
            .filter(move |(pattern, _)| {
                pattern.last_literal().is_none_or(|literal| literal == last)
                    && match_segments(&pattern.0, segments.get_or_insert_with(|| path.split('.').collect()))
            })
            .map(|(_, value)| *value)
    }

    /// True if some pattern begins with exactly this segment.
    pub fn begins_with(&self, first: &str) -> bool {
        self.by_first.contains_key(first)
    }

    pub fn first(&self, path: &str) -> Option<T> {
        self.all(path).next()
    }

    fn is_empty(&self) -> bool {
        self.by_first.is_empty() && self.by_last.is_empty() && self.others.is_empty()
    }
}

/// Patterns without a value.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "Vec<String>")]
pub struct PatternSet {
    patterns: PatternMap<()>,
    written: Vec<String>,
}

impl From<Vec<String>> for PatternSet {
    fn from(patterns: Vec<String>) -> Self {
        Self::new(patterns)
    }
}

impl Extend<PatternSet> for PatternSet {
    fn extend<S: IntoIterator<Item = PatternSet>>(&mut self, sets: S) {
        sets.into_iter().flat_map(|set| set.written).for_each(|pattern| self.insert(&pattern));
    }
}

impl PatternSet {
    pub fn new<S: AsRef<str>>(patterns: impl IntoIterator<Item = S>) -> Self {
        let mut set = Self::default();
        patterns.into_iter().for_each(|pattern| set.insert(pattern.as_ref()));
        set
    }

    pub fn insert(&mut self, pattern: &str) {
        self.patterns.insert(pattern, ());
        self.written.push(pattern.to_owned());
    }

    pub fn matches(&self, path: &str) -> bool {
        self.patterns.first(path).is_some()
    }

    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stay_within_a_segment() {
        let cases = [
            ("requests.get", "requests.get", true),
            ("requests.*", "requests.get", true),
            ("requests.*", "requests", false),
            ("requests.*", "requests.Session.get", false),
            ("requests.**", "requests.Session.get", true),
            ("requests.**", "requests", false),
            ("os.exec*", "os.execvp", true),
            ("os.exec*", "os.spawnl", false),
            ("**.CommunicationAdapter.*", "a.b.CommunicationAdapter.search", true),
            ("**.CommunicationAdapter.*", "CommunicationAdapter.search", false),
            ("a.*b*.c", "a.xbx.c", true),
            ("a.**.z", "a.z", false),
            ("a.**.z", "a.b.c.z", true),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(Pattern::new(pattern).matches(path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn the_index_changes_no_answer() {
        let set = PatternSet::new(["a.b", "*.c", "**.d"]);
        assert!(set.matches("a.b") && set.matches("x.c") && set.matches("x.y.d"));
        assert!(!set.matches("a.x"));
    }
}
