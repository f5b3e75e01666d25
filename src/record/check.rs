//! What is wrong with a record, by its form. A value that is not known is never wrong.

use std::collections::BTreeMap;

use super::node::{Field, Node, Record, Text, Value};
use super::schema::{FieldForm, Kind, Presence, Schema, Schemas, fits};
use crate::ir::Span;

/// Something that is wrong, for the rules that ask for this part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub part: String,
    pub span: Span,
    /// Complete in itself: which field, and what it has to be.
    pub text: String,
    /// False if the value may also be a right one.
    pub is_sure: bool,
}

/// A record that has a form, or should have.
#[derive(Clone, Debug)]
pub struct Found<'s> {
    pub schema: &'s Schema,
    pub node: Node,
    pub problems: Vec<Problem>,
}

/// Every record with a form in a value, the outermost first; what a form says of the entries of a list is part of it.
/// `is_template`: texts may stand for what somebody will fill in.
pub fn found<'s>(schemas: &'s Schemas, node: &Node, is_template: bool) -> Vec<Found<'s>> {
    let mut out = Vec::new();
    collect(schemas, node, is_template, &mut out);
    out
}

fn collect<'s>(schemas: &'s Schemas, node: &Node, is_template: bool, out: &mut Vec<Found<'s>>) {
    if let Some(schema) = schemas.of(node) {
        let checker = Checker { schemas, is_template, problems: Vec::new() };
        out.push(Found { schema, node: node.clone(), problems: checker.check(schema, node) });
        return;
    }
    match &node.value {
        Value::List { items, .. } => items.iter().for_each(|item| collect(schemas, item, is_template, out)),
        Value::Record(record) => {
            record.fields.iter().for_each(|field| collect(schemas, &field.node, is_template, out));
        }
        _ => {}
    }
}

struct Checker<'s> {
    schemas: &'s Schemas,
    is_template: bool,
    problems: Vec<Problem>,
}

/// What is asked of the fields of one record.
struct Asked<'a> {
    record: &'a Record,
    /// Where it stands, for what is not there.
    span: Span,
    /// The names of the fields around, each with a dot behind it.
    path: &'a str,
    part: &'a str,
}

enum Fit {
    Right,
    Wrong { is_sure: bool },
}

impl Checker<'_> {
    fn check(mut self, schema: &Schema, node: &Node) -> Vec<Problem> {
        self.whole(schema, node);
        self.problems
    }

    fn whole(&mut self, schema: &Schema, node: &Node) {
        if let Some(record) = node.record() {
            let asked = Asked { record, span: node.span, path: "", part: &schema.part };
            self.fields(&asked, &schema.fields);
        }
    }

    fn fields<'f>(&mut self, asked: &Asked<'_>, forms: impl IntoIterator<Item = &'f FieldForm>) {
        let mut missing: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for form in forms {
            let part = form.part.as_deref().unwrap_or(asked.part);
            let may_be_absent = form.optional != Presence::Needed
                || asked.record.open
                || (form.default && asked.record.class.is_some());
            match asked.record.get(&form.name) {
                Some(field) => self.field(field, form, asked.path, part),
                None if may_be_absent => {}
                None => missing.entry(part).or_default().push(format!("`{}{}`", asked.path, form.name)),
            }
        }
        for (part, names) in missing {
            let verb = if names.len() == 1 { "is" } else { "are" };
            self.problem(part, asked.span, format!("{} {verb} missing", listed(&names, "and")), true);
        }
    }

    fn field(&mut self, field: &Field, form: &FieldForm, path: &str, part: &str) {
        let name = format!("{path}{}", form.name);
        if let Fit::Wrong { is_sure } = self.fit(&field.node, form) {
            let text = format!("`{name}` is {}, but has to be {}", told(&field.node), wanted(form));
            self.problem(part, field.span, text, is_sure);
            return;
        }
        match &field.node.value {
            Value::Record(record) => {
                // A class sees to its fields itself.
                let is_known = record.class.is_none();
                let forms = form.fields.iter().filter(|form| is_known || record.get(&form.name).is_some());
                let asked = Asked { record, span: field.span, path: &format!("{name}."), part };
                self.fields(&asked, forms);
            }
            Value::List { items, .. } => self.items(items, form, &name, part),
            _ => {}
        }
    }

    fn items(&mut self, items: &[Node], form: &FieldForm, name: &str, part: &str) {
        let Some(schema) = form.items.as_deref().and_then(|items| self.schemas.named(items)) else { return };
        for item in items {
            match &item.value {
                Value::Record(_) => self.whole(schema, item),
                Value::Unknown => {}
                _ => {
                    let text = format!("an entry of `{name}` is {}, but has to be an object", told(item));
                    self.problem(part, item.span, text, true);
                }
            }
        }
    }

    fn problem(&mut self, part: &str, span: Span, text: String, is_sure: bool) {
        self.problems.push(Problem { part: part.to_owned(), span, text, is_sure });
    }

    fn fit(&self, node: &Node, form: &FieldForm) -> Fit {
        let is_right = match (&node.value, form.is) {
            (Value::Unknown, _) => true,
            (Value::Null, _) => form.optional == Presence::Null,
            (Value::Text(text), Kind::Text) => return self.text(text, form),
            // An entry of an enumeration, a text that a template fills in.
            (Value::Text(text), _) => {
                text.options.is_empty() || self.is_template && text.options.iter().all(is_placeholder)
            }
            (Value::Integer(number), Kind::Integer) => {
                form.range.is_none_or(|[least, greatest]| (least..=greatest).contains(number))
            }
            (Value::Bool(_), Kind::Boolean) => true,
            (Value::Record(_), Kind::Record) | (Value::List { .. }, Kind::List) => true,
            // Whatever its class stands for.
            (Value::Record(record), _) => record.class.is_some(),
            _ => false,
        };
        if is_right { Fit::Right } else { Fit::Wrong { is_sure: true } }
    }

    /// A text of which only the beginning is known can still be right.
    fn text(&self, text: &Text, form: &FieldForm) -> Fit {
        let is_wrong = |option: &&(String, bool)| option.1 && !self.is_right(option, form);
        let wrong = text.options.iter().filter(is_wrong).count();
        match text.complete && wrong > 0 {
            true => Fit::Wrong { is_sure: wrong == text.options.len() },
            false => Fit::Right,
        }
    }

    fn is_right(&self, option: &(String, bool), form: &FieldForm) -> bool {
        let text = option.0.trim();
        if self.is_template && is_placeholder(option) {
            return true;
        }
        if !form.words.is_empty() {
            let is_word = |text: &str| form.words.iter().any(|word| fits(text, word));
            let is_choice = self.is_template && text.contains('|');
            return if is_choice {
                text.split('|').all(|word| is_word(word.trim()))
            } else {
                is_word(&option.0)
            };
        }
        let [least, most] = form.length.unwrap_or([1, usize::MAX]);
        (least..=most).contains(&text.chars().count())
    }
}

