//! Reads catalogue files: raw (as written) in, compiled out. Built-in and user files share this loader.

use serde::Deserialize;

use super::guards::{Attribution, RawFence, RawValues};
use super::pattern::PatternSet;
use super::selector::RawPlanning;
use super::tools::RawTools;
use super::{
    Alias, AliasId, ArgumentTest, Callback, CallbackId, Catalog, Effect, EffectId, EffectKind, TextId,
};
use crate::finding::Confidence;

/// A catalogue file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("catalogue file `{file}` is invalid: {source}")]
pub struct CatalogError {
    pub file: String,
    #[source]
    pub source: Box<toml::de::Error>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCatalog {
    #[serde(default)]
    effect: Vec<RawEffect>,
    #[serde(default)]
    returns: Vec<RawReturns>,
    #[serde(default)]
    alias: Vec<Alias>,
    #[serde(default)]
    callback: Vec<Callback>,
    planning: Option<RawPlanning>,
    #[serde(default)]
    tools: RawTools,
    #[serde(default)]
    audit: RawAudit,
    #[serde(default)]
    attribution: Attribution,
    #[serde(default)]
    fence: RawFence,
    #[serde(default)]
    values: RawValues,
    #[serde(default)]
    builtins: RawBuiltins,
    #[serde(default)]
    classes: RawClasses,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEffect {
    kind: EffectKind,
    #[serde(default)]
    call: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
    #[serde(default)]
    module: Vec<String>,
    #[serde(default)]
    except_module: Vec<String>,
    /// Receivers known by name only.
    #[serde(default)]
    name: Vec<String>,
    /// Parameters known by name only.
    #[serde(default)]
    parameter: Vec<String>,
    /// Last names of callees whose argument decides.
    #[serde(default)]
    callee: Vec<String>,
    argument: Option<ArgumentTest>,
    confidence: Option<Confidence>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawReturns {
    call: Vec<String>,
    r#type: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAudit {
    #[serde(default)]
    functions: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawClasses {
    #[serde(default)]
    initialisers: Vec<String>,
    #[serde(default)]
    validators: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBuiltins {
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
        let mut catalog = Catalog::default();
        let mut audit = Vec::new();
        for (file, text) in files {
            let raw: RawCatalog = toml::from_str(text)
                .map_err(|source| CatalogError { file: file.to_owned(), source: Box::new(source) })?;
            catalog.add(raw, &mut audit);
        }
        catalog.audit = PatternSet::new(audit);
        Ok(catalog)
    }

    fn add(&mut self, mut raw: RawCatalog, audit: &mut Vec<String>) {
        // The first match counts: what is said of one path before what is said of many, the longer before the shorter.
        raw.alias.sort_by_key(|alias| (alias.path.contains('*'), std::cmp::Reverse(alias.path.len())));
        raw.returns.sort_by_key(|returns| returns.call.iter().any(|call| call.contains('*')));
        raw.effect.into_iter().for_each(|effect| self.add_effect(effect));
        for returns in raw.returns {
            let id = TextId(self.texts.len() as u32);
            self.texts.push(returns.r#type);
            returns.call.iter().for_each(|call| self.returns.insert(call, id));
        }
        for alias in raw.alias {
            let id = AliasId(self.alias_list.len() as u32);
            let pattern = alias.path.strip_suffix(".*").map(|module| format!("{module}.**"));
            self.aliases.insert(pattern.as_deref().unwrap_or(&alias.path), id);
            self.alias_list.push(alias);
        }
        for callback in raw.callback {
            let id = CallbackId(self.callback_list.len() as u32);
            callback.call.iter().for_each(|call| self.callbacks.insert(call, id));
            callback.name.iter().for_each(|name| self.callback_names.insert(name, id));
            self.callback_list.push(callback);
        }
        if let Some(planning) = raw.planning {
            self.planning = planning.compile();
        }
        self.tools.add(raw.tools);
        audit.extend(raw.audit.functions);
        self.attribution.keys.extend(raw.attribution.keys);
        self.fence.add(raw.fence);
        self.handed_on.add(raw.values);
        self.standard_modules.extend(raw.builtins.modules);
        self.builtins.extend(raw.builtins.functions);
        self.builtin_methods.extend(raw.builtins.methods);
        self.initialisers.extend(raw.classes.initialisers);
        self.validators.extend(raw.classes.validators);
    }

    fn add_effect(&mut self, raw: RawEffect) {
        let id = EffectId(self.effects.len() as u32);
        raw.call.iter().for_each(|path| self.calls.insert(path, id));
        raw.module.iter().for_each(|path| {
            self.modules.insert(path, id);
            self.modules.insert(&format!("{path}.**"), id);
        });
        raw.name.iter().for_each(|path| self.names.insert(path, id));
        raw.parameter.iter().for_each(|path| self.parameters.insert(path, id));
        raw.callee.iter().for_each(|name| self.callees.insert(name, id));
        let except_module = raw.except_module.iter().flat_map(|m| [m.clone(), format!("{m}.**")]);
        self.effects.push(Effect {
            kind: raw.kind,
            confidence: raw.confidence.unwrap_or(Confidence::High),
            except: PatternSet::new(&raw.except),
            except_module: PatternSet::new(except_module),
            argument: raw.argument,
        });
    }
}
