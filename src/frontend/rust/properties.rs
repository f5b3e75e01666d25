//! Whatever the text, lowering ends without a panic or an overflow and keeps the invariants of facts.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use syn::visit::{self, Visit};

use super::testing::{self, calls, problems};
use crate::ir::{Facts, ProblemKind};

/// Lowers, and checks that no call is lost that syn sees.
fn facts(source: &str) -> Facts {
    let facts = testing::facts(source);
    if !facts.is_partial()
        && let Ok(file) = syn::parse_str(source)
    {
        let mut seen = Seen::default();
        seen.visit_file(&file);
        let kept: std::collections::HashSet<usize> =
            facts.calls().iter().map(|site| facts.span(site.expr).hi as usize).collect();
        for end in seen.ends {
            assert!(kept.contains(&end), "{:?} is lost in {source:?}", &source[..end]);
        }
    }
    facts
}

/// Where calls end. What is computed for a type or an attribute is none that runs.
#[derive(Default)]
struct Seen {
    ends: Vec<usize>,
}

impl<'ast> Visit<'ast> for Seen {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        self.ends.push(call.paren_token.span.close().byte_range().end);
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.ends.push(call.paren_token.span.close().byte_range().end);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
    fn visit_path_arguments(&mut self, _: &'ast syn::PathArguments) {}
    fn visit_angle_bracketed_generic_arguments(&mut self, _: &'ast syn::AngleBracketedGenericArguments) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_item_foreign_mod(&mut self, _: &'ast syn::ItemForeignMod) {}
}

const TOKENS: &[&str] = &[
    "a",
    "b",
    "self",
    "Self",
    "crate",
    "super",
    "A",
    "Ok",
    "f",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "::",
    ":",
    ";",
    ",",
    ".",
    "..",
    "..=",
    "=",
    "==",
    "=>",
    "->",
    "+",
    "-",
    "*",
    "/",
    "&",
    "&&",
    "|",
    "||",
    "!",
    "?",
    "@",
    "#",
    "$",
    "_",
    "if",
    "else",
    "match",
    "let",
    "mut",
    "ref",
    "fn",
    "struct",
    "enum",
    "trait",
    "impl",
    "for",
    "in",
    "while",
    "loop",
    "break",
    "continue",
    "return",
    "async",
    "await",
    "move",
    "mod",
    "use",
    "as",
    "pub",
    "const",
    "static",
    "type",
    "where",
    "dyn",
    "unsafe",
    "1",
    "\"s\"",
    "'c'",
    "'a",
    "b\"x\"",
    "r#\"y\"#",
    "format!",
    "vec!",
    "json!",
    "select!",
    "m!",
    "macro_rules!",
    "\"{a} {}\"",
    "#[cfg(test)]",
    "#[x(y = 1)]",
    "\n",
    "// gatelint: x\n",
    "/*",
    "*/",
    "\0",
    "é",
];

/// Every construct once.
const REAL: &str = r##"
use std::{collections::HashMap, fmt::{self, *}};
use crate::a::b as c;
#[derive(Debug)]
pub struct S<T: Clone = u8> where T: fmt::Debug { a: Option<Box<dyn Fn(T) -> u8 + Send>>, pub(crate) b: [T; 3] }
enum E { A, B(u8, S), C { x: i32 } }
pub trait Tool: Send { const NAME: &'static str; type Out; fn name(&self) -> &str { Self::NAME } async fn call(&self, x: Self::Out) -> Result<(), E>; }
impl<T: Tool> Tool for S<T> {
    const NAME: &'static str = concat!("a", "b");
    type Out = T;
    async fn call(&self, (x, y @ [_, .., z]): (T, [u8; 3])) -> Result<(), E> {
        let Some(S { a, ref mut b, .. }) = self.get::<T>(&x)?.await else { return Err(E::A) };
        'outer: for (i, v) in b.iter().enumerate() {
            while let Some(q) = v.next() && i > 3 { if q { break 'outer; } else if let E::B(1..=3, _) = q { continue } else { } }
        }
        let f = move |k: u8, (l, m)| -> u8 { async { l?; m.await }; k + l };
        match x { E::A | E::B(..) if f(1, (2, 3)) > 0 => println!("{x:?} {} {y:>1$}", z, n = 1), E::C { x: -1 } => {} _ => unreachable!() }
        tokio::select! { r = f(1) => r, else => return Ok(()) }
        let v = vec![json!({"a": [1, null, x.y()], "b": {"c": true}}), json!(x)];
        *self.a.b[1] += !x as u8 & 1 | (2 << 3);
        (a, self.b) = (1, loop { break 3 });
        let r = 'l: { if matches!(v, Some(w) if w) { break 'l 1; } 2 };
        unsafe { extern_call(&raw const x) };
        <T as Tool>::name(&x); <Vec<T>>::new(); T::NAME.len();
        info!(target: "t", user = %x, "hi {x}");
        Ok(())
    }
}
mod inner { pub use super::{S as R, super::T}; #[cfg(test)] mod tests { use super::*; #[test] fn t() { assert_eq!(1, 2, "{}", 3); } } }
macro_rules! m { ($x:expr $(, $y:ty)*) => { a::b($x).c::<$($y)*>() } }
lazy_static! { static ref L: Vec<u8> = vec![1; 3]; }
#[path = "x.rs"] mod file;
extern "C" { fn puts(s: *const u8) -> i32; }
static mut G: i32 = 3; type F = fn(u8) -> !; union U { a: u8 }
"##;

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn token_soup(tokens in prop::collection::vec(select(TOKENS), 0..80)) {
        facts(&tokens.join(" "));
        facts(&format!("fn f() {{ {} }} fn g() {{ h() }}", tokens.join(" ")));
    }

