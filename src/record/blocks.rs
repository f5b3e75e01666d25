//! Records in JSON inside any text: prose, fenced blocks, several of them. What is no JSON is passed over, unless it looks
//! like a record that is meant: then it is reported where it breaks, and never guessed at.

use super::json::{Break, Parsed, parse};
use super::node::Node;
use super::schema::Schemas;

/// How a text is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Values may stand for what somebody will fill in.
    pub is_template: bool,
}

/// A piece of JSON in a text; places count bytes of the text.
#[derive(Debug)]
pub enum Block {
    Whole(Node),
    Broken(Broken),
}

/// JSON that looks like a record that is meant and breaks off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    pub start: usize,
    pub at: usize,
    pub why: &'static str,
}

/// So far is looked for a word in something that cannot be read at all.
const MAX_LOOK: usize = 400;

/// Every object of a text that holds more than prose, in its order.
pub fn blocks(schemas: &Schemas, text: &str, reading: Reading) -> Vec<Block> {
    let marks = schemas.marks();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('{').map(|found| at + found) {
        let Parsed { node, end, broken } = parse(text, start, reading.is_template);
        let is_meant = holds(schemas, &node);
        at = match broken {
            None => {
                if is_meant {
                    out.push(Block::Whole(node));
                }
                end.max(start + 1)
            }
            Some(Break { at: broken, why }) if is_meant || looks_meant(text, start, broken, &marks) => {
                out.push(Block::Broken(Broken { start, at: broken, why }));
                broken.max(start + 1)
            }
            Some(_) => start + 1,
        };
    }
    out
}

/// A text that is JSON as a whole.
pub fn whole(schemas: &Schemas, text: &str, reading: Reading) -> Vec<Block> {
    let Parsed { node, end, broken } = parse(text, 0, reading.is_template);
    let trailing = !text[end..].trim().is_empty();
    match broken {
        _ if !holds(schemas, &node) => Vec::new(),
        Some(Break { at, why }) => vec![Block::Broken(Broken { start: 0, at, why })],
        None if trailing => {
            vec![Block::Broken(Broken { start: 0, at: end, why: "something follows the value" })]
        }
        None => vec![Block::Whole(node)],
    }
}

/// True if some record in it has a form, or should have.
fn holds(schemas: &Schemas, node: &Node) -> bool {
    !super::check::found(schemas, node, true).is_empty()
}

/// True if what breaks at its first key names what such a record holds.
fn looks_meant(text: &str, start: usize, broken: usize, marks: &[&str]) -> bool {
    let is_first = text[start + 1..broken.max(start + 1)].trim().is_empty();
    let is_quoted = text[broken..].starts_with(['\'', '“', '‘']);
    let end = (start..=text.len().min(start + MAX_LOOK)).rev().find(|&end| text.is_char_boundary(end));
    let look = &text[start..end.unwrap_or(start)];
    is_first && is_quoted && marks.iter().any(|mark| look.contains(mark))
}
