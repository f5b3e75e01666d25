//! What libraries do with the callables and objects that they are given: keep them, build something that holds them, run
//! them. The lists are data (`rules/catalog/holders.toml`); who uses them is `link::holders`.

use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::classes::words_of_name;
use super::pattern::PatternSet;

/// `[holders]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawHolders {
    stores: Vec<String>,
    builds: Vec<String>,
    converts: Vec<String>,
    inert: Vec<String>,
    deaf: Vec<String>,
    models: Vec<String>,
    hooks: Vec<String>,
    reads: Vec<String>,
    writes: Vec<String>,
    written: Vec<String>,
    passive: Vec<String>,
    gives: Vec<String>,
    makes: Vec<String>,
    shared: Vec<String>,
    starts: Vec<String>,
    silent: Vec<String>,
    lazy: Vec<String>,
    pooled: Option<usize>,
    crowd: Option<usize>,
    places: Option<usize>,
    few: Option<usize>,
}

/// What an operation on an object of a library does with what the object is given and holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HolderOp {
    /// It keeps its arguments.
    Stores,
    /// Its result holds what the object holds.
    Builds,
    /// It may run what the object holds, and its arguments.
    Uses,
    /// It hands out what the object holds.
    Gives,
    /// It hands out what the classes and functions that the object holds make.
    Makes,
    /// It does nothing with either.
    Passes,
}

/// What happens to an object of a class of data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ModelOp {
    /// It is made of data.
    Reads,
    /// Data is made of it.
    Writes,
}

#[derive(Clone, Default, Debug)]
pub struct Holders {
    stores: FxHashSet<String>,
    builds: FxHashSet<String>,
    converts: FxHashSet<String>,
    inert: PatternSet,
    deaf: PatternSet,
    models: PatternSet,
    hooks: FxHashSet<String>,
    reads: FxHashSet<String>,
    writes: FxHashSet<String>,
    written: FxHashSet<String>,
    passive: FxHashSet<String>,
    gives: PatternSet,
    makes: PatternSet,
    shared: PatternSet,
    starts: FxHashSet<String>,
    silent: FxHashSet<String>,
    lazy: PatternSet,
    /// Of more than this many that one object holds, nobody says which one a use of it runs.
    pub pooled: usize,
    /// Of more than this many nothing is said but that there are so many.
    pub crowd: usize,
    /// What libraries may run at more places than this is data that is handed around.
    pub places: usize,
    /// More objects than this in one argument are data.
    pub few: usize,
}

impl Holders {
    pub(super) fn add(&mut self, raw: RawHolders) {
        self.stores.extend(raw.stores);
        self.builds.extend(raw.builds);
        self.converts.extend(raw.converts);
        raw.inert.iter().for_each(|path| self.inert.insert(path));
        raw.deaf.iter().for_each(|path| self.deaf.insert(path));
        raw.models.iter().for_each(|path| self.models.insert(path));
        self.hooks.extend(raw.hooks);
        self.reads.extend(raw.reads);
        self.writes.extend(raw.writes);
        self.written.extend(raw.written);
        self.passive.extend(raw.passive);
        raw.gives.iter().for_each(|path| self.gives.insert(path));
        raw.makes.iter().for_each(|path| self.makes.insert(path));
        raw.shared.iter().for_each(|path| self.shared.insert(path));
        self.starts.extend(raw.starts);
        self.silent.extend(raw.silent);
        raw.lazy.iter().for_each(|path| self.lazy.insert(path));
        self.pooled = raw.pooled.unwrap_or(self.pooled);
        self.crowd = raw.crowd.unwrap_or(self.crowd);
        self.places = raw.places.unwrap_or(self.places);
        self.few = raw.few.unwrap_or(self.few);
    }

    /// True for what makes a value that is made at its first use.
    pub fn is_lazy(&self, path: &str) -> bool {
        self.lazy.matches(path)
    }

    /// What a method of this name does, by the first word of it.
    pub fn operation(&self, method: &str) -> HolderOp {
        let word = first_word(method.trim_start_matches('_'));
        if self.stores.contains(word) {
            HolderOp::Stores
        } else if self.builds.contains(word) || self.converts.contains(word) {
            HolderOp::Builds
        } else if self.passive.contains(word) {
            HolderOp::Passes
        } else {
            HolderOp::Uses
        }
    }

    /// The same of a method, which may be given nothing.
    pub fn operation_of(&self, method: &str, is_alone: bool) -> HolderOp {
        match self.operation(method) {
            HolderOp::Stores if is_alone && self.starts.contains(first_word(method)) => HolderOp::Uses,
            operation => operation,
        }
    }

    /// The same of a function of a module.
    pub fn operation_of_function(&self, function: &str) -> HolderOp {
        match self.converts.contains(first_word(function.trim_start_matches('_'))) {
            true => HolderOp::Uses,
            false => self.operation(function),
        }
    }

    /// True for a method that hands out what its object holds, and runs none of it.
    pub fn is_giving(&self, path: &str) -> bool {
        self.gives.matches(path)
    }

    /// True for a method that hands out what the classes and functions of its object make.
    pub fn is_making(&self, path: &str) -> bool {
        self.makes.matches(path)
    }

    /// True for a function whose module knows the objects that it makes.
    pub fn is_shared(&self, path: &str) -> bool {
        self.shared.matches(path)
    }

    /// True for what runs nothing of what it is given.
    pub fn is_inert(&self, path: &str) -> bool {
        self.inert.matches(path)
    }

    /// True for what runs nothing of what it is given, but what its object holds.
    pub fn is_deaf(&self, path: &str) -> bool {
        self.deaf.matches(path)
    }

    /// True for a base or decorator of classes of data.
    pub fn is_model(&self, path: &str) -> bool {
        self.models.matches(path)
    }

    /// What a method does with objects of a class of data, if it reads or writes them.
    pub fn of_data(&self, method: &str) -> Option<ModelOp> {
        let words = words_of_name(method);
        if words.iter().any(|word| self.reads.contains(word)) {
            Some(ModelOp::Reads)
        } else {
            words.iter().any(|word| self.writes.contains(word)).then_some(ModelOp::Writes)
        }
    }

    /// When a library runs what it decorates with this in a class of data.
    pub fn of_decorator(&self, decorator: &str) -> ModelOp {
        let last = decorator.rsplit('.').next().unwrap_or(decorator);
        match words_of_name(last).iter().any(|word| self.written.contains(word)) {
            true => ModelOp::Writes,
            false => ModelOp::Reads,
        }
    }

    /// True for a method that no use of an object runs by itself.
    pub fn is_silent(&self, method: &str) -> bool {
        self.silent.contains(method)
    }

    /// True for a method that runs when an object of such a class is made.
    pub fn is_hook(&self, method: &str) -> bool {
        self.hooks.contains(method)
    }
}

/// `add` of `add_node` and of `addNode`: asked for every call, so no list of all words is made.
fn first_word(name: &str) -> &str {
    let end = name.find(|c: char| c.is_uppercase() || !c.is_alphanumeric());
    &name[..end.unwrap_or(name.len())]
}
