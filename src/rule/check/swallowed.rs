//! Gates whose refusal is taken by a handler, behind which control still reaches the effect, or comes back as if all were
//! well. The finding stands at the handler.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::reach::{hops, last_step, step};
use super::shared::Shared;
use super::{Context, Draft};
use crate::analysis::{DONE, EffectSite, Left, Reach, Shape};
use crate::catalog::{Boundaries, EffectKind};
use crate::finding::{Confidence, Finding, Place, Step};
use crate::ir::{Expr, ExprId, Span};
use crate::link::{At, Func, Target};
use crate::rule::Rule;

/// The heads of handlers, by function, made once somebody asks.
#[derive(Default)]
struct Heads(FxHashMap<Func, FxHashMap<ExprId, Span>>);

/// What must not run behind a refusal.
const EFFECTS: [EffectKind; 6] = [
    EffectKind::Network,
    EffectKind::Process,
    EffectKind::Hardware,
    EffectKind::Comm,
    EffectKind::Storage,
    EffectKind::File,
];

pub fn run<'c>(context: &Context<'c>, shared: &Shared<'c>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let guarded = &shared.guarded(context);
    let (mut told, mut heads) = (BTreeSet::new(), Heads::default());
    let goals: Vec<&EffectSite> = context.effects.of_kinds(&EFFECTS).collect();
    let reach = guarded.search(shared.calls(context), goals.iter().copied());
    for (func, handler, expr) in guarded.gating.swallowed() {
        let at = At { file: context.program.function(func).file, expr };
        let Some(place) = heads.place(context, func, handler).filter(|&place| !told.contains(&(func, place)))
        else {
            continue;
        };
        let Some(steps) = reached(context, &goals, &reach, func, at) else { continue };
        if told.insert((func, place)) {
            let what = format!("`{}` still runs what the gate has refused", context.program.short_name(func));
            out.extend(finding(context, rule, func, place, what, steps));
        }
    }
    for func in guarded.gating.walked() {
        let is_pure = !reaches(context, &reach, func);
        for left in guarded.gating.exits(func) {
            for (handler, ungated) in &left.swallowed {
                if !is_success(context, func, left, ungated, is_pure) {
                    continue;
                }
                let place =
                    heads.place(context, func, *handler).unwrap_or_else(|| place_of(context, func, left.at));
                if told.insert((func, place)) {
                    let what = format!(
                        "`{}` comes back as if the gate had agreed",
                        context.program.short_name(func)
                    );
                    out.extend(finding(context, rule, func, place, what, Vec::new()));
                }
            }
        }
    }
}

/// The way from an expression to an effect, if there is one.
fn reached(
    context: &Context<'_>,
    goals: &[&EffectSite],
    reach: &Reach<'_>,
    func: Func,
    at: At,
) -> Option<Vec<Step>> {
    // They come in the order of functions and places.
    let own = goals.partition_point(|site| (site.from, site.at) < (func, at));
    if let Some(site) = goals.get(own).filter(|site| site.at == at) {
        return Some(vec![last_step(context, site)]);
    }
    context.program.edges_at(func, at.expr).iter().find_map(|edge| {
        let Target::Project(next) = edge.to else { return None };
        let path = reach.path(next)?;
        let hops = hops(context, &path);
        Some([step(context, edge)].into_iter().chain(hops).chain([last_step(context, path.effect)]).collect())
    })
}

fn reaches(context: &Context<'_>, reach: &Reach<'_>, func: Func) -> bool {
    reach.path(func).is_some()
        || context
            .effects
            .sites
            .iter()
            .any(|site| site.from == func && site.kind.is_some_and(|kind| EFFECTS.contains(&kind)))
}

/// True if the caller takes what comes back for an agreement. An error result is none; a function that does nothing but
/// ask comes back as if it had been told yes.
fn is_success(context: &Context<'_>, func: Func, left: &Left, ungated: &[Shape], is_pure: bool) -> bool {
    let words = &context.catalog.boundaries;
    if ungated.iter().any(|shape| says_success(words, shape)) {
        return true;
    }
    if !left.is_clean {
        return false;
    }
    let facts = context.program.facts(context.program.function(func).file);
    let hands_back_nothing = !matches!(*facts.expr(left.at), Expr::Jump { value: Some(_), .. });
    match hands_back_nothing {
        true => {
            is_pure
                && !context
                    .catalog
                    .boundaries
                    .is_example(context.sources[context.program.function(func).file.0 as usize].path.as_str())
        }
        false => ungated.iter().any(|shape| !says_denial(words, shape)),
    }
}

