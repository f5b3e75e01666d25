//! The `flow` matcher as a rule file writes it: a value `from` somewhere must not get `to` a sink; with `require`, it must have
//! passed a guard before it gets there, or before it leaves a comm handler.

use super::paths;
use crate::analysis::Inflow;
use crate::catalog::Purpose;
use crate::rule::Matcher;
use crate::rule::matcher::{Flow, GuardKind, Outlet, Trace};
use crate::spanned::{Reader, Table};

/// Where a value comes from.
#[derive(Clone, Copy)]
enum Origin {
    Model,
    Outside(Inflow),
}

/// The words for it: what a model chooses, and all that comes from outside.
fn origins() -> Vec<(&'static str, Origin)> {
    let outside = Inflow::WORDS.map(|(word, inflow)| (word, Origin::Outside(inflow)));
    std::iter::once(("model", Origin::Model)).chain(outside).collect()
}

/// Values that somebody chose, by words of the catalogue or by the paths of calls.
fn trace(reader: &mut Reader, table: &Table) -> Option<Matcher> {
    reader.keys(table, "`flow`", &[], &["from", "from_calls", "to", "to_calls", "unless"]);
    let [from, into, unless] = ["from_calls", "to_calls", "unless"].map(|key| paths(reader, table, key));
    let words = reader.texts(table, "from");
    let known = origins();
    let words = words.iter().filter_map(|word| reader.choice(word, "origin", &known));
    let (mut from_model, mut inflows) = (false, Vec::new());
    for word in words {
        match word {
            Origin::Model => from_model = true,
            Origin::Outside(inflow) => inflows.push(inflow),
        }
    }
    let to = reader.texts(table, "to");
    let to: Vec<_> = to.iter().filter_map(|word| reader.choice(word, "purpose", &Purpose::WORDS)).collect();
    let has_start = from_model || !inflows.is_empty() || !from.is_empty();
    let has_ends = has_start && !(to.is_empty() && into.is_empty());
    if !has_ends {
        let help = "`from` or `from_calls` name where the values come from, `to` or `to_calls` what they must not get to";
        reader.mistake(
            table.span.clone(),
            "it takes a source and a sink".to_owned(),
            "here",
            help.to_owned(),
        );
        return None;
    }
    Some(Matcher::Trace(Trace { from_model, inflows, from, to, into, unless }))
}

pub(super) fn read(reader: &mut Reader, table: &Table) -> Option<Matcher> {
    if table.has("require") { content(reader, table).map(Matcher::Flow) } else { trace(reader, table) }
}

/// Content from outside that has to pass a guard, on its way to a sink or out of a comm handler.
fn content(reader: &mut Reader, table: &Table) -> Option<Flow> {
    reader.keys(table, "`flow`", &["from", "require"], &["to"]);
    let from = reader.texts(table, "from");
    let from = from.iter().filter_map(|word| reader.choice(word, "origin", &Inflow::WORDS)).collect();
    let to = reader.texts(table, "to");
    let to = to.iter().filter_map(|word| reader.choice(word, "sink", &Outlet::WORDS)).next();
    let guard = reader.text(table, "require");
    let guard = guard.and_then(|word| reader.choice(&word, "guard", &GuardKind::WORDS))?;
    Some(Flow { from, guard, to: to.unwrap_or(Outlet::Handler) })
}
