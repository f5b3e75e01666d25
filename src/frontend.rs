//! Front ends: bytes to facts. The only code that names a parser. Lowering never fails: what does not parse is data.

use crate::ir::{Facts, Lang};

mod names;
pub mod python;
pub mod rust;
mod sitter;
pub mod spelling;
#[cfg(test)]
mod testing;
pub mod tree;
pub mod webs;

pub use names::looks_like;

/// Deeper nesting becomes `Opaque` and a reported problem, so recursion over the core language is bounded.
pub const MAX_DEPTH: usize = 200;

/// Lowers one file. A function of its arguments alone.
pub fn lower(text: &str, lang: Lang) -> Facts {
    match lang {
        Lang::Python => python::lower(text),
        Lang::Rust => rust::lower(text),
    }
}

/// How a language writes what stands in place of a guard.
pub fn spelling(lang: Lang) -> &'static dyn spelling::Spelling {
    match lang {
        Lang::Python => &python::spelling::Python,
        Lang::Rust => &rust::spelling::Rust,
    }
}
