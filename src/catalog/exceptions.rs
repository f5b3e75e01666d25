//! Which exceptions of the language and its libraries inherit from which. The hierarchy is data
//! (`rules/catalog/python/exceptions.toml`); handlers and raises are `analysis`.

use rustc_hash::FxHashMap;
use serde::Deserialize;

/// `[exceptions]`.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Exceptions {
    #[serde(rename = "abstract")]
    of_abstract: Vec<String>,
    broad: Vec<String>,
    /// What a look-up raises that finds nothing, sorted.
    pub not_there: Vec<String>,
    abstract_marks: Vec<String>,
    handed_back: Vec<String>,
    held_by: Vec<String>,
    left_out_by: Vec<String>,
    /// By dotted path.
    bases: FxHashMap<String, Vec<String>>,
}

impl Exceptions {
    pub(super) fn add(&mut self, other: Exceptions) {
        self.of_abstract.extend(other.of_abstract);
        self.broad.extend(other.broad);
        self.not_there.extend(other.not_there);
        self.abstract_marks.extend(other.abstract_marks);
        self.handed_back.extend(other.handed_back);
        self.held_by.extend(other.held_by);
        self.left_out_by.extend(other.left_out_by);
        self.bases.extend(other.bases);
    }

    /// True if a class of this path stands where a subclass has something else to do.
    pub fn is_abstract(&self, path: &str) -> bool {
        self.of_abstract.iter().any(|known| known == path)
    }

    /// The class of everything that is meant to be handled.
    pub fn any(&self) -> &str {
        self.broad.first().map_or("", String::as_str)
    }

    /// True for a class that takes everything that is meant to be handled, whatever else is known of it.
    pub fn is_broad(&self, path: &str) -> bool {
        self.broad.iter().any(|known| known == path)
    }

    /// True for a class that is known to be one of exceptions.
    pub fn is_exception(&self, path: &str) -> bool {
        self.broad.iter().any(|base| self.is_a(path, base) == Some(true))
    }

    /// True for a decorator, by its last name, of methods that are left to subclasses.
    pub fn marks_abstract(&self, name: &str) -> bool {
        self.abstract_marks.iter().any(|known| known == name)
    }

    /// True for a keyword that, where it is true, makes exceptions results.
    pub fn hands_back(&self, keyword: &str) -> bool {
        self.handed_back.iter().any(|known| known == keyword)
    }

    /// True for a function, by its path, that makes a result of what the callable raises that it runs.
    pub fn is_held_by(&self, path: &str) -> bool {
        self.held_by.iter().any(|known| known == path)
    }

    /// True for a method that goes on with what went well.
    pub fn leaves_out(&self, method: &str) -> bool {
        self.left_out_by.iter().any(|known| known == method)
    }

    /// Whether `path` is `ancestor` or inherits from it; `None` if the catalogue does not know the class.
    pub fn is_a(&self, path: &str, ancestor: &str) -> Option<bool> {
        if path == ancestor {
            return Some(true);
        }
        let bases = self.bases.get(path)?;
        // The hierarchy is a tree of a few levels, and a test walks all of it.
        Some(bases.iter().any(|base| self.is_a(base, ancestor) == Some(true)))
    }
}
