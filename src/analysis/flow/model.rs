//! What the catalogue and the effects say of the program's calls, looked up once for all walks: where content comes from,
//! what runs or reads it, and what the functions do that are called.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::callers::Callers;
use super::labels::{Inflow, Labels, Origin, Word};
use super::matters::Matters;
use crate::analysis::decorators::{Wrapper, wrappers};
use crate::analysis::effects::{EffectSite, Effects};
use crate::analysis::gates::spelled;
use crate::analysis::guards::Bodies;
use crate::catalog::{Access, ArgumentTest, BUILTINS, Catalog, EffectKind, Guarding, Loader, Loads};
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Sym};
use crate::link::{At, CallSite, Edge, EdgeKind, Func, Program, Receiver, Resolution, SharedMemo, Target};

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

/// A call that brings content in.
#[derive(Clone, Debug)]
pub struct SourceSite {
    pub from: Func,
    pub at: At,
    pub inflow: Inflow,
    pub confidence: Confidence,
    pub callee: String,
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

/// Which guard a function belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guard {
    Attribution(Guarding),
    Fence(Guarding),
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
            guards: FxHashMap::default(),
            loaders: FxHashMap::default(),
            seeds: FxHashSet::default(),
            with_sites: FxHashSet::default(),
            wrappers: handlers.iter().map(|&handler| (handler, wrappers(program, handler))).collect(),
            named: SharedMemo::default(),
        };
        let mut targets = FxHashMap::default();
        for edge in &program.edges {
            model.edge(edge, bodies, &mut targets);
        }
        let matters = Matters::new(&model, callers, handlers);
        effects.sites.iter().for_each(|site| model.effect(site, &matters));
        model.channels(effects);
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

    fn effect(&mut self, site: &'p EffectSite, matters: &Matters) {
        let Some(kind) = site.kind.filter(|_| !self.program.is_test_code(site.from)) else { return };
        let source = match kind {
            // An operation that calls another one of its own object is still the same.
            EffectKind::Comm if self.is_own_call(site) => None,
            EffectKind::Comm => Some(Inflow::Comm),
            EffectKind::Network => Some(Inflow::Network),
            EffectKind::Process if matters.process[site.from.0 as usize] => Some(Inflow::Process),
            EffectKind::Storage if !matches!(site.access, Some(Access::Write | Access::Open)) => {
                matters.storage[site.from.0 as usize].then_some(Inflow::Storage)
            }
            _ => None,
        };
        if let Some(source) = source.filter(|_| site.confidence > Confidence::Low) {
            self.source(site.from, site.at, source, site.confidence, site.callee.clone());
        }
        let sink = match kind {
            EffectKind::Llm => Sink::Prompt,
            EffectKind::Process if !self.catalog.flow.is_harmless(&site.callee) => Sink::Process,
            _ => return,
        };
        let site_of = SinkSite { from: site.from, sink, argument: None, confidence: site.confidence };
        self.sink_at.entry(site.at).or_default().push(site_of);
    }

    fn is_own_call(&self, site: &EffectSite) -> bool {
        let mut edges = self.program.edges_at(site.from, site.at.expr).iter();
        edges.any(|edge| matches!(edge.receiver, Receiver::Same | Receiver::SameDispatched))
    }

    fn source(&mut self, from: Func, at: At, inflow: Inflow, confidence: Confidence, callee: String) {
        let id = self.sources.len() as u32;
        self.source_at.entry(at).or_default().push(id);
        self.sources.push(SourceSite { from, at, inflow, confidence, callee });
        self.seeds.insert(from);
    }

    fn edge(&mut self, edge: &Edge, bodies: &Bodies<'_, '_>, seen: &mut FxHashMap<Target, ()>) {
        let is_new = seen.insert(edge.to, ()).is_none();
        let path = match edge.to {
            Target::External(path) => self.program.path(path),
            Target::Project(func) if is_new => (*self.program.function(func).path).into(),
            Target::Project(_) => "",
        };
        if is_new {
            self.target(edge.to, path, bodies);
        }
        if let Some(guard) = self.guards.get(&edge.to).copied()
            && !self.program.is_test_code(edge.from)
        {
            self.seeds.insert(edge.from);
            let shows = matches!(guard, Guard::Fence(Guarding::Guards | Guarding::Displays));
            if shows {
                let callee = self.program.target_name(edge.to);
                self.source(edge.from, edge.at, Inflow::Fence, edge.confidence, callee);
            }
        }
        self.loader(edge);
    }

    fn target(&mut self, target: Target, path: &str, bodies: &Bodies<'_, '_>) {
        let catalog = self.catalog;
        let attribution = catalog.attribution.role(path).map(Guard::Attribution);
        if let Some(guard) = attribution.or_else(|| catalog.fence.role(path).map(Guard::Fence))
            && bodies.may_keep(target, path)
        {
            self.guards.insert(target, guard);
        }
        if let (Target::External(_), Some(loader)) = (target, catalog.loader(path)) {
            self.loaders.extend((!loader.prepares).then_some((target, loader)));
        }
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

    /// A comm operation of the project brings in what its unresolved calls hand back.
    fn channels(&mut self, effects: &Effects) {
        let program = self.program;
        let mut channels: FxHashSet<Func> = FxHashSet::default();
        for edge in &program.edges {
            if let Target::Project(func) = edge.to
                && edge.kind == EdgeKind::Call
                && effects.is_comm_call(edge.at)
            {
                channels.insert(func);
            }
        }
        for call in program.calls.iter().filter(|call| call.resolution == Resolution::Unresolved) {
            let confidence = match channels.contains(&call.from) {
                true => Confidence::High,
                false if self.runs_command(call) => Confidence::Medium,
                false => continue,
            };
            if !self.source_at.contains_key(&call.at) && !program.is_test_code(call.from) {
                let callee = spelled(program, call.from, call.at.expr).unwrap_or_default();
                self.source(call.from, call.at, Inflow::Comm, confidence, callee);
            }
        }
    }

    /// `self.run_sandboxed(args)`, where nothing shows what it runs.
    fn runs_command(&self, call: &CallSite) -> bool {
        let facts = self.program.facts(call.at.file);
        let Expr::Call { callee, .. } = *facts.expr(call.at.expr) else { return false };
        match *facts.expr(callee) {
            Expr::Field { name, .. } | Expr::Free(name) => self.catalog.flow.runs_command(facts.str(name)),
            _ => false,
        }
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
