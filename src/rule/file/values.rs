//! The matchers that speak of values: how a value is called and which constants are meant, in the catalogue's words or in
//! the rule's own.

use std::sync::Arc;

use super::{effects, owned};
use crate::catalog::Vocabulary;
use crate::rule::matcher::{Compare, Position, Value, Words};
use crate::spanned::{Reader, Table};

/// What `of` can name.
const VOCABULARIES: [(&str, ()); 1] = [("phase", ())];

pub fn value(reader: &mut Reader, table: &Table) -> Option<Value> {
    reader.keys(table, "`value`", &["at"], &["of", "name", "is", "unless"]);
    let words = words(reader, table, "is");
    let at = reader.texts(table, "at");
    let at: Vec<_> = at.iter().filter_map(|at| reader.choice(at, "position", &Position::WORDS)).collect();
    let unless = owned(&reader.texts(table, "unless")).into();
    Some(Value { words: words?, at, unless })
}

pub fn compare(reader: &mut Reader, table: &Table) -> Option<Compare> {
    reader.keys(table, "`compare`", &["effects"], &["of", "name", "denies"]);
    let words = words(reader, table, "denies");
    let effects = effects(reader, table);
    Some(Compare { words: words?, effects })
}

fn words(reader: &mut Reader, table: &Table, constants: &str) -> Option<Words> {
    match (table.has("of"), table.has("name") && table.has(constants)) {
        (true, false) if !table.has("name") && !table.has(constants) => {
            let of = reader.text(table, "of")?;
            reader.choice(&of, "vocabulary", &VOCABULARIES).map(|()| Words::Phase)
        }
        (false, true) => {
            let names = owned(&reader.texts(table, "name"));
            let found = owned(&reader.texts(table, constants));
            let (open, closed) = if constants == "is" { (found, Vec::new()) } else { (Vec::new(), found) };
            Some(Words::Own(Arc::new(Vocabulary::of_rule(names.into(), open, closed))))
        }
        _ => {
            let message = format!("it takes either `of`, or `name` and `{constants}`");
            let help =
                format!("`of = \"phase\"` are the catalogue's words; `name` and `{constants}` are your own");
            reader.mistake(table.span.clone(), message, "here", help);
            None
        }
    }
}
