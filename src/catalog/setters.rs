//! Library functions that set an attribute of a class or a module by its name, and mappings that are the names of one. The
//! lists are data (`rules/catalog/python/setters.toml`).

use serde::Deserialize;

use super::pattern::PatternSet;

/// One `[[setter]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setter {
    call: Vec<String>,
    /// The argument whose attribute is set, ...
    pub object: Option<usize>,
    /// ... the argument that names the attribute, ...
    pub name: Option<usize>,
    /// ... or the argument that names both: `"app.guards.check"`.
    pub path: Option<usize>,
    pub value: usize,
    /// What is set without a value, by its path.
    pub default: Option<String>,
}

/// `[namespaces]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawNamespaces {
    own: Vec<String>,
    of: Vec<String>,
    attributes: Vec<String>,
    tables: Vec<String>,
    modules: Vec<String>,
}

/// What sets attributes by their names.
#[derive(Clone, Default, Debug)]
pub struct Setters {
    list: Vec<(PatternSet, Setter)>,
    own: PatternSet,
    of: PatternSet,
    attributes: Vec<String>,
    tables: PatternSet,
    modules: PatternSet,
}

impl Setters {
    pub(super) fn add(&mut self, setters: Vec<Setter>, namespaces: RawNamespaces) {
        self.list.extend(setters.into_iter().map(|setter| (PatternSet::new(&setter.call), setter)));
        namespaces.own.iter().for_each(|path| self.own.insert(path));
        namespaces.of.iter().for_each(|path| self.of.insert(path));
        self.attributes.extend(namespaces.attributes);
        namespaces.tables.iter().for_each(|path| self.tables.insert(path));
        namespaces.modules.iter().for_each(|path| self.modules.insert(path));
    }

    /// What a call of this path sets.
    pub fn of_call(&self, path: &str) -> Option<&Setter> {
        self.list.iter().find(|(calls, _)| calls.matches(path)).map(|(_, setter)| setter)
    }

    /// True for the last name of something that sets attributes.
    pub fn may_be(&self, last_name: &str) -> bool {
        let mut calls = self.list.iter().flat_map(|(_, setter)| &setter.call);
        calls.any(|call| call.rsplit('.').next() == Some(last_name))
    }

    /// A function that hands back the names of the module it is called in.
    pub fn is_own_namespace(&self, path: &str) -> bool {
        self.own.matches(path)
    }

    /// A function that hands back the names of what it is given.
    pub fn is_namespace_of(&self, path: &str) -> bool {
        self.of.matches(path)
    }

    /// A module whose name may stand for the mapping of its names.
    pub fn is_table(&self, path: &str) -> bool {
        self.tables.matches(path)
    }

    /// The mapping of all modules by their names.
    pub fn is_modules(&self, path: &str) -> bool {
        self.modules.matches(path)
    }

    /// An attribute that holds the names of its object.
    pub fn is_namespace(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|known| known == attribute)
    }
}
