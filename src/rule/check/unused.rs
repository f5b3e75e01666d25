//! Guards that nobody asks: a function or a class of the project that is a gate, or that the catalogue knows as a guard,
//! and that production code never calls. At the definition, once per class.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::shared::Shared;
use super::{Context, Draft};
use crate::finding::{Confidence, Finding, Place};
use crate::ir::FnKind;
use crate::link::{Cls, Edge, Func, Target};
use crate::rule::Rule;
use crate::source::FileId;

pub fn run<'c>(context: &Context<'c>, shared: &Shared<'c>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let gating = shared.guarded(context).gating;
    let program = context.program;
    let mut classes: BTreeSet<Cls> = BTreeSet::new();
    let mut functions: BTreeSet<Func> = BTreeSet::new();
    for func in (0..program.functions.len() as u32).map(Func) {
        let class = program.function(func).class;
        let is_guard =
            class.is_some_and(|class| context.catalog.boundaries.is_guard_class(program.class_name(class)));
        if program.ir(func).kind != FnKind::Plain || !(is_guard || gating.is_gate(func)) {
            continue;
        }
        match class {
            // A gate among other methods is a step of theirs.
            Some(class) if is_guard => drop(classes.insert(class)),
            Some(_) => {}
            None if is_top_level(context, func) => drop(functions.insert(func)),
            None => {}
        }
    }
    let used = used(context);
    for class in classes {
        if !used.classes.contains(&class) {
            let (file, span, name) = program.class_head(class);
            out.extend(finding(
                context,
                rule,
                Func(0),
                Place { file, span },
                name,
                program.class_path(class),
            ));
        }
    }
    for func in functions.into_iter().filter(|func| !used.functions.contains(func)) {
        let file = program.function(func).file;
        let place = Place { file, span: program.ir(func).name_span };
        out.extend(finding(
            context,
            rule,
            func,
            place,
            program.name(func),
            program.function(func).path.to_string(),
        ));
    }
}

fn is_top_level(context: &Context<'_>, func: Func) -> bool {
    context.program.ir(func).parent == crate::ir::MODULE
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
    let production: Vec<bool> = files.map(|file| !program.is_test(file) && !is_example(file)).collect();
    let in_production = |edge: &&Edge| production[edge.at.file.0 as usize];
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
        agent_reachable: false,
    };
    Some(context.finding(rule, draft))
}
