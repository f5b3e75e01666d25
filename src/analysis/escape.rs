//! Which exceptions can leave a function by a `raise` that somebody wrote: its own, or that of a function it calls; where
//! errors are values, by handing one back. What
//! calls throw that nobody can look into does not count. Functions are summarised callees first; members of a cycle until
//! nothing changes. Every exception keeps the place where it comes from, so that the way to its `raise` can be shown.

mod awaited;
mod causes;
mod managers;
mod results;
mod thrown;
mod walk;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};

pub use self::managers::Managers;
use self::thrown::{Parameter, Raised, Sites, Source};
use self::walk::Walk;
use super::components::components;
use super::decorators::made_by;
use super::exceptions::Exception;
use super::interp::interpret;
use super::stubs::is_left_to_others;
use crate::catalog::Catalog;
use crate::finding::Confidence;
use crate::ir::{ExprId, FnKind};
use crate::link::{EdgeKind, Func, Program, Target};

/// A function of a cycle that keeps changing is given up after so many walks; what was found until then holds, and more may
/// be missing. Who is walked again has heard something new, which happens a few times.
const MAX_WALKS: usize = 64;

/// An exception that can leave a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Escape {
    /// The `raise`, or the call that leads to it.
    pub at: ExprId,
    /// `None` where nothing says which class it is of.
    pub exception: Option<Exception>,
    pub confidence: Confidence,
    /// Each function on the way and the place inside it; the last place is the `raise`.
    pub way: Vec<(Func, ExprId)>,
}

/// What can leave the functions that were asked for, and those that they call.
#[derive(Default)]
pub struct Escapes<'e> {
    /// What the bodies of `with` raise at the `yield` of their managers, if that is known.
    body: Option<Exception>,
    summaries: FxHashMap<Func, Summary>,
    /// What is known of all other functions, whatever those bodies raise.
    others: Option<&'e Escapes<'e>>,
    /// Functions of cycles that were given up.
    pub given_up: Vec<Func>,
}

/// What callers need to know of a function.
#[derive(Clone, PartialEq, Debug, Default)]
struct Summary {
    sites: Sites,
    /// The errors that it hands back in place of a value.
    failed: Sites,
    /// Parameters that it calls, own ones and those of functions around.
    calls: BTreeSet<Parameter>,
}

/// What is raised, and how surely.
type Told<'s> = BTreeMap<&'s Raised, Confidence>;

impl Summary {
    /// What a caller hears of it: not where inside the function it comes from, and by which way.
    fn told(&self) -> (Told<'_>, Told<'_>, &BTreeSet<Parameter>) {
        let told =
            |sites| best(sites).into_iter().map(|(raised, source)| (raised, source.confidence)).collect();
        (told(&self.sites), told(&self.failed), &self.calls)
    }
}

impl<'e> Escapes<'e> {
    pub fn find(program: &Program<'_>, catalog: &Catalog, starts: &[Func]) -> Self {
        let mut found = Self::default();
        found.ask(program, catalog, &reached(starts, |func| leads_to(program, func)));
        found
    }

    /// The same of a generator, if the bodies of `with` raise `body` at its `yield`. That matters to it and to those that it
    /// enters itself; `self` knows the rest.
    fn raising(&'e self, program: &Program<'_>, catalog: &Catalog, generator: Func, body: Exception) -> Self {
        let mut found = Self { body: Some(body), others: Some(self), ..Self::default() };
        let generators = |func| {
            let mut next = leads_to(program, func);
            next.retain(|&next| program.ir(next).is_generator);
            next
        };
        found.ask(program, catalog, &reached(&[generator], generators));
        found
    }

    /// Makes the summaries of these functions, callees first.
    fn ask(&mut self, program: &Program<'_>, catalog: &Catalog, asked: &[Func]) {
        let number: FxHashMap<Func, usize> = asked.iter().enumerate().map(|(at, &func)| (func, at)).collect();
        let next = |at: usize| {
            let next = leads_to(program, asked[at]);
            next.into_iter().filter_map(|func| number.get(&func).copied()).collect()
        };
        for group in components(asked.len(), next) {
            let group: Vec<Func> = group.into_iter().map(|at| asked[at]).collect();
            let given_up = self.settle(program, catalog, &group);
            self.given_up.extend(given_up);
        }
    }

    fn summary(&self, func: Func) -> Option<&Summary> {
        self.summaries.get(&func).or_else(|| self.others?.summary(func))
    }

    /// Walks the functions of a cycle, or the one that is none, until nothing changes; those for which that took too long come
    /// back. Each has a budget of its own.
    fn settle(&mut self, program: &Program<'_>, catalog: &Catalog, group: &[Func]) -> BTreeSet<Func> {
        let members: FxHashSet<Func> = group.iter().copied().collect();
        let mut callers: FxHashMap<Func, Vec<Func>> = FxHashMap::default();
        for &func in group {
            for callee in leads_to(program, func).into_iter().filter(|callee| members.contains(callee)) {
                callers.entry(callee).or_default().push(func);
            }
        }
        // First in, first out: each hears what all others found in a round before it is walked again.
        let (mut todo, mut waiting): (VecDeque<Func>, _) = (group.iter().copied().collect(), members);
        let (mut walks, mut given_up) = (FxHashMap::<Func, usize>::default(), BTreeSet::new());
        while let Some(func) = todo.pop_front() {
            waiting.remove(&func);
            let walks = walks.entry(func).or_default();
            if *walks == MAX_WALKS {
                given_up.insert(func);
                continue;
            }
            *walks += 1;
            if self.visit(program, catalog, func) {
                let callers = callers.get(&func).into_iter().flatten().copied();
                todo.extend(callers.filter(|&caller| waiting.insert(caller)));
            }
        }
        given_up
    }

