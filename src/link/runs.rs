//! Which callables that are handed over are run by whoever receives them. A function runs its parameter if it calls it or
//! hands it on to something that does; the edge then stands at the site that handed the callable over.

use rustc_hash::{FxHashMap, FxHashSet};

use super::edge::{At, Edge, EdgeKind, Receiver, Rung, Target};
use super::ids::Func;
use crate::finding::Confidence;
use crate::ir::{ExprId, Sym};

/// A parameter of a function, by position.
pub type Parameter = (Func, u32);

/// Who receives a callable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taker {
    Parameter(Func, u32),
    /// What a function collects of what it is given by name; this is one of the names.
    Keyword(Func, u32, Sym),
    /// A library function that is known to run it.
    Runs,
    /// A library function that is known to do something else with it.
    Keeps,
    Unknown,
}

/// What is handed over at one place.
#[derive(Debug)]
pub struct Handed {
    pub from: Func,
    pub at: At,
    /// The callables; true for what is defined inside the function that hands it over: made for the receiver, so likelier to be
    /// run.
    pub targets: Vec<(Target, bool)>,
    /// Any one of them, and nobody says which.
    pub is_pooled: bool,
    pub takers: Vec<Taker>,
    /// The call that hands it over, if its callee may be a parameter of the receiver that runs another one.
    pub call: Option<ExprId>,
    /// Only what runs it there and then counts, no closure that runs it later.
    pub is_now: bool,
    /// It was given to what made the callee: it has an edge only where it runs.
    pub is_made: bool,
}

impl Handed {
    pub fn new(from: Func, at: At, targets: Vec<(Target, bool)>, takers: Vec<Taker>) -> Self {
        Self { from, at, targets, is_pooled: false, takers, call: None, is_now: false, is_made: false }
    }
}

/// Which parameter of what a parameter calls it is given to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    At(u32),
    /// Any from here on.
    From(u32),
}

#[derive(Default)]
pub struct Runs {
    run: FxHashSet<Parameter>,
    /// Those that the function runs itself, not a closure of it.
    run_now: FxHashSet<Parameter>,
    /// Of each function the last parameter that it runs, once all are known.
    last_run: FxHashMap<Func, u32>,
    passed_on: FxHashMap<Parameter, Vec<Parameter>>,
    handed: Vec<Handed>,
    /// Parameters with the functions that everything in them is passed on to by name, ...
    spread: FxHashMap<Parameter, Vec<Func>>,
    /// ... and parameters that are put into one of those under a name.
    passed_by_name: Vec<(Parameter, Taker)>,
    /// Parameters that a function gives to what another one of its parameters is.
    applied: FxHashMap<Parameter, Vec<(Parameter, Position)>>,
    /// By call and receiving parameter, the functions that are handed over.
    given_at: FxHashMap<(ExprId, Parameter), Vec<Func>>,
}

impl Runs {
    /// The function calls its parameter.
    pub fn calls(&mut self, by: Func, parameter: Option<Parameter>) {
        self.run.extend(parameter);
        self.run_now.extend(parameter.filter(|(owner, _)| *owner == by));
    }

    /// The function hands its parameter on.
    pub fn passes_on(&mut self, parameter: Parameter, takers: &[Taker]) {
        for &taker in takers {
            match taker {
                Taker::Runs => drop(self.run.insert(parameter)),
                Taker::Parameter(callee, at) => {
                    self.passed_on.entry((callee, at)).or_default().push(parameter)
                }
                Taker::Keyword(..) => self.passed_by_name.push((parameter, taker)),
                Taker::Keeps | Taker::Unknown => {}
            }
        }
    }

    /// The function passes on all that its parameter has collected.
    pub fn spreads(&mut self, parameter: Parameter, takers: &[Taker]) {
        for &taker in takers {
            if let Taker::Parameter(callee, _) = taker {
                let known = self.spread.entry(parameter).or_default();
                if !known.contains(&callee) {
                    known.push(callee);
                }
            }
        }
    }

    /// The functions that everything in a parameter is passed on to.
    pub fn spread_to(&self, parameter: Parameter) -> &[Func] {
        self.spread.get(&parameter).map_or(&[], Vec::as_slice)
    }

