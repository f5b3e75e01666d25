//! Layers: which role a file plays, by its path. One set of globs answers for all layers at once.

use camino::Utf8Path;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The sanctioned channel of every language. A configured list replaces these.
pub const COMM_DEFAULTS: &[&str] =
    &["**/comm_commands.*", "**/communication*/**", "**/communication_adapter.*", "**/comm/**", "**/comm.*"];

/// Code that only tests run. Not configurable: who wants to hide code from the rules has `exclude`.
pub const TEST_DEFAULTS: &[&str] = &[
    "**/tests/**",
    "**/test/**",
    "**/__tests__/**",
    "**/spec/**",
    "**/test_*.py",
    "**/*_test.*",
    "**/*.test.*",
    "**/*.spec.*",
    "**/*_spec.rb",
    "**/conftest.py",
    "**/benches/**/*.rs",
    "**/examples/**/*.rs",
];

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Layer {
    /// The sanctioned channel to the outside world.
    Comm,
    /// Run by people.
    Operator,
    /// May touch storage.
    Storage,
    /// Talks to model providers; the call graph does not look behind it.
    Llm,
    /// Run by tests only.
    Test,
}

impl Layer {
    pub const ALL: [Layer; 5] = [Layer::Comm, Layer::Operator, Layer::Storage, Layer::Llm, Layer::Test];

    /// As configuration and rules write it.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Comm => "comm",
            Layer::Operator => "operator",
            Layer::Storage => "storage",
            Layer::Llm => "llm",
            Layer::Test => "test",
        }
    }

    pub fn by_name(name: &str) -> Option<Layer> {
        Layer::ALL.into_iter().find(|layer| layer.name() == name)
    }
}

/// The layers of one file; it may be in several.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord, Debug)]
pub struct LayerSet(u8);

impl LayerSet {
    pub const EMPTY: LayerSet = LayerSet(0);

    pub fn with(self, layer: Layer) -> Self {
        Self(self.0 | 1 << layer as u8)
    }

    pub fn without(self, layer: Layer) -> Self {
        Self(self.0 & !(1 << layer as u8))
    }

    pub fn contains(self, layer: Layer) -> bool {
        self.0 & 1 << layer as u8 != 0
    }

    pub fn intersects(self, other: LayerSet) -> bool {
        self.0 & other.0 != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Layer> for LayerSet {
    fn from_iter<I: IntoIterator<Item = Layer>>(layers: I) -> Self {
        layers.into_iter().fold(Self::EMPTY, Self::with)
    }
}

/// Globs of all layers, compiled.
#[derive(Clone, Debug)]
pub struct Layers {
    globs: GlobSet,
    /// The layer of each glob of the set.
    owners: Vec<Layer>,
}

impl Layers {
    /// `path` is relative to the project root.
    pub fn of(&self, path: &Utf8Path) -> LayerSet {
        self.globs.matches(path).into_iter().map(|glob| self.owners[glob]).collect()
    }
}

impl Default for Layers {
    fn default() -> Self {
        let mut builder = LayersBuilder::new();
        builder.add_defaults(Layer::Comm, COMM_DEFAULTS);
        builder.add_defaults(Layer::Test, TEST_DEFAULTS);
        builder.build()
    }
}

/// Collects checked globs; only the loader of the configuration sees patterns that may be wrong.
pub struct LayersBuilder {
    globs: GlobSetBuilder,
    owners: Vec<Layer>,
}

impl LayersBuilder {
    pub fn new() -> Self {
        Self { globs: GlobSetBuilder::new(), owners: Vec::new() }
    }

    pub fn add(&mut self, layer: Layer, globs: Vec<globset::Glob>) {
        for glob in globs {
            self.globs.add(glob);
            self.owners.push(layer);
        }
    }

    /// A test reads every default, so none is lost here.
    pub fn add_defaults(&mut self, layer: Layer, patterns: &[&str]) {
        for pattern in patterns {
            self.add(layer, compile(pattern).unwrap_or_default());
        }
    }

    /// Every glob was compiled already, so the set can only fail by being enormous; then no file is in any layer,
    /// which exempts nothing.
    pub fn build(self) -> Layers {
        match self.globs.build() {
            Ok(globs) => Layers { globs, owners: self.owners },
            Err(_) => Layers { globs: GlobSet::empty(), owners: Vec::new() },
        }
    }
}

/// A glob relative to the project root, and the same as a folder: `vendor` also means `vendor/**`.
/// `*` stays within a path segment.
pub fn compile(pattern: &str) -> Result<Vec<globset::Glob>, String> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
    let below = format!("{pattern}/**");
    let patterns: &[&str] = if pattern.ends_with("**") { &[pattern] } else { &[pattern, &below] };
    patterns
        .iter()
        .map(|pattern| {
            let mut builder = GlobBuilder::new(pattern);
            builder.literal_separator(true).backslash_escape(false);
            builder.build().map_err(|error| error.kind().to_string())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(path: &str) -> Vec<&'static str> {
        let set = Layers::default().of(Utf8Path::new(path));
        Layer::ALL.into_iter().filter(|layer| set.contains(*layer)).map(Layer::name).collect()
    }

    #[test]
    fn every_default_compiles() {
        for pattern in COMM_DEFAULTS.iter().chain(TEST_DEFAULTS) {
            assert!(compile(pattern).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn the_comm_layer_is_known_by_its_names() {
        for path in [
            "comm/a.py",
            "x/comm/deep/a.py",
            "x/comm_commands.py",
            "comm.py",
            "x/comm.rs",
            "core/communication/a.py",
            "core/communication_old/a.py",
            "communication_adapter.py",
        ] {
            assert_eq!(layers(path), ["comm"], "{path}");
        }
        for path in ["command.py", "x/comms.py", "telecomm/a.py", "communication.py", "community/a.py"] {
            assert_eq!(layers(path), [""; 0], "{path}");
        }
    }

    #[test]
    fn tests_are_known_by_their_names() {
        for path in [
            "tests/a.py",
            "x/test/a.py",
            "x/test_a.py",
            "a_test.py",
            "a.test.ts",
            "conftest.py",
            "spec/a_spec.rb",
            "benches/a.rs",
            "x/examples/deep/a.rs",
        ] {
            assert_eq!(layers(path), ["test"], "{path}");
        }
        for path in
            ["testing/a.py", "contest.py", "latest.py", "src/testimony.py", "atest_.py", "examples/a.py"]
        {
            assert_eq!(layers(path), [""; 0], "{path}");
        }
        assert_eq!(layers("tests/comm/a.py"), ["comm", "test"]);
    }

    #[test]
    fn a_folder_means_what_is_in_it() {
        let mut builder = LayersBuilder::new();
        builder.add(Layer::Operator, compile("./cli/").unwrap());
        let layers = builder.build();
        assert!(layers.of(Utf8Path::new("cli/a/b.py")).contains(Layer::Operator));
        assert!(layers.of(Utf8Path::new("x/cli/a.py")).is_empty());
    }
}
