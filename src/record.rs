//! Records of a fixed form, wherever they are written: what is known of one ([`Node`]), how it is read from JSON inside any
//! text, and the schemas of the catalogue that say which record is one and what is wrong with it. Knows no name of a field.

mod blocks;
mod check;
mod json;
mod node;
mod schema;

pub use blocks::{Block, Broken, Reading, blocks, whole};
pub use check::{Found, Problem, found};
pub use json::HOLE;
pub use node::{Field, Node, Record, Text, Value};
pub use schema::{Schema, Schemas, Shows};
