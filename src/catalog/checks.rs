//! What proves that a value is harmless for a purpose: that a path lies inside a folder, that a host is one of a list. Data
//! (`[[check]]` and `[[aspect]]`); knows no program.

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::pattern::PatternSet;
use super::sinks::{Purpose, Purposes};

/// What must have come out for a check to have proven something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    True,
    False,
    /// It has not raised.
    Returned,
    /// It equals something.
    Equal,
    /// Something is in it.
    Contained,
    /// Something is not in it.
    Excluded,
    /// Something is in a table, which names everything then.
    Admits,
}

/// One `[[check]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Dotted paths of functions, methods and attributes.
    #[serde(default, rename = "call")]
    calls: PatternSetOf,
    /// The same, whatever they belong to.
    #[serde(default)]
    name: Vec<String>,
    /// It is its arguments that are checked, and not its receiver.
    #[serde(default)]
    pub arguments: bool,
    r#for: Vec<Purpose>,
    pub outcome: Outcome,
    /// It counts only if what is checked was brought into one form before: no `..`, no links.
    #[serde(default)]
    pub resolved: bool,
    /// What its argument must end with.
    #[serde(default)]
    pub ends: Vec<String>,
    /// What its argument must be.
    #[serde(default)]
    pub equals: Vec<String>,
    /// It counts only if no caller has chosen its arguments.
    #[serde(default)]
    pub own: bool,
}

/// Patterns as a file writes them.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(from = "Vec<String>")]
struct PatternSetOf(PatternSet);

impl From<Vec<String>> for PatternSetOf {
    fn from(patterns: Vec<String>) -> Self {
        Self(PatternSet::new(patterns))
    }
}

impl Check {
    /// True if it looks at this method, function or attribute.
    pub fn is_named(&self, name: &str) -> bool {
        self.name.iter().any(|known| known == name)
    }

    pub fn purposes(&self) -> Purposes {
        self.r#for.iter().copied().collect()
    }
}

/// One `[[aspect]]`: who knows what these hand back knows the whole value as far as a purpose goes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Aspect {
    name: Vec<String>,
    r#for: Vec<Purpose>,
    /// They bring it into one form, too.
    #[serde(default)]
    resolves: bool,
}

#[derive(Clone, Default, Debug)]
pub struct Checks {
    list: Vec<Check>,
    aspects: FxHashMap<String, (Purposes, bool)>,
}

impl Checks {
    pub(super) fn add(&mut self, checks: Vec<Check>, aspects: Vec<Aspect>) {
        self.list.extend(checks);
        for aspect in aspects {
            let purposes: Purposes = aspect.r#for.into_iter().collect();
            for name in aspect.name {
                let known = self.aspects.entry(name).or_default();
                *known = (known.0.with(purposes), known.1 || aspect.resolves);
            }
        }
    }

    /// The checks that a call or an attribute of this name may be; `path` is where it belongs, if that is known.
    pub fn of<'c>(&'c self, name: &'c str, path: Option<&'c str>) -> impl Iterator<Item = &'c Check> + 'c {
        self.list.iter().filter(move |check| {
            check.name.iter().any(|known| known == name)
                || path.is_some_and(|path| check.calls.0.matches(path))
        })
    }

    /// The checks whether `text` is in something.
    pub fn of_text(&self, outcome: Outcome, text: &str) -> impl Iterator<Item = &Check> {
        let meant = self.list.iter().filter(move |check| check.outcome == outcome);
        meant.filter(move |check| check.equals.iter().any(|known| known == text))
    }

    /// For what the value is known if this attribute, method or function of it is.
    pub fn aspect(&self, name: &str) -> Purposes {
        self.aspects.get(name).map(|(purposes, _)| *purposes).unwrap_or_default()
    }

    /// True for a function or method that brings a value into one form.
    pub fn resolves(&self, name: &str) -> bool {
        self.aspects.get(name).is_some_and(|(_, resolves)| *resolves)
    }
}
