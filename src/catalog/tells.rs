//! What a call of a library tells of its arguments: which results hold nothing of them, which are numbers, and which methods
//! put them into something else. Data (`[tells]`); knows no program.

use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::pattern::PatternSet;

/// `[tells]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawTells {
    silent: Vec<String>,
    pure: Vec<String>,
    silent_member: Vec<String>,
    answer: Vec<String>,
    answer_method: Vec<String>,
    asking_member: Vec<String>,
    number: Vec<String>,
    collect: Vec<String>,
    open: Vec<String>,
    file: Vec<String>,
    buffer: Vec<String>,
    listed: Vec<String>,
    listed_method: Vec<String>,
    every: Vec<String>,
    some: Vec<String>,
    every_method: Vec<String>,
    some_method: Vec<String>,
    sizes: Vec<String>,
    kinds: Vec<String>,
    every_kind: Vec<String>,
    empties: Vec<String>,
    matches: Vec<String>,
    matches_whole: Vec<String>,
    finds: Vec<String>,
    patterns: Vec<String>,
    fillers: Vec<String>,
    recodes: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Tells {
    silent: PatternSet,
    /// Libraries that do nothing outside the program, by the first name of their paths.
    pure: FxHashSet<String>,
    silent_members: FxHashSet<String>,
    answers: PatternSet,
    answer_methods: FxHashSet<String>,
    asking_members: FxHashSet<String>,
    numbers: PatternSet,
    collectors: FxHashSet<String>,
    openers: PatternSet,
    file_methods: FxHashSet<String>,
    buffers: PatternSet,
    listed: PatternSet,
    listed_methods: FxHashSet<String>,
    every: PatternSet,
    some: PatternSet,
    every_methods: FxHashSet<String>,
    some_methods: FxHashSet<String>,
    sizes: PatternSet,
    kinds: PatternSet,
    every_kind: PatternSet,
    empties: PatternSet,
    matches: PatternSet,
    matches_whole: PatternSet,
    finds: PatternSet,
    patterns: PatternSet,
    fillers: PatternSet,
    recodes: PatternSet,
}

impl Tells {
    /// True for a library that does nothing outside the program.
    pub fn is_pure(&self, first_name: &str) -> bool {
        self.pure.contains(first_name)
    }

    pub(super) fn add(&mut self, raw: RawTells) {
        raw.silent.iter().for_each(|path| self.silent.insert(path));
        self.pure.extend(raw.pure);
        self.silent_members.extend(raw.silent_member);
        raw.answer.iter().for_each(|path| self.answers.insert(path));
        self.answer_methods.extend(raw.answer_method);
        self.asking_members.extend(raw.asking_member);
        raw.number.iter().for_each(|path| self.numbers.insert(path));
        self.collectors.extend(raw.collect);
        raw.open.iter().for_each(|path| self.openers.insert(path));
        self.file_methods.extend(raw.file);
        raw.buffer.iter().for_each(|path| self.buffers.insert(path));
        raw.listed.iter().for_each(|path| self.listed.insert(path));
        self.listed_methods.extend(raw.listed_method);
        raw.every.iter().for_each(|path| self.every.insert(path));
        raw.some.iter().for_each(|path| self.some.insert(path));
        self.every_methods.extend(raw.every_method);
        self.some_methods.extend(raw.some_method);
        raw.sizes.iter().for_each(|path| self.sizes.insert(path));
        raw.kinds.iter().for_each(|path| self.kinds.insert(path));
        raw.every_kind.iter().for_each(|path| self.every_kind.insert(path));
        raw.empties.iter().for_each(|path| self.empties.insert(path));
        raw.matches.iter().for_each(|path| self.matches.insert(path));
        raw.matches_whole.iter().for_each(|path| self.matches_whole.insert(path));
        raw.finds.iter().for_each(|path| self.finds.insert(path));
        raw.patterns.iter().for_each(|path| self.patterns.insert(path));
        raw.fillers.iter().for_each(|path| self.fillers.insert(path));
        raw.recodes.iter().for_each(|path| self.recodes.insert(path));
    }

