//! TOML read token by token: every mistake of a file at once, each on its token. It knows no key; whoever reads a file
//! says which it takes. serde would be shorter, but stops at the first mistake.

use std::collections::BTreeSet;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::{Mistake, kind, nearest};
use crate::source::LineIndex;

/// A string of the file and where it stands.
pub type Text<'t> = Spanned<&'t str>;

/// A table of the file, and the token that a reader takes for it.
#[derive(Clone, Debug)]
pub struct Table<'t, 'i> {
    entries: &'t DeTable<'i>,
    pub span: Range<usize>,
}

impl<'t, 'i> Table<'t, 'i> {
    pub fn new(entries: &'t DeTable<'i>, span: Range<usize>) -> Self {
        Self { entries, span }
    }

    pub fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// Where a key stands; the table itself if it does not.
    pub fn key_span(&self, key: &str) -> Range<usize> {
        self.entries.get_key_value(key).map_or(self.span.clone(), |(key, _)| key.span())
    }

    /// Where the value of a key stands; the table itself if there is none.
    pub fn value_span(&self, key: &str) -> Range<usize> {
        self.get(key).map_or(self.span.clone(), Spanned::span)
    }

    fn get(&self, key: &str) -> Option<&'t Spanned<DeValue<'i>>> {
        self.entries.get(key)
    }
}

/// What could be read, and every place that is no TOML, one a line: the others there only follow from the first.
pub fn parse(text: &str) -> (Spanned<DeTable<'_>>, Vec<Mistake>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let lines = LineIndex::new(text);
    let start = |error: &toml::de::Error| error.span().map_or(0, |span| span.start as u32);
    let mut seen = BTreeSet::new();
    let mistakes = errors
        .into_iter()
        .filter(|error| seen.insert(lines.line_col(start(error)).line))
        .map(|error| Mistake {
            span: error.span().unwrap_or_default(),
            message: format!("this is no TOML: {}", error.message().replace('\n', "; ")),
            label: "here".to_owned(),
            help: None,
        })
        .collect();
    (table, mistakes)
}

/// Takes what it is asked for and notes what is wrong with it. A value that is wrong reads as absent.
#[derive(Debug, Default)]
pub struct Reader {
    pub mistakes: Vec<Mistake>,
}

impl Reader {
    /// Reports every key that is not known, and every one of `needed` that is absent.
    pub fn keys(&mut self, table: &Table, what: &str, needed: &[&str], optional: &[&str]) {
        let known: Vec<&str> = needed.iter().chain(optional).copied().collect();
        let mut misspelt = Vec::new();
        for key in table.entries.keys() {
            let word = key.get_ref().as_ref();
            if known.contains(&word) {
                continue;
            }
            let meant = nearest(word, &known);
            misspelt.extend(meant);
            let help = match meant {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the keys here are {}", listed(&known)),
            };
            self.mistake(key.span(), format!("`{word}` is no key of {what}"), "unknown key", help);
        }
        let absent = |key: &&str| !table.has(key) && !misspelt.contains(key);
        let missing: Vec<&str> = needed.iter().copied().filter(absent).collect();
        if !missing.is_empty() {
            let (verb, pronoun) = if missing.len() == 1 { ("is", "it") } else { ("are", "them") };
            let message = format!("{} {verb} missing in {what}", listed(&missing));
            self.mistake(table.span.clone(), message, "here", format!("add {pronoun}"));
        }
    }

    pub fn text<'t>(&mut self, table: &Table<'t, '_>, key: &str) -> Option<Text<'t>> {
        let value = table.get(key)?;
        match value.get_ref().as_str() {
            Some(text) if text.trim().is_empty() => {
                self.mistake(value.span(), format!("`{key}` is empty"), "empty", "say it".to_owned());
                None
            }
            Some(text) => Some(Spanned::new(value.span(), text)),
            None => {
                self.wrong_type(value, key, "a string", format!("write `{key} = \"…\"`"));
                None
            }
        }
    }

