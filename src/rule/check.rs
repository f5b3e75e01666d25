//! Runs rules over a program. Each matcher is one function from the context to findings.

mod broken;
mod calls;
mod checklist;
mod claims;
mod classes;
mod compare;
mod confusable;
mod escape;
mod events;
mod flow;
mod forgery;
pub(super) mod gaps;
pub(super) mod guard;
pub(super) mod guards;
mod imports;
pub(super) mod inventory;
mod mutations;
mod obscured;
mod order;
mod piped;
mod reach;
mod records;
mod registered;
mod responses;
mod rulings;
mod runtime;
mod shared;
mod skills;
mod sources;
mod storage;
mod structured;
mod swallowed;
mod trace;
mod traced;
mod unclassified;
mod ungated;
mod unparsed;
mod unused;
mod value;
mod via;
mod waivers;
mod waves;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shared::Shared;

use super::fingerprint::{fingerprint, likeness, normalise, number_repeats};
use super::matcher::{Check, Goal};
use super::template::Template;
use super::{Matcher, Only, Rule};
use crate::analysis::{Bodies, EffectSite, Effects, Handler, Reached, Registered, named_calls};
use crate::catalog::Catalog;
use crate::config::{Config, Layer, LayerSet};
use crate::finding::checklist::Checklist;
use crate::finding::{Confidence, Finding, Incomplete, Named, Place, Step, Waived};
use crate::limits::{Part, Run};
use crate::link::{At, Cls, Func, Program};
use crate::source::{Extent, FileId, Matched, Skipped, SourceFile, Texts};
use crate::waiver::{WaiverId, Waivers};

/// What rules look at.
pub struct Context<'c> {
    pub program: &'c Program<'c>,
    pub catalog: &'c Catalog,
    /// What functions do for whoever relies on them: one answer for all rules and commands.
    pub bodies: &'c Bodies<'c, 'c>,
    pub effects: &'c Effects,
    /// Sorted.
    pub planning: &'c [Func],
    /// Sorted by function.
    pub tools: &'c [Handler],
    /// What is registered, in the order of the places; `tools` and `handlers` are the functions of it.
    pub registered: &'c [Registered],
    /// What records declared needs, sorted.
    pub capture: &'c [Func],
    /// What runs comm commands, sorted by function.
    pub handlers: &'c [Handler],
    /// What an agent's entry points reach.
    pub reached: &'c Reached<'c>,
    /// The project has a comm layer, or runs commands of one.
    pub knows_comm: bool,
    /// By `FileId`.
    pub layers: &'c [LayerSet],
    pub sources: &'c [SourceFile],
    pub waivers: &'c Waivers,
    pub config: &'c Config,
    /// As reports show it.
    pub config_file: &'c SourceFile,
    pub skipped: &'c [Skipped],
    pub extent: &'c Extent,
    pub matched: &'c Matched,
    /// Read only if a rule asks.
    pub texts: &'c Texts,
    /// Says when to stop.
    pub run: &'c Run,
}

/// What rules found.
#[derive(Debug, Default)]
pub struct Checked {
    /// Sorted by path, position and rule.
    pub findings: Vec<Finding>,
    /// Paths that a waiver took away before one was chosen; `suppress` waives the rest.
    pub waived: Vec<Waived>,
    /// Waivers that took something away so far, each with the rule.
    pub used: BTreeSet<(WaiverId, String)>,
    /// The project's own phase gates, if some rule asked for them.
    pub gates: Vec<(String, Place)>,
    /// What was not followed to its end in production code; sorted, each once.
    pub incomplete: Vec<Incomplete>,
    /// What was asked of every external operation.
    pub checklist: Checklist,
    answers: Vec<checklist::Answer>,
}

