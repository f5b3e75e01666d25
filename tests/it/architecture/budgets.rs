//! Budgets: numbers at which an analysis stops, widens or guesses. Each is a size of code from which on an answer changes,
//! and something that a user can be told of only as a gap. So the list of those in link and analysis may only shrink: what
//! is new is bounded by its structure (a finite lattice, summaries, each thing looked at once).

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{ImplItemConst, ItemConst, ItemMod, ItemStatic, Type};

use super::lists::only_shrinks;
use super::sources;

const MODULES: [&str; 2] = ["analysis", "link"];
const NUMBERS: [&str; 9] = ["u8", "u16", "u32", "u64", "usize", "i32", "i64", "f64", "Duration"];
/// Of the storage: no answer depends on them.
const LAYOUT: &[&str] = &[
    "analysis/components.rs UNSEEN",
    "analysis/effects.rs CALLS",
    "analysis/flow/labels/entries.rs ASPECTS",
    "analysis/flow/labels/entries.rs SITE_BITS",
    "analysis/trail/relation.rs STAGES",
    "analysis/valueflow/lower/gathered.rs CHUNK",
    "link/chains.rs END",
    "link/copies.rs FEW",
    "link/globs.rs MANY_GLOBS",
    "link/growing.rs CHUNKS",
    "link/growing.rs FIRST",
    "link/memo.rs SHARDS",
];

#[test]
fn no_analysis_gets_a_new_budget() {
    let sources = sources();
    let sources = sources.iter().filter(|source| !source.is_test() && MODULES.contains(&source.top()));
    let found: BTreeSet<String> = sources
        .flat_map(|source| numbers(&source.text).into_iter().map(|name| format!("{} {name}", source.name)))
        .collect();
    let gone: Vec<_> = LAYOUT.iter().filter(|entry| !found.contains(**entry)).collect();
    assert!(gone.is_empty(), "gone; take them out of `LAYOUT`: {gone:?}");
    let budgets = found.into_iter().filter(|entry| !LAYOUT.contains(&entry.as_str())).collect();
    only_shrinks(
        "budgets.txt",
        &budgets,
        "let the structure bound the work; a number on which no answer depends is listed in `LAYOUT`",
    );
}

#[test]
fn a_number_is_seen_wherever_it_stands() {
    let text = "const A: usize = 1; impl B { const C: u32 = 2; } fn d() { static E: u8 = 3; } \
                const F: &str = \"\"; mod tests { const G: usize = 4; }";
    assert_eq!(numbers(text), ["A", "C", "E"]);
}

/// The names of constants that are numbers, outside the tests of a text.
fn numbers(text: &str) -> Vec<String> {
    let mut reader = Numbers::default();
    reader.visit_file(&syn::parse_file(text).unwrap());
    reader.0
}

#[derive(Default)]
struct Numbers(Vec<String>);

impl Numbers {
    fn constant(&mut self, name: &syn::Ident, ty: &Type) {
        if let Type::Path(path) = ty {
            let is_number = NUMBERS.iter().any(|number| path.path.is_ident(number));
            self.0.extend(is_number.then(|| name.to_string()));
        }
    }
}

impl<'ast> Visit<'ast> for Numbers {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.ident != "tests" {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_const(&mut self, item: &'ast ItemConst) {
        self.constant(&item.ident, &item.ty);
    }

    fn visit_impl_item_const(&mut self, item: &'ast ImplItemConst) {
        self.constant(&item.ident, &item.ty);
    }

    fn visit_item_static(&mut self, item: &'ast ItemStatic) {
        self.constant(&item.ident, &item.ty);
    }
}
