//! Functions that do to what they are given what an operator or a statement does: `len(box)`, `operator.add(a, b)`. Data
//! (`[[implied]]`); which class has a method for it, link says.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use super::super::{BUILTINS, pattern::PatternMap};
use crate::ir::{Lang, Operator};

/// `[[implied]]` as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImpliedBy {
    pub does: Operator,
    #[serde(default)]
    call: Vec<String>,
    /// Methods of whatever object.
    #[serde(default)]
    method: Vec<String>,
    /// Which argument is asked, from 0; all of them without one.
    pub argument: Option<usize>,
    /// The same by the name of the argument.
    pub name: Option<String>,
    /// The decorator of a function asks what that is given.
    #[serde(default)]
    pub decorates: bool,
    /// The object is asked whose method it is.
    #[serde(default)]
    pub receiver: bool,
    /// The call hands back what the method does.
    #[serde(default)]
    pub gives: bool,
    /// Its elements are asked.
    #[serde(default)]
    pub element: bool,
    /// The type is asked that the result is wanted as.
    #[serde(default)]
    pub wanted: bool,
    /// What the method is given besides, by argument.
    #[serde(default)]
    pub given: Vec<usize>,
}

impl ImpliedBy {
    /// The same of each element of whatever it is given.
    pub fn of_elements(&self) -> Self {
        Self { element: true, argument: None, ..self.clone() }
    }
}

#[derive(Clone, Default, Debug)]
pub struct AllImpliedBy {
    list: Vec<ImpliedBy>,
    paths: PatternMap<usize>,
    methods: FxHashMap<(Option<Lang>, String), Vec<usize>>,
    last_names: FxHashSet<String>,
}

impl AllImpliedBy {
    pub fn add(&mut self, raw: Vec<ImpliedBy>, lang: Option<Lang>) {
        for implied in raw {
            let at = self.list.len();
            for path in &implied.call {
                self.paths.insert(path, at);
                self.last_names.extend(path.rsplit('.').next().map(str::to_owned));
            }
            for name in &implied.method {
                self.methods.entry((lang, name.clone())).or_default().push(at);
            }
            self.list.push(implied);
        }
    }

    /// True if some function or method that does something has this last name.
    pub fn may_be(&self, name: &str) -> bool {
        self.last_names.contains(name)
    }

    /// What a method of this name does besides, in a language.
    pub fn of_method(&self, lang: Lang, name: &str) -> impl Iterator<Item = &ImpliedBy> {
        let known = self.methods.get(&(Some(lang), name.to_owned()));
        known.into_iter().flatten().map(|&at| &self.list[at])
    }

    /// What a call of this path does besides; a path without a module is one of the language's own functions.
    pub fn of_function(&self, path: &str) -> Vec<&ImpliedBy> {
        let own: Vec<&ImpliedBy> = self.paths.all(path).map(|at| &self.list[at]).collect();
        match own[..] {
            [] if !path.contains('.') => {
                self.paths.all(&format!("{BUILTINS}{path}")).map(|at| &self.list[at]).collect()
            }
            _ => own,
        }
    }
}
