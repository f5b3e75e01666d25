//! Which gates hold at which calls. Functions are summarised callees first (what each guarantees when it comes back), then
//! every expression that leads elsewhere is annotated with whether the phase has been asked for on every way there.
//! A gate is known by what it does: whatever it is called, a function that comes back only where `phase == "execution"`
//! is one (ARCHITECTURE "Gates").

mod answers;
mod asks;
mod by_name;
mod calls;
mod compare;
mod domain;
mod ends;
mod enters;
mod grown;
mod handed;
mod judged;
mod known;
mod library;
mod readings;
mod results;
mod rulings;
mod runs;
mod settle;
mod special;
mod spread;
mod state;
mod summary;
mod tables;
#[cfg(test)]
mod tests;
mod thrown;
mod undecorated;
mod verdicts;
mod visit;
mod walk;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

pub use self::asks::{Asks, asks_phase};
use self::known::{Known, Learnt};
pub use self::rulings::{Cause, Lapse};
use self::settle::settle;
pub use self::summary::Summary;
use self::undecorated::{registered_by, undecorated};
use self::visit::{Visit, visit};
pub use self::walk::Left;
use self::walk::{Place, Seen};
use super::components::components;
use super::executions::Execution;
use super::gates::spelled;
use super::guards::{Bodies, Fault, Kept, Promise};
use super::interp::{Course, Way, ways};
use super::registrations::Registered;
use crate::catalog::{Naming, Vocabulary};
use crate::config;
use crate::ir::ExprId;
use crate::ir::walk::Child;
use crate::link::{At, Edge, EdgeKind, Func, Program, Target};

/// What holds where.
#[derive(Debug, Default)]
pub struct Gating {
    /// Expressions of walked functions that lead elsewhere: whether the gate has been passed on every way there.
    held: FxHashMap<At, bool>,
    /// Where something else runs than what a judge approved.
    others: FxHashSet<At>,
    /// Handlers that swallow a gate's error, and the expressions that are reached behind them without a gate.
    swallowed: Vec<(Func, ExprId, ExprId)>,
    /// Where walked functions come back, with what has been swallowed on the way.
    exits: FxHashMap<Func, Vec<Left>>,
    learnt: Learnt,
    /// Functions that run only behind the gate of what decorates them: the outermost such decorator.
    decorated: FxHashMap<Func, ExprId>,
}

/// A gate that only calls another one that only calls another one.
const MAX_WRAPPERS: u32 = 4;
/// So many ways are tried to say which one lacks the gate, each by one walk, ...
const MAX_WAYS: usize = 64;
/// ... and fewer in a long function, or where loops make walks long: no more than so many expressions are walked.
const MAX_STEPS: usize = 1 << 16;

impl Gating {
    /// `registered`: what the program registers, as far as that matters to whoever asks.
    pub fn find(bodies: &Bodies<'_, '_>, gates: &config::Gates, registered: &[Registered]) -> Self {
        Self::of(bodies, Asks::find(bodies, gates), registered)
    }

    /// The same of the gates that say whether an action may run.
    pub fn of_actions(
        bodies: &Bodies<'_, '_>,
        gates: &config::Gates,
        executions: &[Execution],
        registered: &[Registered],
    ) -> Self {
        Self::of(bodies, Asks::of_actions(bodies, gates, executions), registered)
    }

    fn of(bodies: &Bodies<'_, '_>, asks: Asks, registered: &[Registered]) -> Self {
        let (program, catalog) = (bodies.program(), bodies.catalog());
        if asks.is_empty() {
            return Self::default();
        }
        let taken_apart = [cut_off(bodies), undecorated(program, catalog)];
        let mut known = Known::new(bodies, asks, taken_apart, registered_by(program, registered));
        let mut found = Self::default();
        for group in components(program.functions.len(), |node| leads_to(program, Func(node as u32))) {
            let group: Vec<Func> = group.into_iter().map(|node| Func(node as u32)).collect();
            if !program.is_over() && group.iter().any(|&func| known.is_worth_a_walk(func)) {
                found.walk(&mut known, &group);
            }
        }
        found.learnt = known.into_learnt();
        found
    }

