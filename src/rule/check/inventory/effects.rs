//! The effects that a handler can reach, each once, and the gates before them: one search over all calls and one over those that no
//! gate closes, both forward from the handler, so that they cost no more than what it reaches.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::Context;
use super::super::reach::{enters, last_step, step};
use super::access::access;
use super::gates::Gates;
use super::given::{Given, Origins};
use super::targets::{Taken, target};
use super::unknown::Unknown;
use crate::analysis::{EffectSite, EntryPoint, EntryWay, Guarded, Reached, wrappers};
use crate::catalog::EffectKind;
use crate::finding::{Confidence, Step};
use crate::inventory::{self, UnknownLibrary};
use crate::ir::{ExprId, Span};
use crate::link::{At, Cls, Edge, EdgeKind, Func, Program, Target};
use crate::parallel;

/// All effects that handlers may reach.
pub struct Finder<'f, 'c> {
    context: &'f Context<'c>,
    guarded: &'f Guarded<'f, 'c, 'c>,
    /// Sorted like `Effects::sites`.
    sites: Vec<Site>,
    given: FxHashMap<Func, Given>,
    unknown: Unknown<'c>,
}

/// What a handler does, as far as it is known.
pub struct Found {
    /// In the order of the inventory.
    pub effects: Vec<inventory::Reached>,
    /// The names of the gates before those that are gated.
    pub gates: Vec<String>,
    pub unknown: Vec<UnknownLibrary>,
}

struct Site {
    effect: EffectSite,
    /// Nothing says that the file lies outside the workspace.
    is_local: bool,
    values: Vec<ExprId>,
}

/// What runs as one handler.
pub struct Handler<'h> {
    pub runs: &'h [Func],
    /// What decorators put around them.
    pub around: &'h [Func],
    /// Branches of the first of them that are taken for another name only.
    pub closed: &'h [Span],
    pub class: Option<Cls>,
    pub confidence: Confidence,
}

impl Handler<'_> {
    /// False for what stands in a branch that is not taken.
    fn takes(&self, program: &Program<'_>, func: Func, at: At) -> bool {
        if self.closed.is_empty() || self.runs.first() != Some(&func) {
            return true;
        }
        let span = program.span(at);
        !self.closed.iter().any(|branch| branch.lo <= span.lo && span.hi <= branch.hi)
    }

    /// False for a call by which a decorator runs another function that it stands around.
    fn means(&self, program: &Program<'_>, edge: &Edge) -> bool {
        let Target::Project(callee) = edge.to else { return true };
        if !self.around.contains(&edge.from) || self.runs.contains(&callee) {
            return true;
        }
        !wrappers(program, callee).iter().any(|wrapper| wrapper.inside.contains(&edge.from))
    }
}

impl<'f, 'c> Finder<'f, 'c> {
    pub fn new(
        context: &'f Context<'c>,
        guarded: &'f Guarded<'f, 'c, 'c>,
        starts: impl Iterator<Item = Func>,
    ) -> Self {
        let functions = reachable(context, starts);
        let sites = sites(context, &functions);
        let given = parallel::map(&functions, |&func| {
            let sites = of_function(&sites, func);
            let outside = sites.iter().map(|site| site.effect.at.expr).collect();
            let asked = sites.iter().flat_map(|site| site.values.iter().copied());
            (func, Given::of(context, func, outside, asked))
        });
        Self { context, guarded, sites, given: given.into_iter().collect(), unknown: Unknown::find(context) }
    }

    pub fn of(&self, handler: &Handler<'_>) -> Found {
        let context = self.context;
        let takes = |func: Func, at: At| handler.takes(context.program, func, at);
        let follows = |edge: &Edge| takes(edge.from, edge.at) && handler.means(context.program, edge);
        let starts: Vec<Func> = handler.runs.iter().chain(handler.around).copied().collect();
        let all = self.search(&starts, handler.class, follows);
        let free: Vec<Func> =
            starts.iter().copied().filter(|&func| !self.guarded.is_entered_held(func)).collect();
        let open = self.search(&free, handler.class, |edge| follows(edge) && self.guarded.is_open(edge));
        let origins = Origins::follow(context, handler.runs, &all, &self.given, takes);
        let program = context.program;
        let runs_at = |func: Func, at: At| takes(func, at) && all.takes(program, func, program.span(at));
        let mut gates = Gates::new(context, self.guarded);
        let mut effects = Vec::new();
        for func in all.functions() {
            let sites = of_function(&self.sites, func);
            let Some(way) = all.way(func).filter(|_| !sites.is_empty()) else { continue };
            for site in sites.iter().filter(|site| runs_at(func, site.effect.at)) {
                let is_gated = !open.is(func) || self.guarded.is_held(&site.effect);
                if is_gated {
                    gates.note(way.entry.func, &way.last, &site.effect);
                }
                let effect = self.effect(handler, site, &way, &origins, is_gated);
                effects.extend(effect.map(|effect| (way.calls, effect)));
            }
        }
        effects.sort_by(|(calls, a), (other, b)| rank(*calls, a).cmp(&rank(*other, b)));
        let sure = all.functions().into_iter().filter(|&func| all.confidence(func) > Confidence::Low);
        let edges = sure.flat_map(|func| context.program.edges_from(func));
        let taken = edges.filter(|edge| runs_at(edge.from, edge.at));
        Found {
            unknown: self.unknown.called(context, taken),
            effects: one_guess_each(effects.into_iter().map(|(_, effect)| effect)),
            gates: gates.names(),
        }
    }

