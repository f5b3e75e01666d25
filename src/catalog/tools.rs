//! Which functions are tools: what frameworks mark, inherit from or register them by. The lists are data
//! (`rules/catalog/**/tools.toml`); who uses them is `analysis::roles`.

use serde::Deserialize;

use super::pattern::{PatternMap, PatternSet};
use crate::finding::Confidence;

/// `[tools]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTools {
    /// Paths of decorators.
    #[serde(default)]
    decorator: Vec<String>,
    /// Last names of decorators that are known by nothing else.
    #[serde(default)]
    decorator_name: Vec<String>,
    #[serde(default)]
    base: Vec<RawBase>,
    #[serde(default)]
    registration: Vec<Registration>,
    /// Keywords, keys and attributes that hold the name of a tool.
    #[serde(default)]
    names: Vec<String>,
    /// Keys beside the name in a schema that a model is given.
    #[serde(default)]
    schemas: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBase {
    #[serde(default)]
    class: Vec<String>,
    /// Last names of base classes that are known by nothing else.
    #[serde(default)]
    name: Vec<String>,
    methods: Vec<String>,
}

/// A call that registers tools.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    #[serde(default)]
    call: Vec<String>,
    /// Last names that say enough, whatever the receiver is.
    #[serde(default)]
    name: Vec<String>,
    pub argument: Vec<Argument>,
    /// The position of the tool's name; its keywords are those of `names`.
    pub named_at: Option<usize>,
    /// The argument is a list of tools, and a name is not theirs.
    #[serde(default)]
    pub list: bool,
}

/// Which argument of a registering call is the tool, or a list of tools.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    pub index: Option<usize>,
    pub name: Option<String>,
}

/// Decides what makes a function a tool.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    decorators: PatternSet,
    decorator_names: PatternSet,
    bases: Vec<Base>,
    registrations: PatternMap<usize>,
    registration_list: Vec<Registration>,
    /// Keywords, keys and attributes that hold the name of a tool.
    pub names: Vec<String>,
    /// Keys beside the name in a schema that a model is given.
    pub schemas: Vec<String>,
}

#[derive(Clone, Debug)]
struct Base {
    classes: PatternSet,
    names: PatternSet,
    methods: Vec<String>,
}

impl Tools {
    pub(super) fn add(&mut self, raw: RawTools) {
        raw.decorator.iter().for_each(|path| self.decorators.insert(path));
        raw.decorator_name.iter().for_each(|name| self.decorator_names.insert(name));
        self.bases.extend(raw.base.into_iter().map(|base| Base {
            classes: PatternSet::new(&base.class),
            names: PatternSet::new(&base.name),
            methods: base.methods,
        }));
        for registration in raw.registration {
            let at = self.registration_list.len();
            registration.call.iter().for_each(|path| self.registrations.insert(path, at));
            self.registration_list.push(registration);
        }
        self.names.extend(raw.names);
        self.schemas.extend(raw.schemas);
    }

    /// How sure it is that a function with this decorator is a tool: by the path it resolved to, or by its name alone.
    pub fn marks(&self, paths: &[&str], name: &str) -> Option<Confidence> {
        if paths.iter().any(|path| self.decorators.matches(path)) {
            return Some(Confidence::High);
        }
        self.decorator_names.matches(name).then_some(Confidence::Medium)
    }

    /// True if some framework calls methods of this name.
    pub fn runs(&self, method: &str) -> bool {
        self.bases.iter().any(|base| base.methods.iter().any(|known| known == method))
    }

    /// How sure it is that this method of a class with these base classes is what a tool runs.
    pub fn inherits(&self, bases: &[&str], method: &str) -> Option<Confidence> {
        let fitting = self.bases.iter().filter(|base| base.methods.iter().any(|known| known == method));
        let sure = |base: &Base| {
            if bases.iter().any(|path| base.classes.matches(path)) {
                return Some(Confidence::High);
            }
            let last = |path: &&str| base.names.matches(path.rsplit('.').next().unwrap_or(path));
            bases.iter().any(last).then_some(Confidence::Medium)
        };
        fitting.filter_map(sure).max()
    }

    /// How a call of this path registers tools.
    pub fn registrations<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a Registration> + 'a {
        self.registrations.all(path).map(|at| &self.registration_list[at])
    }

    /// How a call of something with this last name registers tools, whatever it belongs to.
    pub fn registrations_named<'a>(
        &'a self,
        last_name: &'a str,
    ) -> impl Iterator<Item = &'a Registration> + 'a {
        let is_meant = move |known: &String| known == last_name;
        self.registration_list.iter().filter(move |registration| registration.name.iter().any(is_meant))
    }
}
