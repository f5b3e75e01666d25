//! What a tree shows of its layers: which files reach what, where its gates and comm handlers are, what it offers to models and
//! hands to people, and where it keeps files. Only counts and names; what to make of them is `proposal`'s part.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8PathBuf;

use super::programs::{Manifests, Program};
use crate::analysis::{EffectSite, EntryPoint, Gating, Reached, executions};
use crate::catalog::{self, Catalog, EffectKind};
use crate::config::{Config, Layer, LayerSet};
use crate::engine;
use crate::inventory::{self, Listed};
use crate::link::Func;
use crate::rule::{self, Context};
use crate::source::Discovered;
use crate::timings::Timings;

/// What was seen in a file, or in all files of a folder.
#[derive(Clone, Default, Debug)]
pub struct Evidence {
    pub files: usize,
    /// Calls by what they touch, and by callee.
    pub calls: BTreeMap<EffectKind, BTreeMap<String, usize>>,
    /// Those of them that open a database or a client of one, by callee.
    pub opened: BTreeMap<String, usize>,
    /// Names of functions.
    pub gates: BTreeSet<String>,
    /// Names of commands, or of functions.
    pub handlers: BTreeSet<String>,
    /// Functions that comm handlers lead to, themselves left out.
    pub behind_handlers: usize,
    /// Functions that models may call.
    pub tools: usize,
    /// Functions that those lead to.
    pub behind_tools: usize,
    pub programs: BTreeSet<Program>,
    /// The default globs take it for the comm layer.
    pub is_named_comm: bool,
}

/// By path; tests are left out.
pub type Files = BTreeMap<Utf8PathBuf, Evidence>;

/// How often something is done, and by which calls.
#[derive(Clone, Default, Debug)]
pub struct Access {
    pub count: usize,
    pub callees: BTreeSet<String>,
}

/// What a tree shows.
#[derive(Default, Debug)]
pub struct Survey {
    pub files: Files,
    /// By the constant beginning of a path that leads out of the workspace.
    pub accesses: BTreeMap<String, Access>,
    /// Functions that ask for the phase, by their paths.
    pub phase_gates: BTreeSet<String>,
    /// Functions that say whether an action may run.
    pub action_gates: BTreeSet<String>,
    /// What models may call.
    pub tools: Vec<Listed>,
    /// How the project and its parts are called.
    pub names: BTreeSet<String>,
}

impl Evidence {
    pub fn count(&self, kind: EffectKind) -> usize {
        self.calls.get(&kind).map_or(0, |callees| callees.values().sum())
    }

    /// The calls for which a file has to be in the layer of the kind: of a database, those that open it.
    pub fn opens(&self, kind: EffectKind) -> usize {
        match kind {
            EffectKind::Storage => self.opened.values().sum(),
            _ => self.count(kind),
        }
    }

    pub fn add(&mut self, other: &Evidence) {
        self.files += other.files;
        other.calls.iter().for_each(|(kind, callees)| add(self.calls.entry(*kind).or_default(), callees));
        add(&mut self.opened, &other.opened);
        self.gates.extend(other.gates.iter().cloned());
        self.handlers.extend(other.handlers.iter().cloned());
        self.behind_handlers += other.behind_handlers;
        self.tools += other.tools;
        self.behind_tools += other.behind_tools;
        self.programs.extend(other.programs.iter().cloned());
        self.is_named_comm |= other.is_named_comm;
    }
}

fn add(counts: &mut BTreeMap<String, usize>, others: &BTreeMap<String, usize>) {
    others.iter().for_each(|(callee, count)| *counts.entry(callee.clone()).or_default() += count);
}

impl Access {
    pub fn add(&mut self, other: &Access) {
        self.count += other.count;
        self.callees.extend(other.callees.iter().cloned());
    }
}

/// Looks at every file that was found.
pub fn survey(found: Discovered, config: &Config, catalog: &Catalog, timings: &mut Timings) -> Survey {
    let manifests = Manifests::read(&config.root, &found);
    // What cannot stand in a line of the proposal is left out, and so is what only imports lead to.
    let shown = found.files.iter().map(|file| file.path.clone());
    let shown: BTreeSet<Utf8PathBuf> =
        shown.filter(|path| !path.as_str().contains(char::is_control)).collect();
    let look = |context: &Context<'_>| {
        let mut seen = Seen::new(context, &shown);
        seen.effects();
        seen.gates();
        seen.entries();
        seen.survey()
    };
    let (_, mut survey) = engine::analyse_and(found, config, catalog, Vec::new(), timings, look);
    for (path, programs) in manifests.programs {
        survey.files.entry(path).and_modify(|file| file.programs = programs);
    }
    survey.names.extend(manifests.names);
    survey
}

