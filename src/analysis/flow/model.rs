//! What the catalogue and the effects say of the program's calls, looked up once for all walks: where content comes from,
//! what runs or reads it, and what the functions do that are called.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::callers::Callers;
use super::labels::{Labels, Origin, Word};
use super::matters::Matters;
use crate::analysis::decorators::{Wrapper, wrappers};
use crate::analysis::effects::{EffectSite, Effects};
use crate::analysis::gates::spelled;
use crate::analysis::guards::Bodies;
use crate::analysis::inflows::{Guard, Inflow, SourceSite, content_guards, inflows};
use crate::catalog::{ArgumentTest, BUILTINS, Catalog, EffectKind, Loader, Loads};
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Sym};
use crate::link::{At, Edge, Func, Program, SharedMemo, Target};

/// What is done with content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sink {
    /// A model is told.
    Prompt,
    /// A process gets it as its command or an argument.
    Process,
    /// It is source text that is run.
    Code,
    /// It names what is imported.
    Module,
    /// The file that it names is run.
    File,
    /// It is unpickled, or the like.
    Data,
}

impl Sink {
    pub const WORDS: [(&'static str, Sink); 6] = [
        ("prompt", Sink::Prompt),
        ("process", Sink::Process),
        ("code", Sink::Code),
        ("module", Sink::Module),
        ("file", Sink::File),
        ("data", Sink::Data),
    ];

    /// What is done with the value that a loader is given.
    pub fn of(loads: Loads) -> Option<Sink> {
        match loads {
            Loads::Module => Some(Sink::Module),
            Loads::Code => Some(Sink::Code),
            Loads::File => Some(Sink::File),
            Loads::Data => Some(Sink::Data),
            Loads::Attribute | Loads::Folder | Loads::Spec | Loads::Names => None,
        }
    }
}

/// A call that does something with content.
#[derive(Clone, Debug)]
pub struct SinkSite<'p> {
    pub from: Func,
    pub sink: Sink,
    /// Which argument; every one if there is none.
    pub argument: Option<&'p ArgumentTest>,
    pub confidence: Confidence,
}

/// What the result of a library function tells of its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tells {
    All,
    /// It is its argument.
    Same,
    Number,
    Nothing,
    /// Whether its argument is one of few values.
    Listed,
}

pub struct Model<'p, 'a> {
    pub program: &'p Program<'a>,
    pub catalog: &'p Catalog,
    pub sources: Vec<SourceSite>,
    source_at: FxHashMap<At, SmallVec<[u32; 1]>>,
    sink_at: FxHashMap<At, SmallVec<[SinkSite<'p>; 1]>>,
    guards: FxHashMap<Target, Guard>,
    /// What runs what it is given, among the functions that are called.
    loaders: FxHashMap<Target, &'p Loader>,
    /// Functions that contain a source or a guard.
    pub seeds: FxHashSet<Func>,
    /// Functions that contain a source or a sink.
    with_sites: FxHashSet<Func>,
    /// By handler: what its decorators put into its place.
    wrappers: FxHashMap<Func, Vec<Wrapper>>,
    /// Guards that are known by their names only.
    named: SharedMemo<(Option<Sym>, Sym), Option<Guard>>,
}

impl<'p, 'a> Model<'p, 'a> {
    pub fn new(bodies: &Bodies<'p, 'a>, effects: &'p Effects, callers: &Callers, handlers: &[Func]) -> Self {
        let (program, catalog) = (bodies.program(), bodies.catalog());
        let mut model = Model {
            program,
            catalog,
            sources: Vec::new(),
            source_at: FxHashMap::default(),
            sink_at: FxHashMap::default(),
            guards: content_guards(bodies),
            loaders: FxHashMap::default(),
            seeds: FxHashSet::default(),
            with_sites: FxHashSet::default(),
            wrappers: handlers.iter().map(|&handler| (handler, wrappers(program, handler))).collect(),
            named: SharedMemo::default(),
        };
        model.loaders = loaders(program, catalog);
        program.edges.iter().for_each(|edge| model.edge(edge));
        let matters = Matters::new(&model, callers, handlers);
        effects.sites.iter().for_each(|site| model.effect(site));
        let found = inflows(bodies, effects, &model.guards);
        found.into_iter().filter(|site| matters.is_worth(site)).for_each(|site| model.source(site));
        let sinks = model.sink_at.values().flatten().map(|site| site.from);
        model.with_sites = model.sources.iter().map(|site| site.from).chain(sinks).collect();
        model
    }

