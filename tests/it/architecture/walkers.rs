//! Functions that walk expressions on their own: they tell three or more kinds of them apart and call themselves. Order,
//! joins, jumps and what a value can be are known to the engines (the path interpreter, the solver); each walker beside them
//! knows a part of that again, and differs where a construct is new. So the list of those may only shrink.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Expr, ImplItemFn, ItemFn, ItemImpl, ItemMod, Macro, Pat, Signature, Type};

use super::lists::only_shrinks;
use super::sources;

/// Who makes expressions, prints them, or is the engine.
const ENGINES: [&[&str]; 3] = [&["frontend"], &["ir"], &["analysis", "interp"]];
const SOLVER: &str = "Solver";
/// So many kinds, and a function interprets expressions.
const KINDS: usize = 3;

#[test]
fn no_function_begins_to_walk_expressions_on_its_own() {
    let sources = sources();
    let is_engine = |module: &[String]| ENGINES.iter().any(|engine| starts_with(module, engine));
    let sources = sources.iter().filter(|source| !source.is_test() && !is_engine(&source.module));
    let found = sources.flat_map(|source| {
        walkers(&source.text).into_iter().map(|function| format!("{} {function}", source.name))
    });
    only_shrinks(
        "walkers.txt",
        &found.collect(),
        "ask the solver or the path interpreter, or teach them what is missing",
    );
}

#[test]
fn a_walker_is_seen_in_every_form() {
    let kinds = "Expr::Call { .. } => 1, Expr::Not(_) | Expr::Any(_) => 2,";
    let walker = |head: &str, step: &str| walkers(&format!("{head} {{ match e {{ {kinds} _ => {step} }} }}"));
    assert_eq!(walker("fn walk(e: Expr)", "walk(e)"), ["walk"]);
    assert_eq!(walker("fn walk(e: Expr)", "e.iter().any(walk)"), ["walk"]);
    assert_eq!(walker("fn walk(e: Expr)", "assert!(walk(e))"), ["walk"]);
    assert_eq!(walker("fn walk(e: Expr)", "{ let walk = 1; f(walk) }"), [""; 0]);
    assert_eq!(walker("fn walk(e: Expr)", "self.walk(e)"), [""; 0]);
    let method = |step: &str| {
        walkers(&format!("impl<'a> W<'a> {{ fn walk(&self) {{ match e {{ {kinds} _ => {step} }} }} }}"))
    };
    assert_eq!(method("self.walk()"), ["W::walk"]);
    assert_eq!(method("Self::walk(e)"), ["W::walk"]);
    assert_eq!(method("walk(e)"), [""; 0]);
    let few = "fn walk(e: Expr) { if matches!(e, Expr::Not(_) | ir::Expr::Any(_)) { walk(e) } }";
    assert_eq!(walkers(few), [""; 0]);
    assert_eq!(walkers(&few.replace("Expr::Not(_)", "Expr::Not(_) | Expr::All(_)")), ["walk"]);
    assert_eq!(walkers(&format!("impl Solver {{ fn walk() {{ Self::walk({{ {kinds:?} }}) }} }}")), [""; 0]);
}

/// The walkers of a text, outside its tests.
fn walkers(text: &str) -> Vec<String> {
    let mut reader = Walkers::default();
    reader.visit_file(&syn::parse_file(text).unwrap());
    reader.found
}

fn starts_with(module: &[String], path: &[&str]) -> bool {
    module.iter().map(String::as_str).take(path.len()).eq(path.iter().copied())
}

#[derive(Default)]
struct Walkers {
    /// The type whose methods are read.
    owner: Option<String>,
    found: Vec<String>,
}

impl Walkers {
    fn function(&mut self, signature: &Signature, body: &syn::Block) {
        let is_method = self.owner.is_some();
        let mut seen = Body { name: signature.ident.to_string(), is_method, ..Body::default() };
        seen.visit_block(body);
        if seen.kinds.len() >= KINDS && seen.calls_itself() && self.owner.as_deref() != Some(SOLVER) {
            let owner = self.owner.iter().map(|owner| format!("{owner}::"));
            self.found.push(owner.chain([seen.name]).collect());
        }
    }
}

impl<'ast> Visit<'ast> for Walkers {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.ident != "tests" {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let before = self.owner.take();
        if let Type::Path(path) = &*item.self_ty {
            self.owner = path.path.segments.last().map(|segment| segment.ident.to_string());
        }
        visit::visit_item_impl(self, item);
        self.owner = before;
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        let owner = self.owner.take();
        self.function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
        self.owner = owner;
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }
}

/// What one function says.
#[derive(Default)]
struct Body {
    name: String,
    is_method: bool,
    kinds: BTreeSet<String>,
    /// It names itself where a function can stand.
    names_itself: bool,
    /// A variable has its name, so that the name means that one.
    is_shadowed: bool,
    /// As a method of `self`, or of `Self`.
    asks_itself: bool,
}

impl Body {
    fn calls_itself(&self) -> bool {
        if self.is_method { self.asks_itself } else { self.names_itself && !self.is_shadowed }
    }

    fn path(&mut self, path: &[&str]) {
        match path {
            [name] => self.names_itself |= *name == self.name,
            [.., "Expr", kind] => drop(self.kinds.insert((*kind).to_owned())),
            [.., "Self", name] => self.asks_itself |= *name == self.name,
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Body {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.path(&names.iter().map(String::as_str).collect::<Vec<_>>());
        visit::visit_path(self, path);
    }

    fn visit_pat(&mut self, pat: &'ast Pat) {
        if let Pat::Ident(pat) = pat {
            self.is_shadowed |= pat.ident == self.name;
        }
        visit::visit_pat(self, pat);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let is_own = matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self"));
        self.asks_itself |= is_own && call.method == self.name;
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        // What is inside a macro is tokens only.
        let tokens = item.tokens.to_string();
        let words = tokens.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        words.iter().for_each(|word| self.path(&[word]));
        words.windows(2).for_each(|pair| self.path(pair));
        self.asks_itself |= words.windows(2).any(|pair| pair[0] == "self" && pair[1] == self.name);
    }

    /// A function inside is one of its own.
    fn visit_item_fn(&mut self, _: &'ast ItemFn) {}
}
