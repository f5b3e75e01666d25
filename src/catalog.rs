//! The catalogue: what the world looks like, as data, from `rules/catalog/**.toml`. Which calls have which effect, which
//! library functions run the callables they are given, what they hand back, which functions plan. Knows no program.

mod actions;
mod audit;
mod bases;
mod boundaries;
mod callbacks;
mod capture;
mod checklist;
mod checks;
mod classes;
mod effects;
mod exceptions;
mod extension;
mod flow;
pub mod globs;
mod guarding;
mod guards;
mod handlers;
mod holders;
mod load;
mod loaders;
mod logs;
mod names;
mod operations;
pub mod pattern;
mod presets;
mod registrations;
mod runtime;
pub mod selector;
mod sessions;
mod setters;
mod sinks;
mod tells;
mod texts;
mod vocabulary;
mod workspace;
mod wrappers;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::ir::Lang;
use crate::record::Schemas;
pub use actions::{Actions, Speaks};
pub use audit::Audit;
pub use bases::Bases;
pub use boundaries::Boundaries;
pub use callbacks::{AT_ONCE, AWAITED, Callback, CallbackResult, Each, RunsWhen};
pub use capture::Capture;
pub use checklist::{Bound, Checklist, Limit, Limits, SECOND, says};
pub use checks::{Check, Checks, Outcome};
pub use classes::{ClassWord, ClassWords, IrreversibilityWords, ToolName, words_of_name};
pub use effects::{Access, ArgumentTest, Effect, RawEffect};
pub use exceptions::Exceptions;
pub use extension::{Extension, RawReturns};
pub use flow::Flow;
pub use globs::Globs;
pub use guarding::Guarding;
pub use guards::{Attribution, Fence, HandedOn};
pub use handlers::Handlers;
pub use holders::{HolderOp, Holders, ModelOp};
pub use load::CatalogError;
pub use loaders::{Loader, Loads};
pub use logs::{Level, Logs};
pub use names::{NameSet, Names};
pub use operations::{DataOp, DataOps, ImpliedBy};
use pattern::{PatternMap, PatternSet};
pub use presets::{preset, preset_names};
pub use registrations::{Argument, Offers, Registration, RegistrationKind, Registrations};
pub use runtime::Runtime;
pub use selector::Planning;
pub use sessions::SessionWords;
pub use setters::{Setter, Setters};
pub use sinks::{Commands, Form, Purpose, Purposes, Sanitizer, Sink, SinkId, Sinks};
pub use tells::Tells;
pub use texts::{Built, BuiltTexts, Makes, PathOp, PathOps, TextOp, TextOps};
pub use vocabulary::{Fallback, Naming, Vocabulary};
pub use workspace::{Workspace, folder_of, own_folder, plain_name};
pub use wrappers::Wrappers;

/// Where Python keeps its own functions.
pub const BUILTINS: &str = "builtins.";
/// Where Rust keeps its own library.
const STANDARD: &str = "std.";

/// What a call does to the outside world.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EffectKind {
    Network,
    Process,
    Storage,
    File,
    Hardware,
    Llm,
    Comm,
}

impl EffectKind {
    pub const ALL: [EffectKind; 7] = [
        EffectKind::Network,
        EffectKind::Process,
        EffectKind::Storage,
        EffectKind::File,
        EffectKind::Hardware,
        EffectKind::Llm,
        EffectKind::Comm,
    ];

    /// As rules and catalogue files write it.
    pub fn name(self) -> &'static str {
        match self {
            EffectKind::Network => "network",
            EffectKind::Process => "process",
            EffectKind::Storage => "storage",
            EffectKind::File => "file",
            EffectKind::Hardware => "hardware",
            EffectKind::Llm => "llm",
            EffectKind::Comm => "comm",
        }
    }

    /// As a reader reads it in a message: "… can reach a network call".
    pub fn noun(self) -> &'static str {
        match self {
            EffectKind::Network => "the network",
            EffectKind::Process => "a process",
            EffectKind::Storage => "storage",
            EffectKind::File => "a file outside the workspace",
            EffectKind::Hardware => "hardware",
            EffectKind::Llm => "a model provider",
            EffectKind::Comm => "a comm operation",
        }
    }
}

