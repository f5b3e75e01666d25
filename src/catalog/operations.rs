//! What functions and methods of a language do, in operations with names of their own (`[[operation]]`): analyses ask for an
//! operation and know no name of any language. Knows no program.

mod implied;

pub use implied::ImpliedBy;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::BUILTINS;
use crate::ir::Lang;

/// What a call does to a collection, an object or a text. Methods are called on it, functions are given it first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataOp {
    // Parts of a collection, by key or by position.
    Get,
    GetEntry,
    GetOrInsert,
    SetEntry,
    DeleteEntry,
    /// Takes an entry out and hands it back.
    Take,
    Append,
    Prepend,
    Add,
    /// At a position.
    Insert,
    Extend,
    /// Takes over the entries of another one.
    Update,
    Clear,
    Contains,
    Length,
    Retain,
    Filter,
    // Whole collections.
    Copy,
    DeepCopy,
    /// A copy with some fields changed.
    CopyWith,
    Entries,
    Keys,
    Values,
    Difference,
    /// Whether all of it is in another one, and the other way round.
    Subset,
    Superset,
    Union,
    Concat,
    MakeMapping,
    MakeOrderedMapping,
    MakeChainedMapping,
    /// What is missing is made by the function that it is given.
    MakeDefaultingMapping,
    MakeCollection,
    /// The same, without order: `<=` asks whether all of it is in the other one.
    MakeSet,
    MakeView,
    /// A mapping of the names given to one value.
    MakeUniform,
    /// Elements with the elements of another one beside them.
    Pair,
    Enumerate,
    Reverse,
    Iterate,
    Next,
    /// One of the elements, or of the arguments where there are several.
    OneOf,
    /// An object that is no more than what is put into it: one value, named fields, fields by position.
    MakeCell,
    MakeRecord,
    MakeTuple,
    Fill,
    /// A function that looks up what it was made with.
    LookUpAttribute,
    CallAttribute,
    LookUpEntry,
    // Objects and types.
    GetAttribute,
    HasAttribute,
    /// The names of all that an object has, and pairs of them with it.
    AttributeNames,
    Members,
    SetAttribute,
    DeleteAttribute,
    Attributes,
    /// The methods of the classes above that of the object.
    Parent,
    /// The class of an object.
    Class,
    /// Of what is called: itself, the function behind it, the object that it is bound to.
    Itself,
    FunctionOf,
    ObjectOf,
    /// Gives a generator a value.
    Send,
    /// What a function or a class is called.
    Name,
    Cast,
    /// Makes the words of a type that is a list of them.
    TypeArguments,
    /// Of an enumeration: what its members are kept in, and what a member has.
    MembersByName,
    MembersByValue,
    MemberName,
    MemberValue,
    /// Asks something and hands back whether it is so.
    Ask,
    IsInstance,
    // Texts.
    ToText,
    ToNumber,
    Dedent,
    Template,
    Format,
    FillIn,
    Join,
    JoinPath,
    /// `a + b` as a function.
    Plus,
    Lower,
    Upper,
    Trim,
    TrimStart,
    TrimEnd,
    DropPrefix,
    DropSuffix,
    StartsWith,
    EndsWith,
    Split,
    SplitFirst,
    SplitLast,
    SplitBack,
    Lines,
    ReadLines,
    Write,
    Position,
    LastPosition,
    Replace,
    ReplaceAll,
    Translate,
    // Patterns of texts.
    Pattern,
    Substitute,
    SubstituteAndCount,
    SplitByPattern,
    // Modules.
    LoadedModules,
}

impl DataOp {
    /// True for what asks a mapping for what is under a key.
    pub fn takes_entry(self) -> bool {
        matches!(self, Self::Get | Self::Take | Self::GetOrInsert | Self::GetEntry)
    }

    /// True for what puts something into a collection or takes it out.
    pub fn moves_entries(self) -> bool {
        use DataOp::{
            Add, Append, Copy, Entries, Extend, Fill, Insert, Prepend, SetEntry, Union, Update, Values,
        };
        self.takes_entry()
            || matches!(
                self,
                Add | Append
                    | Copy
                    | Entries
                    | Extend
                    | Fill
                    | Insert
                    | Prepend
                    | SetEntry
                    | Union
                    | Update
                    | Values
            )
    }
}

/// `[[operation]]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawDataOp {
    does: DataOp,
    /// Functions, by path.
    #[serde(default)]
    call: Vec<String>,
    /// Methods and attributes, by their last name.
    #[serde(default)]
    method: Vec<String>,
}

/// Compiled.
#[derive(Clone, Debug, Default)]
pub struct DataOps {
    /// What functions do that an operator or a statement does, too.
    pub implied: implied::AllImpliedBy,
    calls: FxHashMap<String, DataOp>,
    /// The same for functions of the language itself, by their names.
    builtins: FxHashMap<String, DataOp>,
    /// The same by last names, which several functions may have.
    last_names: FxHashMap<String, Vec<DataOp>>,
    methods: FxHashMap<Lang, FxHashMap<String, DataOp>>,
    /// Names that count in every language that does not say otherwise: those of the language that names an operation first.
    common: FxHashMap<String, DataOp>,
    /// The first name of an operation, by which the word lists of the catalogue know it.
    words: FxHashMap<DataOp, (Lang, String)>,
}

