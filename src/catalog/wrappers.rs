//! What a language with checked types has around values: names that every file knows, types that hold a value and hand it
//! on, and the methods by which they do. For languages whose calls are resolved by declared types; Python has none of it.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use super::pattern::PatternSet;

/// Compiled.
#[derive(Clone, Debug, Default)]
pub struct Wrappers {
    /// The path of each name that every file knows.
    prelude: FxHashMap<String, String>,
    /// Calls that hand back their first argument, by path.
    makers: PatternSet,
    channels: PatternSet,
    words: Words,
}

/// `[wrappers]` as written: last names, but for `makers`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Words {
    /// Calls, by path, that hand back their first argument.
    makers: Vec<String>,
    /// Libraries by whose names another one is meant: `core` is `std`.
    facades: FxHashMap<String, String>,
    /// Generic types whose first argument is the value itself.
    pub types: FxHashSet<String>,
    /// Generic types that hold any number of what their first argument says.
    pub sequences: FxHashSet<String>,
    /// The same for the last argument.
    pub mappings: FxHashSet<String>,
    /// Generic types of what can be called.
    pub callables: FxHashSet<String>,
    /// Functions of a type that make one.
    pub constructors: FxHashSet<String>,
    /// Methods that hand back what they are called on, or what it holds.
    pub same: FxHashSet<String>,
    /// Methods of a result or an option that end the function where it is a bad one, ...
    pub unwraps: FxHashSet<String>,
    /// ... that have something else then, ...
    pub defaults: FxHashSet<String>,
    /// ... that forget why, ...
    pub drops: FxHashSet<String>,
    /// ... that make a result of an option, ...
    pub demands: FxHashSet<String>,
    /// ... that change what a good one holds, ...
    pub changes: FxHashSet<String>,
    /// ... and that ask whether it is a good or a bad one.
    pub asks_good: FxHashSet<String>,
    pub asks_bad: FxHashSet<String>,
    /// Methods of a sequence or mapping that hand back one of what it holds.
    pub element: FxHashSet<String>,
    /// Methods that put their last argument into a sequence or mapping.
    pub adds: FxHashSet<String>,
    /// Those among them that are given many at once.
    pub all_of: FxHashSet<String>,
    /// Methods that run the closures they are given on what they are called on, or on each of what it holds.
    pub runs: FxHashSet<String>,
    /// Those among them that hand back what the closure does.
    pub maps: FxHashSet<String>,
    /// Methods that every value has, and traits that bring more methods than their implementors write.
    pub everywhere: FxHashSet<String>,
    pub provides: FxHashSet<String>,
    /// Functions, by path, that make the two ends of a queue.
    channels: Vec<String>,
    /// Methods of the language's own types: never guessed to be a project's own.
    pub methods: FxHashSet<String>,
}

impl Words {
    fn append(&mut self, other: Words) {
        self.facades.extend(other.facades);
        self.types.extend(other.types);
        self.sequences.extend(other.sequences);
        self.mappings.extend(other.mappings);
        self.callables.extend(other.callables);
        self.constructors.extend(other.constructors);
        self.same.extend(other.same);
        self.unwraps.extend(other.unwraps);
        self.defaults.extend(other.defaults);
        self.drops.extend(other.drops);
        self.demands.extend(other.demands);
        self.changes.extend(other.changes);
        self.asks_good.extend(other.asks_good);
        self.asks_bad.extend(other.asks_bad);
        self.element.extend(other.element);
        self.adds.extend(other.adds);
        self.all_of.extend(other.all_of);
        self.runs.extend(other.runs);
        self.maps.extend(other.maps);
        self.methods.extend(other.methods);
        self.everywhere.extend(other.everywhere);
        self.provides.extend(other.provides);
    }

    /// True for a method that makes something known of a result or an option.
    pub fn says_of_results(&self, name: &str) -> bool {
        let lists = [&self.unwraps, &self.defaults, &self.drops, &self.demands, &self.changes];
        let lists = lists.into_iter().chain([&self.asks_good, &self.asks_bad, &self.same]);
        lists.into_iter().any(|list| list.contains(name))
    }

    /// True for a method that says nothing of the type that a good one holds.
    pub fn keeps_type(&self, name: &str) -> bool {
        let lists = [&self.unwraps, &self.defaults, &self.drops, &self.demands];
        lists.iter().any(|list| list.contains(name)) || self.same.contains(name) && self.runs.contains(name)
    }

    /// True for a method that some type of the language's own has.
    pub fn is_own_method(&self, name: &str) -> bool {
        let lists = [&self.same, &self.element, &self.adds, &self.runs, &self.maps, &self.methods];
        lists.iter().any(|list| list.contains(name))
    }
}

impl std::ops::Deref for Wrappers {
    type Target = Words;

    fn deref(&self) -> &Words {
        &self.words
    }
}

impl Wrappers {
    pub(super) fn add(&mut self, prelude: FxHashMap<String, Vec<String>>, words: Words) {
        for (module, names) in prelude {
            let paths = names.into_iter().map(|name| (name.clone(), format!("{module}.{name}")));
            self.prelude.extend(paths);
        }
        words.makers.iter().for_each(|path| self.makers.insert(path));
        words.channels.iter().for_each(|path| self.channels.insert(path));
        self.words.append(words);
    }

    pub(super) fn add_methods(&mut self, methods: Vec<String>) {
        self.words.methods.extend(methods);
    }

    /// The path of a name that every file knows.
    pub fn known(&self, name: &str) -> Option<&str> {
        self.prelude.get(name).map(String::as_str)
    }

    /// The library that is meant by a name.
    pub fn library<'n>(&'n self, name: &'n str) -> &'n str {
        self.words.facades.get(name).map_or(name, String::as_str)
    }

    /// True for a call that makes the two ends of a queue.
    pub fn makes_ends(&self, path: &str) -> bool {
        self.channels.matches(path)
    }

    /// True for a call that hands back its first argument: a constructor of a type that only holds it, or one that is named.
    pub fn hands_back(&self, path: &str) -> bool {
        let mut names = path.rsplit('.');
        let (last, owner) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
        self.types.contains(last)
            || self.constructors.contains(last) && self.types.contains(owner)
            || self.makers.matches(path)
    }
}
