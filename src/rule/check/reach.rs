//! The `reach` matcher: a path from a function with a role to an effect, one finding per function and effect kind.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Context, Draft};
use crate::analysis::{Path, Reach};
use crate::config::Layer;
use crate::finding::{Finding, Step};
use crate::link::{Edge, EdgeKind, Func, Target};
use crate::rule::Rule;
use crate::rule::matcher::{self, Role};

pub fn run(context: &Context<'_>, rule: &Arc<Rule>, wanted: &matcher::Reach, out: &mut Vec<Finding>) {
    let starts = match wanted.from {
        Role::Planning => context.planning,
    };
    let functions = (0..context.program.functions.len() as u32).map(Func);
    let entered: Vec<bool> = functions.map(|func| enters(context, func)).collect();
    for &kind in &wanted.effects {
        let reach = Reach::search(context.program, context.effects, kind, |func| entered[func.0 as usize]);
        for &start in starts {
            let file = context.program.function(start).file;
            let layers = context.layers[file.0 as usize];
            if !context.applies(rule, file) || layers.contains(Layer::Llm) {
                continue;
            }
            if let Some(path) = reach.path(start) {
                out.push(finding(context, rule, start, &path));
            }
        }
    }
}

/// The call graph does not look behind model providers and the audit writer.
fn enters(context: &Context<'_>, func: Func) -> bool {
    let info = context.program.function(func);
    !context.layers[info.file.0 as usize].contains(Layer::Llm) && !context.catalog.audit.matches(&info.path)
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
