//! Runs rules over a program. Each matcher is one function from the context to findings.

mod calls;
mod imports;
mod mutations;
mod reach;
mod unparsed;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fingerprint::{fingerprint, normalise, number_repeats};
use super::matcher::{Check, Goal};
use super::template::Template;
use super::{Matcher, Only, Rule};
use crate::analysis::{EffectSite, Effects, Start, Values, named_calls};
use crate::catalog::Catalog;
use crate::config::LayerSet;
use crate::finding::{Confidence, Finding, Place, Step};
use crate::link::{At, Func, Program};
use crate::source::{FileId, SourceFile};

/// What rules look at.
pub struct Context<'c> {
    pub program: &'c Program<'c>,
    pub catalog: &'c Catalog,
    pub effects: &'c Effects,
    /// Sorted.
    pub planning: &'c [Func],
    /// Sorted by function.
    pub tools: &'c [Start],
    /// What an agent's entry points can reach, by `Func`.
    pub agent_reachable: &'c [bool],
    /// By `FileId`.
    pub layers: &'c [LayerSet],
    pub sources: &'c [SourceFile],
}

/// Runs every rule; findings come sorted by path, position and rule.
pub fn check(rules: &[Arc<Rule>], context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let values = Values::new(context.program, context.catalog, context.effects);
    for rule in rules {
        for matcher in &rule.matches {
            match matcher {
                Matcher::Import(wanted) => imports::run(context, rule, wanted, &mut findings),
                Matcher::Call(wanted) => calls::run(context, rule, wanted, &mut findings),
                Matcher::Reach(wanted) => reach::run(context, rule, wanted, &mut findings),
                Matcher::Mutate(wanted) => mutations::run(context, &values, rule, wanted, &mut findings),
                Matcher::Check(Check::UnparsedSource) => {
                    unparsed::run(context, rule, &mut findings);
                }
            }
        }
    }
    findings.sort_by(|a, b| key(a).cmp(&key(b)));
    number_repeats(&mut findings);
    findings
}

fn key(finding: &Finding) -> (Place, &str, &str) {
    (finding.primary, &finding.rule.id, &finding.message)
}

/// What a matcher knows of one finding; the rest follows from the rule.
struct Draft<'d> {
    confidence: Confidence,
    primary: Place,
    steps: Vec<Step>,
    captures: BTreeMap<&'static str, String>,
    /// The enclosing function and the functions of the chain, for the fingerprint.
    names: Vec<&'d str>,
    agent_reachable: bool,
}

impl Context<'_> {
    fn finding(&self, rule: &Arc<Rule>, draft: Draft<'_>) -> Finding {
        let source = self.source(draft.primary.file);
        let span = draft.primary.span;
        let snippet = source.text.get(span.lo as usize..span.hi as usize).unwrap_or_default();
        let snippet = normalise(snippet);
        let parts = [rule.id.as_str(), source.path.as_str(), &snippet];
        Finding {
            severity: rule.severity,
            confidence: draft.confidence,
            message: Template::new(&rule.message).fill(&draft.captures),
            fingerprint: fingerprint(parts.into_iter().chain(draft.names)),
            primary: draft.primary,
            steps: draft.steps,
            captures: draft.captures,
            agent_reachable: draft.agent_reachable,
            rule: Arc::clone(rule),
        }
    }

    fn source(&self, file: FileId) -> &SourceFile {
        &self.sources[file.0 as usize]
    }

    /// The calls that a rule means, in the order of their places.
    fn sites(&self, goal: &Goal) -> Vec<EffectSite> {
        match goal {
            Goal::Effects(kinds) => self.effects.of_kinds(kinds).cloned().collect(),
            Goal::Named(named) => named_calls(self.program, self.catalog, &named.path, &named.except),
        }
    }

    /// Whether, and how surely, the rule applies to a place: in a file, in a function of it.
    fn applies(&self, rule: &Rule, file: FileId, func: Func) -> Option<Confidence> {
        let layers = self.layers[file.0 as usize];
        if rule.scope.excludes(layers) {
            return None;
        }
        if rule.scope.only.is_empty() {
            return Some(Confidence::High);
        }
        let fits = |only: &Only| match *only {
            Only::Layer(layer) => layers.contains(layer).then_some(Confidence::High),
            Only::Tool => self.tool_around(func),
        };
        rule.scope.only.iter().filter_map(fits).max()
    }

    /// How sure it is that the function is a tool or defined inside one.
    fn tool_around(&self, func: Func) -> Option<Confidence> {
        let mut func = func;
        loop {
            if let Ok(at) = self.tools.binary_search_by_key(&func, |tool| tool.func) {
                return Some(self.tools[at].confidence);
            }
            let function = self.program.ir(func);
            let around = self.program.func(self.program.function(func).file, function.parent);
            if around == func {
                return None;
            }
            func = around;
        }
    }

    fn place(&self, at: At) -> Place {
        Place { file: at.file, span: self.program.span(at) }
    }

    fn is_reachable(&self, func: Func) -> bool {
        self.agent_reachable[func.0 as usize]
    }
}
