//! Lines of code by module, in the order of the layers: neither blank nor comments nor tests. Whatever adds to a module says
//! by how much, in the same change; so the next feature stands on the engines that are there, or pays visibly.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Attribute, ItemMod};

use super::lists::{UPDATE, is_entry, is_fresh};
use super::{LAYERS, sources};

const LIST: &str = "lines.txt";
const HEAD: &str = "\
# Lines of code by module, from the bottom layer to the top one: neither blank nor comments nor tests.
# GATELINT_UPDATE=1 cargo test architecture
";

#[test]
fn no_module_grows_unseen() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        *counts.entry(source.top().to_owned()).or_default() += lines(&source.text);
    }
    is_fresh(LIST, &table(&counts), |listed| complaints(listed, &counts));
}

fn table(counts: &BTreeMap<String, usize>) -> String {
    let mut table = HEAD.to_owned();
    for layer in LAYERS {
        let counts = layer.iter().map(|module| (module, counts.get(*module).copied().unwrap_or_default()));
        let lines = counts.map(|(module, count)| format!("{module} {count}\n"));
        write!(table, "\n{}", lines.collect::<String>()).unwrap();
    }
    table
}

fn complaints(listed: &str, counts: &BTreeMap<String, usize>) -> Vec<String> {
    let entries = listed.lines().filter(|line| is_entry(line)).filter_map(|line| line.split_once(' '));
    let listed: BTreeMap<&str, usize> =
        entries.map(|(module, count)| (module, count.parse().unwrap())).collect();
    let changed = counts.iter().filter_map(|(module, &now)| {
        let before = listed.get(module.as_str()).copied().unwrap_or_default();
        let how = if now > before { "make it shorter, or raise" } else { "lower" };
        (now != before)
            .then(|| format!("`{module}` has {now} lines of code, not {before}; {how} the number in {LIST}"))
    });
    changed.chain([format!("{UPDATE} writes {LIST}")]).collect()
}

#[test]
fn what_is_no_code_is_not_counted() {
    assert_eq!(lines("//! a\n\nuse b;\n/// c\nfn d() {\n    // e\n    f(); // g\n}\n"), 4);
    assert_eq!(lines("fn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n"), 1);
    assert_eq!(lines("#[cfg(test)]\nmod tests;\nmod a {\n    #[cfg(test)]\n    mod tests {}\n}\n"), 2);
}

/// The lines of code of a text.
fn lines(text: &str) -> usize {
    let mut tests = Tests::default();
    tests.visit_file(&syn::parse_file(text).unwrap());
    let is_code = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    let numbered = (1..).zip(text.lines());
    let code = numbered.filter(|(at, line)| is_code(line) && !tests.0.iter().any(|lines| lines.contains(at)));
    code.count()
}

/// The lines of modules of tests.
#[derive(Default)]
struct Tests(Vec<std::ops::RangeInclusive<usize>>);

impl<'ast> Visit<'ast> for Tests {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.ident == "tests" {
            let start = item.attrs.first().map_or(item.span(), Attribute::span).start().line;
            self.0.push(start..=item.span().end().line);
        } else {
            visit::visit_item_mod(self, item);
        }
    }
}
