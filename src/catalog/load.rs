//! Reads catalogue files: raw (as written) in, compiled out. Built-in and user files share this loader.

use std::error::Error;

use serde::Deserialize;

use super::actions::{RawActions, RawNamed};
use super::audit::RawAudit;
use super::bases::Bases;
use super::boundaries::RawBoundaries;
use super::capture::Capture;
use super::checklist::{Limits, RawChecklist};
use super::checks::{Aspect, Check};
use super::effects::{RawEffect, RawSource};
use super::exceptions::Exceptions;
use super::extension::{Extension, RawReturns};
use super::flow::RawFlow;
use super::guards::{RawAttribution, RawFence, RawValues};
use super::handlers::Handlers;
use super::holders::RawHolders;
use super::logs::RawLogs;
use super::names::RawNames;
use super::operations::{ImpliedBy, RawDataOp};
use super::pattern::PatternMap;
use super::registrations::{RawTools, Registration};
use super::selector::RawPlanning;
use super::setters::{RawNamespaces, Setter};
use super::sinks::{Commands, RawSanitizer, Sink};
use super::tells::RawTells;
use super::texts::{RawPath, RawText, RawTexts};
use super::vocabulary::{Fallback, RawVocabulary};
use super::wrappers::Words;
use super::{
    Alias, AliasId, Callback, CallbackId, Catalog, ClassWords, IrreversibilityWords, Loader, LoaderId,
    Runtime, SessionWords, TextId, ToolName,
};
use crate::ir::Lang;
use crate::record::Schema;

/// A catalogue file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("catalogue file `{file}` is invalid: {source}")]
pub struct CatalogError {
    pub file: String,
    #[source]
    pub source: Box<dyn Error + Send + Sync>,
}

