//! Where values come from that rules follow.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Context;
use crate::analysis::{
    Inflow, Node, Registered, Root, Valueflow, chosen, content_guards, inflows, named_calls,
};
use crate::catalog::{EffectKind, RegistrationKind};
use crate::finding::Confidence;
use crate::rule::matcher::Trace;
use crate::rule::{Matcher, Rule};

/// True if some value may have to be followed.
pub fn is_asked(context: &Context<'_>, rules: &[Arc<Rule>]) -> bool {
    let mut matchers = rules.iter().flat_map(|rule| &rule.matches);
    matchers.any(|matcher| matches!(matcher, Matcher::Trace(wanted) if has_sources(context, wanted)))
}

pub fn has_sources(context: &Context<'_>, wanted: &Trace) -> bool {
    let is_tool = |known: &Registered| known.kind == RegistrationKind::Tool;
    let has_model = || {
        context.registered.iter().any(is_tool)
            || context.effects.of_kinds(&[EffectKind::Llm]).next().is_some()
    };
    !wanted.from.is_empty() || !wanted.inflows.is_empty() || wanted.from_model && has_model()
}

/// Who a value is from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    Model,
    Outside(Inflow),
    /// A call that the rule names.
    Called,
}

/// Where values come from.
#[derive(Default)]
pub struct Sources {
    pub roots: Vec<Root>,
    origins: FxHashMap<Node, Origin>,
    /// What is handed on from here is another value; sorted.
    cut: Vec<Node>,
}

impl Sources {
    pub fn find(context: &Context<'_>, graph: &Valueflow<'_, '_>, wanted: &Trace) -> Self {
        let mut found = Self::default();
        if wanted.from_model {
            found.of_model(context, graph);
        }
        found.of_outside(context, graph, wanted);
        let calls = named_calls(context.program, context.catalog, &wanted.from, &[]);
        let calls = calls.iter().filter(|site| !context.program.is_test_code(site.from));
        for site in calls {
            found.add(Root::whole(graph.expr(site.from, site.at.expr), site.confidence), Origin::Called);
        }
        let cleaners = named_calls(context.program, context.catalog, &wanted.unless, &[]);
        found.cut = cleaners.iter().map(|site| graph.expr(site.from, site.at.expr)).collect();
        found.cut.sort_unstable();
        found
    }

    /// What is handed on from here is another value; sorted.
    pub fn cut(&self) -> &[Node] {
        &self.cut
    }

    pub fn is_cut(&self, node: Node) -> bool {
        self.cut.binary_search(&node).is_ok()
    }

    pub fn origin(&self, node: Node) -> Origin {
        self.origins.get(&node).copied().unwrap_or(Origin::Called)
    }

    fn add(&mut self, root: Root, origin: Origin) {
        if root.confidence > Confidence::Low {
            self.roots.push(root);
            self.origins.entry(root.node).or_insert(origin);
        }
    }

    fn of_model(&mut self, context: &Context<'_>, graph: &Valueflow<'_, '_>) {
        let chosen = chosen(context.program, context.catalog, context.registered);
        for root in graph.roots(context.catalog, &chosen) {
            self.add(root, Origin::Model);
        }
        for site in context.effects.of_kinds(&[EffectKind::Llm]) {
            let is_text = !context.catalog.flow.is_wordless(&site.callee);
            if site.runs && is_text && !context.program.is_test_code(site.from) {
                self.add(Root::whole(graph.expr(site.from, site.at.expr), site.confidence), Origin::Model);
            }
        }
    }

    fn of_outside(&mut self, context: &Context<'_>, graph: &Valueflow<'_, '_>, wanted: &Trace) {
        if wanted.inflows.is_empty() {
            return;
        }
        let guards = content_guards(context.bodies);
        for site in inflows(context.bodies, context.effects, &guards) {
            // Somebody has put it there, but who did is not known.
            let most = if site.inflow == Inflow::Storage { Confidence::Medium } else { Confidence::High };
            if wanted.inflows.contains(&site.inflow) {
                let node = graph.expr(site.from, site.at.expr);
                self.add(Root::whole(node, site.confidence.min(most)), Origin::Outside(site.inflow));
            }
        }
    }
}
