//! The `reach` matcher: a path from a function with a role to an effect, one finding per function and effect kind. Waivers
//! are asked before a path is chosen: one on the line of an effect, or on the call with which the path begins, takes that
//! way out, and the next best one is reported.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Checked, Context, Draft};
use crate::analysis::{EffectSite, Graph, Path, Reach};
use crate::catalog::EffectKind;
use crate::config::Layer;
use crate::finding::{Finding, Step, Waived};
use crate::link::{At, Edge, EdgeKind, Func, Target};
use crate::rule::Rule;
use crate::rule::matcher::{self, Role};
use crate::waiver::WaiverId;

pub fn run(context: &Context<'_>, rule: &Arc<Rule>, wanted: &matcher::Reach, out: &mut Checked) {
    let starts = match wanted.from {
        Role::Planning => context.planning,
    };
    let starts = starts.iter().copied().filter(|&start| begins(context, rule, start)).collect();
    let functions = (0..context.program.functions.len() as u32).map(Func);
    let entered: Vec<bool> = functions.map(|func| enters(context, func)).collect();
    let graph = Graph::new(context.program, context.effects, |func| entered[func.0 as usize]);
    let mut search = Search { context, rule, graph, starts, out };
    for &kind in &wanted.effects {
        search.kind(kind);
    }
}

fn begins(context: &Context<'_>, rule: &Rule, start: Func) -> bool {
    let file = context.program.function(start).file;
    context.applies(rule, file) && !context.layers[file.0 as usize].contains(Layer::Llm)
}

/// The call graph does not look behind model providers and the audit writer.
fn enters(context: &Context<'_>, func: Func) -> bool {
    let info = context.program.function(func);
    !context.layers[info.file.0 as usize].contains(Layer::Llm) && !context.catalog.audit.matches(&info.path)
}

struct Search<'s, 'c> {
    context: &'s Context<'c>,
    rule: &'s Arc<Rule>,
    graph: Graph<'c, 'c>,
    starts: Vec<Func>,
    out: &'s mut Checked,
}

impl<'c> Search<'_, 'c> {
    fn kind(&mut self, kind: EffectKind) {
        let cut = self.cut_sites(kind);
        let is_cut = |site: &EffectSite| cut.iter().any(|(cut, _)| cut.at == site.at);
        let is_goal = |site: &EffectSite| site.kind == kind && !is_cut(site);
        let reach = self.graph.search(is_goal, |_| true);
        for start in self.starts.clone() {
            let waived = self.waived_calls(start);
            let path = match waived.is_empty() {
                true => reach.path(start),
                false => {
                    self.record_calls(start, &waived, &reach);
                    let is_waived = |edge: &Edge| waived.iter().any(|(waived, _)| *waived == edge);
                    self.graph.search(is_goal, |edge| !is_waived(edge)).path(start)
                }
            };
            if let Some(path) = path {
                self.out.findings.push(finding(self.context, self.rule, start, &path));
            }
        }
        self.record_sites(&cut);
    }

    /// Effects of this kind that a waiver of the rule speaks of.
    fn cut_sites(&self, kind: EffectKind) -> Vec<(&'c EffectSite, WaiverId)> {
        if self.context.waivers.is_silent_on(&self.rule.id) {
            return Vec::new();
        }
        let sites = self.context.effects.sites.iter().filter(|site| site.kind == kind);
        sites.filter_map(|site| Some((site, self.waiver(site.at)?))).collect()
    }

    /// Calls of the function itself that a waiver of the rule speaks of: its paths must not begin there.
    fn waived_calls(&self, start: Func) -> Vec<(&'c Edge, WaiverId)> {
        if self.context.waivers.is_silent_on(&self.rule.id) {
            return Vec::new();
        }
        let edges = self.context.program.edges_from(start).iter();
        edges.filter_map(|edge| Some((edge, self.waiver(edge.at)?))).collect()
    }

    fn waiver(&self, at: At) -> Option<WaiverId> {
        self.context.waivers.covering(&self.rule.id, self.context.place(at))
    }

    /// The path that would have been reported, and every waiver that closes a way.
    fn record_calls(&mut self, start: Func, waived: &[(&Edge, WaiverId)], reach: &Reach<'_>) {
        for (_, waiver) in waived.iter().filter(|(edge, _)| reach.leads_on(edge)) {
            self.out.used.insert((*waiver, self.rule.id.clone()));
        }
        let Some(path) = reach.path(start) else { return };
        if let Some((_, waiver)) = waived.iter().find(|(edge, _)| path.hops.first() == Some(edge)) {
            self.waive(start, &path, *waiver);
        }
    }

    /// For each function the best of its paths that end at a waived effect. A waiver counts as used if any function
    /// reaches its effect, even if it reaches another one as well.
    fn record_sites(&mut self, cut: &[(&EffectSite, WaiverId)]) {
        let mut best: BTreeMap<Func, (Path<'c>, WaiverId)> = BTreeMap::new();
        for (site, waiver) in cut {
            let reach = self.graph.search(|other| other == *site, |_| true);
            for start in &self.starts {
                let Some(path) = reach.path(*start) else { continue };
                self.out.used.insert((*waiver, self.rule.id.clone()));
                let rank = |path: &Path<'_>| (path.confidence, Reverse(path.hops.len()));
                if best.get(start).is_none_or(|(known, _)| rank(&path) > rank(known)) {
                    best.insert(*start, (path, *waiver));
                }
            }
        }
        for (start, (path, waiver)) in best {
            self.waive(start, &path, waiver);
        }
    }

    fn waive(&mut self, start: Func, path: &Path<'_>, id: WaiverId) {
        let finding = finding(self.context, self.rule, start, path);
        let waiver = self.context.waivers.get(id);
        self.out.waived.push(Waived { finding, reason: waiver.reason.clone(), waiver: waiver.place });
    }
}

fn finding(context: &Context<'_>, rule: &Arc<Rule>, start: Func, path: &Path<'_>) -> Finding {
    let program = context.program;
    let mut steps: Vec<Step> = path.hops.iter().map(|edge| step(context, edge)).collect();
    let last = path.effect;
    let caller = program.short_name(last.from);
    let text = format!("`{caller}` reaches {} through `{}`", last.kind.noun(), last.callee);
    steps.push(Step { place: context.place(last.at), text });
    let chain = path.hops.iter().filter_map(|edge| match edge.to {
        Target::Project(func) => Some(&*program.function(func).path),
        Target::External(_) => None,
    });
    let names = std::iter::once(&*program.function(start).path).chain(chain);
    let names = names.chain([last.callee.as_str()]).collect();
    context.finding(
        rule,
        Draft {
            confidence: path.confidence,
            primary: context.place(path.first()),
            captures: BTreeMap::from([
                ("function", program.short_name(start)),
                ("effect", last.kind.noun().to_owned()),
                ("callee", last.callee.clone()),
            ]),
            names,
            steps,
            agent_reachable: true,
        },
    )
}

fn step(context: &Context<'_>, edge: &Edge) -> Step {
    let program = context.program;
    let (caller, callee) = (program.short_name(edge.from), program.target_name(edge.to));
    let text = match edge.kind {
        EdgeKind::Call | EdgeKind::CallHanded => format!("`{caller}` calls `{callee}`"),
        EdgeKind::Passed => format!("`{caller}` hands over `{callee}`, which is run"),
        EdgeKind::Stored => format!("`{caller}` hands over `{callee}`"),
    };
    Step { place: context.place(edge.at), text }
}
