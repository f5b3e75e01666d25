//! What a tree shows of its layers: which files reach what, where its phase gates and comm handlers are, and what it hands
//! to people as programs. Only counts and names; what to make of them is `proposal`'s part.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use crate::analysis::{Bodies, Effects, EntryPoint, Gating, Handler, Reached, handlers, registrations};
use crate::catalog::{Catalog, EffectKind};
use crate::config::{Config, Layer, LayerSet};
use crate::engine;
use crate::link::{Func, Program};
use crate::source::{self, Discovered, LANGUAGES};
use crate::timings::Timings;

/// What was seen in a file, or in all files of a folder.
#[derive(Clone, Default, Debug)]
pub struct Evidence {
    pub files: usize,
    /// Calls by what they touch, and by callee.
    pub calls: BTreeMap<EffectKind, BTreeMap<String, usize>>,
    /// Names of functions.
    pub gates: BTreeSet<String>,
    /// Names of commands, or of functions.
    pub handlers: BTreeSet<String>,
    /// Functions that comm handlers lead to, themselves left out.
    pub behind_handlers: usize,
    /// Names of programs that begin here.
    pub programs: BTreeSet<String>,
    /// The default globs take it for the comm layer.
    pub is_named_comm: bool,
}

/// By path; tests are left out.
pub type Survey = BTreeMap<Utf8PathBuf, Evidence>;

impl Evidence {
    pub fn count(&self, kind: EffectKind) -> usize {
        self.calls.get(&kind).map_or(0, |callees| callees.values().sum())
    }

    pub fn add(&mut self, other: &Evidence) {
        self.files += other.files;
        for (kind, callees) in &other.calls {
            let calls = self.calls.entry(*kind).or_default();
            callees.iter().for_each(|(callee, count)| *calls.entry(callee.clone()).or_default() += count);
        }
        self.gates.extend(other.gates.iter().cloned());
        self.handlers.extend(other.handlers.iter().cloned());
        self.behind_handlers += other.behind_handlers;
        self.programs.extend(other.programs.iter().cloned());
        self.is_named_comm |= other.is_named_comm;
    }
}

/// Looks at every file that was found.
pub fn survey(found: &Discovered, config: &Config, catalog: &Catalog, timings: &Timings) -> Survey {
    let (seen, layers) = engine::with_program(found, config, catalog, timings, |program, layers| {
        let mut seen = Seen::new(program, layers);
        seen.calls(&Effects::find(program, catalog));
        let registered = registrations(program, catalog);
        seen.gates(&Gating::find(&Bodies::new(program, catalog), &config.gates, &registered), catalog);
        seen.handlers(handlers(&registered));
        (seen.files, layers.to_vec())
    });
    let files = found.files.iter().map(|file| &file.path).zip(seen).zip(&layers);
    // What cannot stand in a line of the proposal is left out.
    let is_shown = |path: &Utf8Path, layers: LayerSet| {
        !layers.contains(Layer::Test) && !path.as_str().contains(char::is_control)
    };
    let files = files.filter(|((path, _), layers)| is_shown(path, **layers));
    let mut survey: Survey = files.map(|((path, evidence), _)| (path.clone(), evidence)).collect();
    programs(&config.root, &mut survey);
    survey
}

/// What is seen of each file, in the order of the files.
struct Seen<'p, 'a> {
    program: &'p Program<'a>,
    files: Vec<Evidence>,
}

impl<'p, 'a> Seen<'p, 'a> {
    fn new(program: &'p Program<'a>, layers: &[LayerSet]) -> Self {
        let file = |layers: &LayerSet| Evidence {
            files: 1,
            is_named_comm: layers.contains(Layer::Comm),
            ..Evidence::default()
        };
        Self { program, files: layers.iter().map(file).collect() }
    }

    fn file_of(&mut self, func: Func) -> &mut Evidence {
        &mut self.files[self.program.function(func).file.0 as usize]
    }

    fn name(&self, func: Func) -> String {
        self.program.function(func).path.rsplit('.').next().unwrap_or_default().to_owned()
    }

    fn calls(&mut self, effects: &Effects) {
        for site in &effects.sites {
            let Some(kind) = site.kind else { continue };
            let calls = self.file_of(site.from).calls.entry(kind).or_default();
            *calls.entry(site.callee.clone()).or_default() += 1;
        }
    }

    fn gates(&mut self, gating: &Gating, catalog: &Catalog) {
        for func in (0..self.program.functions.len() as u32).map(Func) {
            if gating.is_gate(self.program, &catalog.phase, func) {
                let name = self.name(func);
                self.file_of(func).gates.insert(name);
            }
        }
    }

    fn handlers(&mut self, handlers: Vec<Handler>) {
        let entries: Vec<Func> = handlers.iter().map(|handler| handler.func).collect();
        let reached = Reached::find(self.program, entries.iter().copied().map(EntryPoint::at).collect());
        for func in (0..self.program.functions.len() as u32).map(Func) {
            self.file_of(func).behind_handlers += usize::from(reached.is(func) && !entries.contains(&func));
        }
        for handler in handlers {
            let name = handler.name.unwrap_or_else(|| self.name(handler.func));
            self.file_of(handler.func).handlers.insert(name);
        }
    }
}

/// `[project.scripts]` of `pyproject.toml` says which functions are programs. A file that cannot be read says nothing.
fn programs(root: &Utf8Path, survey: &mut Survey) {
    const MAX_BYTES: u64 = 4 << 20;
    let text = source::read_text(root.join("pyproject.toml").as_std_path(), MAX_BYTES).unwrap_or_default();
    let Ok(table) = text.parse::<toml::Table>() else { return };
    let scripts = table.get("project").and_then(|project| project.get("scripts"));
    for (name, target) in scripts.and_then(toml::Value::as_table).into_iter().flatten() {
        let module = target.as_str().and_then(|target| target.split(':').next()).unwrap_or_default();
        let file = Utf8PathBuf::from(module.replace('.', "/"));
        let found = survey.iter_mut().find(|(path, _)| is_module(path, &file));
        if let Some((_, evidence)) = found {
            evidence.programs.insert(name.clone());
        }
    }
}

/// A file of a language in which a text names a module, by the path that the name stands for.
fn is_module(path: &Utf8Path, named: &Utf8Path) -> bool {
    let mut languages = LANGUAGES.iter().filter(|known| known.lang.profile().loads_by_name);
    let is_known = languages
        .any(|known| path.extension().is_some_and(|extension| known.extensions.contains(&extension)));
    is_known && path.with_extension("").ends_with(named)
}