fn invalid(file: &str, source: impl Error + Send + Sync + 'static) -> CatalogError {
    CatalogError { file: file.to_owned(), source: Box::new(source) }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCatalog {
    #[serde(default)]
    effect: Vec<RawEffect>,
    #[serde(default)]
    source: Vec<RawSource>,
    #[serde(default)]
    returns: Vec<RawReturns>,
    #[serde(default)]
    alias: Vec<Alias>,
    #[serde(default)]
    callback: Vec<Callback>,
    #[serde(default)]
    loader: Vec<Loader>,
    #[serde(default)]
    fallback: Vec<Fallback>,
    #[serde(default)]
    record: Vec<Schema>,
    #[serde(default)]
    manifest: Vec<Schema>,
    #[serde(default)]
    tool_classes: ClassWords,
    #[serde(default)]
    irreversibility: Vec<IrreversibilityWords>,
    #[serde(default)]
    tool_name: Vec<ToolName>,
    #[serde(default)]
    sessions: SessionWords,
    #[serde(default)]
    actions: RawActions,
    #[serde(default)]
    logs: RawLogs,
    runtime: Option<Runtime>,
    #[serde(default)]
    action_gate: Vec<RawNamed>,
    #[serde(default)]
    no_action_gate: Vec<RawNamed>,
    #[serde(default)]
    executor: Vec<RawNamed>,
    planning: Option<RawPlanning>,
    phase: Option<RawVocabulary>,
    #[serde(default)]
    tools: RawTools,
    #[serde(default)]
    registration: Vec<Registration>,
    #[serde(default)]
    handlers: Handlers,
    #[serde(default)]
    holders: RawHolders,
    #[serde(default)]
    audit: RawAudit,
    #[serde(default)]
    workspace: RawWorkspace,
    #[serde(default)]
    attribution: RawAttribution,
    #[serde(default)]
    capture: Capture,
    #[serde(default)]
    exceptions: Exceptions,
    #[serde(default)]
    boundaries: RawBoundaries,
    #[serde(default)]
    fence: RawFence,
    #[serde(default)]
    flow: RawFlow,
    #[serde(default)]
    checklist: RawChecklist,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    tells: RawTells,
    #[serde(default)]
    texts: RawTexts,
    #[serde(default)]
    text: Vec<RawText>,
    #[serde(default)]
    path: Vec<RawPath>,
    #[serde(default)]
    operation: Vec<RawDataOp>,
    #[serde(default)]
    implied: Vec<ImpliedBy>,
    #[serde(default)]
    names: Vec<RawNames>,
    #[serde(default)]
    values: RawValues,
    #[serde(default)]
    builtins: RawBuiltins,
    #[serde(default)]
    classes: RawClasses,
    #[serde(default)]
    bases: Bases,
    /// Names that every file of the language knows, by the module or type they are in.
    #[serde(default)]
    prelude: rustc_hash::FxHashMap<String, Vec<String>>,
    #[serde(default)]
    wrappers: Words,
    #[serde(default)]
    setter: Vec<Setter>,
    #[serde(default)]
    namespaces: RawNamespaces,
    #[serde(default)]
    sink: Vec<Sink>,
    #[serde(default)]
    sanitizer: Vec<RawSanitizer>,
    #[serde(default)]
    commands: Commands,
    #[serde(default)]
    check: Vec<Check>,
    #[serde(default)]
    aspect: Vec<Aspect>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWorkspace {
    #[serde(default)]
    paths: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawClasses {
    initialisers: Vec<String>,
    validators: Vec<String>,
    fields: Vec<String>,
    subclasses: Vec<String>,
    dispatchers: Vec<String>,
    registers: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBuiltins {
    /// Whose functions and methods these are; Python's unless it says so.
    language: Option<Lang>,
    #[serde(default)]
    modules: Vec<String>,
    #[serde(default)]
    functions: Vec<String>,
    #[serde(default)]
    methods: Vec<String>,
}

impl Catalog {
    /// Compiles catalogue files, given as (name, TOML text), in order.
    pub fn load<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, CatalogError> {
        let read = |(file, text): (&'a str, &'a str)| {
            toml::from_str(text).map(|raw| (file.to_owned(), raw)).map_err(|error| invalid(file, error))
        };
        Ok(Self::compiled(files.into_iter().map(read).collect::<Result<_, _>>()?))
    }

    /// The same of what the build has made of them, a JSON list of (name, content).
    pub fn load_built(json: &str) -> Result<Self, CatalogError> {
        Ok(Self::compiled(serde_json::from_str(json).map_err(|error| invalid("catalog.json", error))?))
    }

    fn compiled(files: Vec<(String, RawCatalog)>) -> Self {
        let mut catalog = Catalog::default();
        files.into_iter().for_each(|(file, raw)| catalog.add(raw, language(&file)));
        catalog
    }

    /// The catalogue of a project that adds something to this one.
    pub fn extended(&self, by: &Extension) -> Self {
        let mut catalog = self.clone();
        catalog.returns = PatternMap::default();
        catalog.aliases = PatternMap::default();
        catalog.callbacks = PatternMap::default();
        catalog.callback_names = PatternMap::default();
        catalog.loaders = PatternMap::default();
        catalog.extend(by.clone(), None);
        catalog.returns.append(&self.returns);
        catalog.aliases.append(&self.aliases);
        catalog.callbacks.append(&self.callbacks);
        catalog.callback_names.append(&self.callback_names);
        catalog.loaders.append(&self.loaders);
        catalog
    }

    fn add(&mut self, raw: RawCatalog, lang: Option<Lang>) {
        let by = Extension {
            effects: raw.effect,
            returns: raw.returns,
            aliases: raw.alias,
            callbacks: raw.callback,
            loaders: raw.loader,
            audit_writers: raw.audit.writers.clone(),
            workspace_paths: raw.workspace.paths,
            fence_markers: Vec::new(),
            handlers: raw.handlers,
            registrations: raw.registration,
        };
        self.extend(by, lang);
        if let Some(planning) = raw.planning {
            self.planning = planning.compile();
        }
        if let Some(phase) = raw.phase {
            self.phase = phase.compile();
        }
        self.actions.add(raw.actions);
        self.logs.add(raw.logs);
        self.runtime = raw.runtime.unwrap_or_else(|| std::mem::take(&mut self.runtime));
        raw.action_gate.into_iter().for_each(|gate| self.actions.add_gate(gate));
        raw.no_action_gate.into_iter().for_each(|gate| self.actions.add_no_gate(gate));
        raw.executor.into_iter().for_each(|executor| self.actions.add_executor(executor));
        self.fallbacks.extend(raw.fallback);
        self.records.0.extend(raw.record);
        self.manifests.0.extend(raw.manifest);
        raw.source.into_iter().for_each(|source| self.add_source(source, lang));
        self.classes.append(raw.tool_classes);
        self.irreversibility.extend(raw.irreversibility);
        self.tool_names.extend(raw.tool_name);
        self.sessions.append(raw.sessions);
        self.registrations.add_words(raw.tools);
        self.flow.add(raw.flow);
        raw.sink.into_iter().for_each(|sink| self.sinks.add(sink));
        self.sinks.commands.add(raw.commands);
        self.checks.add(raw.check, raw.aspect);
        raw.sanitizer.into_iter().for_each(|sanitizer| self.sinks.sanitizers.add(sanitizer, lang));
        self.holders.add(raw.holders);
        self.checklist.add(raw.checklist);
        self.limits.append(raw.limits);
        self.tells.add(raw.tells);
        self.built_texts.add(raw.texts);
        self.text_ops.add(raw.text, lang);
        self.path_ops.add(raw.path, lang);
        self.sets.add(raw.names);
        self.operations.add(raw.operation, lang);
        self.operations.implied.add(raw.implied, lang);
        self.boundaries.add(raw.boundaries);
        self.audit.add(raw.audit);
        self.capture.add(raw.capture);
        self.exceptions.add(raw.exceptions);
        self.attribution.add(raw.attribution);
        self.fence.add(raw.fence);
        self.handed_on.add(raw.values);
        match raw.builtins.language {
            Some(Lang::Rust) => self.wrappers.add_methods(raw.builtins.methods),
            Some(Lang::Python) | None => {
                self.standard_modules.extend(raw.builtins.modules);
                self.builtins.extend(raw.builtins.functions);
                self.builtin_methods.extend(raw.builtins.methods);
            }
        }
        self.initialisers.extend(raw.classes.initialisers);
        self.validators.extend(raw.classes.validators);
        self.subclass_lists.extend(raw.classes.subclasses);
        raw.classes.dispatchers.iter().for_each(|path| self.dispatchers.insert(path));
        self.registers.extend(raw.classes.registers);
        self.fields.extend(raw.classes.fields);
        self.bases.extend(raw.bases);
        self.wrappers.add(raw.prelude, raw.wrappers);
        self.setters.add(raw.setter, raw.namespaces);
    }

    /// What files in the folder of a language say is said of that language.
    fn extend(&mut self, mut by: Extension, lang: Option<Lang>) {
        // The first match counts: what is said of one path before what is said of many, the longer before the shorter.
        by.aliases.sort_by_key(|alias| (alias.path.contains('*'), std::cmp::Reverse(alias.path.len())));
        by.returns.sort_by_key(|returns| returns.call.iter().any(|call| call.contains('*')));
        by.effects.into_iter().for_each(|effect| self.add_effect(effect, lang));
        for returns in by.returns {
            let id = TextId(self.texts.len() as u32);
            self.texts.push(returns.r#type);
            returns.call.iter().for_each(|call| self.returns.insert(call, id));
        }
        for alias in by.aliases {
            let id = AliasId(self.alias_list.len() as u32);
            let pattern = alias.path.strip_suffix(".*").map(|module| format!("{module}.**"));
            self.aliases.insert(pattern.as_deref().unwrap_or(&alias.path), id);
            self.alias_list.push(alias);
        }
        for callback in by.callbacks {
            let id = CallbackId(self.callback_list.len() as u32);
            callback.call.iter().for_each(|call| self.callbacks.insert(call, id));
            callback.name.iter().for_each(|name| self.callback_names.insert(name, id));
            self.callback_list.push(callback);
        }
        for loader in by.loaders {
            let id = LoaderId(self.loader_list.len() as u32);
            loader.call.iter().for_each(|call| self.loaders.insert(call, id));
            if !loader.prepares {
                self.sinks.add_loader(&loader.call, loader.of, loader.argument.as_ref());
            }
            self.loader_list.push(loader);
        }
        by.audit_writers.iter().for_each(|path| self.audit.insert(path));
        by.workspace_paths.iter().for_each(|path| self.workspace.insert(path));
        self.handlers.append(by.handlers);
        by.registrations.into_iter().for_each(|entry| self.registrations.add(entry, lang));
        for marker in by.fence_markers {
            if !self.fence.markers.contains(&marker) {
                self.fence.markers.push(marker);
            }
        }
    }
}

/// The language of a catalogue file, by its folder.
fn language(file: &str) -> Option<Lang> {
    let folder = std::path::Path::new(file).parent()?.file_name()?;
    Lang::ALL.into_iter().find(|lang| folder == lang.name())
}
