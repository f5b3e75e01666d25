//! How commands and tools are registered: what frameworks mark, inherit from or register them by. The entries are data
//! (`rules/catalog/**/registrations.toml`, and a project's own); who uses them is `analysis::registrations`.

mod offers;

use serde::{Deserialize, Serialize};

use rustc_hash::FxHashSet;

pub use offers::Offers;

use super::globs::wildcard;
use super::pattern::{PatternMap, PatternSet};
use crate::finding::Confidence;
use crate::ir::Lang;

/// What a registration makes of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RegistrationKind {
    /// Called by its name, by whoever may type or send one.
    Command,
    /// Offered to a model.
    #[default]
    Tool,
}

/// One `[[registration]]`, in the catalogue and in a configuration: a way to register.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Registration {
    pub framework: Option<String>,
    pub kind: RegistrationKind,
    /// Whose code is meant; that of every language if there is none.
    #[serde(skip)]
    lang: Option<Lang>,
    /// Paths of decorators.
    pub decorator: Vec<String>,
    /// Last names of decorators that are known by nothing else.
    decorator_name: Vec<String>,
    /// Paths of base classes.
    pub base: Vec<String>,
    /// Last names of base classes that are known by nothing else.
    base_name: Vec<String>,
    /// What is called of a subclass, the usual one first.
    pub methods: Vec<String>,
    /// Paths of calls.
    pub call: Vec<String>,
    /// Calls that are known by nothing else: `receiver.method`, or a last name.
    call_name: Vec<String>,
    pub argument: Vec<Argument>,
    /// Keywords and attributes that hold the name, besides those of `Registrations::names`.
    pub named: Vec<String>,
    /// The position of the name.
    pub named_at: Option<usize>,
    /// The argument is a list of tools, and a name is not theirs.
    pub list: bool,
    /// The function runs what it is given the name of.
    pub dispatches: bool,
    /// Of a decorator: what stands first describes the tool, and is no name.
    pub describes: bool,
    /// Of a decorator of a class: keywords that list the methods that are meant; without them all that are public.
    pub listed: Vec<String>,
}

impl Registration {
    /// What a function of the project registers: these arguments, under the name that others hold.
    pub fn of_project(argument: Vec<Argument>, named: Vec<String>, named_at: Option<usize>) -> Self {
        Self { argument, named, named_at, ..Self::default() }
    }

    /// True if code of that language registers so.
    pub fn is_of(&self, lang: Lang) -> bool {
        self.lang.is_none_or(|own| own == lang)
    }
}

/// Which argument of a registering call is the function, or a list of functions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    pub index: Option<usize>,
    pub name: Option<String>,
}

/// `[tools]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawTools {
    names: Vec<String>,
    schemas: Vec<String>,
    declares: Vec<String>,
    never: Vec<String>,
    offers: Offers,
}

/// Decides what registers commands and tools.
#[derive(Clone, Debug, Default)]
pub struct Registrations {
    list: Vec<Registration>,
    decorators: PatternMap<usize>,
    decorator_names: PatternMap<usize>,
    bases: PatternMap<usize>,
    base_names: PatternMap<usize>,
    calls: PatternMap<usize>,
    /// By the last name of the callee, with the name of the receiver that it asks for.
    call_names: PatternMap<(usize, usize)>,
    /// Keywords, keys and attributes that hold the name of a tool.
    pub names: Vec<String>,
    /// Keys beside the name in a schema that a model is given.
    pub schemas: Vec<String>,
    /// Constructors of such schemas.
    pub declares: PatternSet,
    /// Decorators that are called like one that registers, and do not.
    pub never: PatternSet,
    /// What a project's own words register.
    pub own: Registration,
    /// What a project says without any framework.
    pub offers: Offers,
    /// Last names of what `calls` says, to tell most calls apart at once.
    call_lasts: FxHashSet<String>,
}

impl Registrations {
    pub(super) fn add_words(&mut self, raw: RawTools) {
        self.names.extend(raw.names);
        self.schemas.extend(raw.schemas);
        raw.never.iter().for_each(|path| self.never.insert(path));
        self.offers.append(raw.offers);
        raw.declares.iter().for_each(|path| self.declares.insert(path));
    }

    pub(super) fn add(&mut self, mut entry: Registration, lang: Option<Lang>) {
        entry.lang = lang;
        let at = self.list.len();
        entry.decorator.iter().for_each(|path| self.decorators.insert(path, at));
        entry.decorator_name.iter().for_each(|name| self.decorator_names.insert(name, at));
        entry.base.iter().for_each(|path| self.bases.insert(path, at));
        entry.base_name.iter().for_each(|name| self.base_names.insert(name, at));
        for path in &entry.call {
            self.calls.insert(path, at);
            self.call_lasts.insert(path.rsplit('.').next().unwrap_or(path).to_owned());
        }
        for (nth, spelled) in entry.call_name.iter().enumerate() {
            self.call_names.insert(spelled.rsplit('.').next().unwrap_or(spelled), (at, nth));
        }
        self.list.push(entry);
    }

    /// What a decorator of this path registers in code of that language.
    pub fn decorators(&self, lang: Lang, path: &str) -> Vec<&Registration> {
        self.decorators.all(path).map(|at| &self.list[at]).filter(|entry| entry.is_of(lang)).collect()
    }

    /// What a decorator of this last name registers, whatever it is.
    pub fn decorators_named(&self, lang: Lang, name: &str) -> Vec<&Registration> {
        self.decorator_names.all(name).map(|at| &self.list[at]).filter(|entry| entry.is_of(lang)).collect()
    }

    /// What a subclass of this class is, and how sure that is: by its path, or by its last name alone.
    pub fn bases(&self, lang: Lang, path: &str) -> Vec<(&Registration, Confidence)> {
        let last = path.rsplit('.').next().unwrap_or(path);
        let sure = self.bases.all(path).map(|at| (&self.list[at], Confidence::High));
        let all = sure.chain(self.base_names.all(last).map(|at| (&self.list[at], Confidence::Medium)));
        all.filter(|(entry, _)| entry.is_of(lang)).collect()
    }

    /// What a call of this path registers.
    pub fn calls(&self, path: &str) -> Vec<&Registration> {
        self.calls.all(path).map(|at| &self.list[at]).collect()
    }

    /// True if some call of this last name registers.
    pub fn may_call(&self, last_name: &str) -> bool {
        self.call_lasts.contains(last_name)
    }

    /// What a call of something with this last name registers, as far as its receiver is called so, too.
    pub fn calls_named(&self, receiver: &str, name: &str) -> Vec<&Registration> {
        let fits = |&(at, nth): &(usize, usize)| {
            let spelled = &self.list[at].call_name[nth];
            spelled.rsplit_once('.').is_none_or(|(wanted, _)| wildcard(wanted, receiver))
        };
        self.call_names.all(name).filter(fits).map(|(at, _)| &self.list[at]).collect()
    }
}
