//! What the user configured, validated: `gatelint.toml`, `.gatelint.toml` or `[tool.gatelint]` in `pyproject.toml`.
//! It knows globs, names and what the catalogue's entries look like, but no file of the scanned tree and no rule. Mistakes
//! come out as data, all of them at once; `report` shows them.

mod claims;
mod diagnostic;
mod inspect;
mod json_schema;
mod keys;
mod layers;
mod load;
mod loosened;
mod names;
mod raw;
mod select;
mod settings;
mod shape;
mod text;

use std::borrow::Cow;
use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobSet;
use serde::Deserialize;

use crate::catalog::{Catalog, Extension, IrreversibilityWords};
pub use claims::{About, Claim};
pub use diagnostic::{Mistake, Mistakes, kind, nearest};
pub use json_schema::json_schema;
pub use layers::{COMM_DEFAULTS, Layer, LayerSet, Layers, TEST_DEFAULTS};
pub use load::{ConfigError, ConfigOptions, from_text, load, load_within, repository};
use load::{OWN_TABLE, PYPROJECT};
pub use loosened::{Loosening, loosened, named_baseline, span_of};
pub use names::{NamePattern, RuleNames};
pub use select::Selection;

/// Where known findings lie unless somebody says otherwise, in the project root.
pub const DEFAULT_BASELINE: &str = "gatelint-baseline.json";

#[derive(Clone, Debug)]
pub struct Config {
    /// The project root, absolute; every glob and every printed path is relative to it.
    pub root: Utf8PathBuf,
    /// The comm layer has globs of its own, in place of the default ones.
    pub names_comm: bool,
    pub layers: Layers,
    /// What is not scanned.
    pub exclude: GlobSet,
    pub planning: Planning,
    /// For rules to come: parsed and checked, read by none yet (`keys::Key::later`).
    pub gates: Gates,
    pub capture: Vec<NamePattern>,
    /// In the order of the file.
    pub tools: Vec<ToolSettings>,
    /// Text files in which declarations are checked.
    pub prompts: GlobSet,
    /// The file of known findings, relative to the project root.
    pub baseline: Option<Utf8PathBuf>,
    /// Nothing names that file, and there is one in the project root under the name that `gatelint baseline write` gives it.
    pub has_own_baseline: bool,
    /// Folders with a team's own rules, relative to the project root.
    pub rules_paths: Vec<Utf8PathBuf>,
    pub levels: Vec<LevelRule>,
    /// What is added to the built-in catalogue.
    pub extension: Extension,
    /// What the file takes for granted, in its order.
    pub claims: Vec<Claim>,
    pub origin: Origin,
    /// The text of the file; empty without one.
    pub text: String,
}

/// `[planning]`: what counts as a planning function besides the catalogue's selectors, and what does not.
#[derive(Clone, Default, Debug)]
pub struct Planning {
    pub functions: Vec<NamePattern>,
    pub not_functions: Vec<NamePattern>,
}

/// `[gates]`: what approves besides the gates that are recognised, and what has to be approved.
#[derive(Clone, Default, Debug)]
pub struct Gates {
    pub phase_checks: Vec<NamePattern>,
    /// Functions that say whether an action may run, besides those that are known by their names.
    pub action_gates: Vec<NamePattern>,
    pub executors: Vec<NamePattern>,
    pub gated_executors: Vec<NamePattern>,
    pub meta_tools: Vec<String>,
}

/// `[tools.<name>]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolSettings {
    pub name: String,
    pub sensitivity: Option<Sensitivity>,
    /// False for an external tool that may be called after internal data was read.
    pub blocked: Option<bool>,
    pub irreversibility: Option<Irreversibility>,
}

/// What a tool does to a session.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sensitivity {
    InternalSource,
    External,
}

impl Sensitivity {
    pub fn name(self) -> &'static str {
        match self {
            Sensitivity::InternalSource => "internal_source",
            Sensitivity::External => "external",
        }
    }

    /// Any other word says nothing.
    pub fn read(word: &str) -> Option<Self> {
        [Sensitivity::InternalSource, Sensitivity::External].into_iter().find(|known| known.name() == word)
    }
}

/// What a call of a tool does to the world, from what is easily taken back to what is not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Irreversibility {
    ReadOnly,
    CreatesState,
    ModifiesState,
    Irreversible,
    CostsMoney,
}