/// What is seen, with the files in their order.
struct Seen<'s, 'c> {
    context: &'s Context<'c>,
    shown: &'s BTreeSet<Utf8PathBuf>,
    files: Vec<Evidence>,
    survey: Survey,
}

impl<'s, 'c> Seen<'s, 'c> {
    fn new(context: &'s Context<'c>, shown: &'s BTreeSet<Utf8PathBuf>) -> Self {
        let file = |layers: &LayerSet| Evidence {
            files: 1,
            is_named_comm: layers.contains(Layer::Comm),
            ..Evidence::default()
        };
        let files = context.layers.iter().map(file).collect();
        Self { context, shown, files, survey: Survey::default() }
    }

    fn file_of(&mut self, func: Func) -> &mut Evidence {
        &mut self.files[self.context.program.function(func).file.0 as usize]
    }

    fn name(&self, func: Func) -> String {
        self.path(func).rsplit('.').next().unwrap_or_default().to_owned()
    }

    fn path(&self, func: Func) -> String {
        self.context.program.function(func).path.to_string()
    }

    fn functions(&self) -> impl Iterator<Item = Func> + use<'s, 'c> {
        let program = self.context.program;
        (0..program.functions.len() as u32).map(Func).filter(|&func| !program.is_test_code(func))
    }

    fn effects(&mut self) {
        let context = self.context;
        let sites = context.effects.sites.iter().filter(|site| !context.program.is_test_code(site.from));
        for site in sites {
            let EffectSite { from, kind: Some(kind), access, callee, place, .. } = site else { continue };
            let file = self.file_of(*from);
            *file.calls.entry(*kind).or_default().entry(callee.clone()).or_default() += 1;
            if *access == Some(catalog::Access::Open) {
                *file.opened.entry(callee.clone()).or_default() += 1;
            }
            if let Some(place) = place.as_ref().filter(|_| *kind == EffectKind::File) {
                let access = self.survey.accesses.entry(place.clone()).or_default();
                access.add(&Access { count: 1, callees: BTreeSet::from([callee.clone()]) });
            }
        }
    }

    fn gates(&mut self) {
        let Context { program, catalog, bodies, config, registered, tools, .. } = *self.context;
        let gating = Gating::find(bodies, &config.gates, registered);
        for func in self.functions().filter(|&func| gating.is_gate(program, &catalog.phase, func)) {
            let (name, path) = (self.name(func), self.path(func));
            self.file_of(func).gates.insert(name);
            self.survey.phase_gates.insert(path);
        }
        let executed = executions(program, catalog, &config.gates, tools);
        let gating = Gating::of_actions(bodies, &config.gates, &executed, registered);
        let judges = gating.judges(program, catalog).into_iter().filter(|&func| gating.is_judge(func));
        let paths: Vec<String> = judges.map(|func| self.path(func)).collect();
        self.survey.action_gates.extend(paths);
    }

    /// What an agent acts from, and what is reached from there.
    fn entries(&mut self) {
        let Context { handlers, tools, .. } = *self.context;
        let of = |entries: &[_]| entries.iter().map(|entry: &crate::analysis::Handler| entry.func).collect();
        let (handling, offered): (BTreeSet<Func>, BTreeSet<Func>) = (of(handlers), of(tools));
        let find = |entries: &BTreeSet<Func>| {
            Reached::find(self.context.program, entries.iter().copied().map(EntryPoint::at).collect())
        };
        let (behind_handlers, behind_tools) = (find(&handling), find(&offered));
        for func in self.functions() {
            let file = self.file_of(func);
            file.behind_handlers += usize::from(behind_handlers.is(func) && !handling.contains(&func));
            file.behind_tools += usize::from(behind_tools.is(func) && !offered.contains(&func));
            file.tools += usize::from(offered.contains(&func));
        }
        for handler in handlers {
            let name = handler.name.clone().unwrap_or_else(|| self.name(handler.func));
            self.file_of(handler.func).handlers.insert(name);
        }
    }

    fn survey(self) -> Survey {
        let Self { context, shown, files, survey } = self;
        let files = context.sources.iter().zip(files).zip(context.layers);
        let files =
            files.filter(|((file, _), layers)| !layers.contains(Layer::Test) && shown.contains(&file.path));
        let tools = rule::inventory(context, false).listed.into_iter();
        Survey {
            files: files.map(|((file, evidence), _)| (file.path.clone(), evidence)).collect(),
            tools: tools.filter(|listed| listed.kind == inventory::Kind::Tool).collect(),
            ..survey
        }
    }
}