    /// What stands in a handler's place and runs it.
    pub fn wrappers(&self, handler: Func) -> &[Wrapper] {
        self.wrappers.get(&handler).map_or(&[], Vec::as_slice)
    }

    pub fn all_wrappers(&self) -> impl Iterator<Item = &Wrapper> {
        self.wrappers.values().flatten()
    }

    pub fn has_sites(&self, func: Func) -> bool {
        self.with_sites.contains(&func)
    }

    fn effect(&mut self, site: &EffectSite) {
        if self.program.is_test_code(site.from) {
            return;
        }
        let sink = match site.kind {
            Some(EffectKind::Llm) => Sink::Prompt,
            Some(EffectKind::Process) if !self.catalog.flow.is_harmless(&site.callee) => Sink::Process,
            _ => return,
        };
        let site_of = SinkSite { from: site.from, sink, argument: None, confidence: site.confidence };
        self.sink_at.entry(site.at).or_default().push(site_of);
    }

    fn source(&mut self, site: SourceSite) {
        self.source_at.entry(site.at).or_default().push(self.sources.len() as u32);
        self.seeds.insert(site.from);
        self.sources.push(site);
    }

    fn edge(&mut self, edge: &Edge) {
        if self.guards.contains_key(&edge.to) && !self.program.is_test_code(edge.from) {
            self.seeds.insert(edge.from);
        }
        self.loader(edge);
    }

    fn telling(&self, path: &str) -> Tells {
        let (values, tells) = (&self.catalog.handed_on, &self.catalog.tells);
        match path {
            _ if tells.is_silent(path) => Tells::Nothing,
            _ if tells.is_number(path) => Tells::Number,
            _ if tells.lists(path) => Tells::Listed,
            _ if values.by_call(path) => Tells::Same,
            _ => Tells::All,
        }
    }

    fn loader(&mut self, edge: &Edge) {
        let Some(loader) = self.loaders.get(&edge.to).copied() else { return };
        let Some(sink) = Sink::of(loader.of) else { return };
        let site = SinkSite {
            from: edge.from,
            sink,
            argument: loader.argument.as_ref(),
            confidence: edge.confidence,
        };
        self.sink_at.entry(edge.at).or_default().push(site);
    }

    /// True for a method of a buffer, which is written like a file and read like a text.
    pub fn is_buffer(&self, edges: &[Edge]) -> bool {
        edges.iter().any(|edge| match edge.to {
            Target::External(path) => self.catalog.tells.is_buffer(self.program.path(path)),
            Target::Project(_) => false,
        })
    }

    /// What a call brings in by itself.
    pub fn brought(&self, at: At) -> Labels {
        let mut labels = Labels::default();
        for &id in self.source_at.get(&at).into_iter().flatten() {
            let SourceSite { inflow, confidence, .. } = self.sources[id as usize];
            if inflow != Inflow::Fence {
                labels.join(&Labels::raw(Origin::Source(inflow), Word::new(confidence, id)));
            }
        }
        labels
    }

    /// The label of what goes through a fence here.
    pub fn fenced(&self, at: At) -> Labels {
        let fenced = |id: &&u32| self.sources[**id as usize].inflow == Inflow::Fence;
        let id = self.source_at.get(&at).into_iter().flatten().find(fenced);
        let word = id.map(|&id| Word::new(self.sources[id as usize].confidence, id));
        word.map(|word| Labels::raw(Origin::Source(Inflow::Fence), word).guarded()).unwrap_or_default()
    }

    pub fn sink_sites(&self) -> impl Iterator<Item = &SinkSite<'p>> {
        self.sink_at.values().flatten()
    }

