//! Walks a configuration beside the shape it must have and notes every mistake on its token. A reader wants to see all of
//! them at once, and serde stops at the first; so serde reads what this has found nothing wrong with.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::{Mistake, kind, nearest};
use super::names::RuleNames;
use super::shape::{Fields, Key, Shape, Text};
use super::text::{Wrong, check, listed};

/// Everything that is wrong with a table. `rules` may be empty: then any word may be a rule.
pub fn mistakes(table: &DeTable<'_>, fields: &Fields, rules: &RuleNames) -> Vec<Mistake> {
    let mut inspector = Inspector { rules, mistakes: Vec::new() };
    inspector.keys(table, fields, "");
    inspector.values(table, fields, "");
    inspector.mistakes
}

struct Inspector<'r> {
    rules: &'r RuleNames,
    mistakes: Vec<Mistake>,
}

type Value<'i> = Spanned<DeValue<'i>>;

impl Inspector<'_> {
    /// A table that is an entry of the file: what it needs is asked for, too. `path` is how a reader knows it.
    fn table(&mut self, table: &DeTable<'_>, span: Range<usize>, fields: &Fields, path: &str) {
        self.keys(table, fields, path);
        self.values(table, fields, path);
        let has = |name: &str| table.contains_key(name);
        for key in fields.keys.iter().filter(|key| key.is_required && !has(key.name)) {
            let message = format!("`{}` is missing in `{path}`: {}", key.name, key.about);
            self.mistake(span.clone(), message, "here", format!("add `{}`", key.name));
        }
        if !fields.one_of.is_empty() && !fields.one_of.iter().any(|name| has(name)) {
            let message = format!("`{path}` says nothing without one of {}", listed(fields.one_of));
            self.mistake(span, message, "here", "add one of them".to_owned());
        }
        for (name, needed) in fields.implies.iter().filter(|(name, needed)| has(name) && !has(needed)) {
            let span = table.get_key_value(*name).map_or(0..0, |(key, _)| key.span());
            let message = format!("`{name}` is nothing without `{needed}`");
            self.mistake(span, message, "here", format!("add `{needed}`, or remove `{name}`"));
        }
    }

    /// Reports every key that is not known.
    fn keys(&mut self, table: &DeTable<'_>, fields: &Fields, path: &str) {
        let known = fields.names();
        for key in table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let word = key.get_ref().as_ref();
            let help = match nearest(word, &known) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the keys here are {}", listed(&known)),
            };
            let message = format!("`{}` is no key of the configuration", below(path, word));
            self.mistake(key.span(), message, "unknown key", help);
        }
    }

    fn values(&mut self, table: &DeTable<'_>, fields: &Fields, path: &str) {
        for key in fields.keys {
            if let Some(value) = table.get(key.name) {
                self.value(key, value, &below(path, key.name));
            }
        }
    }

    fn value(&mut self, key: &Key, value: &Value<'_>, path: &str) {
        match key.shape {
            Shape::Text(kind) => self.text(kind, key.name, value),
            Shape::Texts(kind) => self.texts(kind, key, value),
            Shape::Flag => self.flag(key.name, value),
            Shape::Index => self.index(key.name, value),
            Shape::Table(fields) => {
                if let Some(table) = self.is_table(value, path) {
                    self.table(table, value.span(), &fields, path);
                }
            }
            Shape::Tables(fields) => self.tables(&fields, value, path),
            Shape::Named(fields) => self.named(&fields, value, path),
            Shape::Map(kind, values) => self.map(kind, values, key, value),
        }
    }

    fn text(&mut self, kind: Text, key: &str, value: &Value<'_>) {
        match value.get_ref().as_str() {
            Some(text) => self.checked(kind, key, text, value.span()),
            None => self.wrong_type(value, key, "a string", "put it in quotes"),
        }
    }

    fn texts(&mut self, kind: Text, key: &Key, value: &Value<'_>) {
        let name = key.name;
        let Some(items) = value.get_ref().as_array() else {
            return self.wrong_type(value, name, "a list of strings", &format!("write `{name} = [\"…\"]`"));
        };
        if items.iter().next().is_none() && key.is_required {
            let message = format!("`{name}` names nothing");
            self.mistake(value.span(), message, "empty", "name what is meant".to_owned());
        }
        for item in items.iter() {
            match item.get_ref().as_str() {
                Some(text) => self.checked(kind, name, text, item.span()),
                None => self.wrong_type(item, name, "strings", "put it in quotes"),
            }
        }
    }

    fn checked(&mut self, kind: Text, key: &str, text: &str, span: Range<usize>) {
        if let Err(Wrong { message, label, help }) = check(kind, key, text, self.rules) {
            self.mistake(span, message, label, help);
        }
    }

    fn flag(&mut self, key: &str, value: &Value<'_>) {
        if !value.get_ref().is_bool() {
            self.wrong_type(value, key, "`true` or `false`", "write it without quotes");
        }
    }

    fn index(&mut self, key: &str, value: &Value<'_>) {
        let number =
            value.get_ref().as_integer().map(|number| u16::from_str_radix(number.as_str(), number.radix()));
        match number {
            Some(Ok(_)) => {}
            Some(Err(_)) => {
                let help = "positions count from 0".to_owned();
                self.mistake(value.span(), format!("`{key}` is no position"), "here", help);
            }
            None => self.wrong_type(value, key, "a number", "positions count from 0"),
        }
    }

    fn tables(&mut self, fields: &Fields, value: &Value<'_>, path: &str) {
        let help = format!("write it as `[[{path}]]`");
        let Some(items) = value.get_ref().as_array() else {
            return self.wrong_type(value, path, "a list of tables", &help);
        };
        for item in items.iter() {
            match item.get_ref().as_table() {
                Some(table) => self.table(table, item.span(), fields, path),
                None => self.wrong_type(item, path, "tables", &help),
            }
        }
    }

    fn named(&mut self, fields: &Fields, value: &Value<'_>, path: &str) {
        let Some(table) = self.is_table(value, path) else { return };
        for (name, value) in table {
            let path = below(path, name.get_ref());
            if let Some(table) = self.is_table(value, &path) {
                self.table(table, value.span(), fields, &path);
            }
        }
    }

    fn map(&mut self, kind: Text, values: Text, key: &Key, value: &Value<'_>) {
        let Some(table) = value.get_ref().as_table() else {
            let help = format!("write `{} = {{ GL101 = \"warning\" }}`", key.name);
            return self.wrong_type(value, key.name, "a table", &help);
        };
        if table.is_empty() {
            let message = format!("`{}` names nothing", key.name);
            self.mistake(value.span(), message, "empty", "name what is meant".to_owned());
        }
        for (word, value) in table {
            self.checked(kind, key.name, word.get_ref(), word.span());
            self.text(values, "level", value);
        }
    }

    fn is_table<'t, 'i>(&mut self, value: &'t Value<'i>, path: &str) -> Option<&'t DeTable<'i>> {
        let found = value.get_ref().as_table();
        if found.is_none() {
            self.wrong_type(value, path, "a table", &format!("write it as a table: `[{path}]`"));
        }
        found
    }

    fn wrong_type(&mut self, value: &Value<'_>, key: &str, wanted: &str, help: &str) {
        let found = kind(value.get_ref());
        let message = format!("`{key}` takes {wanted}, not {found}");
        self.mistake(value.span(), message, found, help.to_owned());
    }

    fn mistake(&mut self, span: Range<usize>, message: String, label: &str, help: String) {
        self.mistakes.push(Mistake { span, message, label: label.to_owned(), help: Some(help) });
    }
}

fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