impl DataOps {
    pub(super) fn add(&mut self, raw: Vec<RawDataOp>, lang: Option<Lang>) {
        for RawDataOp { does, call, method } in raw {
            call.into_iter().for_each(|path| self.add_call(path, does));
            let Some(lang) = lang else { continue };
            for name in method {
                let (first, _) = self.words.entry(does).or_insert_with(|| (lang, name.clone()));
                if *first == lang {
                    self.common.entry(name.clone()).or_insert(does);
                }
                self.methods.entry(lang).or_default().insert(name, does);
            }
        }
    }

    fn add_call(&mut self, path: String, does: DataOp) {
        if let Some(name) = path.strip_prefix(BUILTINS) {
            self.builtins.insert(name.to_owned(), does);
        }
        let last = path.rsplit('.').next().unwrap_or_default();
        self.last_names.entry(last.to_owned()).or_default().push(does);
        self.calls.insert(path, does);
    }

    /// What a function of this path does.
    pub fn of_call(&self, path: &str) -> Option<DataOp> {
        self.calls.get(path).copied()
    }

    /// The modules that hold what does this.
    pub fn modules(&self, does: DataOp) -> impl Iterator<Item = &str> {
        let paths = self.calls.iter().filter(move |(_, known)| **known == does);
        paths.filter_map(|(path, _)| path.rsplit_once('.')).map(|(module, _)| module)
    }

    /// What a function of the language itself does, by its name alone.
    pub fn of_builtin(&self, name: &str) -> Option<DataOp> {
        self.builtins.get(name).copied()
    }

    /// True if some function or constructor of this last name does one of these.
    pub fn may_be(&self, last_name: &str, operations: &[DataOp]) -> bool {
        self.last_names.get(last_name).is_some_and(|known| known.iter().any(|does| operations.contains(does)))
    }

    /// What a method of this name does in this language; what the language says nothing of is common to all.
    pub fn of_method(&self, lang: Lang, name: &str) -> Option<DataOp> {
        self.own_method(lang, name).or_else(|| self.of_name(name))
    }

    /// The same, only by what is said of the language.
    pub fn own_method(&self, lang: Lang, name: &str) -> Option<DataOp> {
        self.methods.get(&lang)?.get(name).copied()
    }

    /// What a method of this name does, in whatever language.
    pub fn of_name(&self, name: &str) -> Option<DataOp> {
        self.common.get(name).copied()
    }

    /// The name by which the word lists know a method that is called so in this language.
    pub fn known<'n>(&'n self, lang: Lang, name: &'n str) -> &'n str {
        let known = self.own_method(lang, name).and_then(|does| self.words.get(&does));
        known.filter(|(first, _)| *first != lang).map_or(name, |(_, word)| word)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[derive(Deserialize)]
    struct File {
        operation: Vec<RawDataOp>,
    }

    fn files() -> [(Lang, File); 2] {
        let python = include_str!("../../rules/catalog/python/operations.toml");
        let rust = include_str!("../../rules/catalog/rust/operations.toml");
        [(Lang::Python, python), (Lang::Rust, rust)].map(|(lang, text)| (lang, toml::from_str(text).unwrap()))
    }

    #[test]
    fn a_name_means_what_its_language_says_or_what_it_means_to_all() {
        let mut known = DataOps::default();
        files().into_iter().for_each(|(lang, file)| known.add(file.operation, Some(lang)));
        assert_eq!(known.of_method(Lang::Python, "insert"), Some(DataOp::Insert));
        assert_eq!(known.of_method(Lang::Rust, "insert"), Some(DataOp::SetEntry));
        assert_eq!(known.of_method(Lang::Rust, "clear"), Some(DataOp::Clear));
        assert_eq!(known.of_method(Lang::Python, "swap_remove"), None);
        assert_eq!(known.known(Lang::Rust, "swap_remove"), "pop");
        assert_eq!(known.known(Lang::Python, "casefold"), "casefold");
        assert_eq!(known.of_builtin("len"), known.of_call("builtins.len"));
        assert!(
            known.may_be("replace", &[DataOp::CopyWith]) && known.own_method(Lang::Python, "len").is_none()
        );
    }

    #[test]
    fn no_name_means_two_things_in_one_language() {
        for (lang, file) in files() {
            let mut seen = BTreeSet::new();
            for entry in &file.operation {
                let calls = entry.call.iter().map(|name| ("call", name));
                let methods = entry.method.iter().map(|name| ("method", name));
                for name in calls.chain(methods) {
                    assert!(seen.insert(name), "{}: {name:?} stands there twice", lang.name());
                }
            }
        }
    }
}
