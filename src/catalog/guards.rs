//! The vocabulary of the guards: what an attribution and a content fence look like in data and in text, and what hands a
//! value on unchanged. The lists are data (`rules/catalog/**`); who looks for them is `analysis`.

use serde::Deserialize;

use super::pattern::PatternSet;
use super::pattern::wildcard;

/// `[attribution]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawAttribution {
    #[serde(default)]
    keys: Vec<String>,
    #[serde(default)]
    holders: Vec<String>,
    #[serde(default)]
    guard: Vec<String>,
    #[serde(default)]
    guard_names: Vec<String>,
    #[serde(default)]
    credit: Vec<String>,
    #[serde(default)]
    check: Vec<String>,
    #[serde(default)]
    question: Vec<String>,
}

/// Who says where content comes from, and where it stands.
#[derive(Clone, Default, Debug)]
pub struct Attribution {
    /// Keys under which a mapping says where it comes from.
    pub keys: Vec<String>,
    /// Keys of the mapping that keeps it.
    pub holders: Vec<String>,
    guard: PatternSet,
    guard_names: Vec<String>,
    credit: Vec<String>,
    check: Vec<String>,
    question: Vec<String>,
}

/// What a function of a guard does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guarding {
    /// The result is the argument, guarded.
    Guards,
    /// The result is the text that guards what it is put into.
    Credits,
    /// It raises unless its argument is guarded.
    Checks,
    /// It says whether its argument is guarded.
    Asks,
    /// The result is the argument, for people.
    Displays,
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
    wrap_names: Vec<String>,
    #[serde(default)]
    guard: Vec<String>,
    #[serde(default)]
    check: Vec<String>,
    #[serde(default)]
    question: Vec<String>,
    #[serde(default)]
    content: Vec<String>,
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
    wrap_names: Vec<String>,
    guard: PatternSet,
    check: Vec<String>,
    question: Vec<String>,
    /// Keys of a fenced value under which the content stands as it was.
    pub content: Vec<String>,
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
    #[serde(default)]
    silent: Vec<String>,
    #[serde(default)]
    silent_member: Vec<String>,
    #[serde(default)]
    number: Vec<String>,
    #[serde(default)]
    collect: Vec<String>,
    #[serde(default)]
    open: Vec<String>,
    #[serde(default)]
    file: Vec<String>,
    #[serde(default)]
    buffer: Vec<String>,
    #[serde(default)]
    listed: Vec<String>,
    #[serde(default)]
    listed_method: Vec<String>,
}

/// Library functions whose result is, or holds, what they are given.
#[derive(Clone, Debug, Default)]
pub struct HandedOn {
    calls: PatternSet,
    methods: Vec<String>,
    texts: PatternSet,
    text_methods: Vec<String>,
    silent: PatternSet,
    silent_members: Vec<String>,
    numbers: PatternSet,
    collectors: Vec<String>,
    openers: PatternSet,
    file_methods: Vec<String>,
    buffers: PatternSet,
    listed: PatternSet,
    listed_methods: Vec<String>,
}

impl Attribution {
    pub(super) fn add(&mut self, raw: RawAttribution) {
        self.keys.extend(raw.keys);
        self.holders.extend(raw.holders);
        raw.guard.iter().for_each(|path| self.guard.insert(path));
        self.guard_names.extend(raw.guard_names);
        self.credit.extend(raw.credit);
        self.check.extend(raw.check);
        self.question.extend(raw.question);
    }

    /// What a function does, by its path.
    pub fn role(&self, path: &str) -> Option<Guarding> {
        self.guard.matches(path).then(|| self.role_of_method(last(path))).flatten()
    }

    /// What it does as far as its name tells, written with its receiver's.
    pub fn role_of_name(&self, spelled: &str) -> Option<Guarding> {
        let spelled = spelled.to_lowercase();
        named(&self.guard_names, &spelled).then(|| self.role_of_method(last(&spelled))).flatten()
    }

