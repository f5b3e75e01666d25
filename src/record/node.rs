//! What is known of a value that somebody wrote down.

use crate::ir::Span;

/// A value and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    pub span: Span,
    pub value: Value,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// It may be anything.
    Unknown,
    Null,
    Bool(bool),
    Integer(i64),
    /// Any other number.
    Number,
    Text(Text),
    /// `open`: there may be more.
    List {
        items: Vec<Node>,
        open: bool,
    },
    Record(Record),
}

/// The texts that a value may be.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Text {
    /// Each with whether it is known as a whole, or only where it begins.
    pub options: Vec<(String, bool)>,
    /// There are no others.
    pub complete: bool,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Record {
    /// In the order in which they are written; of two with one key the last counts.
    pub fields: Vec<Field>,
    /// There may be fields that are not seen.
    pub open: bool,
    /// The name of the class whose constructor makes it.
    pub class: Option<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    pub key: String,
    /// From the key to the end of the value.
    pub span: Span,
    pub node: Node,
}

impl Text {
    pub fn whole(text: impl Into<String>) -> Self {
        Self { options: vec![(text.into(), true)], complete: true }
    }

    /// The text, if it can be no other.
    pub fn only(&self) -> Option<&str> {
        match &self.options[..] {
            [(text, true)] if self.complete => Some(text),
            _ => None,
        }
    }
}

impl Node {
    pub fn unknown(span: Span) -> Self {
        Self { span, value: Value::Unknown }
    }

    pub fn record(&self) -> Option<&Record> {
        match &self.value {
            Value::Record(record) => Some(record),
            _ => None,
        }
    }

    /// The value below this path of keys, joined by dots.
    pub fn at(&self, path: &str) -> Option<&Node> {
        path.split('.').try_fold(self, |node, key| Some(&node.record()?.get(key)?.node))
    }

    /// Moves every place.
    pub fn map_spans(&mut self, map: &impl Fn(Span) -> Span) {
        self.span = map(self.span);
        match &mut self.value {
            Value::List { items, .. } => items.iter_mut().for_each(|item| item.map_spans(map)),
            Value::Record(record) => {
                for field in &mut record.fields {
                    field.span = map(field.span);
                    field.node.map_spans(map);
                }
            }
            _ => {}
        }
    }
}

impl Record {
    pub fn get(&self, key: &str) -> Option<&Field> {
        self.fields.iter().rev().find(|field| field.key == key)
    }
}
