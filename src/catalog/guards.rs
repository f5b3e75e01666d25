//! The vocabulary of the guards: what an attribution and a content fence look like in data and in text, and what hands a
//! value on unchanged. The lists are data (`rules/catalog/**`); who looks for them is `analysis`.

use serde::Deserialize;

use super::pattern::PatternSet;
use super::pattern::wildcard;

/// `[attribution]`.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attribution {
    /// Keys under which a mapping says where it comes from.
    #[serde(default)]
    pub keys: Vec<String>,
}

/// `[fence]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFence {
    #[serde(default)]
    markers: Vec<String>,
    #[serde(default)]
    marker_names: Vec<String>,
    #[serde(default)]
    wrap: Vec<String>,
    #[serde(default)]
    display: Vec<String>,
    #[serde(default)]
    keys: Vec<String>,
    #[serde(default)]
    record: Vec<String>,
    #[serde(default)]
    shape: Vec<String>,
}

/// The content fence.
#[derive(Clone, Debug, Default)]
pub struct Fence {
    /// Texts that mark external content.
    pub markers: Vec<String>,
    marker_names: Vec<String>,
    wrap: PatternSet,
    display: Vec<String>,
    /// Keys of a fenced value that guard it.
    pub keys: Vec<String>,
    record: Vec<String>,
    /// Keys without which a mapping is no fenced value.
    pub shape: Vec<String>,
}

/// `[values]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawValues {
    #[serde(default)]
    call: Vec<String>,
    #[serde(default)]
    method: Vec<String>,
    #[serde(default)]
    text: Vec<String>,
    #[serde(default)]
    text_method: Vec<String>,
}

/// Library functions whose result is, or holds, what they are given.
#[derive(Clone, Debug, Default)]
pub struct HandedOn {
    calls: PatternSet,
    methods: Vec<String>,
    texts: PatternSet,
    text_methods: Vec<String>,
}

impl Fence {
    pub(super) fn add(&mut self, raw: RawFence) {
        self.markers.extend(raw.markers);
        self.marker_names.extend(raw.marker_names);
        raw.wrap.iter().for_each(|path| self.wrap.insert(path));
        self.display.extend(raw.display);
        self.keys.extend(raw.keys);
        self.record.extend(raw.record);
        self.shape.extend(raw.shape);
    }

    /// True for a function that puts a fence around what it is given.
    pub fn wraps(&self, path: &str) -> bool {
        self.wrap.matches(path)
    }

    /// True for a name that a marker goes by, whatever its text.
    pub fn names_marker(&self, name: &str) -> bool {
        self.marker_names.iter().any(|pattern| wildcard(pattern, name))
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
    }

    /// The result is the argument, a copy, a part or a view of it.
    pub fn by_call(&self, path: &str) -> bool {
        self.calls.matches(path)
    }

    /// The result is the receiver, a copy, a part or a view of it.
    pub fn by_method(&self, name: &str) -> bool {
        self.methods.iter().any(|known| known == name)
    }

    /// The result still stands for the text that was given: escaped, compiled, made a table.
    pub fn keeps_text(&self, path: &str) -> bool {
        self.texts.matches(path)
    }

    pub fn keeps_text_by_method(&self, name: &str) -> bool {
        self.text_methods.iter().any(|known| known == name)
    }
}
