//! From what a file says to what it means: globs and names compiled, presets below one's own words, and a claim for
//! everything that should match something.

use std::collections::BTreeMap;
use std::ops::Range;

use camino::Utf8PathBuf;
use globset::{Glob, GlobSet, GlobSetBuilder};
use toml::Spanned;

use super::claims::{About, Claim};
use super::layers::{COMM_DEFAULTS, Layer, Layers, LayersBuilder, TEST_DEFAULTS};
use super::raw::{Raw, RawAction, RawGates, RawLayers, RawLevel, RawPlanning, RawTool, Words};
use super::text;
use super::{Gates, Level, LevelRule, NamePattern, Planning, ToolSettings};
use crate::catalog::pattern::PatternSet;
use crate::catalog::{Extension, RawEffect};

/// Keys that exempt from rules what they match; a level does unless it raises every rule that it names.
const EXEMPTS: [&str; 10] = [
    "exclude",
    "layers.comm",
    "layers.operator",
    "layers.storage",
    "layers.llm",
    "planning.not_functions",
    "gates.phase.check",
    "gates.action.check",
    "gates.action.gated_executors",
    "audit.writers",
];

/// What a file configures.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub names_comm: bool,
    pub layers: Layers,
    pub exclude: GlobSet,
    pub planning: Planning,
    pub gates: Gates,
    pub capture: Vec<NamePattern>,
    pub tools: Vec<ToolSettings>,
    pub prompts: GlobSet,
    pub baseline: Option<Utf8PathBuf>,
    pub rules_paths: Vec<Utf8PathBuf>,
    pub levels: Vec<LevelRule>,
    pub extension: Extension,
    pub claims: Vec<Claim>,
}

/// `presets` come first in `extends` order; what the file says itself is asked before them.
pub fn settings(raw: Raw, presets: Vec<Raw>) -> Settings {
    let mut settings = Compiler::default().run(raw);
    for preset in presets {
        settings.add(Compiler::default().run(preset));
    }
    settings
}

impl Settings {
    /// Takes what a preset says of functions and libraries. Its globs would speak of somebody else's folders, and what it
    /// names need not exist here.
    fn add(&mut self, preset: Settings) {
        self.planning.functions.extend(preset.planning.functions);
        self.planning.not_functions.extend(preset.planning.not_functions);
        self.gates.phase_checks.extend(preset.gates.phase_checks);
        self.gates.action_gates.extend(preset.gates.action_gates);
        self.gates.executors.extend(preset.gates.executors);
        self.gates.gated_executors.extend(preset.gates.gated_executors);
        self.gates.meta_tools.extend(preset.gates.meta_tools);
        self.capture.extend(preset.capture);
        let is_new = |tool: &ToolSettings| self.tools.iter().all(|own| own.name != tool.name);
        let added: Vec<_> = preset.tools.into_iter().filter(is_new).collect();
        self.tools.extend(added);
        self.extension.append(preset.extension);
    }
}

#[derive(Default)]
struct Compiler {
    claims: Vec<Claim>,
}

impl Compiler {
    fn run(mut self, raw: Raw) -> Settings {
        let extension = self.extension(&raw);
        let (exclude, of_exclude) = set(&raw.exclude);
        let (prompts, of_prompts) = set(&raw.prompts.files);
        self.globs("exclude", &raw.exclude, of_exclude, About::Excluded);
        self.globs("prompts.files", &raw.prompts.files, of_prompts, About::Watched);
        Settings {
            names_comm: raw.layers.comm.is_some(),
            layers: self.layers(raw.layers),
            exclude,
            planning: self.planning(raw.planning),
            gates: self.gates(raw.gates),
            capture: self.names("capture.functions", raw.capture.functions),
            tools: tools(raw.tools),
            prompts,
            baseline: raw.baseline.and_then(|baseline| text::inside(&baseline.file).ok()),
            rules_paths: raw.rules.paths.iter().filter_map(|path| text::inside(path).ok()).collect(),
            levels: raw.levels.into_iter().map(|level| self.level(level)).collect(),
            extension,
            claims: self.claims,
        }
    }

    fn layers(&mut self, raw: RawLayers) -> Layers {
        let RawLayers { comm, operator, storage, llm } = raw;
        let mut builder = LayersBuilder::new();
        match comm {
            Some(globs) => self.layer("layers.comm", Layer::Comm, globs, &mut builder),
            None => builder.add_defaults(Layer::Comm, COMM_DEFAULTS),
        }
        self.layer("layers.operator", Layer::Operator, operator, &mut builder);
        self.layer("layers.storage", Layer::Storage, storage, &mut builder);
        self.layer("layers.llm", Layer::Llm, llm, &mut builder);
        builder.add_defaults(Layer::Test, TEST_DEFAULTS);
        builder.build()
    }

    fn layer(&mut self, key: &'static str, layer: Layer, words: Words, builder: &mut LayersBuilder) {
        for word in words {
            builder.add(layer, globs(&word));
            self.scanned(key, &word);
        }
    }

