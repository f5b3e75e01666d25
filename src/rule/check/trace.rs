//! The `flow` matcher: what a model chooses, or what comes from outside, must not decide what runs, where a request goes, which
//! file is touched. One finding per value that a call takes, with the way that it comes.

mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::inventory::access::of_file;
use super::shared::Shared;
use super::sources::Sources;
use super::traced::{Traced, is_meant};
use super::{Context, Draft};
use crate::analysis::{
    Arrived, Decided, Guarded, Key, Node, Part, Place as At, Taken, Valueflow, decided, puts, spelled,
};
use crate::catalog::{BUILTINS, Purpose, Purposes};
use crate::finding::{ACCESS, BECOMES, CLEANERS, Confidence, Finding, Place, Step};
use crate::inventory::Access;
use crate::ir::{Expr, ExprId};
use crate::link::{At as Site, Func, Mask, Target};
use crate::rule::Rule;
use crate::rule::matcher::Trace;
use crate::source::FileId;

pub fn run<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    rule: &Arc<Rule>,
    wanted: &Trace,
    out: &mut Vec<Finding>,
) {
    let Some(traced) = shared.traced() else { return };
    let Some(sources) = traced.sources(wanted) else { return };
    let taken = traced.taken(context, wanted);
    let guarded = Guarded::find(context.program, shared.actions(context));
    // Another matcher of the rule may have told it.
    let told: BTreeSet<Place> =
        out.iter().filter(|told| told.rule.id == rule.id).map(|told| told.primary).collect();
    let tracer = Tracer { context, traced, graph: &traced.graph, guarded, rule, wanted, sources, told };
    for purposes in traced.groups(&taken) {
        tracer.trace(&taken, purposes, out);
    }
}

/// So many functions are enough to see which kind is meant.
const NAMED: usize = 5;

/// How a value gets somewhere.
struct Way {
    /// With what of each it is.
    nodes: Vec<(Node, Part)>,
}

impl Way {
    fn pairs(&self) -> impl Iterator<Item = (Node, Node)> {
        self.nodes.windows(2).map(|pair| (pair[0].0, pair[1].0))
    }

    fn first(&self) -> Option<(Node, Part)> {
        self.nodes.first().copied()
    }
}

struct Tracer<'t, 'c> {
    context: &'t Context<'c>,
    graph: &'t Valueflow<'c, 'c>,
    guarded: Guarded<'t, 'c, 'c>,
    rule: &'t Arc<Rule>,
    wanted: &'t Trace,
    traced: &'t Traced<'c>,
    sources: &'t Sources,
    told: BTreeSet<Place>,
}

impl Tracer<'_, '_> {
    fn trace(&self, taken: &[Taken], purposes: Purposes, out: &mut Vec<Finding>) {
        let Some(reach) = self.traced.reach(self.wanted, purposes) else { return };
        let mut said: BTreeSet<(Place, String)> = BTreeSet::new();
        let mut known: BTreeSet<(Func, ExprId, Purpose)> = BTreeSet::new();
        for taken in taken.iter().filter(|taken| is_meant(taken, purposes)) {
            let end = self.graph.expr(taken.func, taken.value);
            if self.sources.is_cut(end) || self.is_made_by(taken, &known) {
                continue;
            }
            let arrived = reach.at(end).filter_map(|arrived| {
                let way = Way { nodes: reach.way(arrived) };
                let decided = self.decided(taken, arrived, &way)?;
                let is_option = decided.purpose == Purpose::Option;
                if self.traced.tells_options() && is_option != purposes.has(Purpose::Option) {
                    return None;
                }
                let confidence = arrived.confidence.min(decided.confidence).min(taken.confidence);
                let confidence = self.ruled_out(taken, &way).map_or(confidence, |sure| confidence.min(sure));
                (!self.is_approved(taken, &way)).then_some((confidence, decided, way))
            });
            let best = arrived.reduce(|best, other| if other.0 > best.0 { other } else { best });
            let found =
                best.and_then(|(confidence, decided, way)| self.finding(taken, &decided, &way, confidence));
            if found.is_some() {
                known.insert((taken.func, taken.at, taken.purpose));
            }
            // One call may take a value at several places.
            out.extend(found.filter(|found| said.insert((found.primary, found.message.clone()))));
        }
    }

