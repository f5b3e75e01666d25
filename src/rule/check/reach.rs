//! The `reach` matcher: a path from a function with a role to an effect, or to a call that the rule names. One finding per
//! function and kind of effect. Waivers are asked before a path is chosen: one on the line of an effect, or on the call
//! with which the path begins, takes that way out, and the next best one is reported.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::shared::Shared;
use super::{Checked, Context, Draft, storage};
use crate::analysis::{EffectSite, Graph, Handler, Path, Reach, acting, plans_by_name};
use crate::catalog::EffectKind;
use crate::config::Layer;
use crate::finding::{Confidence, Finding, Step, Waived};
use crate::link::{At, Edge, EdgeKind, Func, Target};
use crate::parallel;
use crate::rule::Rule;
use crate::rule::matcher::{self, Goal, Role};
use crate::waiver::WaiverId;

/// What a call is that takes its time.
const DELAY: &str = "a delay of the answer";

/// A function with a role, and how sure it is that it has it.
#[derive(Clone, Copy)]
pub(super) struct Start {
    pub func: Func,
    pub confidence: Confidence,
}

pub fn run<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    rule: &Arc<Rule>,
    wanted: &matcher::Reach,
    out: &mut Checked,
) {
    let starts = starts(context, wanted.from);
    if wanted.waits {
        return waited(context, rule, wanted, &starts, out);
    }
    match &wanted.goal {
        Goal::Effects { kinds, .. } => {
            let starts: Vec<_> = starts.into_iter().filter(|start| !thinks(context, start.func)).collect();
            if starts.is_empty() {
                return;
            }
            let of_capture = [OnceCell::new(), OnceCell::new()];
            for &kind in kinds {
                let is_stored = matches!(kind, EffectKind::Storage | EffectKind::File);
                let graph = match wanted.from {
                    Role::Capture => {
                        of_capture[usize::from(is_stored)].get_or_init(|| capture_calls(context, is_stored))
                    }
                    Role::Planning | Role::Tool if is_stored => shared.kept_calls(context),
                    Role::Planning | Role::Tool => shared.calls(context),
                };
                let mut search = Search::new(context, rule, wanted, graph, &starts, out);
                // Planning may look at storage; a capture function has nothing to do there.
                if kind == EffectKind::Storage && wanted.from != Role::Capture {
                    search.storage();
                } else {
                    search.run(context.effects.of_kinds(std::slice::from_ref(&kind)).collect());
                }
            }
        }
        // Whoever names a call means it wherever it stands.
        Goal::Named(_) => {
            let graph = Graph::new(context.program, |_, _| true);
            let goals = context.sites(&wanted.goal);
            Search::new(context, rule, wanted, &graph, &starts, out).run(goals.iter().collect());
        }
    }
}

/// What the function waits for: not what it starts beside itself, nor what the audit trail does. Whether it takes long is a guess.
fn waited(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    wanted: &matcher::Reach,
    starts: &[Start],
    out: &mut Checked,
) {
    let least = |start: &Start| Start { confidence: start.confidence.min(Confidence::Medium), ..*start };
    let starts: Vec<Start> = starts.iter().map(least).collect();
    if starts.is_empty() {
        return;
    }
    let program = context.program;
    let detached = detached(context);
    let writes = |func: Func| context.catalog.audit.writes(&program.function(func).path);
    let graph = Graph::new(program, |at, func| !detached.contains(&at) && !writes(func));
    let goals = context.sites(&wanted.goal);
    Search::new(context, rule, wanted, &graph, &starts, out)
        .run(goals.iter().filter(|goal| !detached.contains(&goal.at)).collect());
}

/// Expressions that stand in what a call starts and does not wait for. Nobody knows when a library runs what it holds.
fn detached(context: &Context<'_>) -> FxHashSet<At> {
    let program = context.program;
    let detaches = |edge: &Edge| match edge.to {
        Target::External(path) => context.catalog.capture.detaches(program.path(path)),
        Target::Project(_) => false,
    };
    let calls =
        program.calls.iter().filter(|call| program.edges_at(call.from, call.at.expr).iter().any(detaches));
    let below = calls.flat_map(|call| {
        let file = call.at.file;
        program.facts(file).arenas.below(call.at.expr).into_iter().map(move |expr| At { file, expr })
    });
    let held = program.edges.iter().filter(|edge| edge.kind == EdgeKind::Held).map(|edge| edge.at);
    below.chain(held).collect()
}