/// The catalogue of all languages, compiled.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    effects: Vec<Effect>,
    calls: PatternMap<EffectId>,
    names: PatternMap<EffectId>,
    parameters: PatternMap<EffectId>,
    callees: PatternMap<EffectId>,
    /// Calls that bring internal data into a session.
    sources: PatternMap<EffectId>,
    modules: PatternMap<EffectId>,
    /// The modules among them, without what is inside.
    effect_modules: PatternSet,
    /// External calls that hand back an instance although their name does not say so.
    pub returns: PatternMap<TextId>,
    aliases: PatternMap<AliasId>,
    alias_list: Vec<Alias>,
    callbacks: PatternMap<CallbackId>,
    callback_names: PatternMap<CallbackId>,
    callback_list: Vec<Callback>,
    texts: Vec<String>,
    /// The first names of the language's own modules.
    pub standard_modules: FxHashSet<String>,
    /// The modules of the language in which functions of network, process or hardware stand, and their first names.
    acting: FxHashSet<String>,
    acting_firsts: FxHashSet<String>,
    /// The first names of what the files of other languages than Rust speak of.
    libraries: FxHashSet<String>,
    /// Functions of the language itself.
    pub builtins: FxHashSet<String>,
    /// Methods of the built-in and standard types: never guessed to be a project's own.
    pub builtin_methods: FxHashSet<String>,
    /// Methods that run when an object is made, besides its constructor.
    pub initialisers: Vec<String>,
    /// Decorators whose methods run when an object is made.
    pub validators: FxHashSet<String>,
    /// Methods of a class that list the classes below it.
    pub subclass_lists: FxHashSet<String>,
    /// Decorators of functions that stand for others, by the type of an argument, and attributes that take those in.
    pub dispatchers: PatternSet,
    pub registers: FxHashSet<String>,
    /// Calls that stand for the default of a field, by their last name.
    pub fields: FxHashSet<String>,
    /// Base classes that say what objects are.
    pub bases: Bases,
    /// Calls that have a value for when there is none.
    pub fallbacks: Vec<Fallback>,
    pub planning: Planning,
    /// The words of the phase.
    pub phase: Vocabulary,
    /// The words of the gates of actions.
    pub actions: Actions,
    /// Who writes down what happens.
    pub logs: Logs,
    /// What a runtime does with tools.
    pub runtime: Runtime,
    pub registrations: Registrations,
    /// What tells which class a tool is of.
    pub classes: ClassWords,
    pub irreversibility: Vec<IrreversibilityWords>,
    pub tool_names: Vec<ToolName>,
    pub sessions: SessionWords,
    /// The forms of entries that class a tool.
    pub manifests: Schemas,
    pub handlers: Handlers,
    /// What libraries do with what they are given.
    pub holders: Holders,
    /// What is done with what calls are given, and what proves that it is harmless.
    pub sinks: Sinks,
    pub checks: Checks,
    loaders: PatternMap<LoaderId>,
    loader_list: Vec<Loader>,
    /// What rules name by its path, besides the effects.
    watched: PatternSet,
    pub audit: Audit,
    pub capture: Capture,
    pub exceptions: Exceptions,
    /// Where files may be touched.
    pub workspace: Workspace,
    pub attribution: Attribution,
    /// What stands where gates do.
    pub boundaries: Boundaries,
    pub fence: Fence,
    pub handed_on: HandedOn,
    pub flow: Flow,
    pub checklist: Checklist,
    pub limits: Limits,
    pub tells: Tells,
    /// Sets of names that need no more than a list.
    pub sets: Names,
    /// What functions and methods do, whatever a language calls them.
    pub operations: DataOps,
    /// Which calls build texts and paths.
    pub built_texts: BuiltTexts,
    pub text_ops: TextOps,
    pub path_ops: PathOps,
    /// The forms of records that a model may emit.
    pub records: Schemas,
    pub wrappers: Wrappers,
    pub setters: Setters,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EffectId(u32);
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct LoaderId(u32);
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextId(u32);
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AliasId(u32);
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallbackId(u32);

/// Two names of one thing; a trailing `.*` on both sides maps a whole module.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alias {
    path: String,
    is: String,
}

impl Catalog {
    pub fn effect(&self, id: EffectId) -> &Effect {
        &self.effects[id.0 as usize]
    }

    pub fn callback(&self, id: CallbackId) -> &Callback {
        &self.callback_list[id.0 as usize]
    }

    pub fn text(&self, id: TextId) -> &str {
        &self.texts[id.0 as usize]
    }

    /// The effects of a call that resolved to `path`, before a look at its arguments.
    pub fn call_effects<'a>(&'a self, path: &'a str) -> impl Iterator<Item = EffectId> + 'a {
        self.calls.all(path).filter(|&id| !self.effect(id).except.matches(path))
    }

    /// The entries for a call that brings internal data in, before a look at its arguments.
    pub fn call_sources<'a>(&'a self, path: &'a str) -> impl Iterator<Item = EffectId> + 'a {
        self.sources.all(path).filter(|&id| !self.effect(id).except.matches(path))
    }

    /// The last names of the loaders that are meant.
    pub fn loader_names(&self, is_meant: impl Fn(&Loader) -> bool) -> FxHashSet<&str> {
        let meant = self.loader_list.iter().filter(|loader| is_meant(loader));
        meant.flat_map(|loader| &loader.call).filter_map(|call| call.rsplit('.').next()).collect()
    }

