//! What a tree shows of its layers: which files reach what, where its phase gates and comm handlers are, and what it hands
//! to people as programs. Only counts and names; what to make of them is `proposal`'s part.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use crate::analysis::{Effects, Gating, agent_reachable, handlers, tools};
use crate::catalog::{Catalog, EffectKind};
use crate::config::{Config, Layer};
use crate::engine;
use crate::link::{Func, link};
use crate::source::{self, Discovered};
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
    let layers: Vec<_> = found.files.iter().map(|file| config.layers.of(&file.path)).collect();
    let facts = engine::lower_watched(&found.files, timings);
    let units = engine::units(&found.files, &facts, &layers);
    let program = link(&units, config.root.file_name(), catalog);
    let effects = Effects::find(&program, catalog);
    let gating = Gating::find(&program, catalog, &config.gates);
    let handlers = handlers(&program, catalog, &tools(&program, catalog));
    let mut files: Vec<Evidence> = layers
        .iter()
        .map(|layers| Evidence {
            files: 1,
            is_named_comm: layers.contains(Layer::Comm),
            ..Evidence::default()
        })
        .collect();
    let file = |func: Func| program.function(func).file.0 as usize;
    let name = |func: Func| program.function(func).path.rsplit('.').next().unwrap_or_default().to_owned();
    for site in &effects.sites {
        let Some(kind) = site.kind else { continue };
        *files[file(site.from)].calls.entry(kind).or_default().entry(site.callee.clone()).or_default() += 1;
    }
    for func in (0..program.functions.len() as u32).map(Func) {
        if gating.is_gate(&program, &catalog.phase, func) {
            files[file(func)].gates.insert(name(func));
        }
    }
    let entries: Vec<Func> = handlers.iter().map(|handler| handler.func).collect();
    for (func, reached) in (0..).map(Func).zip(agent_reachable(&program, &entries)) {
        files[file(func)].behind_handlers += usize::from(reached && !entries.contains(&func));
    }
    for handler in handlers {
        files[file(handler.func)].handlers.insert(handler.name.unwrap_or_else(|| name(handler.func)));
    }
    let mut survey: Survey = found
        .files
        .iter()
        .zip(files)
        .zip(&layers)
        .filter(|((file, _), layers)| {
            // What cannot stand in a line of the proposal is left out.
            !layers.contains(Layer::Test) && !file.path.as_str().contains(char::is_control)
        })
        .map(|((file, evidence), _)| (file.path.clone(), evidence))
        .collect();
    programs(&config.root, &mut survey);
    survey
}

/// `[project.scripts]` of `pyproject.toml` says which functions are programs. A file that cannot be read says nothing.
fn programs(root: &Utf8Path, survey: &mut Survey) {
    const MAX_BYTES: u64 = 4 << 20;
    let text = source::read_text(root.join("pyproject.toml").as_std_path(), MAX_BYTES).unwrap_or_default();
    let Ok(table) = text.parse::<toml::Table>() else { return };
    let scripts = table.get("project").and_then(|project| project.get("scripts"));
    for (name, target) in scripts.and_then(toml::Value::as_table).into_iter().flatten() {
        let module = target.as_str().and_then(|target| target.split(':').next()).unwrap_or_default();
        let file = format!("{}.py", module.replace('.', "/"));
        let found = survey.iter_mut().find(|(path, _)| path.as_str() == file || path.ends_with(&file));
        if let Some((_, evidence)) = found {
            evidence.programs.insert(name.clone());
        }
    }
}