    #[test]
    fn macro_soup(
        tokens in prop::collection::vec(select(TOKENS), 0..40),
        name in select(&["m", "json", "select", "vec", "format", "matches", "assert"][..]),
    ) {
        facts(&format!("fn f() {{ {name}!({}) }}", tokens.join(" ")));
    }

    #[test]
    fn random_text(text in "\\PC{0,200}") {
        facts(&text);
    }

    #[test]
    fn real_code_with_a_part_removed(from in any::<Index>(), len in 0usize..60) {
        let from = from.index(REAL.len());
        let to = (from + len).min(REAL.len());
        facts(&format!("{}{}", &REAL[..from], &REAL[to..]));
    }

    #[test]
    fn real_code_with_tokens_put_in(places in prop::collection::vec((any::<Index>(), select(TOKENS)), 1..6)) {
        let mut text = REAL.to_owned();
        for (at, token) in places {
            let at = at.index(text.len());
            if text.is_char_boundary(at) {
                text.insert_str(at, token);
            }
        }
        facts(&text);
    }
}

#[test]
fn real_code_is_understood() {
    assert_eq!(problems(REAL), []);
    let found = calls(REAL);
    assert_eq!(found, calls(REAL), "facts are a function of the text");
    assert!(found.len() > 20, "{found:?}");
}

/// Nothing that nests, however deep, ends the process or hides the other functions of its file.
#[track_caller]
fn survives(body: &str, at_least: usize) {
    let source = format!("fn before() {{ one(); }}\nfn deep() {{ {body} }}\nfn after() {{ two(); }}\n");
    let facts = testing::facts(&source);
    assert!(facts.is_partial(), "{body:.40}");
    assert!(facts.calls().len() >= at_least + 2, "{body:.40}: {} calls", facts.calls().len());
    let named = facts.functions().iter().filter(|function| !facts.str(function.name).is_empty());
    assert_eq!(named.count(), 3, "{body:.40}");
}

#[test]
fn deep_nesting_is_reported_and_its_calls_are_kept() {
    survives(&format!("{}f(){}", "(".repeat(10_000), ")".repeat(10_000)), 1);
    survives(&format!("{}f(){}", "[".repeat(10_000), "]".repeat(10_000)), 1);
    survives(&format!("{}1{}", "f(".repeat(5_000), ")".repeat(5_000)), 5_000);
    survives(&format!("a{}", ".b()".repeat(100_000)), 100_000);
    survives(&format!("{}f(){}", "{".repeat(10_000), "}".repeat(10_000)), 1);
    survives(&format!("m!({}f(1){})", "(".repeat(6_000), ")".repeat(6_000)), 1);
}

#[test]
fn what_a_stack_holds_but_the_core_language_does_not_is_flat() {
    survives(&format!("{}1{}", "f(".repeat(1_000), ")".repeat(1_000)), 1_000);
    survives(&format!("a{}", ".b()".repeat(1_000)), 1_000);
    survives(&format!("m!({}f(1){})", "[".repeat(1_000), "]".repeat(1_000)), 1);
}

/// As deep as anything is parsed: each of these recurses in the parser, here, or when the tree is dropped.
#[test]
fn the_deepest_that_is_parsed_fits_on_the_stack() {
    const UNITS: [&str; 16] = [
        "!",
        "&",
        "*",
        "- ",
        "return ",
        "|| ",
        "a = ",
        "a + ",
        "a.b().",
        "if a {} else ",
        "a as u8 < ",
        "break ",
        "&& ",
        "..",
        "move |x| ",
        "loop { } + ",
    ];
    for unit in UNITS {
        testing::facts(&format!("fn f() {{ {}x() }}", unit.repeat(times(unit))));
    }
    const VALUES: [&str; 14] = [
        "( )",
        "[ ]",
        "{ }",
        "f( )",
        "|| { }",
        "m!( )",
        "if a { }",
        "match a { _ => }",
        "S { a: }",
        "fn f() { }",
        "async { }",
        "a.b( )",
        "x[ ]",
        "&( )",
    ];
    VALUES.iter().for_each(|pair| nested("fn f() { ", pair, "x()", " }"));
    const TYPES: [&str; 6] = ["A< >", "& ", "*const ", "( )", "[ ]", "dyn A + Fn( )"];
    TYPES.iter().for_each(|pair| nested("fn f(a: ", pair, "X", ") { x() }"));
    const PATTERNS: [&str; 5] = ["A( )", "& ", "( )", "[ ]", "A { x: }"];
    PATTERNS.iter().for_each(|pair| nested("fn f() { let ", pair, "x", " = y(); }"));
    nested("use ", "a::{ }", "x", ";");
    nested("use ", "a:: ", "x", ";");
    nested("", "mod a { }", "fn f() {}", "");
}

/// How often a unit fits below the limit of the survey.
fn times(unit: &str) -> usize {
    4_900 / unit.split_whitespace().map(str::len).sum::<usize>().max(1)
}

fn nested(before: &str, pair: &str, inside: &str, after: &str) {
    let (open, close) = match pair.rsplit_once(' ') {
        Some((open, close)) => (open, close),
        None => (pair, ""),
    };
    let times = times(open);
    testing::facts(&format!(
        "{before}{}{inside}{}{after}",
        format!("{open} ").repeat(times),
        close.repeat(times)
    ));
}

#[test]
fn a_quote_in_the_first_line_hides_no_nesting() {
    let source = format!("#!/bin/env \"\nfn f() {{ {}x(){} }} // \"", "(".repeat(50_000), ")".repeat(50_000));
    assert!(testing::facts(&source).is_partial());
}

#[test]
fn a_file_that_is_too_deep_is_marked() {
    let source = format!("fn f() {{ {}x(){} }}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(problems(&source).contains(&ProblemKind::TooDeep));
}