/// Runs every rule.
pub fn check(rules: &[Arc<Rule>], context: &Context<'_>) -> Checked {
    let shared = Shared::new(context);
    let mut out = Checked::default();
    let mut answers = Vec::new();
    for Checked { findings, waived, used, incomplete, answers: own, .. } in
        waves::check_all(rules, context, &shared)
    {
        answers.extend(own);
        out.findings.extend(findings);
        out.waived.extend(waived);
        out.used.extend(used);
        out.incomplete.extend(incomplete);
    }
    // What was cut short says nothing of gates and content.
    if !context.run.is_over() {
        out.checklist = checklist::checklist(context, &shared, rules, answers);
        out.gates = shared.gates(context);
        out.incomplete.extend(shared.incomplete(context));
    }
    out.incomplete.extend(cut_classes(context));
    out.incomplete.extend(unparsed::partial(context));
    out.incomplete.sort_unstable();
    out.incomplete.dedup();
    out.findings.sort_by(|a, b| key(a).cmp(&key(b)));
    number_repeats(&mut out.findings);
    out
}

/// Classes of production code of which not all ancestors are known.
fn cut_classes(context: &Context<'_>) -> impl Iterator<Item = Incomplete> {
    let program = context.program;
    let in_production = |class: &&Cls| !program.is_test_code(program.class_body(**class));
    program.cut_classes().iter().filter(in_production).map(|&class| {
        let (file, span, _) = program.class_head(class);
        let path = program.class_path(class);
        Incomplete::too_many_ancestors(Named { name: path.clone(), path, at: Place { file, span } })
    })
}

fn check_rule<'c>(rule: &Arc<Rule>, context: &Context<'c>, shared: &Shared<'c>) -> Checked {
    let mut out = Checked::default();
    if context.run.is_over() && !waves::is_run_late(rule, context) {
        return out;
    }
    for matcher in &rule.matches {
        match matcher {
            Matcher::Import(wanted) => imports::run(context, rule, wanted, &mut out.findings),
            Matcher::Call(wanted) => calls::run(context, rule, wanted, &mut out.findings),
            Matcher::Reach(wanted) => reach::run(context, shared, rule, wanted, &mut out),
            Matcher::Guard(wanted) => guard::run(context, shared, rule, wanted, &mut out),
            Matcher::Value(wanted) => value::run(context, shared, rule, wanted, &mut out.findings),
            Matcher::Compare(wanted) => compare::run(context, shared, rule, wanted, &mut out.findings),
            Matcher::Mutate(wanted) => {
                mutations::run(context, shared, rule, wanted, &mut out.findings);
            }
            Matcher::Flow(wanted) => flow::run(context, shared, rule, wanted, &mut out.findings),
            Matcher::Trace(wanted) => trace::run(context, shared, rule, wanted, &mut out.findings),
            Matcher::Escape(from) => escape::run(context, rule, *from, &mut out),
            Matcher::Item(item) => {
                checklist::run(context, shared, rule, item, &mut out);
            }
            Matcher::Record(parts) => {
                records::run(context, shared.records(context), rule, parts, &mut out.findings);
            }
            Matcher::Check(check) => own_check(context, shared, rule, *check, &mut out.findings),
        }
    }
    if !context.run.is_over() || waves::is_run_late(rule, context) {
        context.run.finished(Part::Rule, &rule.id);
    }
    out
}

fn own_check<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    rule: &Arc<Rule>,
    check: Check,
    out: &mut Vec<Finding>,
) {
    match check {
        Check::ResponseMutation => responses::run(context, &shared.values, rule, out),
        Check::UnregisteredEvent => events::run(context, rule, out),
        Check::AttributionForgery => forgery::run(context, &shared.values, rule, out),
        Check::ObscuredIo => obscured::run(context, rule, out),
        Check::UnparsedSource => unparsed::run(context, rule, out),
        Check::ConfusableIdentifier => confusable::run(context, rule, out),
        Check::UnmatchedSetting => claims::run(context, rule, out),
        Check::SwallowedGate => swallowed::run(context, shared, rule, out),
        Check::BrokenGuard => broken::run(context, shared, rule, out),
        Check::UnusedGuard => unused::run(context, shared, rule, out),
        Check::UngatedExecution => ungated::run(context, shared, rule, out),
        Check::ApprovingGate => rulings::approving(context, shared, rule, out),
        Check::FailOpen => rulings::fail_open(context, shared, rule, out),
        Check::UnstructuredVerdict => structured::run(context, shared, rule, out),
        Check::Runtime(policy) => runtime::run(context, shared, rule, policy, out),
        Check::OpenPolicy => rulings::open_policy(context, shared, rule, out),
        Check::UnclassifiedSkill => skills::run(context, shared, rule, out),
        Check::UnclassifiedTool => unclassified::run(context, shared, rule, out),
        Check::ContaminatedOrder => order::run(context, shared, rule, out),
        Check::PipedDownload => piped::run(context, rule, out),
        Check::InvalidWaiver => waivers::run(context, rule, out),
        // `suppress` and the engine know when all others are done.
        Check::UnusedWaiver | Check::LoosenedPolicy | Check::AnalysisGap => {}
    }
}