    fn planning(&mut self, raw: RawPlanning) -> Planning {
        Planning {
            functions: self.names("planning.functions", raw.functions),
            not_functions: self.names("planning.not_functions", raw.not_functions),
        }
    }

    fn gates(&mut self, raw: RawGates) -> Gates {
        let RawAction { check, executors, gated_executors, meta_tools } = raw.action;
        Gates {
            phase_checks: self.names("gates.phase.check", raw.phase.check),
            action_gates: self.names("gates.action.check", check),
            executors: self.names("gates.action.executors", executors),
            gated_executors: self.names("gates.action.gated_executors", gated_executors),
            meta_tools,
        }
    }

    fn level(&mut self, raw: RawLevel) -> LevelRule {
        let before = self.claims.len();
        raw.paths.iter().for_each(|word| self.scanned("levels.paths", word));
        let raises = raw.rules.values().all(|level| *level == Level::Error);
        self.claims[before..].iter_mut().for_each(|claim| claim.exempts = !raises);
        let rules = raw.rules.into_iter().map(|(word, level)| (word.get_ref().clone(), word.span(), level));
        LevelRule { globs: set(&raw.paths).0, rules: rules.collect(), reason: raw.reason.trim().to_owned() }
    }

    fn extension(&mut self, raw: &Raw) -> Extension {
        let writers = self.names("audit.writers", raw.audit.writers.clone());
        let anywhere = |name: &NamePattern| [name.to_string(), format!("**.{name}")];
        for effect in &raw.effect {
            self.library(effect);
        }
        Extension {
            effects: raw.effect.iter().map(|effect| effect.get_ref().clone()).collect(),
            returns: raw.returns.clone(),
            aliases: raw.alias.clone(),
            callbacks: raw.callback.clone(),
            loaders: raw.loader.clone(),
            audit_writers: writers.iter().flat_map(anywhere).collect(),
            workspace_paths: raw.workspace.paths.clone(),
            fence_markers: raw.fence.markers.clone(),
            handlers: raw.handlers.clone(),
            registrations: raw.registration.clone(),
        }
    }

    /// An effect of a library that nothing here uses is most likely misspelt.
    fn library(&mut self, effect: &Spanned<RawEffect>) {
        let RawEffect { call, module, .. } = effect.get_ref();
        let Some(first) = call.first().or(module.first()) else { return };
        let about = About::Library { calls: PatternSet::new(call), modules: module.clone() };
        self.claims.push(Claim {
            key: "effect",
            text: first.clone(),
            span: effect.span(),
            about,
            exempts: false,
        });
    }

    fn names(&mut self, key: &'static str, words: Words) -> Vec<NamePattern> {
        let mut names = Vec::new();
        for word in words {
            if let Ok(name) = text::name(word.get_ref()) {
                self.claim(key, &word, About::Function(name.clone()));
                names.push(name);
            }
        }
        names
    }

    fn scanned(&mut self, key: &'static str, word: &Spanned<String>) {
        self.claim(key, word, About::Scanned(build(globs(word))));
    }

    fn globs(
        &mut self,
        key: &'static str,
        words: &Words,
        of: Vec<Range<usize>>,
        about: fn(Range<usize>) -> About,
    ) {
        for (word, range) in words.iter().zip(of) {
            self.claim(key, word, about(range));
        }
    }

    fn claim(&mut self, key: &'static str, word: &Spanned<String>, about: About) {
        let exempts = EXEMPTS.contains(&key);
        self.claims.push(Claim { key, text: word.get_ref().clone(), span: word.span(), about, exempts });
    }
}

/// In the order of the file: what is printed of tools follows it.
fn tools(raw: BTreeMap<Spanned<String>, RawTool>) -> Vec<ToolSettings> {
    let mut tools: Vec<_> = raw.into_iter().collect();
    tools.sort_by_key(|(name, _)| name.span().start);
    let settings = |(name, raw): (Spanned<String>, RawTool)| ToolSettings {
        name: name.into_inner(),
        sensitivity: raw.sensitivity,
        blocked: raw.blocked,
        irreversibility: raw.irreversibility,
    };
    tools.into_iter().map(settings).collect()
}

/// One set of all globs, and which of them belong to each word.
fn set(words: &Words) -> (GlobSet, Vec<Range<usize>>) {
    let (mut all, mut ranges) = (Vec::new(), Vec::new());
    for word in words {
        let start = all.len();
        all.extend(globs(word));
        ranges.push(start..all.len());
    }
    (build(all), ranges)
}

/// What is no glob was reported before.
fn globs(word: &Spanned<String>) -> Vec<Glob> {
    text::glob(word.get_ref()).unwrap_or_default()
}

fn build(globs: Vec<Glob>) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        builder.add(glob);
    }
    // Matching nothing is the safe side of a set too large to build.
    builder.build().unwrap_or_default()
}