    pub fn sinks(&self, at: At) -> &[SinkSite<'p>] {
        self.sink_at.get(&at).map_or(&[], SmallVec::as_slice)
    }

    /// Which guard a call asks, by the path of all that it may call, or else by its name.
    pub fn guard(&self, func: Func, call: ExprId, edges: &[Edge]) -> Option<Guard> {
        let is_guard = |edge: &&Edge| self.guards.contains_key(&edge.to);
        if let Some(edge) = edges.iter().find(is_guard).filter(|_| edges.iter().all(|edge| is_guard(&edge))) {
            return self.guards.get(&edge.to).copied();
        }
        if edges.iter().any(|edge| matches!(edge.to, Target::Project(_)) || is_guard(&edge)) {
            return None;
        }
        self.named.of(self.names(func, call)?, || {
            let spelled = spelled(self.program, func, call)?;
            let attribution = self.catalog.attribution.role_of_name(&spelled).map(Guard::Attribution);
            attribution.or_else(|| self.catalog.fence.role_of_name(&spelled).map(Guard::Fence))
        })
    }

    /// The name of what is called, and that of its receiver.
    fn names(&self, func: Func, call: ExprId) -> Option<(Option<Sym>, Sym)> {
        let facts = self.program.facts(self.program.function(func).file);
        let vars = facts.list(self.program.ir(func).vars);
        let name_of = |expr: ExprId| match *facts.expr(expr) {
            Expr::Field { name, .. } | Expr::Free(name) => Some(name),
            Expr::Var(var) => vars.get(var.0 as usize).copied(),
            _ => None,
        };
        let Expr::Call { callee, .. } = *facts.expr(call) else { return None };
        let receiver = match *facts.expr(callee) {
            Expr::Field { base, .. } => name_of(base),
            _ => None,
        };
        Some((receiver, name_of(callee)?))
    }

    /// What the result of a call that no function of the project answers tells of its arguments.
    pub fn tells(&self, func: Func, callee: ExprId, edges: &[Edge]) -> Tells {
        self.library(func, callee, edges).map_or(Tells::All, |path| self.telling(&path))
    }

    /// True if the call opens the file at its first argument.
    pub fn opens(&self, func: Func, callee: ExprId, edges: &[Edge]) -> bool {
        let path = self.library(func, callee, edges);
        path.is_some_and(|path| self.catalog.tells.opens(&path))
    }

    /// The path of a library function, or one of the language itself, that is called.
    fn library(&self, func: Func, callee: ExprId, edges: &[Edge]) -> Option<Cow<'p, str>> {
        let external = edges.iter().find_map(|edge| match edge.to {
            Target::External(path) => Some(Cow::Borrowed(self.program.path(path))),
            Target::Project(_) => None,
        });
        external.or_else(|| self.builtin(func, callee).map(Cow::Owned))
    }

    fn builtin(&self, func: Func, callee: ExprId) -> Option<String> {
        let facts = self.program.facts(self.program.function(func).file);
        match *facts.expr(callee) {
            Expr::Free(name) if self.program.variable(func, callee).is_none() => {
                Some(format!("{BUILTINS}{}", facts.str(name)))
            }
            _ => None,
        }
    }

    /// What a function of the language itself does with content that is handed over with it.
    pub fn builtin_sink(&self, func: Func, callee: ExprId) -> Option<SinkSite<'p>> {
        let loader = self.catalog.loader(&self.builtin(func, callee)?).filter(|loader| !loader.prepares)?;
        let sink = Sink::of(loader.of)?;
        Some(SinkSite { from: func, sink, argument: None, confidence: Confidence::High })
    }
}

/// What runs what it is given, among the functions that are called.
fn loaders<'p>(program: &Program<'_>, catalog: &'p Catalog) -> FxHashMap<Target, &'p Loader> {
    let loader = |edge: &Edge| match edge.to {
        Target::External(path) => Some((edge.to, catalog.loader(program.path(path))?)),
        Target::Project(_) => None,
    };
    program.edges.iter().filter_map(loader).filter(|(_, loader)| !loader.prepares).collect()
}
