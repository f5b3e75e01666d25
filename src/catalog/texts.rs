//! Which calls of a language build text or paths out of others: data (`[texts]`), for languages whose library is not read in
//! `link::constants` itself, and which operation on a text a call is (`[[text]]`). Knows no program.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use super::pattern::{PatternMap, PatternSet};
use crate::ir::Lang;

/// What is done to a text, a number or a list; the catalogue says which calls do so.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextOp {
    Same,
    Lower,
    Upper,
    SwapCase,
    Title,
    Capitalize,
    Trim,
    TrimStart,
    TrimEnd,
    Replace,
    DropPrefix,
    DropSuffix,
    Split,
    Decode,
    Encode,
    Base64,
    Base64Url,
    Base32,
    Hex,
    Rot13,
    Character,
    CodePoint,
    Number,
    Length,
    Elements,
    Unordered,
    Reversed,
    Mapped,
    Joined,
    /// What a function, a class or a module says of itself.
    Documentation,
}

/// `[[text]]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawText {
    #[serde(default)]
    call: Vec<String>,
    #[serde(default)]
    method: Vec<String>,
    /// In lower case, with hyphens.
    #[serde(default)]
    codec: Vec<String>,
    does: TextOp,
}

/// What is done with the path of a file, or with its content.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathOp {
    /// The same path, or the same text.
    Same,
    Below,
    Beside,
    Parent,
    Open,
    Read,
    /// The file at it gets what it is given.
    Write,
    /// The path of a file that is open.
    PathOf,
    /// The file at the next path gets what is in it.
    Copy,
    /// The next file gets what is read from it.
    Pour,
    /// The text that it is given, or one that says the same.
    Content,
    /// The path of the file that the name stands in.
    OwnFile,
}

/// `[[path]]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPath {
    #[serde(default)]
    call: Vec<String>,
    /// Methods, attributes and names.
    #[serde(default)]
    method: Vec<String>,
    does: PathOp,
}

/// Operations on paths, by the calls of a language.
#[derive(Clone, Debug, Default)]
pub struct PathOps {
    calls: PatternMap<PathOp>,
    methods: FxHashMap<(Lang, String), PathOp>,
}

impl PathOps {
    pub(super) fn add(&mut self, raw: Vec<RawPath>, lang: Option<Lang>) {
        for RawPath { call, method, does } in raw {
            call.iter().for_each(|path| self.calls.insert(path, does));
            let named = |name| lang.map(|lang| ((lang, name), does));
            self.methods.extend(method.into_iter().filter_map(named));
        }
    }

    pub fn of_call(&self, path: &str) -> Option<PathOp> {
        self.calls.all(path).next()
    }

    pub fn of_method(&self, lang: Lang, name: &str) -> Option<PathOp> {
        self.methods.get(&(lang, name.to_owned())).copied()
    }
}

/// Operations on texts, by the calls of a language.
#[derive(Clone, Debug, Default)]
pub struct TextOps {
    calls: PatternMap<TextOp>,
    methods: FxHashMap<(Lang, String), TextOp>,
    codecs: FxHashMap<String, TextOp>,
}

impl TextOps {
    /// Methods are those of the language whose folder the file is in.
    pub(super) fn add(&mut self, raw: Vec<RawText>, lang: Option<Lang>) {
        for RawText { call, method, codec, does } in raw {
            call.iter().for_each(|path| self.calls.insert(path, does));
            self.codecs.extend(codec.into_iter().map(|name| (name, does)));
            let named = |name| lang.map(|lang| ((lang, name), does));
            self.methods.extend(method.into_iter().filter_map(named));
        }
    }

    pub fn of_call(&self, path: &str) -> Option<TextOp> {
        self.calls.all(path).next()
    }

    pub fn of_method(&self, lang: Lang, name: &str) -> Option<TextOp> {
        self.methods.get(&(lang, name.to_owned())).copied()
    }

    pub fn of_codec(&self, name: &str) -> Option<TextOp> {
        self.codecs.get(&name.to_lowercase().replace('_', "-")).copied()
    }
}

/// `[texts]` as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawTexts {
    same: Vec<String>,
    same_method: Vec<String>,
    below_method: Vec<String>,
    changed_method: Vec<String>,
    otherwise_method: Vec<String>,
    mapped_method: Vec<String>,
    home_method: Vec<String>,
    home: Vec<String>,
    in_home: Vec<String>,
    environment: Vec<String>,
}

/// What a method makes of the text that it is called on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Makes {
    /// The same, as another type.
    Same,
    /// A path below it.
    Below,
    /// What begins like it.
    Changed,
    /// The same, or the argument if there is none.
    Otherwise,
    /// What a closure makes of it.
    Mapped,
    /// The user's home, whatever it is called on.
    Home,
}

/// What a function makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Built {
    /// The text of its first argument.
    Same,
    Home,
    /// A folder below the home directory.
    InHome,
    /// The variable of the environment that its first argument names.
    Variable,
}

#[derive(Clone, Debug, Default)]
pub struct BuiltTexts {
    same: PatternSet,
    home: PatternSet,
    in_home: PatternSet,
    environment: PatternSet,
    methods: [FxHashSet<String>; 6],
}

const METHODS: [Makes; 6] =
    [Makes::Same, Makes::Below, Makes::Changed, Makes::Otherwise, Makes::Mapped, Makes::Home];

impl BuiltTexts {
    pub(super) fn add(&mut self, raw: RawTexts) {
        raw.same.iter().for_each(|path| self.same.insert(path));
        raw.home.iter().for_each(|path| self.home.insert(path));
        raw.in_home.iter().for_each(|path| self.in_home.insert(path));
        raw.environment.iter().for_each(|path| self.environment.insert(path));
        let lists = [
            raw.same_method,
            raw.below_method,
            raw.changed_method,
            raw.otherwise_method,
            raw.mapped_method,
            raw.home_method,
        ];
        self.methods.iter_mut().zip(lists).for_each(|(known, list)| known.extend(list));
    }

    /// What a library function builds.
    pub fn built_by(&self, path: &str) -> Option<Built> {
        let known = [
            (&self.same, Built::Same),
            (&self.home, Built::Home),
            (&self.in_home, Built::InHome),
            (&self.environment, Built::Variable),
        ];
        known.into_iter().find_map(|(paths, built)| paths.matches(path).then_some(built))
    }

    /// What a method of this name makes.
    pub fn made_by(&self, method: &str) -> Option<Makes> {
        self.methods.iter().zip(METHODS).find_map(|(known, makes)| known.contains(method).then_some(makes))
    }
}