    fn role_of_method(&self, name: &str) -> Option<Guarding> {
        if name.starts_with("__") {
            return None;
        }
        if self.credit.iter().any(|glob| wildcard(glob, name)) {
            return Some(Guarding::Credits);
        }
        asks(&self.check, &self.question, name).or(Some(Guarding::Guards))
    }
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// A name with its receiver's, or alone.
fn named(globs: &[String], spelled: &str) -> bool {
    let of = |glob: &String| match glob.contains('.') {
        true => wildcard(glob, spelled),
        false => wildcard(glob, last(spelled).trim_start_matches('_')),
    };
    globs.iter().any(of)
}

fn asks(check: &[String], question: &[String], name: &str) -> Option<Guarding> {
    let any = |globs: &[String]| globs.iter().any(|glob| wildcard(glob, name));
    if any(check) {
        return Some(Guarding::Checks);
    }
    any(question).then_some(Guarding::Asks)
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
    }

    /// True for a function that puts a fence around what it is given.
    pub fn wraps(&self, path: &str) -> bool {
        self.wrap.matches(path)
    }

    /// What a function does, by its path.
    pub fn role(&self, path: &str) -> Option<Guarding> {
        let name = last(path);
        if self.wraps(path) {
            return Some(Guarding::Guards);
        }
        if !self.guard.matches(path) {
            return None;
        }
        if self.displays(name) {
            return Some(Guarding::Displays);
        }
        asks(&self.check, &self.question, name)
    }

    /// What it does as far as its name tells, written with its receiver's.
    pub fn role_of_name(&self, spelled: &str) -> Option<Guarding> {
        let spelled = spelled.to_lowercase();
        if self.displays(last(&spelled)) {
            return Some(Guarding::Displays);
        }
        named(&self.wrap_names, &spelled).then_some(Guarding::Guards)
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
        raw.silent.iter().for_each(|path| self.silent.insert(path));
        self.silent_members.extend(raw.silent_member);
        raw.number.iter().for_each(|path| self.numbers.insert(path));
        self.collectors.extend(raw.collect);
        raw.open.iter().for_each(|path| self.openers.insert(path));
        self.file_methods.extend(raw.file);
        raw.buffer.iter().for_each(|path| self.buffers.insert(path));
        raw.listed.iter().for_each(|path| self.listed.insert(path));
        self.listed_methods.extend(raw.listed_method);
    }

    /// The result tells nothing that was in the argument.
    pub fn is_silent(&self, path: &str) -> bool {
        self.silent.matches(path)
    }

    /// An attribute or a method of whatever object that tells nothing of its content.
    pub fn is_silent_member(&self, name: &str) -> bool {
        self.silent_members.iter().any(|glob| wildcard(glob, name))
    }

    /// The result is a number that the argument spells: nothing that could be run or obeyed.
    pub fn is_number(&self, path: &str) -> bool {
        self.numbers.matches(path)
    }

    /// The method puts its arguments into the receiver.
    pub fn collects(&self, name: &str) -> bool {
        self.collectors.iter().any(|known| known == name)
    }

    /// The result is an open file at the path that is its argument.
    pub fn opens(&self, path: &str) -> bool {
        self.openers.matches(path)
    }

    /// The method writes its argument into the file that its receiver is or names.
    pub fn writes_file(&self, name: &str) -> bool {
        self.file_methods.iter().any(|known| known == name)
    }

    /// A method of what looks like a file and is a text.
    pub fn is_buffer(&self, path: &str) -> bool {
        self.buffers.matches(path)
    }

    /// If the result is true, the argument is one of few values.
    pub fn lists(&self, path: &str) -> bool {
        self.listed.matches(path)
    }

    /// The same, of the receiver.
    pub fn lists_by_method(&self, name: &str) -> bool {
        self.listed_methods.iter().any(|known| known == name)
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
