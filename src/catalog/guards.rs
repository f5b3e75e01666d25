//! The vocabulary of the guards: what an attribution and a content fence look like in data and in text, and what hands a
//! value on unchanged. The lists are data (`rules/catalog/**`); who looks for them is `analysis`.

use serde::Deserialize;

use super::globs::{Globs, Spellings};
use super::pattern::PatternSet;

/// `[attribution]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawAttribution {
    keys: Vec<String>,
    holders: Vec<String>,
    guard: Vec<String>,
    guard_names: Vec<String>,
    credit: Globs,
    check: Globs,
    question: Globs,
    types: Vec<String>,
    not_in: Globs,
    not_given_to: Vec<String>,
}

/// What says where content comes from.
#[derive(Clone, Default, Debug)]
pub struct Attribution {
    /// Keys under which a mapping says where it comes from.
    pub keys: Vec<String>,
    /// Keys of the mapping that keeps it.
    pub holders: Vec<String>,
    guard: PatternSet,
    pub(super) guard_names: Spellings,
    pub(super) credit: Globs,
    pub(super) check: Globs,
    pub(super) question: Globs,
    types: Vec<String>,
    not_in: Globs,
    not_given_to: Vec<String>,
}

/// `[fence]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawFence {
    markers: Vec<String>,
    marker_names: Globs,
    wrap: Vec<String>,
    wrap_names: Vec<String>,
    guard: Vec<String>,
    check: Globs,
    question: Globs,
    content: Vec<String>,
    display: Vec<String>,
    keys: Vec<String>,
    warning: Vec<String>,
    record: Vec<String>,
    shape: Vec<String>,
}

/// The content fence.
#[derive(Clone, Debug, Default)]
pub struct Fence {
    /// Texts that mark external content.
    pub markers: Vec<String>,
    marker_names: Globs,
    wrap: PatternSet,
    pub(super) wrap_names: Spellings,
    pub(super) guard: PatternSet,
    pub(super) check: Globs,
    pub(super) question: Globs,
    /// Keys of a fenced value under which the content stands as it was.
    pub content: Vec<String>,
    display: Vec<String>,
    /// Keys of a fenced value that guard it.
    pub keys: Vec<String>,
    /// Those of them that tell a model what it may do with the content.
    pub warning: Vec<String>,
    record: Vec<String>,
    /// Keys without which a mapping is no fenced value.
    pub shape: Vec<String>,
}

/// `[values]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawValues {
    call: Vec<String>,
    method: Vec<String>,
    text: Vec<String>,
    text_method: Vec<String>,
    shallow: Vec<String>,
    shallow_method: Vec<String>,
    deep: Vec<String>,
    mutators: Vec<String>,
    mutating: Vec<String>,
    changed: Vec<String>,
    changed_method: Vec<String>,
    split_method: Vec<String>,
    nothing: Vec<String>,
    error: Vec<String>,
}

/// Library functions whose result is, or holds, what they are given.
#[derive(Clone, Debug, Default)]
pub struct HandedOn {
    calls: PatternSet,
    methods: Vec<String>,
    texts: PatternSet,
    text_methods: Vec<String>,
    shallow: PatternSet,
    shallow_methods: Vec<String>,
    deep: PatternSet,
    mutators: Vec<String>,
    mutating: PatternSet,
    /// Their last names.
    mutating_names: Globs,
    changed: PatternSet,
    changed_methods: Vec<String>,
    split_methods: Vec<String>,
    nothing: PatternSet,
    errors: PatternSet,
}

impl Attribution {
    pub(super) fn add(&mut self, raw: RawAttribution) {
        self.keys.extend(raw.keys);
        self.holders.extend(raw.holders);
        self.guard_names.extend(raw.guard_names);
        self.credit.extend(raw.credit);
        self.check.extend(raw.check);
        self.question.extend(raw.question);
        raw.guard.iter().for_each(|path| self.guard.insert(path));
        self.types.extend(raw.types);
        self.not_in.extend(raw.not_in);
        self.not_given_to.extend(raw.not_given_to);
    }

    pub fn is_key(&self, text: &str) -> bool {
        self.keys.iter().any(|key| key == text)
    }

    /// True for what the guard is made of: its functions and constants, and what stands inside them.
    pub fn is_guard(&self, path: &str) -> bool {
        self.guard.matches(path)
    }

    /// True for a value that is no attribution: the name of a type, of another field, a pattern, a template.
    pub fn is_other(&self, text: &str) -> bool {
        let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
        let names_field =
            text.split('.').all(is_name) && self.keys.iter().any(|key| text.contains(key.as_str()));
        let is_blank = !text.chars().any(char::is_alphanumeric);
        is_blank
            || names_field
            || self.types.contains(&text.to_lowercase())
            || is_pattern(text)
            || is_template(text)
    }

    /// True for a mapping of this name: its values are texts of another kind.
    pub fn is_kept_apart(&self, name: &str) -> bool {
        self.not_in.fit_plain(name)
    }

    /// True for a call, by its last name, whose record is not kept.
    pub fn is_only_given_to(&self, name: &str) -> bool {
        self.not_given_to.iter().any(|known| known == name)
    }
}