/// `True`, `{"ok": True}`, `Result(status="success")`.
fn says_success(words: &Boundaries, shape: &Shape) -> bool {
    let Shape::Record { fields, .. } = shape else { return *shape == Shape::Bool(true) };
    if let Some(held) = done(shape) {
        return *held == Shape::None || says_success(words, held);
    }
    let says = |(key, value): &(Arc<str>, Shape)| match value {
        Shape::Bool(true) => words.is_success_key(key),
        Shape::Text(text) => words.is_success_word(text),
        _ => false,
    };
    fields.iter().any(says)
}

/// What `Ok` holds.
fn done(shape: &Shape) -> Option<&Shape> {
    match shape {
        Shape::Record { class: Some(class), fields } if &**class == DONE => {
            fields.first().map(|(_, held)| held)
        }
        _ => None,
    }
}

/// Nothing, `False`, `{"error": …}`.
fn says_denial(words: &Boundaries, shape: &Shape) -> bool {
    match shape {
        shape if shape.is_bad() => true,
        shape if done(shape).is_some() => done(shape).is_some_and(|held| says_denial(words, held)),
        Shape::Record { fields, .. } => fields.iter().any(|(key, value)| {
            let says_no = matches!(value, Shape::Text(text) if words.is_denial_word(text));
            says_no || words.is_denial_key(key) || (words.is_success_key(key) && value.truth() == Some(false))
        }),
        Shape::Seq(items) => items.first().is_some_and(|first| says_denial(words, first)),
        shape => shape.truth() == Some(false),
    }
}

/// The head of a handler, or the `with` that swallows; nothing for a `finally`.
impl Heads {
    fn place(&mut self, context: &Context<'_>, func: Func, handler: ExprId) -> Option<Place> {
        let spans = self.0.entry(func).or_insert_with(|| heads(context, func));
        let file = context.program.function(func).file;
        spans.get(&handler).map(|&span| Place { file, span })
    }
}

/// By what stands for a handler in the results of the gates: where its head is. Of several the first counts.
fn heads(context: &Context<'_>, func: Func) -> FxHashMap<ExprId, Span> {
    let facts = context.program.facts(context.program.function(func).file);
    let mut found = FxHashMap::default();
    let mut add = |handler: ExprId, span: Span| {
        found.entry(handler).or_insert(span);
    };
    for expr in context.program.ir(func).exprs.iter() {
        match *facts.expr(expr) {
            Expr::Try(index) => {
                let handlers = facts.list(facts.arenas.try_at(index).handlers);
                handlers.iter().for_each(|handler| add(handler.body, handler.span));
            }
            Expr::With { context, .. } => add(context, facts.span(context)),
            Expr::Match { arms, .. } => facts.list(arms).iter().for_each(|arm| add(arm.body, arm.span)),
            // `.ok()`
            Expr::Call { callee, .. } => {
                if let Expr::Field { name, .. } = *facts.expr(callee) {
                    let lo = facts.span(callee).hi.saturating_sub(facts.str(name).len() as u32);
                    add(expr, Span { lo, hi: facts.span(expr).hi });
                }
            }
            _ => {}
        }
    }
    found
}

fn place_of(context: &Context<'_>, func: Func, expr: ExprId) -> Place {
    context.place(At { file: context.program.function(func).file, expr })
}

fn finding(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    func: Func,
    primary: Place,
    problem: String,
    steps: Vec<Step>,
) -> Option<Finding> {
    let applies = context.applies(rule, primary.file, func)?;
    let draft = Draft {
        confidence: Confidence::High.min(applies),
        primary,
        steps,
        captures: BTreeMap::from([("problem", problem), ("function", context.program.short_name(func))]),
        names: vec![&context.program.function(func).path],
        inside: Some(func),
    };
    Some(context.finding(rule, draft))
}
