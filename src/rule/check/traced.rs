//! Where the values get that rules follow, found once for all rules that follow the same.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Context;
use super::sources::{Sources, has_sources};
use crate::analysis::{Question, Taken, ValueReach as Reach, Valueflow, named_calls, taken};
use crate::catalog::{Form, Purpose, Purposes};
use crate::ir::Expr;
use crate::rule::matcher::Trace;
use crate::rule::{Matcher, Rule};

pub struct Traced<'c> {
    pub graph: Valueflow<'c, 'c>,
    /// What calls do something with, as the catalogue says.
    taken: Vec<Taken>,
    sources: FxHashMap<Trace, Sources>,
    reaches: FxHashMap<(Trace, Purposes), Reach>,
}

impl<'c> Traced<'c> {
    pub fn find(context: &Context<'c>, rules: &[Arc<Rule>]) -> Self {
        let graph = Valueflow::new(context.program, context.catalog, context.effects);
        let taken = taken(context.program, context.catalog);
        let mut traced = Self { graph, taken, sources: FxHashMap::default(), reaches: FxHashMap::default() };
        let matchers = rules.iter().flat_map(|rule| &rule.matches).filter_map(|matcher| match matcher {
            Matcher::Trace(wanted) if has_sources(context, wanted) => Some(wanted),
            _ => None,
        });
        let mut asked: Vec<(Trace, Purposes)> = Vec::new();
        for wanted in matchers {
            let origin = origin(wanted);
            let taken = traced.taken(context, wanted);
            for purposes in traced.groups(&taken) {
                let question = (origin.clone(), purposes);
                if !asked.contains(&question) {
                    asked.push(question);
                }
            }
            if !traced.sources.contains_key(&origin) {
                let sources = Sources::find(context, &traced.graph, wanted);
                traced.sources.insert(origin, sources);
            }
        }
        let questions: Vec<Question<'_>> =
            asked.iter().map(|(origin, purposes)| traced.question(context, origin, *purposes)).collect();
        let answers = traced.graph.reach(&questions);
        traced.reaches = asked.into_iter().zip(answers).collect();
        traced
    }

    fn question(&self, context: &Context<'_>, origin: &Trace, purposes: Purposes) -> Question<'_> {
        let sources = self.sources.get(origin);
        let (roots, cut) = sources.map_or((&[][..], &[][..]), |known| (&known.roots[..], known.cut()));
        let given = given(context, &origin.into);
        let taken = self.taken.iter().chain(&given).filter(|taken| is_meant(taken, purposes));
        let ends = taken.map(|taken| self.graph.expr(taken.func, taken.value)).collect();
        Question { roots, ends, purposes, cut }
    }

    /// Where the values of a matcher get, as far as they are not harmless for `purposes`.
    pub fn reach(&self, wanted: &Trace, purposes: Purposes) -> Option<&Reach> {
        self.reaches.get(&(origin(wanted), purposes))
    }

    /// Where the values of a matcher come from.
    pub fn sources(&self, wanted: &Trace) -> Option<&Sources> {
        self.sources.get(&origin(wanted))
    }

    /// What a matcher asks for. What a command line decides depends on its words: it may be code, a module or a query as well.
    pub fn taken(&self, context: &Context<'_>, wanted: &Trace) -> Vec<Taken> {
        let may_run = [Purpose::Code, Purpose::Module, Purpose::Script, Purpose::Query];
        let takes_commands = wanted.to.iter().any(|purpose| may_run.contains(purpose));
        let is_wanted = |taken: &&Taken| {
            wanted.to.contains(&taken.purpose) || takes_commands && taken.purpose == Purpose::Command
        };
        let mut found: Vec<Taken> = self.taken.iter().filter(is_wanted).copied().collect();
        found.extend(given(context, &wanted.into));
        found
    }

    /// Some way makes values harmless as options only: what does not begin with a dash is none, and may be anything else.
    pub fn tells_options(&self) -> bool {
        let is_of_options = |clean: &Purposes| clean.has(Purpose::Option) && !clean.has(Purpose::Command);
        self.graph.cleaned().iter().any(is_of_options)
    }

    /// The purposes that are asked for, those at once that nothing tells apart.
    pub fn groups(&self, taken: &[Taken]) -> Vec<Purposes> {
        let cleaned = self.graph.cleaned();
        let mut groups: Vec<Purposes> = Vec::new();
        for purpose in taken.iter().map(|taken| taken.purpose) {
            let is_alike = |other: &Purpose| {
                *other == purpose || cleaned.iter().all(|clean| clean.has(*other) == clean.has(purpose))
            };
            // Options are asked for by themselves, where something tells them apart.
            let others = Purpose::ALL.into_iter().filter(|other| *other != Purpose::Option);
            let own: Purposes = others.filter(is_alike).collect();
            let option = Purposes::from_iter([Purpose::Option]);
            let split = (purpose == Purpose::Command && self.tells_options()).then_some(option);
            for group in [own].into_iter().chain(split) {
                if !groups.contains(&group) {
                    groups.push(group);
                }
            }
        }
        groups
    }
}

/// Matchers with the same origin follow the same values.
fn origin(wanted: &Trace) -> Trace {
    Trace { to: Vec::new(), ..wanted.clone() }
}

/// True if what is taken is a question of these purposes.
pub fn is_meant(taken: &Taken, purposes: Purposes) -> bool {
    purposes.has(taken.purpose) || taken.purpose == Purpose::Command && purposes.has(Purpose::Option)
}

/// All that calls of these are given.
fn given(context: &Context<'_>, paths: &[String]) -> Vec<Taken> {
    let mut found = Vec::new();
    for site in named_calls(context.program, context.catalog, paths, &[]) {
        let facts = context.program.facts(site.at.file);
        let Expr::Call { args, .. } = *facts.expr(site.at.expr) else { continue };
        let callee = context.program.edges_at(site.from, site.at.expr).first().map(|edge| edge.to);
        found.extend(facts.list(args).iter().map(|arg| Taken {
            func: site.from,
            at: site.at.expr,
            value: arg.value,
            key: None,
            purpose: Purpose::Given,
            form: Form::Whole,
            sink: None,
            confidence: site.confidence,
            callee,
        }));
    }
    found.retain(|taken| !context.program.is_test_code(taken.func));
    found
}