    fn search(&self, runs: &[Func], class: Option<Cls>, is_open: impl Fn(&Edge) -> bool) -> Reached<'c> {
        let entries = runs.iter().map(|&func| EntryPoint::at(func)).collect();
        Reached::search(self.context.program, entries, class, Confidence::Medium, |edge, is_held| {
            let is_followed = is_open(edge) && follows(self.context, edge);
            // Twice "perhaps" is a guess.
            let is_guess = is_held && edge.kind == EdgeKind::Held;
            is_followed.then_some(if is_guess { Confidence::Low } else { Confidence::High })
        })
    }

    fn effect(
        &self,
        handler: &Handler<'_>,
        Site { effect, is_local, values }: &Site,
        way: &EntryWay<'_, '_>,
        origins: &Origins,
        is_gated: bool,
    ) -> Option<inventory::Reached> {
        let context = self.context;
        let mut arguments =
            values.iter().filter_map(|&value| origins.argument(&self.given, effect.from, value));
        let confidence = effect.confidence.min(way.confidence).min(handler.confidence);
        // The way of a guess is one of many, and there are as many guesses as calls in a large program.
        let calls = if confidence == Confidence::Low { Vec::new() } else { steps(context, way) };
        Some(inventory::Reached {
            kind: effect.kind?,
            confidence,
            callee: effect.callee.clone(),
            access: access(context, effect, values),
            target: target(context, effect, values, arguments.next()),
            is_gated,
            is_local: *is_local,
            steps: calls.into_iter().chain([end(context, effect, *is_local)]).collect(),
        })
    }
}

/// Of guesses that name one function the first: in a large program there are as many as calls of it.
fn one_guess_each(effects: impl Iterator<Item = inventory::Reached>) -> Vec<inventory::Reached> {
    let mut guessed: FxHashSet<(EffectKind, String)> = FxHashSet::default();
    let is_new = |effect: &inventory::Reached| {
        effect.confidence > Confidence::Low || guessed.insert((effect.kind, effect.callee.clone()))
    };
    effects.filter(is_new).collect()
}

/// A guess comes last, then what is gated; of the rest the surest and nearest first.
fn rank(calls: usize, effect: &inventory::Reached) -> impl Ord + '_ {
    let place = effect.steps.last().map(|step| step.place);
    let sure = std::cmp::Reverse(effect.confidence);
    (!effect.counts(), effect.kind, effect.is_gated, sure, calls, place, &effect.callee)
}

/// The call graph does not look behind model providers and comm operations.
fn follows(context: &Context<'_>, edge: &Edge) -> bool {
    matches!(edge.to, Target::Project(func) if edge.kind != EdgeKind::Stored && enters(context, func, false))
        && !context.effects.is_comm_call(edge.at)
}

/// All functions that are reached from some handler, in order.
fn reachable(context: &Context<'_>, starts: impl Iterator<Item = Func>) -> Vec<Func> {
    let mut seen: FxHashSet<Func> = starts.collect();
    let mut work: Vec<Func> = seen.iter().copied().collect();
    while let Some(func) = work.pop() {
        let edges = context.program.edges_from(func).iter().filter(|edge| follows(context, edge));
        work.extend(edges.filter_map(|edge| match edge.to {
            Target::Project(to) if seen.insert(to) => Some(to),
            _ => None,
        }));
    }
    let mut functions: Vec<Func> = seen.into_iter().collect();
    functions.sort_unstable();
    functions
}

/// The effects of these functions.
fn sites(context: &Context<'_>, functions: &[Func]) -> Vec<Site> {
    let taken = Taken::find(context);
    let is_reached = |site: &&EffectSite| site.runs && functions.binary_search(&site.from).is_ok();
    let found = context.effects.sites.iter().filter(is_reached).map(|site| (site, false));
    let local = taken.files.local.iter().filter(is_reached).map(|site| (site, true));
    let mut all: Vec<(&EffectSite, bool)> = found.chain(local).collect();
    all.sort_by_key(|(site, is_local)| (site.from, site.at, site.kind, *is_local));
    // What is known of a place by other means is known better.
    all.dedup_by(|(later, _), (first, _)| (later.at, later.kind) == (first.at, first.kind));
    parallel::map(all, |(site, is_local)| Site {
        values: taken.of(context, site),
        effect: site.clone(),
        is_local,
    })
}

fn of_function(sites: &[Site], func: Func) -> &[Site] {
    let start = sites.partition_point(|site| site.effect.from < func);
    let len = sites[start..].partition_point(|site| site.effect.from == func);
    &sites[start..start + len]
}

/// The calls on the way; of a long one those at its end.
fn steps(context: &Context<'_>, way: &EntryWay<'_, '_>) -> Vec<Step> {
    let mut steps: Vec<Step> = way.last.iter().map(|edge| step(context, edge)).collect();
    let left_out = way.calls - way.last.len();
    if let Some(first) = steps.first_mut().filter(|_| left_out > 0) {
        first.text = format!("after {left_out} more calls, {}", first.text);
    }
    steps
}

/// Where the effect happens.
fn end(context: &Context<'_>, effect: &EffectSite, is_local: bool) -> Step {
    let mut last = last_step(context, effect);
    if is_local {
        let caller = context.program.short_name(effect.from);
        last.text = format!("`{caller}` reaches a file through `{}`", effect.callee);
    }
    last
}