/// What a capture function may do does not count: it marks the session, and it tells the audit trail, which is stored.
fn capture_calls<'c>(context: &Context<'c>, is_stored: bool) -> Graph<'c, 'c> {
    let catalog = context.catalog;
    let is_entered = |func: Func| {
        let class = context.program.function(func).class.map(|class| context.program.class_name(class));
        let is_own_business = catalog.capture.keeps_session(context.program.name(func))
            || is_stored && catalog.audit.writes(&context.program.function(func).path)
            || is_stored && class.is_some_and(|class| catalog.capture.is_of_session(class));
        !is_own_business && enters(context, func, is_stored)
    };
    let functions = 0..context.program.functions.len() as u32;
    let entered: Vec<bool> = parallel::map(functions, |func| is_entered(Func(func)));
    Graph::new(context.program, |at, func| entered[func.0 as usize] && !context.effects.is_comm_call(at))
}

pub(super) fn starts(context: &Context<'_>, role: Role) -> Vec<Start> {
    let sure = |&func: &Func| Start { func, confidence: Confidence::High };
    match role {
        Role::Capture => context.capture.iter().map(sure).collect(),
        Role::Planning => planning(context),
        Role::Tool => {
            let start = |tool: &Handler| Start { func: tool.func, confidence: tool.confidence };
            context.tools.iter().map(start).collect()
        }
    }
}

/// A name alone may mean a plan of any kind, unless the function asks a model.
fn planning(context: &Context<'_>) -> Vec<Start> {
    let (program, catalog, config) = (context.program, context.catalog, &context.config.planning);
    let asks = acting(program, context.effects, &[EffectKind::Llm]);
    let calls_model = |func: Func| {
        let mut edges = program.edges_from(func).iter();
        asks[func.0 as usize]
            || edges.any(|edge| matches!(edge.to, Target::Project(callee) if thinks(context, callee)))
    };
    let start = |&func: &Func| {
        let is_guess = plans_by_name(program, catalog, config, func) && !calls_model(func);
        Start { func, confidence: if is_guess { Confidence::Medium } else { Confidence::High } }
    };
    context.planning.iter().map(start).collect()
}

/// The call graph does not look behind model providers; nor behind the audit writer for what it keeps. Where it sends
/// something, that is an effect like any other.
pub(super) fn enters(context: &Context<'_>, func: Func, is_stored: bool) -> bool {
    let is_kept = is_stored && context.catalog.audit.matches(&context.program.function(func).path);
    !thinks(context, func) && !is_kept
}

/// In a module of a model provider.
fn thinks(context: &Context<'_>, func: Func) -> bool {
    let file = context.program.function(func).file;
    context.layers[file.0 as usize].contains(Layer::Llm)
}

/// The paths of one rule. `'g` is that of the graph, the goals and the starts.
struct Search<'g, 's, 'c> {
    context: &'s Context<'c>,
    rule: &'s Arc<Rule>,
    wanted: &'s matcher::Reach,
    graph: &'g Graph<'c, 'c>,
    /// Where the rule applies, each with how surely.
    starts: Vec<(&'g Start, Confidence)>,
    out: &'s mut Checked,
}

