//! How an agent gets to a function, in words: for every finding and for the inventory, so that they say the same.

use super::Context;
use super::reach::step;
use crate::finding::{Place, Via};
use crate::link::Func;

/// None if no entry point is known to lead there.
pub(super) fn via(context: &Context<'_>, func: Func) -> Option<Via> {
    let program = context.program;
    let way = context.reached.way(func)?;
    let entry = program.function(way.entry.func);
    let place = Place { file: entry.file, span: program.ir(way.entry.func).name_span };
    Some(Via {
        kind: way.entry.kind,
        name: way.entry.name.clone().unwrap_or_else(|| program.short_name(way.entry.func)),
        function: entry.path.to_string(),
        at: place,
        confidence: way.confidence,
        calls: way.calls,
        steps: way.last.into_iter().map(|edge| step(context, edge)).collect(),
    })
}
