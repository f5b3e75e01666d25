//! What the catalogue and the effects say of the program's calls, looked up once for all walks: where content comes from,
//! which calls tell a model something, and what the functions do that are called.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::labels::{Labels, Origin, Word};
use crate::analysis::decorators::{Wrapper, wrappers};
use crate::analysis::effects::Effects;
use crate::analysis::gates::spelled;
use crate::analysis::guards::Bodies;
use crate::analysis::inflows::{Guard, Inflow, SourceSite, content_guards, inflows};
use crate::analysis::reached::{EntryPoint, Reached};
use crate::catalog::{BUILTINS, Catalog, EffectKind};
use crate::finding::Confidence;
use crate::ir::{Expr, ExprId, Sym};
use crate::link::{At, Edge, Func, Program, SharedMemo, Target};

/// What the result of a library function tells of its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tells {
    All,
    /// It is its argument.
    Same,
    Number,
    Nothing,
}

pub struct Model<'p, 'a> {
    pub program: &'p Program<'a>,
    pub catalog: &'p Catalog,
    pub sources: Vec<SourceSite>,
    source_at: FxHashMap<At, SmallVec<[u32; 1]>>,
    /// Calls that tell a model something.
    prompts: FxHashMap<At, Confidence>,
    guards: FxHashMap<Target, Guard>,
    /// Functions that contain a source or a guard.
    pub seeds: FxHashSet<Func>,
    /// Functions that contain a source, or tell a model something.
    with_sites: FxHashSet<Func>,
    /// By handler: what its decorators put into its place.
    wrappers: FxHashMap<Func, Vec<Wrapper>>,
    /// Guards that are known by their names only.
    named: SharedMemo<(Option<Sym>, Sym), Option<Guard>>,
}

impl<'p, 'a> Model<'p, 'a> {
    pub fn new(bodies: &Bodies<'p, 'a>, effects: &'p Effects, handlers: &[Func]) -> Self {
        let (program, catalog) = (bodies.program(), bodies.catalog());
        let mut model = Model {
            program,
            catalog,
            sources: Vec::new(),
            source_at: FxHashMap::default(),
            prompts: FxHashMap::default(),
            guards: content_guards(bodies),
            seeds: FxHashSet::default(),
            with_sites: FxHashSet::default(),
            wrappers: handlers.iter().map(|&handler| (handler, wrappers(program, handler))).collect(),
            named: SharedMemo::default(),
        };
        let guards = program.edges.iter().filter(|edge| model.guards.contains_key(&edge.to));
        let guarded = guards.map(|edge| edge.from).filter(|&func| !program.is_test_code(func));
        model.seeds = guarded.collect();
        let prompts = effects.of_kinds(&[EffectKind::Llm]).filter(|site| !program.is_test_code(site.from));
        for site in prompts {
            model.prompts.insert(site.at, site.confidence);
            model.with_sites.insert(site.from);
        }
        // What comes in elsewhere matters where somebody is asked to guard it.
        let handled = Reached::find(program, handlers.iter().copied().map(EntryPoint::at).collect());
        let is_worth = |site: &SourceSite| match site.inflow {
            Inflow::Comm | Inflow::Fence => true,
            Inflow::Network => !handlers.is_empty(),
            Inflow::Process | Inflow::Storage => handled.is(site.from),
        };
        let found = inflows(bodies, effects, &model.guards);
        found.into_iter().filter(is_worth).for_each(|site| model.source(site));
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

    fn source(&mut self, site: SourceSite) {
        self.source_at.entry(site.at).or_default().push(self.sources.len() as u32);
        self.seeds.insert(site.from);
        self.with_sites.insert(site.from);
        self.sources.push(site);
    }

    fn telling(&self, path: &str) -> Tells {
        let (values, tells) = (&self.catalog.handed_on, &self.catalog.tells);
        match path {
            _ if tells.is_silent(path) => Tells::Nothing,
            _ if tells.is_number(path) => Tells::Number,
            _ if tells.lists(path) => Tells::Nothing,
            _ if values.by_call(path) => Tells::Same,
            _ => Tells::All,
        }
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

    /// True for a call that tells a model what it is given, and how sure that is.
    pub fn prompt(&self, at: At) -> Option<Confidence> {
        self.prompts.get(&at).copied()
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
}