    /// Adds the parameters in which what is given by name arrives in the end.
    pub fn name_keywords(&mut self, find: impl Fn(&Self, Parameter, Sym) -> Vec<Taker>) {
        let behind = |runs: &Self, taker: &Taker| match *taker {
            Taker::Keyword(callee, at, name) => find(runs, (callee, at), name),
            _ => Vec::new(),
        };
        let mut handed = std::mem::take(&mut self.handed);
        for handed in &mut handed {
            let more: Vec<Taker> = handed.takers.iter().flat_map(|taker| behind(self, taker)).collect();
            handed.takers.extend(more);
        }
        self.handed = handed;
        for (parameter, taker) in std::mem::take(&mut self.passed_by_name) {
            let takers = behind(self, &taker);
            self.passes_on(parameter, &takers);
        }
    }

    /// The function gives a parameter to what another one of its parameters is: `outer(inner)`.
    pub fn applies(&mut self, parameter: Parameter, to: Parameter, position: Position) {
        self.applied.entry(parameter).or_default().push((to, position));
    }

    /// True if what else the call hands over runs what is given to a parameter.
    fn runs_by_another(&self, call: Option<ExprId>, parameter: Parameter) -> bool {
        let Some(call) = call else { return false };
        let applied = self.applied.get(&parameter).into_iter().flatten();
        applied.into_iter().any(|&(other, position)| {
            let given = self.given_at.get(&(call, other)).into_iter().flatten();
            given.into_iter().any(|&func| match position {
                Position::At(at) => self.run.contains(&(func, at)),
                Position::From(at) => self.last_run.get(&func).is_some_and(|&last| last >= at),
            })
        })
    }

    fn note_given(&mut self, handed: &Handed) {
        let Some(call) = handed.call else { return };
        for &taker in &handed.takers {
            let Taker::Parameter(callee, at) = taker else { continue };
            let given = handed.targets.iter().filter_map(|&(target, _)| match target {
                Target::Project(func) => Some(func),
                Target::External(_) => None,
            });
            self.given_at.entry((call, (callee, at))).or_default().extend(given);
        }
    }

    pub fn hand(&mut self, handed: Handed) {
        self.note_given(&handed);
        self.handed.push(handed);
    }

    /// One edge for every callable handed over. Where more than `many` are handed over at once to nobody who is known to run them,
    /// each has its edge where it was put among them.
    pub fn edges(mut self, many: usize) -> Vec<Edge> {
        self.close();
        let handed = std::mem::take(&mut self.handed);
        handed.iter().flat_map(|handed| self.edges_of(handed, many)).collect()
    }

    /// Who hands a parameter on to one that is run, runs it too.
    fn close(&mut self) {
        let mut work: Vec<Parameter> = self.run.iter().copied().collect();
        while let Some(parameter) = work.pop() {
            for &earlier in self.passed_on.get(&parameter).into_iter().flatten() {
                if self.run.insert(earlier) {
                    work.push(earlier);
                }
            }
        }
        for &(func, at) in &self.run {
            let last = self.last_run.entry(func).or_default();
            *last = at.max(*last);
        }
    }

    fn is_run(&self, handed: &Handed) -> bool {
        handed.takers.iter().any(|taker| match *taker {
            Taker::Parameter(callee, at) if handed.is_now => self.run_now.contains(&(callee, at)),
            Taker::Parameter(callee, at) => {
                self.run.contains(&(callee, at)) || self.runs_by_another(handed.call, (callee, at))
            }
            Taker::Runs => true,
            Taker::Keyword(..) | Taker::Keeps | Taker::Unknown => false,
        })
    }

    fn edges_of(&self, handed: &Handed, many: usize) -> Vec<Edge> {
        let is_run = self.is_run(handed);
        let unknown = handed.takers.contains(&Taker::Unknown);
        if !is_run && (handed.targets.len() > many || handed.is_made) {
            return Vec::new();
        }
        let edge = |&(to, is_inline): &(Target, bool)| {
            let (kind, confidence) = match to {
                _ if is_run && handed.is_pooled => (EdgeKind::Passed, Confidence::Low),
                _ if is_run => (EdgeKind::Passed, Confidence::High),
                _ if unknown && is_inline => (EdgeKind::Passed, Confidence::Medium),
                // Kept or not: who hands a library function over has reached for it.
                Target::External(_) => (EdgeKind::Stored, Confidence::High),
                Target::Project(_) => (EdgeKind::Stored, Confidence::Low),
            };
            let receiver = if is_inline { Receiver::Same } else { Receiver::Unknown };
            Edge { from: handed.from, at: handed.at, to, kind, rung: Rung::Type, confidence, receiver }
        };
        handed.targets.iter().map(edge).collect()
    }
}
