//! What a program does, and who may make it do so: the effects, and the functions at which the rules start.

use std::collections::BTreeMap;

use crate::analysis::{
    Effects, EntryKind, EntryPoint, Handler, Reached, Registered, capture_functions, handlers,
    planning_functions, registrations, tools,
};
use crate::catalog::{Catalog, EffectKind};
use crate::confidence::Confidence;
use crate::config::Config;
use crate::link::{Func, Program};
use crate::parallel;

#[derive(Default)]
pub struct Acting<'p> {
    pub effects: Effects,
    pub registered: Vec<Registered>,
    pub planning: Vec<Func>,
    pub tools: Vec<Handler>,
    pub handlers: Vec<Handler>,
    /// What records declared needs.
    pub capture: Vec<Func>,
    /// What tools, handlers and planning functions of production code reach.
    pub reached: Reached<'p>,
}

impl<'p> Acting<'p> {
    pub fn find(program: &'p Program<'_>, catalog: &Catalog, config: &Config) -> Self {
        if program.is_over() {
            return Self::default();
        }
        let (registered, (effects, planning)) = parallel::join(
            || registrations(program, catalog),
            || (Effects::find(program, catalog), planning_functions(program, catalog, &config.planning)),
        );
        let entries = entries(program, &registered, &planning);
        let (tools, handlers) = (tools(&registered), handlers(&registered));
        Self {
            capture: capture_functions(program, catalog, &config.capture),
            reached: Reached::find(program, entries),
            effects,
            registered,
            planning,
            tools,
            handlers,
        }
    }

    /// True if something is a command of the comm namespace, or runs one.
    pub fn knows_comm(&self) -> bool {
        self.effects.of_kinds(&[EffectKind::Comm]).next().is_some()
            || self.registered.iter().any(|known| known.is_comm)
    }

    pub fn size(&self) -> String {
        format!("{} sites, {} entry points", self.effects.sites.len(), self.reached.entries().len())
    }

    /// What an agent acts from, counted as the inventory lists it: a tool is one however many functions run it.
    pub fn count(&self, program: &Program<'_>) -> BTreeMap<&'static str, usize> {
        let mut counts = EntryKind::ALL.map(|kind| (kind.noun(), 0)).into_iter().collect::<BTreeMap<_, _>>();
        let registered = self.registered.iter().filter(|known| known.is_production(program));
        let entries = self.reached.entries().iter().map(|entry| entry.kind);
        let planning = entries.filter(|kind| *kind == EntryKind::Planning);
        registered
            .filter_map(Registered::entry)
            .chain(planning)
            .for_each(|kind| *counts.entry(kind.noun()).or_default() += 1);
        counts
    }
}

/// Those of production code: what only tests run is no way of an agent.
fn entries(program: &Program<'_>, registered: &[Registered], planning: &[Func]) -> Vec<EntryPoint> {
    let production = registered.iter().filter(|known| known.is_production(program));
    let production: Vec<Registered> = production.cloned().collect();
    let of = |kind, handlers: Vec<Handler>| {
        let entry = move |Handler { func, name, confidence }| EntryPoint { kind, func, name, confidence };
        handlers.into_iter().map(entry)
    };
    let planning = planning.iter().filter(|func| !program.is_test_code(**func));
    let plans = |&func: &Func| EntryPoint {
        kind: EntryKind::Planning,
        func,
        name: None,
        confidence: Confidence::High,
    };
    of(EntryKind::Tool, tools(&production))
        .chain(of(EntryKind::Handler, handlers(&production)))
        .chain(planning.map(plans))
        .collect()
}
