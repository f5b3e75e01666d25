//! The `reach` matcher: a path from a function with a role to an effect, or to a call that the rule names. One finding per
//! function and kind of effect.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Context, Draft};
use crate::analysis::{EffectSite, Path, Reach, Start};
use crate::config::Layer;
use crate::finding::{Confidence, Finding, Step};
use crate::link::{Edge, EdgeKind, Func, Target};
use crate::rule::Rule;
use crate::rule::matcher::{self, Goal, Role};

pub fn run(context: &Context<'_>, rule: &Arc<Rule>, wanted: &matcher::Reach, out: &mut Vec<Finding>) {
    let starts = starts(context, wanted.from);
    let functions = (0..context.program.functions.len() as u32).map(Func);
    let entered: Vec<bool> = functions.map(|func| enters(context, func)).collect();
    match &wanted.goal {
        Goal::Effects(kinds) => {
            let starts: Vec<_> = starts.into_iter().filter(|start| !thinks(context, start.func)).collect();
            for &kind in kinds {
                let goals = context.effects.of_kinds(std::slice::from_ref(&kind));
                let reach = Reach::search(context.program, goals, |at, func| {
                    entered[func.0 as usize] && !context.effects.is_comm_call(at)
                });
                report(context, rule, &starts, &reach, out);
            }
        }
        // Whoever names a call means it wherever it stands.
        Goal::Named(_) => {
            let goals = context.sites(&wanted.goal);
            let reach = Reach::search(context.program, goals.iter(), |_, _| true);
            report(context, rule, &starts, &reach, out);
        }
    }
}

fn starts(context: &Context<'_>, role: Role) -> Vec<Start> {
    match role {
        Role::Planning => {
            let sure = |&func: &Func| Start { func, confidence: Confidence::High };
            context.planning.iter().map(sure).collect()
        }
        Role::Tool => context.tools.to_vec(),
    }
}

fn report(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    starts: &[Start],
    reach: &Reach<'_>,
    out: &mut Vec<Finding>,
) {
    for start in starts {
        let file = context.program.function(start.func).file;
        let Some(applies) = context.applies(rule, file, start.func) else { continue };
        if let Some(path) = reach.path(start.func) {
            out.push(finding(context, rule, start, applies, &path));
        }
    }
}

/// The call graph does not look behind model providers and the audit writer.
pub(super) fn enters(context: &Context<'_>, func: Func) -> bool {
    !thinks(context, func) && !context.catalog.audit.matches(&context.program.function(func).path)
}

/// In a module of a model provider.
fn thinks(context: &Context<'_>, func: Func) -> bool {
    let file = context.program.function(func).file;
    context.layers[file.0 as usize].contains(Layer::Llm)
}

fn finding(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    start: &Start,
    applies: Confidence,
    path: &Path<'_>,
) -> Finding {
    let program = context.program;
    let mut steps: Vec<Step> = path.hops.iter().map(|edge| step(context, edge)).collect();
    let last = path.effect;
    steps.push(last_step(context, last));
    let chain = path.hops.iter().filter_map(|edge| match edge.to {
        Target::Project(func) => Some(&*program.function(func).path),
        Target::External(_) => None,
    });
    let names = std::iter::once(&*program.function(start.func).path).chain(chain);
    let names = names.chain([last.callee.as_str()]).collect();
    let mut captures =
        BTreeMap::from([("function", program.short_name(start.func)), ("callee", last.callee.clone())]);
    captures.extend(last.kind.map(|kind| ("effect", kind.noun().to_owned())));
    context.finding(
        rule,
        Draft {
            confidence: path.confidence.min(start.confidence).min(applies),
            primary: context.place(path.first()),
            captures,
            names,
            steps,
            agent_reachable: true,
        },
    )
}

pub(super) fn last_step(context: &Context<'_>, last: &EffectSite) -> Step {
    let caller = context.program.short_name(last.from);
    let text = match last.kind {
        Some(kind) => format!("`{caller}` reaches {} through `{}`", kind.noun(), last.callee),
        None => format!("`{caller}` calls `{}`", last.callee),
    };
    Step { place: context.place(last.at), text }
}

pub(super) fn step(context: &Context<'_>, edge: &Edge) -> Step {
    let program = context.program;
    let (caller, callee) = (program.short_name(edge.from), program.target_name(edge.to));
    let text = match edge.kind {
        EdgeKind::Call | EdgeKind::CallHanded => format!("`{caller}` calls `{callee}`"),
        EdgeKind::Passed => format!("`{caller}` hands over `{callee}`, which is run"),
        EdgeKind::Stored => format!("`{caller}` hands over `{callee}`"),
    };
    Step { place: context.place(edge.at), text }
}