    /// The loader that `path` is.
    pub fn loader(&self, path: &str) -> Option<&Loader> {
        self.loaders.first(path).map(|id| &self.loader_list[id.0 as usize])
    }

    /// True if importing exactly this module is an effect of some kind; not for a class or a function inside one.
    pub fn is_effect_module(&self, lang: Lang, module: &str) -> bool {
        self.effect_modules.matches(module) && self.module_effect(lang, module, None).is_some()
    }

    /// Lets rules name these paths, too.
    pub fn watch<S: AsRef<str>>(&mut self, paths: impl IntoIterator<Item = S>) {
        self.watched = PatternSet::new(paths);
    }

    /// True if somebody asks for calls of this function of the language itself: `builtins.eval`, or `eval` as a rule may say.
    pub fn asks_for(&self, builtin: &str) -> bool {
        self.call_effects(builtin).next().is_some()
            || self.call_sources(builtin).next().is_some()
            || self.loader(builtin).is_some()
            || self.sinks.of(builtin).next().is_some()
            || self.watched.matches(builtin)
            || builtin.strip_prefix(BUILTINS).is_some_and(|name| self.watched.matches(name))
    }

    /// True for a path of the language's own that nobody asks for.
    pub fn is_of_language(&self, path: &str) -> bool {
        path.starts_with(BUILTINS) || path.starts_with(STANDARD) && !self.asks_for(path)
    }

    /// The effects of a call whose receiver is known by nothing but its name, as written; some names count only for a
    /// parameter that the caller may fill with anything.
    pub fn name_effects<'a>(
        &'a self,
        spelled: &'a str,
        open_parameter: bool,
    ) -> impl Iterator<Item = EffectId> + 'a {
        let parameters = open_parameter.then(|| self.parameters.all(spelled));
        self.names.all(spelled).chain(parameters.into_iter().flatten())
    }

    /// The effects that an argument decides, by the last name of whatever is called; the caller tests the argument.
    pub fn callee_effects<'a>(&'a self, last_name: &'a str) -> impl Iterator<Item = EffectId> + 'a {
        self.callees.all(last_name)
    }

    /// The effect kind that importing `module` stands for in a file of that language. `name` is what is imported from it.
    pub fn module_effect(&self, lang: Lang, module: &str, name: Option<&str>) -> Option<&Effect> {
        let whole = name.map(|name| format!("{module}.{name}"));
        let path = whole.as_deref().unwrap_or(module);
        let find = |path| self.modules.all(path).map(|id| self.effect(id)).find(|effect| effect.is_of(lang));
        let effect = find(module).or_else(|| whole.as_deref().and_then(find))?;
        let excepted = effect.except_module.matches(module) || effect.except_module.matches(path);
        (!excepted).then_some(effect)
    }

    /// True if the catalogue speaks of a library of this name, or the language comes with it. Crates are no folders: their
    /// names are not asked for here.
    pub fn is_library(&self, first_name: &str) -> bool {
        self.standard_modules.contains(first_name) || self.libraries.contains(first_name)
    }

    pub fn callback_of(&self, path: &str) -> Option<CallbackId> {
        self.callbacks.first(path)
    }

    /// The callback whose callee has this last name, for a receiver that is not known.
    pub fn callback_named(&self, last_name: &str) -> Option<CallbackId> {
        self.callback_names.first(last_name)
    }

    /// The name under which the catalogue knows `path`, if it is another one.
    pub fn canonical(&self, path: &str) -> Option<String> {
        self.alias(path).or_else(|| self.reexported(path))
    }

    /// True for a module of the language whose functions act: `os`, `urllib.request`.
    pub fn acts(&self, module: &str) -> bool {
        self.acting.contains(module)
    }

    /// `shutil.os.system` is `os.system`: a module that another one of the language imports is an attribute of it.
    fn reexported(&self, path: &str) -> Option<String> {
        let first = path.split('.').next()?;
        if !self.standard_modules.contains(first) {
            return None;
        }
        let mut at = 0;
        while let Some(dot) = path[at..].find('.') {
            at += dot + 1;
            let rest = &path[at..];
            let name = rest.split('.').next()?;
            let is_own = at == first.len() + 1 && name == first;
            let is_module = self.standard_modules.contains(name) && self.acting_firsts.contains(name);
            if is_module && !is_own && self.calls.first(&path[..at + name.len()]).is_none() {
                return Some(rest.to_owned());
            }
        }
        None
    }

    fn alias(&self, path: &str) -> Option<String> {
        let alias = &self.alias_list[self.aliases.first(path)?.0 as usize];
        match (alias.path.strip_suffix(".*"), alias.is.strip_suffix(".*")) {
            (Some(from), Some(to)) => Some(format!("{to}{}", path.strip_prefix(from)?)),
            _ => Some(alias.is.clone()),
        }
    }
}
