//! A tool that runs although no gate of actions has approved it. It stands at the call that runs it, or at the calls of the
//! function that executes tools by their names, if that one asks nobody itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::guard::missing;
use super::shared::Shared;
use super::{Context, Draft};
use crate::analysis::{Execution, Gating, Guarded, Way, is_taken};
use crate::catalog::{IrreversibilityWords, Speaks};
use crate::config::Irreversibility;
use crate::finding::{Finding, Place};
use crate::ir::{Expr, FnKind, Op};
use crate::link::{At, EdgeKind, Func, Program, Target};
use crate::rule::Rule;

/// An executor that hands over to another one that hands over to another one.
const MAX_HOPS: u32 = 4;

pub fn run<'c>(context: &Context<'c>, shared: &Shared<'c>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    if let Some(search) = search(context, shared) {
        out.extend(search.ungated().filter_map(|site| search.finding(rule, site)));
    }
}

/// The calls of a project with gates of actions that run tools by their names, and the first of them that asks no gate.
pub fn executors<'c>(context: &Context<'c>, shared: &Shared<'c>) -> Option<(Place, Option<Place>)> {
    let search = search(context, shared)?;
    let place = |site: &Execution| {
        context.place(At { file: context.program.function(site.func).file, expr: site.call })
    };
    Some((place(search.all.first()?), search.ungated().next().map(place)))
}

fn search<'s, 'c>(context: &'s Context<'c>, shared: &'s Shared<'c>) -> Option<Search<'s, 'c>> {
    let gating = shared.actions(context);
    let is_asked_for = gating.has_judges() || !context.config.gates.executors.is_empty();
    is_asked_for.then(|| Search::new(context, gating, shared.executions(context)))
}

struct Search<'s, 'c> {
    context: &'s Context<'c>,
    gating: &'s Gating,
    guarded: Guarded<'s, 'c, 'c>,
    all: &'s [Execution],
    /// The project's own functions that execute tools by their names.
    executors: BTreeSet<Func>,
    /// Those of them that production code calls: their callers are told, not they.
    called: BTreeSet<Func>,
    /// Tools, and what only tools run: whoever runs the tool has been asked about.
    inside: BTreeSet<Func>,
}

impl<'s, 'c> Search<'s, 'c> {
    fn new(context: &'s Context<'c>, gating: &'s Gating, all: &'s [Execution]) -> Self {
        let program = context.program;
        let executors: BTreeSet<Func> = all.iter().flat_map(|site| site.executors.iter().copied()).collect();
        let called = all.iter().filter(|site| !executors.contains(&site.func));
        let called = called.flat_map(|site| site.executors.iter().copied()).collect();
        let (guarded, inside) = (Guarded::find(program, gating), inside_tools(context));
        Self { context, gating, guarded, all, executors, called, inside }
    }

