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
        self.protocols.extend(more.protocols);
        self.below.extend(more.below);
    }
}