fn key(finding: &Finding) -> (Place, &str, &str) {
    (finding.primary, &finding.rule.id, &finding.message)
}

pub type Captures = BTreeMap<&'static str, String>;

/// What a matcher knows of one finding; the rest follows from the rule.
struct Draft<'d> {
    confidence: Confidence,
    primary: Place,
    steps: Vec<Step>,
    captures: Captures,
    /// The enclosing function and the functions of the chain, for the fingerprint.
    names: Vec<&'d str>,
    /// The function that it is about: an agent reaches it by way of that, if at all.
    inside: Option<Func>,
}

impl Draft<'_> {
    /// Something that is certain and stands at one place.
    fn at(primary: Place, captures: Captures) -> Self {
        Self {
            confidence: Confidence::High,
            primary,
            steps: Vec::new(),
            captures,
            names: Vec::new(),
            inside: None,
        }
    }

    fn finding(self, rule: &Arc<Rule>, source: &SourceFile) -> Finding {
        let span = self.primary.span;
        let snippet = source.text.get(span.lo as usize..span.hi as usize).unwrap_or_default();
        let snippet = normalise(snippet);
        let parts = [rule.id.as_str(), source.path.as_str(), &snippet];
        Finding {
            severity: rule.severity,
            confidence: self.confidence,
            message: Template::new(&rule.message).fill(&self.captures),
            fingerprint: fingerprint(parts.into_iter().chain(self.names.iter().copied())),
            likeness: likeness(&rule.id, &source.path, &snippet, &self.names),
            primary: self.primary,
            steps: self.steps,
            captures: self.captures,
            via: None,
            is_without_comm: false,
            rule: Arc::clone(rule),
        }
    }
}

/// A finding that only a later step can make: it stands at one place, and its rule says the rest.
pub fn finding_at(rule: &Arc<Rule>, source: &SourceFile, place: Place, captures: Captures) -> Finding {
    Draft::at(place, captures).finding(rule, source)
}

impl Context<'_> {
    fn finding(&self, rule: &Arc<Rule>, draft: Draft<'_>) -> Finding {
        let (source, inside) = (self.source(draft.primary.file), draft.inside);
        let mut finding = draft.finding(rule, source);
        finding.via = inside.and_then(|func| via::via(self, func));
        if let Some(wording) = rule.without_comm.as_ref().filter(|_| !self.knows_comm) {
            finding.is_without_comm = true;
            if let Some(message) = &wording.message {
                finding.message = Template::new(message).fill(&finding.captures);
            }
        }
        finding
    }

    fn source(&self, file: FileId) -> &SourceFile {
        let text = || self.texts.decoded(file.text(self.sources.len())?);
        self.sources.get(file.0 as usize).or_else(text).unwrap_or(self.config_file)
    }

    /// The calls that a rule means, in the order of their places.
    fn sites(&self, goal: &Goal) -> Vec<EffectSite> {
        match goal {
            Goal::Effects { kinds, access } => {
                let wanted = |site: &&EffectSite| {
                    access.is_empty() || site.access.is_some_and(|found| access.contains(&found))
                };
                self.effects.of_kinds(kinds).filter(wanted).cloned().collect()
            }
            Goal::Named(named) => named_calls(self.program, self.catalog, &named.path, &named.except),
        }
    }

    /// Whether, and how surely, the rule applies to a place: in a file, in a function of it.
    fn applies(&self, rule: &Rule, file: FileId, func: Func) -> Option<Confidence> {
        let layers = self.layers[file.0 as usize];
        let layers = if self.program.is_test_code(func) { layers.with(Layer::Test) } else { layers };
        let speaks = rule.languages.contains(self.program.facts(file).lang.name());
        if rule.scope.excludes(layers) || !speaks {
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
            let around = function.parent;
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
        self.reached.is(func)
    }
}
