//! Base classes that say what the objects of a class are.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

/// By their last names, unless said otherwise.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Bases {
    /// Their members are all objects that there can be.
    pub enums: FxHashSet<String>,
    /// The modules that the language and its kin have them in.
    pub enum_modules: FxHashSet<String>,
    /// Their objects are mappings of their fields.
    pub mappings: FxHashSet<String>,
    /// Their objects are texts.
    pub texts: FxHashSet<String>,
    /// First words of the methods of a class that hand back an object of it.
    pub makers: FxHashSet<String>,
    /// Others provide their methods; by path.
    pub protocols: FxHashSet<String>,
    /// Classes of libraries with those below them; by path.
    pub below: FxHashMap<String, FxHashSet<String>>,
}

impl Bases {
    pub(super) fn extend(&mut self, more: Self) {
        self.enums.extend(more.enums);
        self.enum_modules.extend(more.enum_modules);
        self.mappings.extend(more.mappings);
        self.texts.extend(more.texts);
        self.makers.extend(more.makers);
        self.protocols.extend(more.protocols);
        self.below.extend(more.below);
    }

    /// True for a method of a class that hands back an object of the class: `Prompt.from_template`.
    pub fn makes_own(&self, path: &str) -> bool {
        let (owner, method) = path.rsplit_once('.').unwrap_or_default();
        let class = owner.rsplit('.').next().unwrap_or(owner);
        let word = method.split_once('_').map(|(word, _)| word);
        class.starts_with(char::is_uppercase) && word.is_some_and(|word| self.makers.contains(word))
    }
}