impl<'g, 's, 'c: 'g> Search<'g, 's, 'c> {
    fn new(
        context: &'s Context<'c>,
        rule: &'s Arc<Rule>,
        wanted: &'s matcher::Reach,
        graph: &'g Graph<'c, 'c>,
        starts: &'g [Start],
        out: &'s mut Checked,
    ) -> Self {
        let applies = |start: &'g Start| {
            let file = context.program.function(start.func).file;
            Some((start, context.applies(rule, file, start.func)?))
        };
        Self { context, rule, wanted, graph, starts: starts.iter().filter_map(applies).collect(), out }
    }

    /// Whatever is opened is opened to be used; what is known of the use says more, even if it is waived.
    fn storage(&mut self) {
        let (used, opened) = storage::goals(self.context.effects);
        let reached = self.run(used.iter().collect());
        self.starts.retain(|(start, _)| !reached.contains(&start.func));
        self.run(opened.iter().collect());
    }

    /// Reports, for each function, the best path to one of the goals. Comes back with the functions that have one, waived
    /// or not.
    fn run(&mut self, goals: Vec<&EffectSite>) -> BTreeSet<Func> {
        let (cut, open): (Vec<_>, Vec<_>) = goals
            .into_iter()
            .map(|goal| (goal, self.waiver(goal.at)))
            .partition(|(_, waiver)| waiver.is_some());
        let open = || open.iter().map(|(goal, _)| *goal);
        let reach = self.graph.search(open(), |_| true);
        let own: BTreeSet<Func> = open().map(|goal| goal.from).collect();
        let mut reached = BTreeSet::new();
        for (start, applies) in self.starts.clone() {
            let waived = self.waived_calls(start.func);
            let best = reach.path(start.func);
            reached.extend(best.iter().map(|_| start.func));
            let path = match waived.is_empty() {
                true => best,
                false => {
                    self.record_calls((start, applies), &waived, &reach);
                    let is_waived = |edge: &Edge| waived.iter().any(|(waived, _)| *waived == edge);
                    let mut others = self.context.program.edges_from(start.func).iter();
                    match &best {
                        Some(path) if path.hops.iter().any(|edge| is_waived(edge)) => (own
                            .contains(&start.func)
                            || others
                                .any(|edge| !is_waived(edge) && reach.leads_on(self.context.program, edge)))
                        .then(|| self.graph.search(open(), |edge| !is_waived(edge)).path(start.func))
                        .flatten(),
                        _ => best,
                    }
                }
            };
            if let Some(path) = path {
                let found = self.finding(start, applies, &path);
                self.out.findings.push(found);
            }
        }
        let cut = cut.into_iter().filter_map(|(goal, waiver)| Some((goal, waiver?)));
        reached.extend(self.record_goals(cut.collect()));
        reached
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
    fn record_calls(&mut self, start: (&Start, Confidence), waived: &[(&Edge, WaiverId)], reach: &Reach<'_>) {
        for (_, waiver) in waived.iter().filter(|(edge, _)| reach.leads_on(self.context.program, edge)) {
            self.out.used.insert((*waiver, self.rule.id.clone()));
        }
        let Some(path) = reach.path(start.0.func) else { return };
        if let Some((_, waiver)) = waived.iter().find(|(edge, _)| path.hops.first() == Some(edge)) {
            self.waive(start, &path, *waiver);
        }
    }

    /// For each function the best of its paths that end at a waived goal. A waiver counts as used if any function reaches
    /// its goal, even if it reaches another one as well. Comes back with those functions.
    fn record_goals<'o>(&mut self, cut: Vec<(&'o EffectSite, WaiverId)>) -> Vec<Func>
    where
        'c: 'o,
    {
        let mut best: BTreeMap<usize, (Path<'o>, WaiverId)> = BTreeMap::new();
        let mut starts: FxHashMap<Func, Vec<usize>> = FxHashMap::default();
        for (nth, (start, _)) in self.starts.iter().enumerate() {
            starts.entry(start.func).or_default().push(nth);
        }
        for (goal, waiver) in cut {
            let reach = self.graph.search(std::iter::once(goal), |_| true);
            for &nth in reach.functions().filter_map(|func| starts.get(&func)).flatten() {
                let Some(path) = reach.path(self.starts[nth].0.func) else { continue };
                self.out.used.insert((waiver, self.rule.id.clone()));
                let rank = |path: &Path<'_>| (path.confidence, Reverse(path.length()));
                if best.get(&nth).is_none_or(|(known, _)| rank(&path) > rank(known)) {
                    best.insert(nth, (path, waiver));
                }
            }
        }
        let reached = best.keys().map(|&nth| self.starts[nth].0.func).collect();
        for (nth, (path, waiver)) in best {
            self.waive(self.starts[nth], &path, waiver);
        }
        reached
    }

    fn waive(&mut self, (start, applies): (&Start, Confidence), path: &Path<'_>, id: WaiverId) {
        let finding = self.finding(start, applies, path);
        let waiver = self.context.waivers.get(id);
        self.out.waived.push(Waived { finding, reason: waiver.reason.clone(), waiver: waiver.place });
    }

    fn finding(&self, start: &Start, applies: Confidence, path: &Path<'_>) -> Finding {
        let (context, rule, program) = (self.context, self.rule, self.context.program);
        let last = path.effect;
        let mut steps = hops(context, path);
        steps.push(last_step(context, last));
        let chain = path.hops.iter().filter_map(|edge| match edge.to {
            Target::Project(func) => Some(&*program.function(func).path),
            Target::External(_) => None,
        });
        let names = std::iter::once(&*program.function(start.func).path).chain(chain);
        let names = names.chain([last.callee.as_str()]).collect();
        let mut captures =
            BTreeMap::from([("function", program.short_name(start.func)), ("callee", last.callee.clone())]);
        let noun = last.kind.map(EffectKind::noun).or(self.wanted.waits.then_some(DELAY));
        captures.extend(noun.map(|noun| ("effect", noun.to_owned())));
        context.finding(
            rule,
            Draft {
                confidence: path.confidence.min(start.confidence).min(applies),
                primary: context.place(path.first()),
                captures,
                names,
                steps,
                inside: Some(start.func),
            },
        )
    }
}

