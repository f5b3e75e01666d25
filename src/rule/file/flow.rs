//! The `flow` matcher as a rule file writes it: content `from` somewhere must not get `to` a sink, or must have passed the
//! guard that `require` names before it gets there, or before it leaves a comm handler.

use crate::analysis::{Inflow, Sink};
use crate::rule::matcher::{Flow, GuardKind, Outlet};
use crate::spanned::{Reader, Table};

pub(super) fn read(reader: &mut Reader, table: &Table) -> Option<Flow> {
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
