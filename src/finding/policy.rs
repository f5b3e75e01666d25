//! What the configuration exempts from rules, counted: every report says it, so that a looser policy is seen without a finding.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;

use crate::config::{Config, Layer, LayerSet, Level, RuleNames};
use crate::rule::RuleSet;
use crate::source::SourceFile;

/// Of one run.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Policy {
    /// Files by layer; a file may be in several.
    pub layers: BTreeMap<&'static str, usize>,
    /// Source files that are excluded.
    pub excluded: usize,
    /// Functions that would plan if `not_functions` did not name them, by their dotted path.
    pub not_planning: Vec<String>,
    /// The words of `--select`; empty without it.
    pub chosen_by: Vec<String>,
    /// Rules that do not run.
    pub off: Vec<String>,
    /// Rules that `[[levels]]` switches off, each with the number of files.
    pub off_in: BTreeMap<String, usize>,
}

impl Policy {
    pub fn new(
        config: &Config,
        files: &[SourceFile],
        layers: &[LayerSet],
        excluded: &BTreeSet<Utf8PathBuf>,
        rules: &RuleSet,
    ) -> Self {
        let count = |layer: Layer| layers.iter().filter(|layers| layers.contains(layer)).count();
        let runs: BTreeSet<&str> = rules.selected.iter().map(|rule| rule.id.as_str()).collect();
        let is_off = |id: &&str| !runs.contains(id) && !rules.on_request.contains(*id);
        let off = rules.names.ids().into_iter().filter(is_off);
        Self {
            layers: Layer::ALL.into_iter().map(|layer| (layer.name(), count(layer))).collect(),
            excluded: excluded.len(),
            not_planning: Vec::new(),
            chosen_by: rules.chosen_by.clone(),
            off: off.map(str::to_owned).collect(),
            off_in: off_in(config, files, &rules.names),
        }
    }
}

impl Policy {
    /// Rules that do not run although `--select` names them; without `--select`, all that do not run.
    pub fn switched_off(&self) -> impl Iterator<Item = &str> {
        let is_meant = |id: &&String| {
            self.chosen_by.is_empty() || self.chosen_by.iter().any(|word| id.starts_with(word))
        };
        self.off.iter().filter(is_meant).map(String::as_str)
    }
}

fn off_in(config: &Config, files: &[SourceFile], names: &RuleNames) -> BTreeMap<String, usize> {
    let words = config.levels.iter().flat_map(|level| &level.rules);
    let ids: BTreeSet<&str> = words.filter_map(|(word, ..)| names.id_of(word)).collect();
    let is_off = |id: &str, file: &SourceFile| {
        config.levels.iter().rev().find_map(|level| level.of(id, &file.path, names)) == Some(Level::Off)
    };
    let counted =
        ids.into_iter().map(|id| (id.to_owned(), files.iter().filter(|file| is_off(id, file)).count()));
    counted.filter(|(_, count)| *count > 0).collect()
}