/// The calls of a path, and how many are not told.
pub(super) fn hops(context: &Context<'_>, path: &Path<'_>) -> Vec<Step> {
    let mut steps: Vec<Step> = path.hops.iter().map(|edge| step(context, edge)).collect();
    if let Some((at, count)) = path.left_out
        && let Some(before) = at.checked_sub(1).and_then(|at| steps.get_mut(at))
    {
        before.text += &format!(", and so on through {count} more calls");
    }
    steps
}

pub(super) fn last_step(context: &Context<'_>, last: &EffectSite) -> Step {
    let caller = context.program.short_name(last.from);
    let text = match last.kind {
        Some(kind) => format!("`{caller}` reaches {} through `{}`", kind.noun(), last.callee),
        None => format!("`{caller}` calls `{}`", last.callee),
    };
    let what = last.kind.map_or("what the rule names", EffectKind::noun);
    let why = format!("`{}` is known as {what}, {} confidence", last.callee, last.confidence.label());
    Step { place: context.place(last.at), text, why }
}

/// What a library may run, and where it got it: the use alone says nothing to who does not know of the other place.
fn held(context: &Context<'_>, edge: &Edge) -> String {
    let program = context.program;
    let (caller, callee) = (program.short_name(edge.from), program.target_name(edge.to));
    let giver = match edge.to {
        Target::Project(func) => program.given_in(func).filter(|&giver| giver != edge.from),
        Target::External(_) => None,
    };
    let given = giver.map(|giver| format!(", which it is given in `{}`", program.short_name(giver)));
    format!("`{caller}` uses a library that may run `{callee}`{}", given.unwrap_or_default())
}

pub(super) fn step(context: &Context<'_>, edge: &Edge) -> Step {
    let program = context.program;
    let (caller, callee) = (program.short_name(edge.from), program.target_name(edge.to));
    let text = match edge.kind {
        EdgeKind::Call | EdgeKind::CallHanded => format!("`{caller}` calls `{callee}`"),
        EdgeKind::Passed => format!("`{caller}` hands over `{callee}`, which is run"),
        EdgeKind::Held => held(context, edge),
        EdgeKind::Stored => format!("`{caller}` hands over `{callee}`"),
    };
    let why = format!("resolved by {}, {} confidence", edge.rung.reason(), edge.confidence.label());
    Step { place: context.place(edge.at), text, why }
}