    /// `execute(text(query))`: what is taken is what a call has made that is found already for the same purpose.
    fn is_made_by(&self, taken: &Taken, known: &BTreeSet<(Func, ExprId, Purpose)>) -> bool {
        let program = self.context.program;
        let facts = program.facts(program.function(taken.func).file);
        let is_known = |value: ExprId| {
            let made = match *facts.expr(value) {
                Expr::Await(inner) | Expr::Ascribe { value: Some(inner), .. } => inner,
                _ => value,
            };
            known.contains(&(taken.func, made, taken.purpose))
        };
        match *facts.expr(taken.value) {
            Expr::Var(var) => {
                let made = program.definitions(program.slot_of(taken.func, var));
                made.filter(|(func, _)| *func == taken.func).any(|(_, value)| is_known(value))
            }
            _ => is_known(taken.value),
        }
    }

    /// What the value decides that this rule asks for.
    fn decided(&self, taken: &Taken, arrived: &Arrived, way: &Way) -> Option<Decided> {
        // An attribute of an object decides nothing where the object is taken; what is sent away is all of it.
        let is_attribute = matches!(arrived.part.first_step(), Some(Key::Attr(_)))
            && taken.key.is_none()
            && taken.purpose != Purpose::Given;
        if is_attribute || taken.key.is_some_and(|key| !arrived.part.may_be_under(key)) {
            return None;
        }
        let is_in_file = arrived.part.is_in_file();
        let decided = match taken.purpose {
            // What is in a file decides something where the file is run.
            purpose if is_in_file && !purpose.reads_files() => return None,
            Purpose::Command => {
                let (program, catalog) = (self.context.program, self.context.catalog);
                let puts = puts(program, catalog, |node| self.graph.place(node), &way.nodes);
                decided(program, catalog, taken, arrived.part, &puts)?
            }
            purpose => Decided::all(purpose)?,
        };
        let asked = match decided.purpose {
            Purpose::Option => Purpose::Command,
            purpose => purpose,
        };
        (taken.purpose == Purpose::Given || self.wanted.to.contains(&asked)).then_some(decided)
    }

    /// How sure a way is at most in which a call rules out the branch where it goes on; none if no call does. Values that arrive in one
    /// place are told together, so the value of another tool may take that branch: it is a guess only where no call enters it.
    fn ruled_out(&self, taken: &Taken, way: &Way) -> Option<Confidence> {
        let mut closed: Option<(Func, Mask)> = None;
        for (from, to) in way.pairs() {
            match self.graph.place(to) {
                Some((callee, At::Param(_))) => {
                    let own = |(caller, mask): (Func, Mask)| {
                        self.graph.place(from).filter(|(func, _)| *func == caller).map(|_| mask)
                    };
                    let own = closed.and_then(own).unwrap_or_default();
                    let call = self.call_between(from, to);
                    closed =
                        call.map(|at| (callee, self.context.program.branches.closed(at.expr, callee, own)));
                }
                Some((func, At::Expr(expr))) => {
                    if let Some(sure) = self.entered(closed, func, expr) {
                        return Some(sure);
                    }
                }
                _ => {}
            }
        }
        self.entered(closed, taken.func, taken.at)
    }

    /// The same of one place, behind a call of its function that closes these branches.
    fn entered(&self, closed: Option<(Func, Mask)>, func: Func, expr: ExprId) -> Option<Confidence> {
        let program = self.context.program;
        let (_, closed) = closed.filter(|(callee, mask)| *callee == func && *mask != 0)?;
        let span = program.span(Site { file: program.function(func).file, expr });
        let around = program.branches.around(func, span);
        if closed & around == 0 {
            return None;
        }
        let mut calls = program.edges.iter().filter(|edge| edge.to == Target::Project(func));
        let is_entered = calls.any(|edge| program.branches.closed(edge.at.expr, func, 0) & around == 0);
        Some(if is_entered { Confidence::Medium } else { Confidence::Low })
    }

