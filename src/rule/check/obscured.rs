//! GL107: an effect that is reached by a name in a value, or a network module handed over as a value.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Context, Draft};
use crate::analysis::{HiddenBy, Obscured, obscured};
use crate::finding::Finding;
use crate::rule::Rule;

pub fn run(context: &Context<'_>, rule: &Arc<Rule>, out: &mut Vec<Finding>) {
    for site in obscured(context.program, context.catalog, context.reached) {
        let Some(applies) = context.applies(rule, site.at.file, site.from) else { continue };
        let Obscured { from, at, confidence, target, how } = site;
        // A plugin loader is nothing unless an agent may choose the plugin.
        if how == HiddenBy::Open && !context.is_reachable(from) {
            continue;
        }
        let names = vec![&*context.program.function(from).path, target.as_str()];
        out.push(context.finding(
            rule,
            Draft {
                confidence: confidence.min(applies),
                primary: context.place(at),
                steps: Vec::new(),
                captures: BTreeMap::from([("target", target.clone()), ("how", describe(how).to_owned())]),
                names,
                inside: Some(from),
            },
        ));
    }
}

fn describe(how: HiddenBy) -> &'static str {
    match how {
        HiddenBy::Loaded => "is loaded by a name in a value, so nobody who searches the code sees it",
        HiddenBy::LookedUp => "is looked up by a name in a value, so nobody who searches the code sees it",
        HiddenBy::InText => "is reached by source text in a value, so nobody who searches the code sees it",
        HiddenBy::Open => {
            "is given a name, a text or data that only the run knows, so nothing shows what it reaches"
        }
        HiddenBy::HandedOver => {
            "is handed over as a value, so the calls of whoever receives it do not name it"
        }
    }
}