impl Irreversibility {
    pub const ALL: [Self; 5] =
        [Self::ReadOnly, Self::CreatesState, Self::ModifiesState, Self::Irreversible, Self::CostsMoney];

    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read_only",
            Self::CreatesState => "creates_state",
            Self::ModifiesState => "modifies_state",
            Self::Irreversible => "irreversible",
            Self::CostsMoney => "costs_money",
        }
    }

    /// By one of the words of the catalogue.
    pub fn read(known: &[IrreversibilityWords], text: &str) -> Option<Self> {
        Self::of(known, |words| words.has(text))
    }

    /// By a name of which one is a part: `READ_ONLY_SKILLS`.
    pub fn of_name(known: &[IrreversibilityWords], name: &str) -> Option<Self> {
        Self::of(known, |words| words.is_part_of(name))
    }

    fn of(known: &[IrreversibilityWords], fits: impl Fn(&IrreversibilityWords) -> bool) -> Option<Self> {
        let words = known.iter().find(|words| fits(words))?;
        Self::ALL.into_iter().find(|class| class.name() == words.class)
    }
}

/// One `[[levels]]`.
#[derive(Clone, Debug)]
pub struct LevelRule {
    pub globs: GlobSet,
    /// Rules by id or name, where that stands in the file, and what becomes of them.
    pub rules: Vec<(String, Range<usize>, Level)>,
    pub reason: String,
}

/// How severe a rule is in some files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Off,
    Note,
    Warning,
    Error,
}

/// Where the configuration came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// No configuration was found, or none was wanted.
    Defaults,
    /// As it may be shown: relative to the project root, or the name of a file elsewhere.
    File(Utf8PathBuf),
}

impl LevelRule {
    /// What it says of a rule in a file, if anything.
    pub fn of(&self, id: &str, path: &Utf8Path, names: &RuleNames) -> Option<Level> {
        let is_meant = |word: &str| word.eq_ignore_ascii_case(id) || names.id_of(word) == Some(id);
        let said = || self.rules.iter().find(|(word, ..)| is_meant(word)).map(|(.., level)| *level);
        self.globs.is_match(path).then(said).flatten()
    }
}

impl Origin {
    /// Where findings about the configuration stand; empty without one.
    pub fn path(&self) -> &Utf8Path {
        match self {
            Origin::Defaults => Utf8Path::new(""),
            Origin::File(path) => path,
        }
    }
}

impl Config {
    /// Without any configuration.
    pub fn defaults(root: impl Into<Utf8PathBuf>) -> Self {
        Self::new(root.into(), settings::Settings::default(), Origin::Defaults, String::new())
    }

    fn new(root: Utf8PathBuf, settings: settings::Settings, origin: Origin, text: String) -> Self {
        Self {
            root,
            names_comm: settings.names_comm,
            layers: settings.layers,
            exclude: settings.exclude,
            planning: settings.planning,
            gates: settings.gates,
            capture: settings.capture,
            tools: settings.tools,
            prompts: settings.prompts,
            baseline: settings.baseline,
            has_own_baseline: false,
            rules_paths: settings.rules_paths,
            levels: settings.levels,
            extension: settings.extension,
            claims: settings.claims,
            origin,
            text,
        }
    }

    /// The catalogue with what this project adds to it.
    pub fn extend<'c>(&self, catalog: &'c Catalog) -> Cow<'c, Catalog> {
        match self.extension.is_empty() {
            true => Cow::Borrowed(catalog),
            false => Cow::Owned(catalog.extended(&self.extension)),
        }
    }

    /// What the configuration says of a tool.
    pub fn tool(&self, name: &str) -> Option<&ToolSettings> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    pub fn is_configured(&self) -> bool {
        self.origin != Origin::Defaults
    }

    /// The folders with a team's own rules, absolute.
    pub fn rules_folders(&self) -> Result<Vec<Utf8PathBuf>, ConfigError> {
        load::rules_folders(self)
    }

    /// The file of known findings, relative to the project root: the one that is named, or the one that is found.
    pub fn baseline_file(&self) -> Option<&Utf8Path> {
        let own = || self.has_own_baseline.then_some(Utf8Path::new(DEFAULT_BASELINE));
        self.baseline.as_deref().or_else(own)
    }

    /// An error if the baseline is a link, or lies behind one, that leads out of the project.
    pub fn check_baseline(&self) -> Result<(), ConfigError> {
        load::check_baseline(self)
    }

    /// What `[[levels]]` calls a rule and is none. The loader says so at once where it knows every rule; with rules of
    /// one's own, which it does not, this is asked when they are loaded.
    pub fn check_rules(&self, rules: &RuleNames) -> Result<(), ConfigError> {
        load::check_rules(self, rules)
    }
}