    /// True if on every way to this expression, inside its function, the phase has been asked for.
    pub fn is_held(&self, at: At) -> bool {
        self.held.get(&at).copied().unwrap_or_default()
    }

    /// True where a judge of actions has approved something, and something else runs.
    pub fn is_held_for_another(&self, at: At) -> bool {
        self.others.contains(&at)
    }

    /// True if somebody judges actions.
    pub fn has_judges(&self) -> bool {
        self.learnt.has_judges()
    }

    /// True if some call in a function runs only behind a gate.
    pub fn holds_somewhere(&self, program: &Program<'_>, func: Func) -> bool {
        program.edges_from(func).iter().any(|edge| self.is_held(edge.at))
    }

    /// True if whoever calls the function has to pass the gate of its decorator.
    pub fn is_decorated(&self, func: Func) -> bool {
        self.decorated.contains_key(&func)
    }

    /// True if what stands around a function there runs behind the gate of a decorator further out.
    pub fn is_behind_decorator(&self, func: Func, at: ExprId) -> bool {
        self.decorated.get(&func).is_some_and(|&gate| gate < at)
    }

    /// True if the function comes back, or says yes, only in the right phase, and that is its own doing: it compares the
    /// phase itself, or does nothing but call such a gate. Whoever calls a gate among other things is no gate.
    pub fn is_gate(&self, program: &Program<'_>, words: &Vocabulary, func: Func) -> bool {
        self.is_gate_within(program, words, func, MAX_WRAPPERS)
    }

    fn is_gate_within(&self, program: &Program<'_>, words: &Vocabulary, func: Func, hops: u32) -> bool {
        let Some(hops) = hops.checked_sub(1) else { return false };
        let calls_gate = || {
            let Some(call) = asks::only_call(program, func) else { return false };
            let mut edges = program.edges_at(func, call).iter();
            let is_named = spelled(program, func, call).is_some_and(|name| words.is_gate_name(&name));
            is_named
                || edges.any(|edge| match edge.to {
                    Target::Project(next) => self.is_gate_within(program, words, next, hops),
                    Target::External(path) => words.is_gate(program.path(path)),
                })
        };
        self.summary(func).is_some_and(Summary::tells)
            && (asks::tests_phase(program, words, func) || calls_gate())
    }

    /// Whether a function that promises to be a phase gate is one. Rules and `explain --gate` ask here.
    pub fn kept(&self, bodies: &Bodies<'_, '_>, func: Func) -> Kept {
        let (program, catalog) = (bodies.program(), bodies.catalog());
        let by_body = bodies.kept(func, Promise::Gate);
        let gates = |summary: &Summary| summary.is_never() || summary.tells() || summary.guards_its_block();
        match by_body {
            Kept::Broken(Fault::CutOff) | Kept::Open => by_body,
            _ if self.is_vouched(func) || self.summary(func).is_some_and(gates) => Kept::Yes,
            _ if self.runs_some_behind_gate(program, func) || self.gates_some(bodies, func) => Kept::Yes,
            Kept::Broken(_) => by_body,
            // It never comes back, so that nobody passes.
            Kept::Yes if bodies.deed(func).returns.is_empty() => Kept::Yes,
            Kept::Yes if bodies.deed(func).is_open || !names_phase(program, &catalog.phase, func) => {
                Kept::Open
            }
            Kept::Yes => Kept::Broken(Fault::AsksOther),
        }
    }

    /// A parameter of the function, or of one that it defines, is run behind a gate only.
    pub fn runs_some_behind_gate(&self, program: &Program<'_>, func: Func) -> bool {
        let of =
            |func: Func| (0..program.ir(func).params.len() as u32).any(|at| self.runs_behind_gate(func, at));
        of(func) || program.nested(func).any(of)
    }

