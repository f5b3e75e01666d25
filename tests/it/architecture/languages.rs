//! No language above the front ends: what is true of a language is asked of its profile, what its libraries do of the
//! catalogue. Code that asks which language it is in fails here.

use std::collections::BTreeMap;

use gatelint::ir::Lang;
use syn::visit::{self, Visit};
use syn::{ItemMod, Macro, UseTree};

use super::{none, sources};

/// Whose business languages are.
const MAY_NAME: [&str; 4] = ["frontend", "catalog", "source", "ir"];
/// The files that ask today, and how often. A file may only ask less often than it is listed with, and the list is lowered
/// then.
const ASK: &[(&str, usize)] = &[];

#[test]
fn nothing_above_the_front_ends_names_a_language() {
    let allowed: BTreeMap<&str, usize> = ASK.iter().copied().collect();
    let mut complaints = Vec::new();
    let sources = sources();
    let sources = sources.iter().filter(|source| !source.is_test() && !MAY_NAME.contains(&source.top()));
    let mut found: BTreeMap<&str, usize> =
        sources.map(|source| (source.name.as_str(), asked(&source.text))).collect();
    for (name, most) in &allowed {
        let count = found.remove(name).unwrap_or_default();
        match count.cmp(most) {
            std::cmp::Ordering::Greater => {
                complaints.push(format!("{name} names languages {count} times, not {most}"))
            }
            std::cmp::Ordering::Less => {
                complaints.push(format!("{name} is listed with {most}; it is {count} now"))
            }
            std::cmp::Ordering::Equal => {}
        }
    }
    let others = found.into_iter().filter(|(_, count)| *count > 0);
    complaints.extend(others.map(|(name, count)| {
        format!("{name} names languages {count} times; ask `profile()` or the catalogue")
    }));
    none(complaints);
}

#[test]
fn every_form_of_the_question_is_counted() {
    assert_eq!(
        asked("fn f(lang: Lang) -> bool { lang == Lang::Rust || matches!(lang, ir::Lang::Python) }"),
        2
    );
    assert_eq!(asked("use crate::ir::Lang::{Python, Rust}; fn f() { self.is_rust(file) }"), 3);
    assert_eq!(asked("fn is_python() {} const A: FileType = PYTHON;"), 2);
    assert_eq!(asked("fn f() { Lang::ALL.map(Lang::name) } mod tests { const A: Lang = Lang::Rust; }"), 0);
}

/// How often a text asks which language it is about, outside its tests.
fn asked(text: &str) -> usize {
    let mut questions = Questions::default();
    questions.visit_file(&syn::parse_file(text).unwrap());
    questions.0
}

#[derive(Default)]
struct Questions(usize);

/// `Python`, `PYTHON`, `is_python`.
fn names() -> Vec<(String, String, String)> {
    let all = Lang::ALL.map(|lang| format!("{lang:?}"));
    let of = |name: String| (name.clone(), name.to_uppercase(), format!("is_{}", name.to_lowercase()));
    all.map(of).to_vec()
}

impl Questions {
    fn word(&mut self, word: &str) {
        let is_meant = names().iter().any(|(_, constant, question)| word == constant || word == question);
        self.0 += usize::from(is_meant);
    }

    fn pair(&mut self, owner: &str, name: &str) {
        self.0 += usize::from(owner == "Lang" && names().iter().any(|(variant, ..)| name == variant));
    }

    fn tree(&mut self, owner: &str, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => self.tree(&path.ident.to_string(), &path.tree),
            UseTree::Name(name) => self.pair(owner, &name.ident.to_string()),
            UseTree::Rename(name) => self.pair(owner, &name.ident.to_string()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(owner, tree)),
            UseTree::Glob(_) => self.0 += usize::from(owner == "Lang"),
        }
    }
}

impl<'ast> Visit<'ast> for Questions {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.ident != "tests" {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree("", &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        names.windows(2).for_each(|pair| self.pair(&pair[0], &pair[1]));
        visit::visit_path(self, path);
    }

    fn visit_ident(&mut self, ident: &'ast syn::Ident) {
        self.word(&ident.to_string());
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        // What is inside a macro is tokens only.
        let tokens = item.tokens.to_string();
        let words: Vec<&str> = tokens
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .collect();
        words.iter().for_each(|word| self.word(word));
        words.windows(2).for_each(|pair| self.pair(pair[0], pair[1]));
    }
}