/// `<why>`, `{reason}`, `...`: somebody will fill it in.
fn is_placeholder((text, _): &(String, bool)) -> bool {
    let text = text.trim();
    let within = |open: &str, close: &str| text.starts_with(open) && text.ends_with(close) && text.len() > 2;
    within("<", ">")
        || within("{", "}")
        || within("${", "}")
        || within("[", "]")
        || text == "..."
        || text == "…"
}

/// What a value is, for people.
fn told(node: &Node) -> String {
    match &node.value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Number => "a fraction".to_owned(),
        Value::List { .. } => "a list".to_owned(),
        Value::Record(_) => "an object".to_owned(),
        Value::Text(text) => match text.only() {
            Some(text) if text.trim().is_empty() => "empty".to_owned(),
            Some(text) if text.chars().count() <= 40 => format!("\"{text}\""),
            Some(text) => format!("a text of {} characters", text.chars().count()),
            None => {
                text.options.first().map_or("a text".to_owned(), |(text, _)| format!("sometimes \"{text}\""))
            }
        },
        Value::Unknown => "not known".to_owned(),
    }
}

/// What a value has to be.
fn wanted(form: &FieldForm) -> String {
    let words: Vec<String> = form.words.iter().map(|word| format!("\"{word}\"")).collect();
    match (form.is, form.range, form.length) {
        (Kind::Text, ..) if words.len() == 1 => words.concat(),
        (Kind::Text, ..) if !words.is_empty() => listed(&words, "or"),
        (Kind::Text, _, Some([least, most])) => format!("a text of {least} to {most} characters"),
        (Kind::Text, ..) => "a text that says something".to_owned(),
        (Kind::Integer, Some([least, greatest]), _) => format!("a whole number from {least} to {greatest}"),
        (Kind::Integer, ..) => "a whole number".to_owned(),
        (Kind::Boolean, ..) => "true or false".to_owned(),
        (Kind::Record, ..) => {
            let needed = form.fields.iter().filter(|field| field.optional == Presence::Needed);
            let names: Vec<String> = needed.map(|field| format!("`{}`", field.name)).collect();
            match names.is_empty() {
                true => "an object".to_owned(),
                false => format!("an object with {}", listed(&names, "and")),
            }
        }
        (Kind::List, ..) => "a list".to_owned(),
    }
}

fn listed(words: &[String], last: &str) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., end] => format!("{} {last} {end}", most.join(", ")),
    }
}