    fn ungated(&self) -> impl Iterator<Item = &'s Execution> {
        self.all.iter().filter(|site| self.is_ungated(site))
    }

    fn is_ungated(&self, site: &Execution) -> bool {
        let is_told_at_callers = self.called.contains(&site.func);
        let asks_itself = !site.executors.is_empty()
            && site.executors.iter().all(|&executor| self.asks_itself(executor, MAX_HOPS));
        !is_told_at_callers
            && !self.carries(site.func, MAX_HOPS)
            && !self.inside.contains(&site.func)
            && !asks_itself
            && !self.is_held(site)
            && !self.guarded.is_entered_held(site.func)
            && !self.only_reads(site)
    }

    /// The only way without the gate is that of a list of tools that only read: `if name not in READ_ONLY: ask()`.
    fn only_reads(&self, site: &Execution) -> bool {
        let (program, catalog) = (self.context.program, self.context.catalog);
        let way = self.gating.missing_way(self.context.bodies, site.func, site.call);
        let facts = program.facts(program.function(site.func).file);
        let Some(Way::Arm(at, nth)) = way else { return false };
        let Expr::If { arms, .. } = *facts.expr(at) else { return false };
        let arms = facts.list(arms);
        let Some(arm) = arms.get(nth).or(arms.last()) else { return false };
        let (mut test, mut holds) = (arm.test, nth < arms.len());
        while let Expr::Not(inner) = *facts.expr(test) {
            (test, holds) = (inner, !holds);
        }
        let Expr::Op { op: op @ (Op::In | Op::NotIn), args } = *facts.expr(test) else { return false };
        let list = facts.list(args).last().and_then(|&list| program.receiver_name(site.func, list));
        let reads = |words: &&IrreversibilityWords| words.class == Irreversibility::ReadOnly.name();
        let mut words = catalog.irreversibility.iter().filter(reads);
        (op == Op::In) == holds && list.is_some_and(|list| words.any(|words| words.is_part_of(list.name)))
    }

    /// `McpClient.call_tool`, and what only such methods call: it only carries to a server what its callers are told of.
    fn carries(&self, func: Func, hops: u32) -> bool {
        let (program, catalog) = (self.context.program, self.context.catalog);
        let Some(hops) = hops.checked_sub(1) else { return false };
        let Some(class) = program.function(func).class else {
            let around = program.ir(func).parent;
            let is_inside = !matches!(program.ir(around).kind, FnKind::Module | FnKind::ClassBody(_));
            return is_inside && self.carries(around, hops);
        };
        let taken: Speaks<'_> = &|fits| is_taken(program, func, fits);
        catalog.runtime.carriers.has(program.class_name(class))
            && (catalog.actions.is_executor(&program.function(func).path, taken)
                || self.is_called_by(func, |caller| caller != func && self.carries(caller, hops)))
    }

    /// Production code calls it, and all who do are meant.
    fn is_called_by(&self, func: Func, is_meant: impl Fn(Func) -> bool) -> bool {
        let program = self.context.program;
        let mut callers = program
            .edges
            .iter()
            .filter(|edge| edge.to == Target::Project(func) && !program.is_test_code(edge.from))
            .map(|edge| edge.from)
            .peekable();
        callers.peek().is_some() && callers.all(is_meant)
    }

    fn is_held(&self, site: &Execution) -> bool {
        let file = self.context.program.function(site.func).file;
        self.gating.is_held(At { file, expr: site.call }) || self.gating.is_decorated(site.func)
    }

    /// Whatever an executor runs, it runs behind a gate.
    fn asks_itself(&self, executor: Func, hops: u32) -> bool {
        let Some(hops) = hops.checked_sub(1) else { return false };
        if self.gating.is_decorated(executor) {
            return true;
        }
        let mut sites = self.all.iter().filter(|site| site.func == executor).peekable();
        if sites.peek().is_some() {
            let is_fine = |site: &Execution| {
                self.is_held(site)
                    || !site.executors.is_empty()
                        && site.executors.iter().all(|&next| self.asks_itself(next, hops))
            };
            return sites.all(is_fine);
        }
        self.gating.holds_somewhere(self.context.program, executor)
            || callees(self.context.program, executor).any(|next| {
                self.executors.contains(&next) && self.asks_itself(next, hops)
                    || self.gating.holds_somewhere(self.context.program, next)
            })
    }

    fn finding(&self, rule: &Arc<Rule>, site: &Execution) -> Option<Finding> {
        let context = self.context;
        let program = context.program;
        let file = program.function(site.func).file;
        let applies = context.applies(rule, file, site.func)?;
        let at = At { file, expr: site.call };
        let captures = BTreeMap::from([("callee", site.callee.clone()), ("missing", self.missing(site))]);
        Some(context.finding(
            rule,
            Draft {
                confidence: applies.min(site.confidence),
                names: vec![&program.function(site.func).path],
                inside: Some(site.func),
                ..Draft::at(context.place(at), captures)
            },
        ))
    }

    fn missing(&self, site: &Execution) -> String {
        let program = self.context.program;
        let at = At { file: program.function(site.func).file, expr: site.call };
        if self.gating.is_held_for_another(at) {
            return "the gate was asked about something else".to_owned();
        }
        match self.gating.missing_way(self.context.bodies, site.func, site.call) {
            Some(way) => {
                format!("the gate is {}", missing::said(program, self.context.sources, site.func, way))
            }
            None => "no gate has approved it on the way here".to_owned(),
        }
    }
}

/// Tools, and the functions that only they call.
fn inside_tools(context: &Context<'_>) -> BTreeSet<Func> {
    let program = context.program;
    let mut callers: BTreeMap<Func, Vec<Func>> = BTreeMap::new();
    for edge in program.edges.iter().filter(|edge| !program.is_test_code(edge.from)) {
        if let Target::Project(to) = edge.to {
            callers.entry(to).or_default().push(edge.from);
        }
    }
    let mut inside: BTreeSet<Func> = context.tools.iter().map(|tool| tool.func).collect();
    let mut work: Vec<Func> = inside.iter().copied().collect();
    while let Some(func) = work.pop() {
        for next in callees(program, func) {
            let is_only = callers.get(&next).is_some_and(|all| all.iter().all(|from| inside.contains(from)));
            if is_only && inside.insert(next) {
                work.push(next);
            }
        }
    }
    inside
}

fn callees<'p>(program: &'p Program<'_>, func: Func) -> impl Iterator<Item = Func> + 'p {
    program.edges_from(func).iter().filter(|edge| edge.kind == EdgeKind::Call).filter_map(|edge| {
        match edge.to {
            Target::Project(to) => Some(to),
            Target::External(_) => None,
        }
    })
}
