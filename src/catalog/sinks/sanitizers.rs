//! Calls whose results are harmless for a purpose: quoted, cut to the last part of a path, or made of arguments that do not
//! decide. Data (`[[sanitizer]]`); knows no program.

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::{Purpose, Purposes};
use crate::catalog::BUILTINS;
use crate::catalog::effects::ArgumentTest;
use crate::catalog::pattern::{PatternMap, PatternSet};
use crate::ir::Lang;

/// One `[[sanitizer]]` as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::catalog) struct RawSanitizer {
    #[serde(default)]
    call: Vec<String>,
    /// Methods, whatever they belong to.
    #[serde(default)]
    method: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
    r#for: Vec<Purpose>,
    argument: Option<ArgumentTest>,
    decides: Option<ArgumentTest>,
    proven: Option<Purpose>,
    empty: Option<ArgumentTest>,
}

/// What a result is harmless for, and what of it.
#[derive(Clone, Debug)]
pub struct Sanitizer {
    except: PatternSet,
    pub purposes: Purposes,
    /// Only what this argument brings.
    pub argument: Option<ArgumentTest>,
    /// What all arguments bring but this one.
    pub decides: Option<ArgumentTest>,
    /// Only if what is brought is harmless for this before.
    pub proven: Option<Purpose>,
    /// Only if this argument is an empty text.
    pub empty: Option<ArgumentTest>,
}

#[derive(Clone, Default, Debug)]
pub struct Sanitizers {
    calls: PatternMap<u32>,
    list: Vec<Sanitizer>,
    methods: FxHashMap<String, Purposes>,
    /// Functions that make all of a value harmless, in the order of the catalogue.
    named: Vec<(Option<Lang>, Purposes, String)>,
}

impl Sanitizers {
    pub(in crate::catalog) fn add(&mut self, raw: RawSanitizer, lang: Option<Lang>) {
        let purposes: Purposes = raw.r#for.into_iter().collect();
        let RawSanitizer { argument, decides, proven, empty, .. } = raw;
        let id = self.list.len() as u32;
        raw.call.iter().for_each(|path| self.calls.insert(path, id));
        if argument.is_none() && decides.is_none() {
            let plain = raw.call.iter().filter(|path| !path.contains('*'));
            self.named.extend(plain.map(|path| (lang, purposes, path.clone())));
        }
        for method in raw.method {
            let known = self.methods.entry(method).or_default();
            *known = known.with(purposes);
        }
        let except = PatternSet::new(&raw.except);
        self.list.push(Sanitizer { except, purposes, argument, decides, proven, empty });
    }

    /// What is known of the result of a call of `path`.
    pub fn of<'c>(&'c self, path: &'c str) -> impl Iterator<Item = &'c Sanitizer> + 'c {
        let known = self.calls.all(path).map(|id| &self.list[id as usize]);
        known.filter(move |known| !known.except.matches(path))
    }

    /// The same of a method of which only the name is known.
    pub fn of_method(&self, name: &str) -> Purposes {
        self.methods.get(name).copied().unwrap_or_default()
    }

    /// Functions of a language whose results are harmless for a purpose, as a reader knows them.
    pub fn names(&self, purpose: Purpose, lang: Lang) -> impl Iterator<Item = &str> {
        let named = self
            .named
            .iter()
            .filter(move |(own, purposes, _)| purposes.has(purpose) && own.is_none_or(|own| own == lang));
        named.map(|(_, _, path)| path.strip_prefix(BUILTINS).unwrap_or(path))
    }
}
