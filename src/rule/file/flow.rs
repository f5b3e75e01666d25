//! The `flow` matcher as a rule file writes it: content `from` somewhere must not get `to` a sink, or must have passed the
//! guard that `require` names before it gets there, or before it leaves a comm handler.

use super::paths;
use crate::analysis::{Inflow, Sink};
use crate::catalog::Purpose;
use crate::rule::Matcher;
use crate::rule::matcher::{Flow, GuardKind, Outlet, Trace};
use crate::spanned::{Reader, Table};

/// The word for what a model chooses.
const MODEL: &str = "model";

/// Values that somebody chose, by words of the catalogue or by the paths of calls.
fn trace(reader: &mut Reader, table: &Table) -> Option<Matcher> {
    reader.keys(table, "`flow`", &[], &["from", "from_calls", "to", "to_calls", "unless"]);
    let [from, into, unless] = ["from_calls", "to_calls", "unless"].map(|key| paths(reader, table, key));
    let words = reader.texts(table, "from");
    let from_model =
        words.iter().filter_map(|word| reader.choice(word, "origin", &[(MODEL, ())])).count() > 0;
    let to = reader.texts(table, "to");
    let to: Vec<_> = to.iter().filter_map(|word| reader.choice(word, "purpose", &Purpose::WORDS)).collect();
    let has_ends = (from_model || !from.is_empty()) && !(to.is_empty() && into.is_empty());
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
    Some(Matcher::Trace(Trace { from_model, from, to, into, unless }))
}

pub(super) fn read(reader: &mut Reader, table: &Table) -> Option<Matcher> {
    let is_trace = ["from_calls", "to_calls", "unless"].iter().any(|key| table.has(key))
        || reader.texts(table, "from").iter().any(|word| *word.get_ref() == MODEL);
    if is_trace { trace(reader, table) } else { content(reader, table).map(Matcher::Flow) }
}

fn content(reader: &mut Reader, table: &Table) -> Option<Flow> {
    reader.keys(table, "`flow`", &["from"], &["to", "require"]);
    let from = reader.texts(table, "from");
    let from = from.iter().filter_map(|word| reader.choice(word, "origin", &Inflow::WORDS)).collect();
    let to = reader.texts(table, "to");
    let to: Vec<_> = to.iter().filter_map(|word| reader.choice(word, "sink", &Sink::WORDS)).collect();
    let require = reader.text(table, "require");
    let require = require.and_then(|word| reader.choice(&word, "guard", &GuardKind::WORDS));
    let to = match (require, table.has("to")) {
        (Some(guard), false) => Outlet::Handler(guard),
        (guard, true) => Outlet::Sinks(to, guard),
        (None, false) => {
            let message = "it takes `to`, `require`, or both".to_owned();
            let help =
                "`to` names what must not get the content, `require` the guard that it must pass first";
            reader.mistake(table.span.clone(), message, "here", help.to_owned());
            return None;
        }
    };
    Some(Flow { from, to })
}
