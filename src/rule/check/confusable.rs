//! GL005: a name, or a control between the names, that a reader takes for something else than what runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Context, Draft};
use crate::finding::{Finding, Place};
use crate::ir::{Confusable, ConfusableKind};
use crate::rule::Rule;
use crate::source::FileId;

pub fn run(context: &Context<'_>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    let files = || (0..context.sources.len() as u32).map(FileId);
    let each = |file| context.program.facts(file).confusables.iter().map(move |it| (file, it));
    let defined: BTreeSet<&str> = files()
        .flat_map(each)
        .filter(|(_, it)| it.is_definition)
        .map(|(file, it)| name(context, file, it))
        .collect();
    for (file, confusable) in files().flat_map(each) {
        let name = name(context, file, confusable);
        // Who uses what another file defines has no choice.
        if (!confusable.is_definition && defined.contains(name)) || !misleads(context, confusable) {
            continue;
        }
        let Some(confidence) = context.applies(rule, file, context.program.module(file)) else {
            continue;
        };
        let captures = BTreeMap::from([("problem", describe(confusable, name))]);
        let draft = Draft::at(Place { file, span: confusable.span }, captures);
        out.push(context.finding(rule, Draft { confidence, ..draft }));
    }
}

fn name<'c>(context: &'c Context<'_>, file: FileId, confusable: &Confusable) -> &'c str {
    let span = confusable.span;
    context.source(file).text.get(span.lo as usize..span.hi as usize).unwrap_or_default()
}

/// Letters of several scripts are usual in formulas; they mislead where there is a name to take this one for.
fn misleads(context: &Context<'_>, confusable: &Confusable) -> bool {
    let name = &confusable.reads_as;
    match confusable.kind {
        ConfusableKind::Normalised | ConfusableKind::Bidirectional => true,
        ConfusableKind::Mixed => {
            context.program.knows_name(name)
                || context.catalog.is_library(name)
                || context.catalog.asks_for(&format!("{}{name}", crate::catalog::BUILTINS))
        }
    }
}

fn describe(confusable: &Confusable, name: &str) -> String {
    let other = &confusable.reads_as;
    match confusable.kind {
        ConfusableKind::Normalised => format!("the language reads `{name}` as `{other}`"),
        ConfusableKind::Mixed => format!("`{name}` mixes scripts and looks like `{other}`"),
        ConfusableKind::Bidirectional => {
            format!("the bidirectional control {other} shows this line in another order than it runs in")
        }
    }
}
