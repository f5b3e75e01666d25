//! `record`: which part of the forms in the catalogue the rule reports.

use super::owned;
use crate::rule::builtin::record_parts;
use crate::rule::matcher::Matcher;
use crate::spanned::{Reader, Table};

pub fn read(reader: &mut Reader, table: &Table) -> Option<Matcher> {
    reader.keys(table, "`record`", &["parts"], &[]);
    let parts = reader.texts(table, "parts");
    let known = record_parts();
    let words: Vec<(&str, ())> = known.iter().map(|part| (part.as_str(), ())).collect();
    for part in &parts {
        reader.choice(part, "part of a form", &words);
    }
    (!parts.is_empty()).then(|| Matcher::Record(owned(&parts)))
}