    /// True if somebody has decided on the way, or before the function of the sink ran at all.
    fn is_approved(&self, taken: &Taken, way: &Way) -> bool {
        let program = self.context.program;
        let site = Site { file: program.function(taken.func).file, expr: taken.at };
        let gating = self.guarded.gating;
        gating.is_held(site)
            || gating.is_decorated(taken.func)
            || self.guarded.is_entered_held(taken.func)
            || way.pairs().any(|(from, to)| self.call_between(from, to).is_some_and(|at| gating.is_held(at)))
    }

    /// The call by which an argument becomes a parameter.
    fn call_between(&self, from: Node, to: Node) -> Option<Site> {
        let (caller, At::Expr(arg)) = self.graph.place(from)? else { return None };
        let (callee, At::Param(_)) = self.graph.place(to)? else { return None };
        let program = self.context.program;
        let edges = program.edges_from(caller).iter().filter(|edge| edge.to == Target::Project(callee));
        let mut edges = edges.filter(|edge| {
            let given = program.arguments(edge);
            let is_receiver = || match *program.facts(edge.at.file).expr(edge.at.expr) {
                Expr::Call { callee, .. } => program.facts(edge.at.file).arenas.below(callee).contains(&arg),
                _ => false,
            };
            given.iter().any(|(_, value)| *value == arg) || is_receiver()
        });
        edges.next().map(|edge| edge.at)
    }

    fn finding(
        &self,
        taken: &Taken,
        decided: &Decided,
        way: &Way,
        confidence: Confidence,
    ) -> Option<Finding> {
        let (context, program) = (self.context, self.context.program);
        let file = program.function(taken.func).file;
        let applies = context.applies(self.rule, file, taken.func)?;
        let callee = match taken.callee {
            Some(callee) => program.target_name(callee),
            None => spelled(program, taken.func, taken.at).unwrap_or_default(),
        };
        let callee = callee.strip_prefix(BUILTINS).unwrap_or(&callee).to_owned();
        let access = (decided.purpose == Purpose::Path)
            .then(|| of_file(context, (taken.func, Site { file, expr: taken.at }), &callee, &[taken.value]))
            .flatten();
        let what = Self::what(decided, &callee, access);
        let captures = BTreeMap::from([
            ("function", program.short_name(taken.func)),
            ("what", what.clone()),
            ("callee", callee.clone()),
            ("source", self.source(way)?),
            (BECOMES, decided.purpose.word().to_owned()),
            (CLEANERS, self.cleaners(decided.purpose, file)),
            (ACCESS, access.map_or("", Access::name).to_owned()),
        ]);
        let primary = context.place(Site { file, expr: taken.at });
        if self.told.contains(&primary) {
            return None;
        }
        let mut steps = self.steps(way);
        steps.push(Step::seen(primary, format!("it becomes {what}")));
        Some(context.finding(
            self.rule,
            Draft {
                confidence: confidence.min(applies),
                primary,
                steps,
                captures,
                names: vec![&program.function(taken.func).path, callee.as_str()],
                inside: Some(self.tool_of(way).unwrap_or(taken.func)),
            },
        ))
    }

    /// The tool whose parameter the value was: an agent gets here by calling that one.
    fn tool_of(&self, way: &Way) -> Option<Func> {
        let (func, At::Param(_)) = self.graph.place(way.nodes.first()?.0)? else { return None };
        self.context.tools.binary_search_by_key(&func, |tool| tool.func).is_ok().then_some(func)
    }

    /// What the language has to make a value harmless.
    fn cleaners(&self, purpose: Purpose, file: FileId) -> String {
        let lang = self.context.program.facts(file).lang;
        let known = self.context.catalog.sinks.sanitizers.names(purpose, lang).take(NAMED);
        known.map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
    }
}
