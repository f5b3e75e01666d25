//! What a project registers, with what each handler can reach and the gates before it. Made of what rules look at, so that
//! the inventory never says something else than they do.

mod gates;

use rustc_hash::FxHashSet;

use super::Context;
use super::reach::{hops, last_step};
use super::shared::Shared;
use super::skills::skills;
use super::via::via;
use crate::analysis::{EffectSite, Guarded, Path, Reach, Registered};
use crate::catalog::EffectKind;
use crate::finding::{Confidence, Place, Step};
use crate::inventory::{Class, Listed, Reached, Table};
use crate::link::{EdgeKind, Func, Program, Target};
use crate::parallel;

/// Everything that is registered outside tests, in the order of the places where it is, and what is written down of tools.
pub fn inventory(context: &Context<'_>) -> Table {
    let shared = Shared::new(context);
    let guarded = shared.guarded(context);
    let graph = shared.calls(context);
    let search = |&kind: &EffectKind| {
        let goals = || context.effects.sites.iter().filter(move |site| site.kind == Some(kind));
        Searched { kind, all: graph.search(goals(), |_| true), open: guarded.search(graph, goals()) }
    };
    let searched: Vec<Searched<'_>> = parallel::map(&EffectKind::ALL, search);
    let in_production = |known: &Registered| known.is_production(context.program);
    let classes = shared.classes(context);
    let shown = context.registered.iter().enumerate().filter(|(_, known)| in_production(known));
    let shown: Vec<(usize, &Registered)> = shown.collect();
    let mut open = vec![0; context.program.functions.len()];
    let unresolved = context.program.calls.iter().filter(|call| call.may_run_more());
    unresolved.for_each(|call| open[call.from.0 as usize] += 1);
    let searched = (&searched[..], &open[..]);
    let listed =
        parallel::map(shown, |(nth, known)| listed(context, &guarded, searched, (known, classes.of(nth))));
    Table { listed, written: classes.said().clone(), skills: skills(context) }
}

/// Who reaches effects of a kind, and who reaches one without a gate.
struct Searched<'s> {
    kind: EffectKind,
    all: Reach<'s>,
    open: Reach<'s>,
}

fn listed(
    context: &Context<'_>,
    guarded: &Guarded<'_, '_, '_>,
    (searched, open): (&[Searched<'_>], &[usize]),
    (known, class): (&Registered, Option<&Class>),
) -> Listed {
    let program = context.program;
    let info = program.function(known.handler);
    let mut gates = Vec::new();
    let runs = || [known.handler].into_iter().chain(known.others.iter().copied());
    let effects = searched.iter().filter_map(|searched| {
        let path = searched.all.best(program, runs(), known.class)?;
        let start = path.hops.first().map_or(path.effect.from, |edge| edge.from);
        let is_open = runs().any(|func| {
            !guarded.is_entered_held(func) && searched.open.path_of(program, func, known.class).is_some()
        });
        if !is_open {
            gates.extend(gates::on_path(context, guarded, start, &path));
        }
        let (confidence, callee) = (path.confidence.min(known.confidence), path.effect.callee.clone());
        let steps = steps(context, &path);
        Some(Reached { kind: searched.kind, confidence, callee, is_gated: !is_open, steps })
    });
    let effects = effects.collect();
    gates.sort_unstable();
    gates.dedup();
    Listed {
        kind: known.kind,
        framework: known.framework.clone(),
        name: known.name.clone(),
        function: info.path.to_string(),
        handler: Place { file: info.file, span: program.ir(known.handler).name_span },
        registered: Place { file: known.file, span: known.span },
        confidence: known.confidence,
        entry: known.entry(),
        via: via(context, known.handler),
        effects,
        gates,
        unresolved: unresolved(program, open, runs()),
        class: class.cloned(),
    }
}

/// The calls that these functions reach and that may run more than is known; `open` says how many are in each function.
fn unresolved(program: &Program<'_>, open: &[usize], from: impl Iterator<Item = Func>) -> usize {
    let mut seen: FxHashSet<Func> = from.collect();
    let mut work: Vec<Func> = seen.iter().copied().collect();
    let mut found = 0;
    while let Some(func) = work.pop() {
        found += open[func.0 as usize];
        let edges = program.edges_from(func).iter();
        let sure =
            edges.filter(|edge| edge.kind != EdgeKind::Stored && edge.confidence >= Confidence::Medium);
        work.extend(sure.filter_map(|edge| match edge.to {
            Target::Project(to) if seen.insert(to) => Some(to),
            _ => None,
        }));
    }
    found
}

fn steps(context: &Context<'_>, path: &Path<'_>) -> Vec<Step> {
    let effect: &EffectSite = path.effect;
    hops(context, path).into_iter().chain([last_step(context, effect)]).collect()
}
