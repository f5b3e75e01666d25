//! What a language calls the methods that analyses know: one vocabulary, that of Python, and the names that others have for
//! it. Data (`[methods]`); knows no program.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::Error;

use crate::ir::Lang;

/// The names that analyses of data ask for.
const KNOWN: [&str; 27] = [
    "__contains__",
    "__int__",
    "__setitem__",
    "append",
    "clear",
    "copy",
    "endswith",
    "extend",
    "find",
    "get",
    "items",
    "lower",
    "lstrip",
    "partition",
    "pop",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rpartition",
    "rsplit",
    "rstrip",
    "setdefault",
    "split",
    "splitlines",
    "startswith",
    "strip",
];

/// `[methods]` as written: a known name, and what it is called.
#[derive(Default)]
pub(super) struct RawMethods(Vec<(String, &'static str)>);

impl<'de> Deserialize<'de> for RawMethods {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut all = Vec::new();
        for (name, spelled) in BTreeMap::<String, Vec<String>>::deserialize(deserializer)? {
            let known = KNOWN.iter().find(|known| **known == name);
            let known =
                known.ok_or_else(|| D::Error::custom(format!("nothing asks for a method `{name}`")))?;
            all.extend(spelled.into_iter().map(|spelled| (spelled, *known)));
        }
        Ok(Self(all))
    }
}

#[derive(Clone, Debug, Default)]
pub struct Methods(FxHashMap<(Lang, String), &'static str>);

impl Methods {
    pub(super) fn add(&mut self, raw: RawMethods, lang: Option<Lang>) {
        self.0.extend(
            lang.into_iter()
                .flat_map(|lang| raw.0.iter().map(move |(name, known)| ((lang, name.clone()), *known))),
        );
    }

    /// The name by which analyses know a method that is called so in that language.
    pub fn known<'n>(&self, lang: Lang, name: &'n str) -> &'n str {
        match lang {
            Lang::Python => name,
            _ => self.0.get(&(lang, name.to_owned())).copied().unwrap_or(name),
        }
    }
}
