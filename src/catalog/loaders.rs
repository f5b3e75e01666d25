//! What loads code, or reaches a name, by a value: data (`rules/catalog/python/code.toml`). Knows no program.

use serde::Deserialize;

use super::effects::ArgumentTest;

/// A call that loads code, or reaches a name, by a value instead of by an import or an attribute.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loader {
    pub(super) call: Vec<String>,
    pub of: Loads,
    /// The value; without it the callee knows what to load.
    pub argument: Option<ArgumentTest>,
    /// Another one of the same kind.
    pub also: Option<ArgumentTest>,
    /// The file is source text; the module is run as a program.
    #[serde(default)]
    pub source: bool,
    /// Imports are looked for in what is loaded from then on.
    #[serde(default)]
    pub imports: bool,
    /// It only makes ready what something else runs.
    #[serde(default)]
    pub prepares: bool,
    /// The keys of a mapping under which names stand.
    #[serde(default)]
    pub keys: Vec<String>,
}

impl Loader {
    /// True if imports are looked for in what the argument names.
    pub fn adds_folder(&self) -> bool {
        self.imports || self.of == Loads::Folder
    }

    /// True if nothing that it is given names what it hands back, as far as the program shows.
    pub fn names_nothing(&self) -> bool {
        self.argument.is_none() || self.of == Loads::Spec || self.of == Loads::File && !self.source
    }

    /// `attrgetter("name")` hands back a function; `getattr(object, "name")` the attribute itself.
    pub fn is_getter(&self) -> bool {
        let names_first = self.argument.as_ref().is_some_and(|test| test.index == Some(0));
        self.of == Loads::Attribute && names_first
    }
}

/// What a loader's argument names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loads {
    /// A dotted name: of a module, or of something inside one.
    Module,
    /// A name looked up on another argument, or on what the result is called with.
    Attribute,
    /// Source text or compiled code.
    Code,
    /// A path of source, bytecode or a shared library.
    File,
    /// A folder in which imports are looked for from then on.
    Folder,
    /// Bytes, text or a file that runs code while it is read.
    Data,
    /// What another loader made ready.
    Spec,
    /// A mapping with dotted names under some of its keys.
    Names,
}
