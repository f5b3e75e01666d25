//! Flow: where content from outside gets, through calls, returns, containers and attributes, and which guards it passes on
//! the way. A function is walked if content can be in it: because it fetches some, is given some, calls what hands some
//! back, or reads where some was put. Its summary says what it does with what it is given, so each is walked few times.
//! Who decides what must not get where is the rules' business.

mod callers;
mod calls;
mod closures;
mod data;
mod domain;
mod guarded;
mod labels;
mod library;
mod model;
mod records;
mod sinks;
mod solve;
mod spread;
mod state;
mod stores;
mod tables;
mod walk;
mod warnings;

use rustc_hash::FxHashMap;

use crate::analysis::decorators::Wrapper;
use crate::finding::Confidence;
use crate::ir::ExprId;
use crate::link::{At, Func};

use super::effects::Effects;
use super::guards::Bodies;
use super::inflows::{Inflow, SourceSite};
use super::values::Values;

pub use labels::Aspect;
pub use spread::Hop;
pub use tables::UseKind;

use callers::Callers;

use model::Model;
use spread::Spread;
use tables::{Event, Tables, Taker};

/// What gets where.
pub struct Flows<'p, 'a> {
    model: Model<'p, 'a>,
    uses: Vec<(Func, UseKind, Event)>,
    tables: Tables,
    /// Sorted.
    walked: Vec<Func>,
    /// Functions that content was not followed into, or not to its end; sorted.
    pub unfollowed: Vec<Func>,
    spread: Spread,
}

/// A place where a value is used or leaves.
#[derive(Clone, Copy, Debug)]
pub struct Use<'f> {
    pub func: Func,
    pub at: At,
    pub kind: UseKind,
    event: &'f Event,
}

/// How content gets to a use.
#[derive(Clone, Debug)]
pub struct Witness<'f> {
    pub confidence: Confidence,
    pub source: &'f SourceSite,
    /// The calls and stores that hand it on, first to last.
    pub hops: Vec<Hop>,
}

impl<'p, 'a> Flows<'p, 'a> {
    /// `handlers` are walked in any case; sorted.
    pub fn find(
        bodies: &Bodies<'p, 'a>,
        effects: &'p Effects,
        values: &Values<'p, 'a>,
        handlers: &[Func],
    ) -> Self {
        let callers = Callers::new(bodies.program());
        let model = Model::new(bodies, effects, handlers);
        let solve::Solved { tables, spread, events, unfollowed } =
            solve::solve(&model, &callers, values, handlers);
        let walked = events.keys().copied().collect();
        let mut uses = Vec::new();
        for (func, events) in events {
            for event in events {
                if let Taker::Use(kind) = event.taker {
                    uses.push((func, kind, event));
                }
            }
        }
        Self { model, uses, tables, walked, unfollowed, spread }
    }

    /// In order of function and place.
    pub fn uses(&self) -> impl Iterator<Item = Use<'_>> {
        self.uses.iter().map(|(func, kind, event)| Use { func: *func, at: event.at, kind: *kind, event })
    }

    /// True unless a decorator stands in the handler's place and lets nothing of the kind out.
    pub fn leaves(&self, handler: Func, sources: &[Inflow], aspect: Aspect) -> bool {
        let lets_out = |wrapper: &Wrapper| {
            let of_wrapper =
                |used: &Use<'_>| used.kind == UseKind::Exit && wrapper.inside.contains(&used.func);
            self.uses().filter(of_wrapper).any(|used| self.witness(&used, sources, aspect).is_some())
        };
        self.model.wrappers(handler).iter().all(lets_out)
    }

    /// True if a decorator only hands on what the handler that it runs has brought in: that is told there.
    pub fn is_handed_on(&self, used: &Use<'_>, witness: &Witness<'_>) -> bool {
        used.kind == UseKind::Exit
            && witness.source.from != used.func
            && self.model.all_wrappers().any(|wrapper| wrapper.inside.contains(&used.func))
    }

    /// True if content can be in the function.
    pub fn is_walked(&self, func: Func) -> bool {
        self.walked.binary_search(&func).is_ok()
    }

    /// How sure it is that the value of each of these expressions is content from one of `sources`, and not just holds some.
    pub fn held(
        &self,
        values: &Values<'p, 'a>,
        func: Func,
        exprs: &[ExprId],
        sources: &[Inflow],
    ) -> FxHashMap<(ExprId, Inflow), Confidence> {
        let mut held: FxHashMap<(ExprId, Inflow), Confidence> = FxHashMap::default();
        let walked = solve::walk(&self.model, values, &self.tables, func, exprs);
        for event in walked.events.iter().filter(|event| event.taker == Taker::Asked) {
            for &source in sources {
                let way = self.spread.trace(func, event, &[source], Aspect::Itself, &self.tables);
                if let Some((word, _)) = way {
                    let known = held.entry((event.at.expr, source)).or_insert(word.confidence());
                    *known = word.confidence().max(*known);
                }
            }
        }
        held
    }

    /// How content from one of `sources` for which `aspect` holds gets to a use: the surest way.
    pub fn witness(&self, used: &Use<'_>, sources: &[Inflow], aspect: Aspect) -> Option<Witness<'_>> {
        let (word, hops) = self.spread.trace(used.func, used.event, sources, aspect, &self.tables)?;
        let source = self.model.sources.get(word.site() as usize)?;
        // Somebody has put it there, but who did is not known.
        let most = if source.inflow == Inflow::Storage { Confidence::Medium } else { Confidence::High };
        Some(Witness { confidence: word.confidence().min(most), source, hops })
    }
}
