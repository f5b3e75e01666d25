//! Runs rules over a program. Each matcher is one function from the context to findings.

mod calls;
mod imports;
mod reach;
mod unparsed;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fingerprint::{fingerprint, normalise, number_repeats};
use super::template::Template;
use super::{Matcher, Rule};
use crate::analysis::Effects;
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
    /// What an agent's entry points can reach, by `Func`.
    pub agent_reachable: &'c [bool],
    /// By `FileId`.
    pub layers: &'c [LayerSet],
    pub sources: &'c [SourceFile],
}

/// Runs every rule; findings come sorted by path, position and rule.
pub fn check(rules: &[Arc<Rule>], context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in rules {
        for matcher in &rule.matches {
            match matcher {
                Matcher::Import(wanted) => imports::run(context, rule, wanted, &mut findings),
                Matcher::Call(wanted) => calls::run(context, rule, wanted, &mut findings),
                Matcher::Reach(wanted) => reach::run(context, rule, wanted, &mut findings),
                Matcher::Check(super::matcher::Check::UnparsedSource) => {
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

    fn applies(&self, rule: &Rule, file: FileId) -> bool {
        !rule.scope.excludes(self.layers[file.0 as usize])
    }

    fn place(&self, at: At) -> Place {
        Place { file: at.file, span: self.program.span(at) }
    }

    fn is_reachable(&self, func: Func) -> bool {
        self.agent_reachable[func.0 as usize]
    }
}
