//! What calls do to the outside world, as catalogue files say it: one entry, and what it asks for beside the path.

use serde::Deserialize;

use super::pattern::PatternSet;
use super::{Catalog, EffectId, EffectKind};
use crate::finding::Confidence;
use crate::ir::Lang;

/// What a call does to storage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Opens a database or a client of one.
    Open,
    Read,
    Write,
    /// The statement that `argument` names tells.
    Sql,
}

impl Access {
    pub const WORDS: [(&'static str, Access); 3] =
        [("open", Access::Open), ("read", Access::Read), ("write", Access::Write)];
}

/// One `[[effect]]`.
#[derive(Clone, Debug)]
pub struct Effect {
    /// None for a call that brings internal data in, whatever else it does.
    pub kind: Option<EffectKind>,
    pub(super) lang: Option<Lang>,
    pub confidence: Confidence,
    pub(super) except: PatternSet,
    pub(super) except_module: PatternSet,
    pub argument: Option<ArgumentTest>,
    /// For storage, where the entry says it.
    pub access: Option<Access>,
}

/// Restricts an effect to calls with, or without, a constant argument.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentTest {
    pub index: Option<usize>,
    pub name: Option<String>,
    /// The argument is given (true) or absent (false).
    pub present: Option<bool>,
    /// It is the receiver of the method that is tested, not an argument.
    #[serde(default)]
    pub receiver: bool,
    /// The argument is a path whose constant part leads out of the workspace.
    #[serde(default)]
    pub outside: bool,
    /// The argument is constant text (true) or anything else (false).
    pub string: Option<bool>,
    /// The constant is none of these; an unknown value passes.
    #[serde(default)]
    pub not: Vec<String>,
    /// The constant starts with one of these; an unknown value fails.
    #[serde(default)]
    pub starts: Vec<String>,
}

impl Effect {
    /// True if calls of that language are meant: `subprocess` is a module here and a crate there.
    pub fn is_of(&self, lang: Lang) -> bool {
        self.lang.is_none_or(|own| own == lang)
    }
}

/// One `[[effect]]` as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawEffect {
    kind: EffectKind,
    #[serde(default)]
    pub call: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
    #[serde(default)]
    pub module: Vec<String>,
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
    /// For storage.
    access: Option<Access>,
    confidence: Option<Confidence>,
}

/// One `[[source]]` as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSource {
    call: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
    argument: Option<ArgumentTest>,
    confidence: Option<Confidence>,
}

impl Catalog {
    pub(super) fn add_source(&mut self, raw: RawSource, lang: Option<Lang>) {
        let id = EffectId(self.effects.len() as u32);
        raw.call.iter().for_each(|path| self.sources.insert(path, id));
        self.effects.push(Effect {
            kind: None,
            lang,
            confidence: raw.confidence.unwrap_or(Confidence::High),
            except: PatternSet::new(&raw.except),
            except_module: PatternSet::default(),
            argument: raw.argument,
            access: None,
        });
    }

    /// True if the catalogue says what calls of this library do, or that they do nothing outside the program.
    pub fn tells_of(&self, first_name: &str) -> bool {
        self.is_library(first_name) || self.calls.begins_with(first_name) || self.tells.is_pure(first_name)
    }

    pub(super) fn add_effect(&mut self, raw: RawEffect, lang: Option<Lang>) {
        let id = EffectId(self.effects.len() as u32);
        raw.call.iter().for_each(|path| self.calls.insert(path, id));
        raw.module.iter().for_each(|path| {
            self.modules.insert(path, id);
            self.modules.insert(&format!("{path}.**"), id);
            self.effect_modules.insert(path);
        });
        raw.name.iter().for_each(|path| self.names.insert(path, id));
        raw.parameter.iter().for_each(|path| self.parameters.insert(path, id));
        raw.callee.iter().for_each(|name| self.callees.insert(name, id));
        // Crates are found by Cargo: they take no name from a folder of Python.
        if lang != Some(Lang::Rust) {
            let firsts = raw.call.iter().chain(&raw.module).filter_map(|path| path.split('.').next());
            self.libraries.extend(firsts.filter(|first| !first.contains('*')).map(str::to_owned));
        }
        let acts = matches!(raw.kind, EffectKind::Network | EffectKind::Process | EffectKind::Hardware);
        if lang == Some(Lang::Python) && acts {
            for (module, name) in raw.call.iter().filter_map(|path| path.rsplit_once('.')) {
                let is_function = name.chars().next().is_some_and(char::is_lowercase);
                let first = module.split('.').next().unwrap_or(module);
                let is_module = !module.contains(|c: char| c == '*' || c.is_uppercase());
                if is_function && is_module {
                    self.acting.insert(module.to_owned());
                    self.acting_firsts.insert(first.to_owned());
                }
            }
        }
        if let (Some(Access::Sql), Some(argument)) = (raw.access, &raw.argument) {
            self.sinks.add_query(&raw.call, argument, raw.confidence.unwrap_or(Confidence::High));
        }
        let except_module = raw.except_module.iter().flat_map(|m| [m.clone(), format!("{m}.**")]);
        self.effects.push(Effect {
            kind: Some(raw.kind),
            lang,
            confidence: raw.confidence.unwrap_or(Confidence::High),
            except: PatternSet::new(&raw.except),
            except_module: PatternSet::new(except_module),
            argument: raw.argument,
            access: raw.access,
        });
    }
}
