//! The forms of the catalogue (`rules/catalog/declarations.toml`): which record is meant, and what it has to hold.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::node::{Node, Record, Value};

/// All forms.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Schemas(pub Vec<Schema>);

/// One `[[record]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    pub name: String,
    pub marks: Vec<String>,
    pub part: String,
    pub is: Vec<Test>,
    #[serde(rename = "field")]
    pub fields: Vec<FieldForm>,
    pub shows: Shows,
}

/// One `[[record.is]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    #[serde(default)]
    pub with: BTreeMap<String, String>,
    #[serde(default)]
    pub all: Vec<String>,
    #[serde(default)]
    pub any: Vec<String>,
    #[serde(default)]
    pub none: Vec<String>,
    #[serde(default)]
    pub class: Vec<String>,
}

/// One `[[record.field]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldForm {
    pub name: String,
    pub part: Option<String>,
    pub is: Kind,
    #[serde(default)]
    pub words: Vec<String>,
    pub length: Option<[usize; 2]>,
    pub range: Option<[i64; 2]>,
    #[serde(default)]
    pub optional: Presence,
    #[serde(default)]
    pub default: bool,
    #[serde(default, rename = "field")]
    pub fields: Vec<FieldForm>,
    pub items: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Text,
    Integer,
    Boolean,
    Record,
    List,
}

/// Whether a field has to be there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    #[default]
    Needed,
    /// It may be absent, but not null.
    Absent,
    /// Or null.
    Null,
}

/// One `[record.shows]`: the paths of fields.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shows {
    pub what: Option<String>,
    pub target: Option<String>,
    pub reason: Option<String>,
    pub required: Option<String>,
    pub priority: Option<String>,
    pub cost: Option<String>,
    pub items: Option<String>,
}

impl Schemas {
    pub fn named(&self, name: &str) -> Option<&Schema> {
        self.0.iter().find(|schema| schema.name == name)
    }

    /// The form that a record has, or should have.
    pub fn of(&self, node: &Node) -> Option<&Schema> {
        self.0.iter().find(|schema| schema.is.iter().any(|test| test.holds(node)))
    }

    /// A text without any of these holds no record that is meant.
    pub fn marks(&self) -> Vec<&str> {
        self.0.iter().flat_map(|schema| schema.marks.iter().map(String::as_str)).collect()
    }

    /// Every record that is meant has one of these keys in its outermost layer: of each test one that has to be there.
    /// `is_made`: also one that a constructor makes.
    pub fn keys(&self, is_made: bool) -> BTreeSet<&str> {
        let tests = self.0.iter().flat_map(|schema| &schema.is);
        let tests = tests.filter(|test| is_made || test.class.is_empty());
        let keys = tests.flat_map(|test| {
            let needed = test.with.keys().next().or(test.all.first());
            needed.map_or(test.any.iter().collect::<Vec<_>>(), |key| vec![key])
        });
        keys.map(|key| key.split('.').next().unwrap_or(key)).collect()
    }

    /// What rules can ask for.
    pub fn parts(&self) -> BTreeSet<&str> {
        fn of<'f>(fields: &'f [FieldForm], parts: &mut BTreeSet<&'f str>) {
            for field in fields {
                parts.extend(field.part.as_deref());
                of(&field.fields, parts);
            }
        }
        let mut parts: BTreeSet<&str> = self.0.iter().map(|schema| schema.part.as_str()).collect();
        self.0.iter().for_each(|schema| of(&schema.fields, &mut parts));
        parts
    }
}

impl Schema {
    /// The form of the entries of its list, by its name.
    pub fn entries(&self) -> Option<&str> {
        fn of(fields: &[FieldForm]) -> Option<&str> {
            fields.iter().find_map(|field| field.items.as_deref().or_else(|| of(&field.fields)))
        }
        of(&self.fields)
    }
}

impl Test {
    pub fn holds(&self, node: &Node) -> bool {
        let Some(record) = node.record() else { return false };
        let has = |path: &String| node.at(path).is_some();
        self.is_of_class(record)
            && self
                .with
                .iter()
                .all(|(path, pattern)| node.at(path).is_some_and(|value| may_be(value, pattern)))
            && self.all.iter().all(has)
            && (self.any.is_empty() || self.any.iter().any(has))
            && !self.none.iter().any(has)
    }

    fn is_of_class(&self, record: &Record) -> bool {
        match &record.class {
            None => self.class.is_empty(),
            Some(class) => self.class.iter().any(|pattern| fits(class, pattern)),
        }
    }
}

/// A known text of this pattern, at least where it begins.
fn may_be(node: &Node, pattern: &str) -> bool {
    let Value::Text(text) = &node.value else { return false };
    text.options.iter().any(|(text, whole)| match whole {
        true => fits(text, pattern),
        false => pattern.strip_suffix('*').is_some_and(|fixed| text.starts_with(fixed)),
    })
}

/// `*` at the beginning or the end stands for anything.
pub fn fits(text: &str, pattern: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        _ if pattern == "*" => true,
        (Some(end), _) => text.ends_with(end),
        (_, Some(start)) => text.starts_with(start) && text.len() > start.len(),
        _ => text == pattern,
    }
}