    /// True for a gate of some operations only: a test of a parameter decides whether it asks.
    fn gates_some(&self, bodies: &Bodies<'_, '_>, func: Func) -> bool {
        let known = Known::again(bodies, &self.learnt);
        self.learnt.asks(func) && !known.decides_on(func, &[]).is_empty()
    }

    /// True if the configuration vouches for the function.
    pub fn is_vouched(&self, func: Func) -> bool {
        self.learnt.is_vouched(func)
    }

    /// The configuration vouches for the function, whatever its body does.
    pub fn is_vouched_for(&self, func: Func) -> bool {
        self.learnt.is_vouched_for(func)
    }

    pub fn summary(&self, func: Func) -> Option<&Summary> {
        self.learnt.summary(func)
    }

    /// Handlers that swallow a gate's error, each with an expression reached behind it without a gate.
    pub fn swallowed(&self) -> impl Iterator<Item = (Func, ExprId, ExprId)> + '_ {
        self.swallowed.iter().copied()
    }

    /// Where a walked function comes back.
    pub fn exits(&self, func: Func) -> &[Left] {
        self.exits.get(&func).map_or(&[], Vec::as_slice)
    }

    /// Functions in which something was given up that may be a gate: loops, cycles and calls that are too involved.
    pub fn given_up(&self) -> impl Iterator<Item = Func> + '_ {
        self.learnt.given_up.iter().copied()
    }

    /// True if the function runs this parameter, and only behind a gate.
    pub fn runs_behind_gate(&self, func: Func, at: u32) -> bool {
        self.learnt.runs_behind_gate(func, at)
    }

    /// What a function asks about, as its author writes it: `phase`, `self.context.phase`.
    pub fn asked_about(&self, program: &Program<'_>, func: Func) -> Vec<String> {
        let facts = program.facts(program.function(func).file);
        let params = facts.list(program.ir(func).params);
        let spelled = |(at, names): (u32, Vec<Arc<str>>)| {
            let param = params.get(at as usize).map_or("", |param| facts.str(param.name));
            names.iter().fold(param.to_owned(), |whole, name| format!("{whole}.{name}"))
        };
        self.summary(func)
            .map(|summary| summary.asked_about().into_iter().map(spelled).collect())
            .unwrap_or_default()
    }

    /// The way through a function on which the gate is missing before `expr`: if nobody took it, the gate would hold.
    pub fn missing_way(&self, bodies: &Bodies<'_, '_>, func: Func, expr: ExprId) -> Option<Way> {
        let holds = |seen: &Seen| {
            let mut places = seen.places.iter().filter(|place| place.expr == expr).peekable();
            places.peek().is_some() && places.all(|place| place.is_held)
        };
        self.way(bodies, func, holds)
    }

    /// The way on which a function comes back there although the gate has not been passed.
    pub fn breaking_way(&self, bodies: &Bodies<'_, '_>, func: Func, at: ExprId) -> Option<Way> {
        // It would still come back there, but held; or else it would not come back there at all.
        let held_there = |seen: &Seen| {
            let there = seen.exits.iter().filter(|left| left.at == at);
            there.map(|left| left.ungated.is_empty()).collect::<Vec<bool>>()
        };
        let is_held = |seen: &Seen| !held_there(seen).is_empty() && !held_there(seen).contains(&false);
        let is_gone = |seen: &Seen| held_there(seen).is_empty();
        self.way(bodies, func, is_held).or_else(|| self.way(bodies, func, is_gone))
    }

    fn way(&self, bodies: &Bodies<'_, '_>, func: Func, is_fine: impl Fn(&Seen) -> bool) -> Option<Way> {
        self.exits.get(&func)?;
        let known = Known::again(bodies, &self.learnt);
        let program = bodies.program();
        let facts = program.facts(program.function(func).file);
        let candidates = ways(facts, program.ir(func)).into_iter().take(MAX_WAYS);
        candidates.take_while(|_| known.effort.spent() < MAX_STEPS).find(|&way| {
            is_fine(&visit(&known, func, &Visit { course: Course::without(way), ..Visit::default() }).1)
        })
    }

    /// The functions that were walked, in order.
    pub fn walked(&self) -> Vec<Func> {
        let mut walked: Vec<Func> = self.exits.keys().copied().collect();
        walked.sort_unstable();
        walked
    }

    /// Makes the summaries of a component, and notes what the last walk of each member has seen.
    fn walk(&mut self, known: &mut Known<'_, '_>, group: &[Func]) {
        let is_cycle = group.len() > 1 || known.calls_itself(group[0]);
        if is_cycle {
            settle(known, group);
        }
        for &func in group {
            let (summary, seen) = visit(known, func, &Visit::default());
            if !is_cycle {
                known.summarise(func, summary);
            }
            self.note(known, func, seen);
        }
    }

    fn note(&mut self, known: &mut Known<'_, '_>, func: Func, seen: Seen) {
        let file = known.program.function(func).file;
        for Place { expr, is_held, is_other, swallowed } in seen.places {
            self.others.extend(is_other.then_some(At { file, expr }));
            let held = self.held.entry(At { file, expr }).or_insert(true);
            *held &= is_held;
            if !is_held {
                self.swallowed.extend(swallowed.into_iter().map(|handler| (func, handler, expr)));
            }
        }
        let facts = known.program.facts(file);
        for (top, is_held) in seen.unreached {
            let mut work = vec![top];
            while let Some(expr) = work.pop() {
                *self.held.entry(At { file, expr }).or_insert(true) &= is_held;
                facts.arenas.each_child(expr, |child| {
                    if let Child::Expr(inner) = child {
                        work.push(inner);
                    }
                });
            }
        }
        self.exits.insert(func, seen.exits);
        known.note_runs(seen.run);
        if let Some(gate) = known.gate_around(func) {
            self.decorated.insert(func, gate);
        }
    }
}

