//! What the user configured, validated: `gatelint.toml`, `.gatelint.toml` or `[tool.gatelint]` in `pyproject.toml`.
//! It knows globs and names, but no file of the scanned tree, no rule and no effect. Mistakes come out as data, all of
//! them at once; `report` shows them.

mod diagnostic;
mod layers;
mod load;
mod names;
mod schema;
mod select;

use camino::Utf8PathBuf;
use globset::GlobSet;

pub use diagnostic::{Mistake, Mistakes, nearest};
pub use layers::{COMM_DEFAULTS, Layer, LayerSet, Layers, TEST_DEFAULTS};
pub use load::{ConfigError, ConfigOptions, from_text, load};
pub use names::{NamePattern, wildcard};
pub use select::Selection;

#[derive(Clone, Debug)]
pub struct Config {
    /// The project root, absolute; every glob and every printed path is relative to it.
    pub root: Utf8PathBuf,
    pub layers: Layers,
    /// What is not scanned.
    pub exclude: GlobSet,
    pub planning: Planning,
    pub origin: Origin,
}

/// `[planning]`: what counts as a planning function besides the catalogue's selectors, and what does not.
#[derive(Clone, Default, Debug)]
pub struct Planning {
    pub functions: Vec<NamePattern>,
    pub not_functions: Vec<NamePattern>,
}

/// Where the configuration came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// No configuration was found, or none was wanted.
    Defaults,
    /// As it may be shown: relative to the project root, or as the user named it.
    File(Utf8PathBuf),
}

impl Config {
    /// Without any configuration.
    pub fn defaults(root: impl Into<Utf8PathBuf>) -> Self {
        Self {
            root: root.into(),
            layers: Layers::default(),
            exclude: GlobSet::empty(),
            planning: Planning::default(),
            origin: Origin::Defaults,
        }
    }

    pub fn is_configured(&self) -> bool {
        self.origin != Origin::Defaults
    }
}
