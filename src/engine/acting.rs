//! What a program does, and who may make it do so: the effects, and the functions at which the rules start.

use std::collections::BTreeMap;

use crate::analysis::{
    Effects, Handler, Registered, agent_reachable, capture_functions, handlers, planning_functions,
    registrations, tools,
};
use crate::catalog::Catalog;
use crate::config::Config;
use crate::link::{Func, Program};
use crate::parallel;

#[derive(Default)]
pub struct Acting {
    pub effects: Effects,
    pub registered: Vec<Registered>,
    pub planning: Vec<Func>,
    pub tools: Vec<Handler>,
    pub handlers: Vec<Handler>,
    /// What records declared needs.
    pub capture: Vec<Func>,
    entries: usize,
    /// What planning functions, tools and handlers can reach, by `Func`.
    pub reachable: Vec<bool>,
}

impl Acting {
    pub fn find(program: &Program<'_>, catalog: &Catalog, config: &Config) -> Self {
        if program.is_over() {
            return Self { reachable: vec![false; program.functions.len()], ..Self::default() };
        }
        let (registered, (effects, planning)) = parallel::join(
            || registrations(program, catalog),
            || (Effects::find(program, catalog), planning_functions(program, catalog, &config.planning)),
        );
        let (tools, handlers) = (tools(&registered), handlers(&registered));
        let called = tools.iter().chain(&handlers).map(|handler| handler.func);
        let entries: Vec<Func> = planning.iter().copied().chain(called).collect();
        Self {
            capture: capture_functions(program, catalog, &config.capture),
            reachable: agent_reachable(program, &entries),
            entries: entries.len(),
            effects,
            registered,
            planning,
            tools,
            handlers,
        }
    }

    pub fn size(&self) -> String {
        format!("{} sites, {} entry points", self.effects.sites.len(), self.entries)
    }

    /// The entry points of production code, by what they are called in reports.
    pub fn count(&self, program: &Program<'_>) -> BTreeMap<&'static str, usize> {
        let count =
            |funcs: &mut dyn Iterator<Item = Func>| funcs.filter(|&func| !program.is_test_code(func)).count();
        let of = |handlers: &[Handler]| count(&mut handlers.iter().map(|handler| handler.func));
        [
            ("planning function", count(&mut self.planning.iter().copied())),
            ("tool", of(&self.tools)),
            ("comm handler", of(&self.handlers)),
        ]
        .into()
    }
}