/// The functions that a decorator of the project does not run whatever happens.
fn cut_off(bodies: &Bodies<'_, '_>) -> FxHashSet<Func> {
    let program = bodies.program();
    let functions = (0..program.functions.len() as u32).map(Func);
    let decorated = functions.filter(|&func| !program.ir(func).decorators.is_empty());
    decorated.filter(|&func| bodies.is_cut_off(func)).collect()
}

/// Its text speaks of the phase: it compares it, or has a parameter of no other meaning.
fn names_phase(program: &Program<'_>, words: &Vocabulary, func: Func) -> bool {
    let facts = program.facts(program.function(func).file);
    let names = |name| words.naming(facts.str(name)) == Some(Naming::Always);
    asks::tests_phase(program, words, func)
        || facts.list(program.ir(func).params).iter().any(|param| names(param.name))
}

/// The functions whose summaries a function needs: those it calls, and those that decorate it or stand inside it.
fn leads_to(program: &Program<'_>, func: Func) -> Vec<usize> {
    let called = program.edges_from(func).iter().filter_map(|edge: &Edge| match (edge.to, edge.kind) {
        (_, EdgeKind::Held | EdgeKind::Stored) => None,
        (Target::Project(func), _) => Some(func),
        (Target::External(_), _) => None,
    });
    let mut next: Vec<usize> = called.map(|func| func.0 as usize).collect();
    for decorator in program.decorators(func) {
        next.push(decorator.func.0 as usize);
        next.extend(program.nested(decorator.func).map(|func| func.0 as usize));
    }
    if program.ir(func).kind == crate::ir::FnKind::Plain {
        next.extend(program.nested(func).map(|func| func.0 as usize));
    }
    next
}