/// A regular expression: what it escapes or repeats would be no text for people.
fn is_pattern(text: &str) -> bool {
    ["\\", "(?", ".*", ".+", "[^"].iter().any(|mark| text.contains(mark))
        || text.starts_with('^')
        || text.ends_with('$')
}

/// A text with places for values: `{session_id}`, `%s`.
fn is_template(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        rest = &rest[at + 1..];
        let end = rest.find('}').unwrap_or_default();
        if rest[..end].chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '!' | ':'))
            && rest.contains('}')
        {
            return true;
        }
    }
    text.contains("%s") || text.contains("%(")
}

impl Fence {
    pub(super) fn add(&mut self, raw: RawFence) {
        self.markers.extend(raw.markers);
        self.marker_names.extend(raw.marker_names);
        raw.wrap.iter().for_each(|path| self.wrap.insert(path));
        self.wrap_names.extend(raw.wrap_names);
        raw.guard.iter().for_each(|path| self.guard.insert(path));
        self.check.extend(raw.check);
        self.question.extend(raw.question);
        self.content.extend(raw.content);
        self.display.extend(raw.display);
        self.keys.extend(raw.keys);
        self.record.extend(raw.record);
        self.shape.extend(raw.shape);
        self.warning.extend(raw.warning);
    }

    /// True for a function that puts a fence around what it is given.
    pub fn wraps(&self, path: &str) -> bool {
        self.wrap.matches(path)
    }

    /// True for a name that a marker goes by, whatever its text.
    pub fn names_marker(&self, name: &str) -> bool {
        self.marker_names.fit(name)
    }

    /// True for the function that takes a fence off to show the content to people.
    pub fn displays(&self, name: &str) -> bool {
        self.display.iter().any(|known| known == name)
    }

    /// True if a mapping that is used with these keys looks like a fenced value: one key alone is anybody's.
    pub fn is_shape(&self, used: &[String]) -> bool {
        let known = |key: &&String| self.keys.contains(key) || self.record.contains(key);
        self.shape.iter().all(|key| used.contains(key)) && used.iter().filter(known).count() > 1
    }
}

impl HandedOn {
    pub(super) fn add(&mut self, raw: RawValues) {
        raw.call.iter().for_each(|path| self.calls.insert(path));
        self.methods.extend(raw.method);
        raw.text.iter().for_each(|path| self.texts.insert(path));
        self.text_methods.extend(raw.text_method);
        raw.shallow.iter().for_each(|path| self.shallow.insert(path));
        self.shallow_methods.extend(raw.shallow_method);
        raw.deep.iter().for_each(|path| self.deep.insert(path));
        self.mutators.extend(raw.mutators);
        raw.mutating.iter().for_each(|path| self.mutating.insert(path));
        self.mutating_names
            .extend(raw.mutating.iter().filter_map(|path| path.rsplit('.').next()).map(str::to_owned));
        raw.changed.iter().for_each(|path| self.changed.insert(path));
        self.changed_methods.extend(raw.changed_method);
        self.split_methods.extend(raw.split_method);
        raw.nothing.iter().for_each(|path| self.nothing.insert(path));
        raw.error.iter().for_each(|path| self.errors.insert(path));
    }

    /// The result is the argument, a copy, a part or a view of it.
    pub fn by_call(&self, path: &str) -> bool {
        self.calls.matches(path)
    }

    /// The result is the receiver, a copy, a part or a view of it.
    pub fn by_method(&self, name: &str) -> bool {
        self.methods.iter().any(|known| known == name)
    }

    /// What went wrong, in place of a value.
    pub fn is_error(&self, path: &str) -> bool {
        self.errors.matches(path)
    }

    /// The value, or the result of the call, is nothing at all.
    pub fn is_nothing(&self, path: &str) -> bool {
        self.nothing.matches(path)
    }

    /// The result still stands for the text that was given: escaped, compiled, made a table.
    pub fn keeps_text(&self, path: &str) -> bool {
        self.texts.matches(path)
    }

    pub fn keeps_text_by_method(&self, name: &str) -> bool {
        self.text_methods.iter().any(|known| known == name)
    }

    /// The result is a new object that holds the same parts.
    pub fn is_shallow(&self, path: &str) -> bool {
        self.shallow.matches(path)
    }

    pub fn is_shallow_method(&self, name: &str) -> bool {
        self.shallow_methods.iter().any(|known| known == name)
    }

    /// The result is a copy through and through.
    pub fn is_deep(&self, path: &str) -> bool {
        self.deep.matches(path)
    }

    /// The method changes the object itself.
    pub fn mutates(&self, method: &str) -> bool {
        self.mutators.iter().any(|known| known == method)
    }

    /// The last name of a function that changes its first argument.
    pub fn may_mutate_argument(&self, last_name: &str) -> bool {
        self.mutating_names.fit(last_name)
    }

    /// The function changes its first argument.
    pub fn mutates_argument(&self, path: &str) -> bool {
        self.mutating.matches(path)
    }

    /// The result is what it was given, with something changed.
    pub fn changes(&self, path: &str) -> bool {
        self.changed.matches(path)
    }

    pub fn changes_by_method(&self, name: &str) -> bool {
        self.changed_methods.iter().any(|known| known == name)
    }

    /// The first part of the result is the text without the rest.
    pub fn splits(&self, method: &str) -> bool {
        self.split_methods.iter().any(|known| known == method)
    }
}