    /// The result tells nothing that was in the argument.
    pub fn is_silent(&self, path: &str) -> bool {
        self.silent.matches(path)
    }

    /// The result is what somebody outside answers: it is made of nothing that the call is given.
    pub fn is_answer(&self, path: Option<&str>, name: Option<&str>) -> bool {
        path.is_some_and(|path| self.answers.matches(path))
            || name.is_some_and(|name| self.answer_methods.contains(name))
    }

    /// An attribute or a method of whatever object that tells nothing of its content.
    pub fn is_silent_member(&self, name: &str) -> bool {
        self.silent_members.contains(name) || self.asks_of_text(name)
    }

    /// A method of a text or a list that only says where, whether or how often something is in it.
    pub fn asks_of_text(&self, name: &str) -> bool {
        self.asking_members.contains(name)
    }

    /// The result is a number that the argument spells: nothing that could be run or obeyed.
    pub fn is_number(&self, path: &str) -> bool {
        self.numbers.matches(path)
    }

    /// The method puts its arguments into the receiver.
    pub fn collects(&self, name: &str) -> bool {
        self.collectors.contains(name)
    }

    /// The result is an open file at the path that is its argument.
    pub fn opens(&self, path: &str) -> bool {
        self.openers.matches(path)
    }

    /// The method writes its argument into the file that its receiver is or names.
    pub fn writes_file(&self, name: &str) -> bool {
        self.file_methods.contains(name)
    }

    /// A method of what looks like a file and is a text.
    pub fn is_buffer(&self, path: &str) -> bool {
        self.buffers.matches(path)
    }

    /// If the result is true, the argument is one of few values.
    pub fn lists(&self, path: &str) -> bool {
        self.listed.matches(path)
    }

    /// What the result is if there is nothing in the argument: all of nothing holds, and some of it does not.
    pub fn of_nothing(&self, path: &str) -> Option<bool> {
        let every = self.every.matches(path);
        (every || self.some.matches(path)).then_some(every)
    }

    /// The same of a method that is given a test.
    pub fn of_nothing_by_method(&self, name: &str) -> Option<bool> {
        let every = self.every_methods.contains(name);
        (every || self.some_methods.contains(name)).then_some(every)
    }

    /// The result is a number of things: never less than zero.
    pub fn is_size(&self, path: &str) -> bool {
        self.sizes.matches(path)
    }

    /// The result says whether the first argument is of the kind that the second one names.
    pub fn asks_kind(&self, path: &str) -> bool {
        self.kinds.matches(path)
    }

    /// The kind that everything is of.
    pub fn is_every_kind(&self, path: &str) -> bool {
        self.every_kind.matches(path)
    }

    /// Without arguments the result is empty, zero or false.
    pub fn makes_nothing(&self, path: &str) -> bool {
        self.empties.matches(path)
    }

    /// The result says whether a text fits the pattern that is the first argument, or the receiver.
    pub fn asks_pattern(&self, path: &str) -> bool {
        self.matches.matches(path)
    }

    /// The same, and the pattern has to fit the text to its end.
    pub fn asks_whole_pattern(&self, path: &str) -> bool {
        self.matches_whole.matches(path)
    }

    /// The result has what a pattern has found in a text.
    pub fn finds_pattern(&self, path: &str) -> bool {
        self.finds.matches(path) || self.asks_pattern(path) || self.asks_whole_pattern(path)
    }

    /// The result is the pattern that the first argument spells.
    pub fn is_pattern(&self, path: &str) -> bool {
        self.patterns.matches(path)
    }

    /// The result is a mapping that makes an entry for a key that it lacks by its first argument; the entries are the second.
    pub fn fills_gaps(&self, path: &str) -> bool {
        self.fillers.matches(path)
    }

    /// The result is a record that a text spells, or the text of one.
    pub fn recodes(&self, path: &str) -> bool {
        self.recodes.matches(path)
    }

    /// The same, of the receiver.
    pub fn lists_by_method(&self, name: &str) -> bool {
        self.listed_methods.contains(name)
    }
}
