//! Where content from outside comes in: results of comm operations, answers from the network, what a process printed, rows that
//! were stored, and what went through a content fence.

use rustc_hash::{FxHashMap, FxHashSet};

use super::effects::{EffectSite, Effects};
use super::gates::spelled;
use super::guards::Bodies;
use crate::catalog::{Access, EffectKind, Guarding};
use crate::finding::Confidence;
use crate::ir::Expr;
use crate::link::{At, CallSite, EdgeKind, Func, Program, Receiver, Resolution, Target};

/// Where content comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Inflow {
    Comm,
    Network,
    Process,
    /// Read from a database.
    Storage,
    /// It went through a content fence, so it is from outside, whoever fetched it.
    Fence,
}

impl Inflow {
    pub const WORDS: [(&'static str, Inflow); 5] = [
        ("comm", Inflow::Comm),
        ("network", Inflow::Network),
        ("process", Inflow::Process),
        ("storage", Inflow::Storage),
        ("fence", Inflow::Fence),
    ];
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

/// Which guard of content a function belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guard {
    Attribution(Guarding),
    Fence(Guarding),
}

/// The guards of content among what is called.
pub fn content_guards(bodies: &Bodies<'_, '_>) -> FxHashMap<Target, Guard> {
    let (program, catalog) = (bodies.program(), bodies.catalog());
    let mut seen: FxHashSet<Target> = FxHashSet::default();
    let targets = program.edges.iter().map(|edge| edge.to).filter(|&to| seen.insert(to));
    let guard = |to: Target| {
        let path = match to {
            Target::External(path) => program.path(path),
            Target::Project(func) => &*program.function(func).path,
        };
        let attribution = catalog.attribution.role(path).map(Guard::Attribution);
        let guard = attribution.or_else(|| catalog.fence.role(path).map(Guard::Fence))?;
        bodies.may_keep(to, path).then_some((to, guard))
    };
    targets.filter_map(guard).collect()
}

/// All calls of production code that bring content in. `guards` are those of content.
pub fn inflows(
    bodies: &Bodies<'_, '_>,
    effects: &Effects,
    guards: &FxHashMap<Target, Guard>,
) -> Vec<SourceSite> {
    let program = bodies.program();
    let shows = |guard| matches!(guard, Guard::Fence(Guarding::Guards | Guarding::Displays));
    let fences = program.edges.iter().filter(|edge| guards.get(&edge.to).copied().is_some_and(shows));
    let fenced = fences.map(|edge| SourceSite {
        from: edge.from,
        at: edge.at,
        inflow: Inflow::Fence,
        confidence: edge.confidence,
        callee: program.target_name(edge.to),
    });
    let of_effects = effects.sites.iter().filter_map(|site| of_effect(program, site));
    let mut found: Vec<SourceSite> = fenced.chain(of_effects).collect();
    let known: FxHashSet<At> = found.iter().map(|source| source.at).collect();
    found.extend(channels(bodies, effects).filter(|source| !known.contains(&source.at)));
    found.retain(|source| !program.is_test_code(source.from));
    found
}

fn of_effect(program: &Program<'_>, site: &EffectSite) -> Option<SourceSite> {
    let inflow = match site.kind? {
        // An operation that calls another one of its own object is still the same.
        EffectKind::Comm if is_own_call(program, site) => return None,
        EffectKind::Comm => Inflow::Comm,
        EffectKind::Network => Inflow::Network,
        EffectKind::Process => Inflow::Process,
        EffectKind::Storage if !matches!(site.access, Some(Access::Write | Access::Open)) => Inflow::Storage,
        _ => return None,
    };
    let EffectSite { from, at, confidence, ref callee, .. } = *site;
    let callee = callee.clone();
    (confidence > Confidence::Low).then_some(SourceSite { from, at, inflow, confidence, callee })
}

fn is_own_call(program: &Program<'_>, site: &EffectSite) -> bool {
    let mut edges = program.edges_at(site.from, site.at.expr).iter();
    edges.any(|edge| matches!(edge.receiver, Receiver::Same | Receiver::SameDispatched))
}

/// A comm operation of the project brings in what its unresolved calls hand back.
fn channels<'b>(bodies: &'b Bodies<'_, '_>, effects: &Effects) -> impl Iterator<Item = SourceSite> + 'b {
    let program = bodies.program();
    let mut channels: FxHashSet<Func> = FxHashSet::default();
    for edge in &program.edges {
        if let Target::Project(func) = edge.to
            && edge.kind == EdgeKind::Call
            && effects.is_comm_call(edge.at)
        {
            channels.insert(func);
        }
    }
    let open = program.calls.iter().filter(|call| call.resolution == Resolution::Unresolved);
    open.filter_map(move |call| {
        let confidence = match channels.contains(&call.from) {
            true => Confidence::High,
            false if runs_command(bodies, call) => Confidence::Medium,
            false => return None,
        };
        let callee = spelled(program, call.from, call.at.expr).unwrap_or_default();
        Some(SourceSite { from: call.from, at: call.at, inflow: Inflow::Comm, confidence, callee })
    })
}

/// `self.run_sandboxed(args)`, where nothing shows what it runs.
fn runs_command(bodies: &Bodies<'_, '_>, call: &CallSite) -> bool {
    let facts = bodies.program().facts(call.at.file);
    let Expr::Call { callee, .. } = *facts.expr(call.at.expr) else { return false };
    match *facts.expr(callee) {
        Expr::Field { name, .. } | Expr::Free(name) => bodies.catalog().flow.runs_command(facts.str(name)),
        _ => false,
    }
}
