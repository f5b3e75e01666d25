//! What the tests of this front end say of a source in Rust.

use crate::frontend::testing;
use crate::ir::{Facts, Lang, ProblemKind};

const LANG: Lang = Lang::Rust;

pub(in crate::frontend) fn facts(source: &str) -> Facts {
    testing::facts(source, LANG)
}

pub(in crate::frontend) fn dump(source: &str) -> String {
    testing::dump(source, LANG)
}

pub(in crate::frontend) fn problems(source: &str) -> Vec<ProblemKind> {
    testing::problems(source, LANG)
}

pub(in crate::frontend) fn calls(source: &str) -> Vec<String> {
    testing::calls(source, LANG)
}

/// The statements of the function with this number.
#[track_caller]
pub(in crate::frontend) fn check_function(number: usize, source: &str, expected: &str) {
    testing::check_function(number, source, LANG, expected);
}

/// The statements of a function with this body.
#[track_caller]
pub(in crate::frontend) fn check(body: &str, expected: &str) {
    check_function(1, &format!("fn f(a: A, b: B) {{ {body} }}"), expected);
}

#[track_caller]
pub(in crate::frontend) fn has(source: &str, parts: &[&str]) {
    let dump = dump(source);
    parts.iter().for_each(|part| assert!(dump.contains(part), "{part:?} in\n{dump}"));
}
