//! What the tests of this front end say of a source in Python.

use crate::frontend::testing;
use crate::ir::{Facts, Lang, ProblemKind};

const LANG: Lang = Lang::Python;

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

/// The statements of the module, one below the other.
#[track_caller]
pub(in crate::frontend) fn check(source: &str, expected: &str) {
    testing::check_function(0, source, LANG, expected);
}

/// The whole dump.
#[track_caller]
pub(in crate::frontend) fn check_all(source: &str, expected: &str) {
    assert_eq!(testing::trimmed(&dump(source)), testing::trimmed(expected));
}
