//! Base classes that say what the objects of a class are.

use rustc_hash::{FxHashMap, FxHashSet};

/// By their last names, unless said otherwise.
#[derive(Clone, Debug, Default)]
pub struct Bases {
    /// Their members are all objects that there can be.
    pub enums: FxHashSet<String>,
    /// Their objects are mappings of their fields.
    pub mappings: FxHashSet<String>,
    /// Their objects are texts.
    pub texts: FxHashSet<String>,
    /// Others provide their methods; by path.
    pub protocols: FxHashSet<String>,
    /// Classes of libraries with those below them; by path.
    pub below: FxHashMap<String, FxHashSet<String>>,
}
