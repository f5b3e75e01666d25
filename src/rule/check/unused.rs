//! Guards that nobody asks: a function or a class of the project that is a gate, or that the catalogue knows as a guard,
//! and that production code never calls. At the definition, once per class.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::shared::Shared;
use super::{Context, Draft};
use crate::analysis::Gating;
use crate::finding::{Confidence, Finding, Place};
use crate::ir::{Expr, FnKind};
use crate::link::{Cls, Edge, Func, Program, Target};
use crate::rule::Rule;
use crate::source::FileId;

/// A method that only calls another one that only calls another one.
const MAX_STEPS: u32 = 4;

pub fn run<'c>(context: &Context<'c>, shared: &Shared<'c>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let program = context.program;
    let guards = Guards::find(context, shared);
    let used = used(context);
    for class in guards.classes.into_iter().filter(|class| !used.classes.contains(class)) {
        let (file, span, name) = program.class_head(class);
        let body = program.module(file);
        out.extend(finding(context, rule, body, Place { file, span }, name, program.class_path(class)));
    }
    for func in guards.functions.into_iter().filter(|func| !used.functions.contains(func)) {
        let place = Place { file: program.function(func).file, span: program.ir(func).name_span };
        let path = program.function(func).path.to_string();
        out.extend(finding(context, rule, func, place, program.name(func), path));
    }
}

/// The guards that a project defines.
struct Guards {
    classes: BTreeSet<Cls>,
    functions: BTreeSet<Func>,
}

impl Guards {
    fn find<'c>(context: &Context<'c>, shared: &Shared<'c>) -> Self {
        let program = context.program;
        let asks = shared.asking(context);
        let functions = (0..program.functions.len() as u32)
            .map(Func)
            .filter(|&func| program.ir(func).kind == FnKind::Plain);
        let mut found = Self { classes: BTreeSet::new(), functions: BTreeSet::new() };
        let mut others: BTreeSet<Cls> = BTreeSet::new();
        for func in functions {
            match program.function(func).class {
                None if is_top_level(context, func)
                    && (asks.contains(&func) || is_decorator(program, shared.gating(context), func)) =>
                {
                    found.functions.insert(func);
                }
                None => {}
                Some(class) if context.catalog.boundaries.is_guard_class(program.class_name(class)) => {
                    found.classes.insert(class);
                }
                Some(class) if asks.contains(&func) => {
                    found.classes.insert(class);
                }
                // A gate among other methods is a step of theirs, if they do any work.
                Some(class)
                    if !program.name(func).starts_with('_') && does_work(program, func, MAX_STEPS) =>
                {
                    others.insert(class);
                }
                Some(_) => {}
            }
        }
        found.classes.retain(|class| {
            !others.contains(class) || context.catalog.boundaries.is_guard_class(program.class_name(*class))
        });
        found
    }
}

fn is_top_level(context: &Context<'_>, func: Func) -> bool {
    let program = context.program;
    program.ir(func).parent == program.module(program.function(func).file)
}

/// It hands back a function of its own, and what it is put around runs only behind a gate; also the maker of such a one.
fn is_decorator(program: &Program<'_>, gating: &Gating, func: Func) -> bool {
    let is_closure = |value| {
        let (owner, bound) = program.bound(func, value);
        matches!(*program.facts(program.function(owner).file).expr(bound), Expr::Closure(_))
    };
    let gates = |func: Func| gating.runs_behind_gate(func, 0);
    program.returns(func).any(is_closure) && (gates(func) || program.nested(func).any(gates))
}

/// It stores, or calls something else than methods of its own class that do not.
fn does_work(program: &Program<'_>, func: Func, hops: u32) -> bool {
    let Some(hops) = hops.checked_sub(1) else { return true };
    let facts = program.facts(program.function(func).file);
    let class = program.function(func).class;
    let is_idle = |edge: &Edge| match edge.to {
        Target::Project(to) => program.function(to).class == class && !does_work(program, to, hops),
        Target::External(_) => false,
    };
    program.ir(func).exprs.iter().any(|expr| match facts.expr(expr) {
        Expr::Store { .. } | Expr::Yield { .. } | Expr::Await(_) => true,
        Expr::Call { .. } => {
            let edges = program.edges_at(func, expr);
            edges.is_empty() || !edges.iter().all(is_idle)
        }
        _ => false,
    })
}

struct Used {
    classes: BTreeSet<Cls>,
    functions: BTreeSet<Func>,
}

/// What production code calls or hands over; a guard's own methods do not count, and neither do examples.
fn used(context: &Context<'_>) -> Used {
    let program = context.program;
    let mut used = Used { classes: BTreeSet::new(), functions: BTreeSet::new() };
    // A file has dozens of edges, and one path.
    let files = (0..program.units().len() as u32).map(FileId);
    let is_example = |file: FileId| context.catalog.boundaries.is_example(context.source(file).path.as_str());
    let shown: Vec<bool> = files.map(|file| !is_example(file)).collect();
    let production =
        |func: Func| shown[program.function(func).file.0 as usize] && !program.is_test_code(func);
    let in_production = |edge: &&Edge| production(edge.from);
    for edge in program.edges.iter().filter(in_production) {
        let Target::Project(callee) = edge.to else { continue };
        let (from, to) = (program.function(edge.from).class, program.function(callee).class);
        if to.is_some() && to == from {
            continue;
        }
        used.classes.extend(to.into_iter().flat_map(|class| program.lineage(class).to_vec()));
        if callee != edge.from {
            used.functions.insert(callee);
        }
    }
    let functions = (0..program.functions.len() as u32).map(Func);
    let decorated = functions.filter(|&func| production(func));
    used.functions
        .extend(decorated.flat_map(|func| program.decorators(func)).map(|decorator| decorator.func));
    used
}

fn finding(
    context: &Context<'_>,
    rule: &Arc<Rule>,
    func: Func,
    primary: Place,
    name: &str,
    path: String,
) -> Option<Finding> {
    let applies = context.applies(rule, primary.file, func)?;
    let draft = Draft {
        confidence: Confidence::High.min(applies),
        primary,
        steps: Vec::new(),
        captures: BTreeMap::from([("guard", name.to_owned())]),
        names: vec![&path],
        inside: None,
    };
    Some(context.finding(rule, draft))
}