    /// What can leave `func`: one exception for each place that it comes from.
    pub fn of(&self, program: &Program<'_>, catalog: &Catalog, func: Func) -> Vec<Escape> {
        let is_left_to_others = is_left_to_others(program, catalog, func);
        let Some(summary) = self.summary(func) else { return Vec::new() };
        let mut places: BTreeMap<ExprId, Escape> = BTreeMap::new();
        for ((raised, at), source) in summary.sites.iter().chain(&summary.failed) {
            let Raised::Class(exception) = raised else { continue };
            if let Some(Exception::Library(path)) = exception
                && is_left_to_others
                && catalog.exceptions.is_abstract(path)
            {
                continue;
            }
            let is_known = places.get(at).is_some_and(|known| known.confidence >= source.confidence);
            if !is_known {
                let way = self.way(func, raised, *at, source);
                let (exception, confidence) = (exception.clone(), source.confidence);
                places.insert(*at, Escape { at: *at, exception, confidence, way });
            }
        }
        places.into_values().collect()
    }

    fn way(&self, func: Func, raised: &Raised, at: ExprId, source: &Source) -> Vec<(Func, ExprId)> {
        let mut way = vec![(func, at)];
        let mut seen = FxHashSet::from_iter([func]);
        let mut via = source.via;
        while let Some(callee) = via.filter(|&callee| seen.insert(callee)) {
            let Some(summary) = self.summary(callee) else { break };
            let sites = summary.sites.iter().chain(&summary.failed);
            let sites = sites.filter(|((known, _), _)| known == raised);
            let Some(((_, at), source)) = sites.min_by_key(|(_, source)| source.rank()) else { break };
            way.push((callee, *at));
            via = source.via;
        }
        way
    }

    /// Walks a function with what is known of the others; true if it became known to let out more.
    fn visit(&mut self, program: &Program<'_>, catalog: &Catalog, func: Func) -> bool {
        let mut walk = Walk::new(self, program, catalog, func);
        interpret(&mut walk, program.facts(program.function(func).file), program.ir(func), &true);
        let Walk { left, failed, calls, .. } = walk;
        let summary = Summary { sites: self.behind_decorators(program, func, left), failed, calls };
        let is_news = self.summaries.get(&func).is_none_or(|known| known.told() != summary.told());
        self.summaries.insert(func, summary);
        is_news
    }

    /// What leaves a function as its callers know it: a decorator may run it inside a `try`.
    fn behind_decorators(&self, program: &Program<'_>, func: Func, mut left: Sites) -> Sites {
        for decorator in program.decorators(func) {
            let around = made_by(program, decorator.func);
            let parts: Vec<&Summary> = around.iter().filter_map(|&part| self.summary(part)).collect();
            let runs = parts.iter().any(|part| part.calls.iter().any(|(owner, _)| around.contains(owner)));
            let lets_out = parts.iter().flat_map(|part| &part.sites).filter_map(|((raised, _), source)| {
                matches!(raised, Raised::Parameter((owner, _)) if around.contains(owner))
                    .then_some(source.confidence)
            });
            match lets_out.max() {
                Some(most) => {
                    left.values_mut().for_each(|source| source.confidence = source.confidence.min(most));
                }
                None if runs => left.retain(|(raised, _), _| !matches!(raised, Raised::Class(_))),
                None => {}
            }
        }
        left
    }

    /// What can leave a function, whatever the place.
    fn known(&self, func: Func) -> BTreeMap<&Raised, Source> {
        self.summary(func).map(|summary| best(&summary.sites)).unwrap_or_default()
    }
}

/// The best source of each.
fn best(sites: &Sites) -> BTreeMap<&Raised, Source> {
    let mut known: BTreeMap<&Raised, Source> = BTreeMap::new();
    for ((raised, _), source) in sites {
        let best = known.entry(raised).or_insert_with(|| source.clone());
        if source.rank() < best.rank() {
            *best = source.clone();
        }
    }
    known
}

/// The functions that `starts` lead to, in order.
fn reached(starts: &[Func], leads_to: impl Fn(Func) -> Vec<Func>) -> Vec<Func> {
    let mut seen: BTreeSet<Func> = starts.iter().copied().collect();
    let mut todo: Vec<Func> = starts.to_vec();
    while let Some(func) = todo.pop() {
        todo.extend(leads_to(func).into_iter().filter(|&next| seen.insert(next)));
    }
    seen.into_iter().collect()
}

/// The functions whose summaries a function needs: those it calls or hands over to be run, and those that decorate it.
fn leads_to(program: &Program<'_>, func: Func) -> Vec<Func> {
    let called = program.edges_from(func).iter().filter_map(|edge| match (edge.to, edge.kind) {
        (_, EdgeKind::Held | EdgeKind::Stored) | (Target::External(_), _) => None,
        (Target::Project(callee), _) => Some(callee),
    });
    let mut next: Vec<Func> = called.collect();
    for decorator in program.decorators(func) {
        next.extend(made_by(program, decorator.func));
    }
    if program.ir(func).kind == FnKind::Plain {
        next.extend(program.nested(func));
    }
    next
}