    /// A list of strings; empty if the key is absent.
    pub fn texts<'t>(&mut self, table: &Table<'t, '_>, key: &str) -> Vec<Text<'t>> {
        let mut texts = Vec::new();
        for item in self.list(table, key, "strings", "[\"…\"]") {
            match item.get_ref().as_str() {
                Some(text) => texts.push(Spanned::new(item.span(), text)),
                None => self.wrong_type(item, key, "strings", "put it in quotes".to_owned()),
            }
        }
        texts
    }

    /// A list of line numbers; empty if the key is absent.
    pub fn lines(&mut self, table: &Table, key: &str) -> Vec<u32> {
        let mut lines = Vec::new();
        for item in self.list(table, key, "line numbers", "[1]") {
            let number = item.get_ref().as_integer().map(toml::de::DeInteger::as_str);
            match number.and_then(|number| number.parse().ok()).filter(|line| *line > 0) {
                Some(line) => lines.push(line),
                None => {
                    let help = "lines are numbers and count from 1".to_owned();
                    self.mistake(item.span(), format!("`{key}` takes line numbers"), "no line", help);
                }
            }
        }
        lines
    }

    /// False if the key is absent.
    pub fn flag(&mut self, table: &Table, key: &str) -> bool {
        let Some(value) = table.get(key) else { return false };
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.wrong_type(value, key, "true or false", format!("write `{key} = true`"));
        }
        flag.unwrap_or_default()
    }

    /// One word of a few.
    pub fn choice<T: Copy>(&mut self, text: &Text, what: &str, words: &[(&str, T)]) -> Option<T> {
        let found = words.iter().find(|(word, _)| word == text.get_ref()).map(|(_, value)| *value);
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let help = match nearest(text.get_ref(), &known) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("write one of {}", listed(&known)),
            };
            self.mistake(text.span(), format!("`{}` is no {what}", text.get_ref()), "unknown", help);
        }
        found
    }

    pub fn table<'t, 'i>(&mut self, table: &Table<'t, 'i>, key: &str) -> Option<Table<'t, 'i>> {
        let value = table.get(key)?;
        match value.get_ref().as_table() {
            Some(entries) => Some(Table::new(entries, table.key_span(key))),
            None => {
                self.wrong_type(value, key, "a table", format!("write `{key} = {{ … }}`"));
                None
            }
        }
    }

    /// `[[key]]`, any number of them.
    pub fn tables<'t, 'i>(&mut self, table: &Table<'t, 'i>, key: &str) -> Vec<Table<'t, 'i>> {
        let Some(value) = table.get(key) else { return Vec::new() };
        let items = value.get_ref().as_array().map(|items| items.iter());
        let tables = items.map(|items| items.map(|item| Some((item.get_ref().as_table()?, item.span()))));
        match tables.and_then(Iterator::collect::<Option<Vec<_>>>) {
            Some(tables) => tables.into_iter().map(|(entries, span)| Table::new(entries, span)).collect(),
            None => {
                let help = format!("head each of them with `[[{key}]]`");
                self.wrong_type(value, key, "tables", help);
                Vec::new()
            }
        }
    }

    fn list<'t, 'i>(
        &mut self,
        table: &Table<'t, 'i>,
        key: &str,
        of: &str,
        form: &str,
    ) -> impl Iterator<Item = &'t Spanned<DeValue<'i>>> + use<'t, 'i> {
        let value = table.get(key);
        let items = value.and_then(|value| value.get_ref().as_array());
        if let (Some(value), None) = (value, items) {
            self.wrong_type(value, key, &format!("a list of {of}"), format!("write `{key} = {form}`"));
        }
        items.into_iter().flatten()
    }

    fn wrong_type(&mut self, value: &Spanned<DeValue<'_>>, key: &str, wanted: &str, help: String) {
        let found = kind(value.get_ref());
        self.mistake(value.span(), format!("`{key}` takes {wanted}, not {found}"), found, help);
    }

    pub fn mistake(&mut self, span: Range<usize>, message: String, label: &str, help: String) {
        self.mistakes.push(Mistake { span, message, label: label.to_owned(), help: Some(help) });
    }
}

/// `` `a`, `b` `` as a sentence reads them.
pub fn listed(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
