//! Library functions that set an attribute of a class or a module by its name, and mappings that are the names of one. The
//! lists are data (`rules/catalog/python/setters.toml`).

use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::pattern::PatternSet;

/// One `[[setter]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setter {
    call: Vec<String>,
    /// The argument whose attribute is set, ...
    pub object: Option<usize>,
    /// ... or the mapping that is the names of one, ...
    pub mapping: Option<usize>,
    /// ... the argument that names the attribute, ...
    pub name: Option<usize>,
    /// ... or the argument that names both: `"app.guards.check"`.
    pub path: Option<usize>,
    /// ... or the object or its path, whose attributes the named arguments are.
    pub owner: Option<usize>,
    /// ... or the class of a library whose objects have the named arguments as attributes.
    pub objects: Option<String>,
    #[serde(default)]
    pub value: usize,
    /// What is set without a value, by its path.
    pub default: Option<String>,
}

/// `[namespaces]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawNamespaces {
    own: Vec<String>,
    local: Vec<String>,
    of: Vec<String>,
    attributes: Vec<String>,
    of_functions: Vec<String>,
    code: Vec<String>,
    classes: Vec<String>,
    tables: Vec<String>,
    modules: Vec<String>,
    updates: Vec<String>,
    puts: Vec<String>,
}

/// What sets attributes by their names.
#[derive(Clone, Default, Debug)]
pub struct Setters {
    list: Vec<(PatternSet, Setter)>,
    /// The last names of all that sets attributes.
    last_names: FxHashSet<String>,
    own: PatternSet,
    local: PatternSet,
    of: PatternSet,
    attributes: Vec<String>,
    of_functions: Vec<String>,
    code: Vec<String>,
    classes: PatternSet,
    tables: PatternSet,
    modules: PatternSet,
    updates: Vec<String>,
    puts: Vec<String>,
}

impl Setters {
    pub(super) fn add(&mut self, setters: Vec<Setter>, namespaces: RawNamespaces) {
        let calls = setters.iter().flat_map(|setter| &setter.call);
        let methods = namespaces.updates.iter().chain(&namespaces.puts);
        let names = calls.chain(methods).chain(&namespaces.code).chain(&namespaces.modules);
        let names = names.filter_map(|path| path.rsplit('.').next());
        self.last_names.extend(names.map(str::to_owned));
        self.list.extend(setters.into_iter().map(|setter| (PatternSet::new(&setter.call), setter)));
        namespaces.own.iter().for_each(|path| self.own.insert(path));
        namespaces.local.iter().for_each(|path| self.local.insert(path));
        namespaces.of.iter().for_each(|path| self.of.insert(path));
        self.attributes.extend(namespaces.attributes);
        self.of_functions.extend(namespaces.of_functions);
        self.code.extend(namespaces.code);
        namespaces.classes.iter().for_each(|path| self.classes.insert(path));
        namespaces.tables.iter().for_each(|path| self.tables.insert(path));
        namespaces.modules.iter().for_each(|path| self.modules.insert(path));
        self.updates.extend(namespaces.updates);
        self.puts.extend(namespaces.puts);
    }

    /// What a call of this path sets.
    pub fn of_call(&self, path: &str) -> Option<&Setter> {
        self.list.iter().find(|(calls, _)| calls.matches(path)).map(|(_, setter)| setter)
    }

    /// True for a class of a library whose objects have what others are given by name.
    pub fn fills(&self, class: &str) -> bool {
        self.list.iter().any(|(_, setter)| setter.objects.as_deref() == Some(class))
    }

    /// True for the last name of something that sets attributes.
    pub fn may_be(&self, last_name: &str) -> bool {
        self.last_names.contains(last_name)
    }

    /// A method of a mapping of names that takes names with their values: named, or in a mapping.
    pub fn updates(&self, method: &str) -> bool {
        self.updates.iter().any(|known| known == method)
    }

    /// A method of a mapping of names that takes one name and its value.
    pub fn puts(&self, method: &str) -> bool {
        self.puts.iter().any(|known| known == method)
    }

    /// The mapping of all modules, by their names.
    pub fn is_module_table(&self, path: &str) -> bool {
        self.modules.matches(path)
    }

    /// A function that hands back the names of the module it is called in.
    pub fn is_own_namespace(&self, path: &str) -> bool {
        self.own.matches(path)
    }

    /// A function that hands back the names of the function it is called in.
    pub fn is_local_namespace(&self, path: &str) -> bool {
        self.local.matches(path)
    }

    /// A function that hands back the names of what it is given.
    pub fn is_namespace_of(&self, path: &str) -> bool {
        self.of.matches(path)
    }

    /// A module whose name may stand for the mapping of its names.
    pub fn is_table(&self, path: &str) -> bool {
        self.tables.matches(path)
    }

    /// An attribute that holds the names of its object.
    pub fn is_namespace(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|known| known == attribute)
    }

    /// An attribute of a function that holds the names of its module.
    pub fn is_namespace_of_function(&self, attribute: &str) -> bool {
        self.of_functions.iter().any(|known| known == attribute)
    }

    /// An attribute of a function that is what it does.
    pub fn is_code(&self, attribute: &str) -> bool {
        self.code.iter().any(|known| known == attribute)
    }

    /// A call that makes a class of its name, its bases and its attributes.
    pub fn makes_class(&self, path: &str) -> bool {
        self.classes.matches(path)
    }
}
