//! The `mutate` matcher as a rule file writes it: either keys, with how and of what they are lost, or texts.

use crate::rule::matcher::{LostKeys, LostTexts, Mutate, Source};
use crate::spanned::{Reader, Table};

pub(super) fn read(reader: &mut Reader, table: &Table) -> Option<Mutate> {
    let is_text = table.has("texts") || table.has("markers");
    match (table.has("keys"), is_text) {
        (true, false) => {
            reader.keys(table, "`mutate`", &["keys"], &["by", "of", "keeps"]);
            Some(Mutate::Keys(keys(reader, table)))
        }
        (false, true) => {
            reader.keys(table, "`mutate`", &[], &["texts", "markers"]);
            let markers = reader.texts(table, "markers");
            let known = markers.iter().filter_map(|word| reader.choice(word, "marker", &[("fence", ())]));
            let of_fence = known.count() > 0;
            Some(Mutate::Texts(LostTexts { texts: constants(reader, table, "texts"), of_fence }))
        }
        _ => {
            let message = "it takes either `keys`, or `texts` and `markers`".to_owned();
            let help = "`keys` are lost from mappings, `texts` and the `markers` of the fence from texts";
            reader.mistake(table.span.clone(), message, "here", help.to_owned());
            None
        }
    }
}

fn keys(reader: &mut Reader, table: &Table) -> LostKeys {
    let by = reader.texts(table, "by");
    let by: Vec<_> = by.iter().filter_map(|word| reader.choice(word, "way", &Mutate::WAYS)).collect();
    let every = || Mutate::WAYS.iter().map(|&(_, how)| how).collect();
    let of = reader.texts(table, "of");
    LostKeys {
        keys: constants(reader, table, "keys"),
        by: if by.is_empty() { every() } else { by },
        of: of.iter().filter_map(|word| reader.choice(word, "source", &Source::WORDS)).collect(),
        keeps: constants(reader, table, "keeps"),
    }
}

fn constants(reader: &mut Reader, table: &Table, key: &str) -> Vec<String> {
    let found = reader.texts(table, key);
    let is_empty = table.has(key) && (found.is_empty() || found.iter().any(|text| text.get_ref().is_empty()));
    if is_empty {
        let help = "name what must not be lost, or remove the key".to_owned();
        reader.mistake(table.key_span(key), format!("`{key}` names nothing"), "empty", help);
    }
    found.iter().map(|text| (*text.get_ref()).to_owned()).collect()
}
