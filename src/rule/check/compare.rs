//! The `compare` matcher: a test that refuses one constant, and a path to an effect for every value that is not it. Nobody
//! lists what an unknown value may do, so such a finding is of medium confidence at most.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::reach::{enters, last_step, step};
use super::shared::Shared;
use super::value::naming;
use super::{Context, Draft};
use crate::analysis::{Decisions, Denial, EffectSite, Path, Reach, denials};
use crate::catalog::{DataOp, Vocabulary};
use crate::finding::{Confidence, Finding};
use crate::ir::{Expr, ExprId};
use crate::link::{At, EdgeKind, Func, Target};
use crate::rule::Rule;
use crate::rule::matcher::{Compare, Words};

pub fn run<'c>(
    context: &Context<'c>,
    shared: &Shared<'c>,
    rule: &Arc<Rule>,
    wanted: &Compare,
    out: &mut Vec<Finding>,
) {
    let program = context.program;
    let words = wanted.words.of(context.catalog);
    if !program.holds_text(&words.closed) {
        return;
    }
    let own;
    let decisions = match wanted.words {
        Words::Phase => shared.decisions(context),
        Words::Own(_) => {
            own = Decisions::find(program, words);
            &own
        }
    };
    let is_meant = |func: &Func| {
        let file = program.function(*func).file;
        decisions.concerns(file) && context.applies(rule, file, *func).is_some()
    };
    let denials: Vec<Denial> = context.of_functions(is_meant, |func| {
        let denials = denials(program, words, decisions, func).into_iter();
        denials.filter(|denial| is_open(context, words, denial))
    });
    if denials.is_empty() {
        return;
    }
    let goals: Vec<&EffectSite> = context.effects.of_kinds(&wanted.effects).collect();
    let reach = shared.calls(context).search(goals.iter().copied(), |_| true);
    for denials in denials.chunk_by(|one, other| one.func == other.func) {
        let ways = ways(context, denials[0].func, &goals, &reach);
        for denial in denials {
            let best = ways.iter().find(|(at, _)| denial.beyond.contains(at.expr));
            out.extend(best.map(|(_, path)| finding(context, rule, denial, path)));
        }
    }
}

/// The value has the name, and can be anything.
fn is_open(context: &Context<'_>, words: &Vocabulary, denial: &Denial) -> bool {
    let program = context.program;
    let named = naming(program, words, context.catalog, denial.func, denial.value).is_some();
    named
        && !program.is_member_of_enum(denial.func, denial.with)
        && !is_closed(context, denial.func, denial.value)
}

/// By its annotation: as a parameter, a variable, or a field of the class around.
fn is_closed(context: &Context<'_>, func: Func, value: ExprId) -> bool {
    let program = context.program;
    let facts = program.facts(program.function(func).file);
    let slot = match *facts.expr(value) {
        Expr::Var(var) => Some(program.slot_of(func, var)),
        Expr::Field { base, name }
            if context.catalog.operations.of_name(facts.str(name)) == Some(DataOp::MemberValue) =>
        {
            return is_closed(context, func, base);
        }
        Expr::Field { base, name } => {
            let class = program.own_class(func, base);
            class.and_then(|class| program.class_attribute(class, facts.str(name)))
        }
        _ => None,
    };
    let Some(slot) = slot else { return false };
    let by_parameter = program.parameter_of(slot).is_some_and(|(owner, at)| {
        let owner_facts = program.facts(program.function(owner).file);
        let ty = owner_facts.list(program.ir(owner).params)[at as usize].ty;
        let around = program.ir(owner).parent;
        ty.is_some_and(|ty| program.is_closed_type(around, ty))
    });
    let by_definition = || {
        program.definitions(slot).any(|(func, value)| {
            let facts = program.facts(program.function(func).file);
            matches!(*facts.expr(value), Expr::Ascribe { ty, .. } if program.is_closed_type(func, ty))
        })
    };
    by_parameter || by_definition()
}

/// The ways from the code of a function to an effect, each with the place where it begins; the best first.
fn ways<'p>(
    context: &Context<'p>,
    func: Func,
    goals: &[&'p EffectSite],
    reach: &Reach<'p>,
) -> Vec<(At, Path<'p>)> {
    let own = goals.iter().filter(|site| site.from == func && site.runs);
    let own = own.map(|&effect| {
        (effect.at, Path { confidence: effect.confidence, hops: Vec::new(), left_out: None, effect })
    });
    let edges = context.program.edges_from(func).iter().filter(|edge| edge.kind != EdgeKind::Stored);
    let through = edges.filter_map(|edge| {
        let Target::Project(callee) = edge.to else { return None };
        if !enters(context, callee, false) || context.effects.is_comm_call(edge.at) {
            return None;
        }
        let mut path = reach.path(callee)?;
        path.confidence = path.confidence.min(edge.confidence);
        path.hops.insert(0, edge);
        path.left_out = path.left_out.map(|(at, count)| (at + 1, count));
        Some((edge.at, path))
    });
    let mut ways: Vec<_> =
        own.chain(through).filter(|(_, path)| path.confidence >= Confidence::Medium).collect();
    ways.sort_by_key(|(_, path)| (std::cmp::Reverse(path.confidence), path.length(), path.first()));
    ways
}

fn finding(context: &Context<'_>, rule: &Arc<Rule>, denial: &Denial, path: &Path<'_>) -> Finding {
    let program = context.program;
    let file = program.function(denial.func).file;
    let facts = program.facts(file);
    let text = |expr| {
        let span = facts.span(expr);
        context.source(file).text.get(span.lo as usize..span.hi as usize).unwrap_or_default().to_owned()
    };
    let function = program.short_name(denial.func);
    let last = path.effect;
    let effect = last.kind.map_or("an effect", |kind| kind.noun());
    let (name, value) = (text(denial.value), program.text(denial.func, denial.with));
    let (value, refused) = match value {
        Some(word) => (word.clone(), format!("\"{word}\"")),
        None => (text(denial.with), format!("`{}`", text(denial.with))),
    };
    let problem =
        format!("only {refused} is refused here, any other `{name}` reaches {effect} (`{}`)", last.callee);
    let mut steps: Vec<_> = path.hops.iter().map(|edge| step(context, edge)).collect();
    steps.push(last_step(context, last));
    context.finding(
        rule,
        Draft {
            confidence: path.confidence.min(Confidence::Medium),
            primary: context.place(At { file, expr: denial.test }),
            steps,
            names: vec![&*program.function(denial.func).path, &last.callee],
            inside: Some(denial.func),
            captures: BTreeMap::from([
                ("problem", problem),
                ("name", name),
                ("value", value),
                ("function", function),
                ("effect", effect.to_owned()),
                ("callee", last.callee.clone()),
            ]),
        },
    )
}
