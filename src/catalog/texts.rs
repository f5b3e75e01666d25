//! Which calls of a language build text or paths out of others: data (`[texts]`), for languages whose library is not read in
//! `link::constants` itself. Knows no program.

use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::pattern::PatternSet;

/// `[texts]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawTexts {
    same: Vec<String>,
    same_method: Vec<String>,
    below_method: Vec<String>,
    changed_method: Vec<String>,
    otherwise_method: Vec<String>,
    mapped_method: Vec<String>,
    home_method: Vec<String>,
    home: Vec<String>,
    in_home: Vec<String>,
    environment: Vec<String>,
}

/// What a method makes of the text that it is called on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Makes {
    /// The same, as another type.
    Same,
    /// A path below it.
    Below,
    /// What begins like it.
    Changed,
    /// The same, or the argument if there is none.
    Otherwise,
    /// What a closure makes of it.
    Mapped,
    /// The user's home, whatever it is called on.
    Home,
}

/// What a function makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Built {
    /// The text of its first argument.
    Same,
    Home,
    /// A folder below the home directory.
    InHome,
    /// The variable of the environment that its first argument names.
    Variable,
}

#[derive(Clone, Debug, Default)]
pub struct BuiltTexts {
    same: PatternSet,
    home: PatternSet,
    in_home: PatternSet,
    environment: PatternSet,
    methods: [FxHashSet<String>; 6],
}

const METHODS: [Makes; 6] =
    [Makes::Same, Makes::Below, Makes::Changed, Makes::Otherwise, Makes::Mapped, Makes::Home];

impl BuiltTexts {
    pub(super) fn add(&mut self, raw: RawTexts) {
        raw.same.iter().for_each(|path| self.same.insert(path));
        raw.home.iter().for_each(|path| self.home.insert(path));
        raw.in_home.iter().for_each(|path| self.in_home.insert(path));
        raw.environment.iter().for_each(|path| self.environment.insert(path));
        let lists = [
            raw.same_method,
            raw.below_method,
            raw.changed_method,
            raw.otherwise_method,
            raw.mapped_method,
            raw.home_method,
        ];
        self.methods.iter_mut().zip(lists).for_each(|(known, list)| known.extend(list));
    }

    /// What a library function builds.
    pub fn built_by(&self, path: &str) -> Option<Built> {
        let known = [
            (&self.same, Built::Same),
            (&self.home, Built::Home),
            (&self.in_home, Built::InHome),
            (&self.environment, Built::Variable),
        ];
        known.into_iter().find_map(|(paths, built)| paths.matches(path).then_some(built))
    }

    /// What a method of this name makes.
    pub fn made_by(&self, method: &str) -> Option<Makes> {
        self.methods.iter().zip(METHODS).find_map(|(known, makes)| known.contains(method).then_some(makes))
    }
}
