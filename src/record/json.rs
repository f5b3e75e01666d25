//! A reader of JSON that keeps places, stops where the text is no JSON any more, and keeps what it read up to there. Nesting is
//! bounded and each byte is read once.
//! In a template, what somebody else will fill in is a value that is not known: `<why>`, `...`, `{name}`, `{{ name }}`.

use super::node::{Field, Node, Record, Text, Value};
use crate::ir::Span;

const MAX_DEPTH: usize = 64;
/// What somebody will fill in is no longer than so many bytes: the end of it is not looked for all over a line without end.
const MAX_PLACEHOLDER: usize = 1000;
/// Stands in a text for what is put in when the program runs.
pub const HOLE: char = '\u{F8FF}';

/// Where a text stops being JSON, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Break {
    pub at: usize,
    pub why: &'static str,
}

/// One value, as far as it could be read.
#[derive(Debug)]
pub struct Parsed {
    pub node: Node,
    /// Behind the last byte that was read.
    pub end: usize,
    pub broken: Option<Break>,
}

/// Reads the value that begins at `start`.
pub fn parse(text: &str, start: usize, is_template: bool) -> Parsed {
    let mut parser = Parser { text, at: start, depth: 0, is_template, broken: None };
    let node = parser.value();
    Parsed { node, end: parser.at, broken: parser.broken }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    is_template: bool,
    broken: Option<Break>,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// White space; in a template also comments.
    fn space(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
            self.at += blank;
            let is_remark = self.is_template && self.rest().starts_with("//");
            match is_remark {
                true => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                false => return,
            }
        }
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn fail(&mut self, why: &'static str) {
        let at = self.at;
        self.broken.get_or_insert(Break { at, why });
    }

    fn node(&self, lo: usize, value: Value) -> Node {
        Node { span: span(lo, self.at), value }
    }

    fn value(&mut self) -> Node {
        self.space();
        let lo = self.at;
        if self.is_template && self.placeholder() {
            return self.node(lo, Value::Unknown);
        }
        let value = match self.peek() {
            Some('{') => self.nested(Self::record),
            Some('[') => self.nested(Self::list),
            Some('"') => self.string().map_or(Value::Unknown, Value::Text),
            Some('-' | '0'..='9') => self.number(),
            _ => self.word(),
        };
        self.node(lo, value)
    }

    fn nested(&mut self, read: fn(&mut Self) -> Value) -> Value {
        if self.depth >= MAX_DEPTH {
            self.fail("it is nested too deep");
            return Value::Unknown;
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn record(&mut self) -> Value {
        // A template doubles the braces that are to stay.
        let (open, close) =
            if self.is_template && self.rest().starts_with("{{") { ("{{", "}}") } else { ("{", "}") };
        self.take(open);
        let mut record = Record::default();
        self.space();
        if self.take(close) {
            return Value::Record(record);
        }
        while self.field(&mut record) {
            self.space();
            if self.take(close) {
                return Value::Record(record);
            }
            if !self.take(",") {
                self.fail("a `,` or a `}` is missing");
                break;
            }
        }
        record.open = true;
        Value::Record(record)
    }

    /// False if it is none.
    fn field(&mut self, record: &mut Record) -> bool {
        self.space();
        let lo = self.at;
        if self.is_template && self.placeholder() {
            record.open = true;
            return true;
        }
        if self.peek() != Some('"') {
            self.fail(if self.peek() == Some('}') {
                "there is a `,` too many"
            } else {
                "a key in double quotes is missing"
            });
            return false;
        }
        let Some(key) = self.string() else { return false };
        let key = key.options.into_iter().next().unwrap_or_default().0;
        self.space();
        let has_colon = self.take(":");
        if !has_colon {
            self.fail("a `:` is missing");
        }
        let node = if has_colon { self.value() } else { self.node(self.at, Value::Unknown) };
        record.fields.push(Field { key, span: span(lo, self.at), node });
        self.broken.is_none()
    }

    fn list(&mut self) -> Value {
        self.take("[");
        let (mut items, mut open) = (Vec::new(), false);
        self.space();
        if self.take("]") {
            return Value::List { items, open };
        }
        loop {
            self.space();
            let is_ellipsis =
                self.is_template && (self.rest().starts_with("...") || self.rest().starts_with('…'));
            if self.peek() == Some(']') {
                self.fail("there is a `,` too many");
                break;
            }
            items.push(self.value());
            if is_ellipsis {
                items.pop();
                open = true;
            }
            self.space();
            if self.broken.is_some() {
                break;
            }
            if self.take("]") {
                return Value::List { items, open };
            }
            if !self.take(",") {
                self.fail("a `,` or a `]` is missing");
                break;
            }
        }
        Value::List { items, open: true }
    }

    fn string(&mut self) -> Option<Text> {
        self.take("\"");
        let mut text = String::new();
        let mut is_whole = true;
        loop {
            let Some(c) = self.peek() else {
                self.fail("a string is never closed");
                return None;
            };
            match c {
                '"' => {
                    self.at += 1;
                    return Some(Text { options: vec![(text, is_whole)], complete: true });
                }
                '\\' => text.push(self.escape()?),
                '\n' | '\r' if !self.is_template => {
                    self.fail("a string goes on behind the end of its line");
                    return None;
                }
                _ => {
                    if c == HOLE {
                        is_whole = false;
                    }
                    if is_whole {
                        text.push(c);
                    }
                    self.at += c.len_utf8();
                }
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let mut chars = self.rest().chars().skip(1);
        let found = match chars.next() {
            Some(c @ ('"' | '\\' | '/')) => Some((c, 2)),
            Some('b' | 'f') => Some((' ', 2)),
            Some('n') => Some(('\n', 2)),
            Some('r') => Some(('\r', 2)),
            Some('t') => Some(('\t', 2)),
            // Halves of a pair of surrogates are no character.
            Some('u') => self
                .rest()
                .get(2..6)
                .and_then(|hex| u32::from_str_radix(hex, 16).ok())
                .map(|code| (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 6)),
            _ => None,
        };
        let Some((c, length)) = found else {
            self.fail("there is no such escape");
            return None;
        };
        self.at += length;
        Some(c)
    }

    fn number(&mut self) -> Value {
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let length = self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
        let digits = &self.rest()[..length];
        let value = match (digits.parse::<i64>(), digits.parse::<f64>()) {
            (Ok(number), _) => Value::Integer(number),
            (_, Ok(_)) => Value::Number,
            _ => {
                self.fail("it is no number");
                return Value::Unknown;
            }
        };
        self.at += length;
        value
    }

    fn word(&mut self) -> Value {
        for (word, value) in
            [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))]
        {
            if self.take(word) {
                return value;
            }
        }
        self.fail(if self.at >= self.text.len() { "it ends too soon" } else { "it is no value of JSON" });
        Value::Unknown
    }

    /// What is filled in later: it stays within its line.
    fn placeholder(&mut self) -> bool {
        let rest = self.rest();
        let near = &rest[..rest.floor_char_boundary(MAX_PLACEHOLDER)];
        let line = &near[..near.find('\n').unwrap_or(near.len())];
        let until = |close: &str| line.find(close).map(|end| end + close.len());
        let is_name = |inner: &str| !inner.is_empty() && !inner.contains(['"', '{', ',']);
        let length = match rest.chars().next() {
            Some(HOLE) => Some(HOLE.len_utf8()),
            Some('…') => Some('…'.len_utf8()),
            Some('.') if rest.starts_with("...") => Some(3),
            Some('<') => until(">"),
            Some('$') if rest.starts_with("${") => until("}"),
            Some('{') if rest.starts_with("{{") => {
                until("}}").filter(|&end| is_name(line[2..end - 2].trim()))
            }
            Some('{') => until("}").filter(|&end| is_name(line[1..end - 1].trim())),
            _ => None,
        };
        self.at += length.unwrap_or_default();
        length.is_some()
    }
}

fn span(lo: usize, hi: usize) -> Span {
    Span { lo: lo as u32, hi: hi as u32 }
}
